import { z } from "zod";
import { secret, secretIn } from "../secrets/marks.ts";
import { envVar, portNumber } from "./fields.ts";

/** Editors write ports as texts too. */
const port = z.union([
  portNumber,
  z
    .string()
    .regex(/^\d{1,5}$/, "A port is a number.")
    .transform(Number)
    .pipe(portNumber),
]);

const credentials = {
  connection: secretIn("address", z.string().max(2048))
    .optional()
    .describe("A stored connection (connection://namespace/name)."),
  username: envVar.optional().describe("User name."),
  password: secret(envVar).optional().describe("Password."),
} as const;

/** Host and credentials of a folder over SFTP. A connection of type `sftp` fills it. */
export const sftpConnection = z
  .looseObject({
    ...credentials,
    host: z.string().max(512).optional().describe("Name or address of the server."),
    port: port.optional().describe("Port of the server; 22 when absent."),
    privateKey: secret(envVar).optional().describe("Private key (PEM) to sign in with."),
    hostKey: z
      .string()
      .max(4096)
      .optional()
      .describe("The server's key, or SHA256:… of it; any other is refused. Any when absent."),
  })
  .describe("Host and credentials of a folder over SFTP.");

/** Credentials of a shared folder. A connection of type `smb` fills it. */
export const smbConnection = z
  .looseObject({
    ...credentials,
    host: z
      .string()
      .max(512)
      .optional()
      .describe("Name or address of the server, where the path has none."),
    port: port.optional().describe("Port of the server; 445 when absent."),
    domain: z.string().max(256).optional().describe("Domain of the user."),
    workstation: z.string().max(256).optional().describe("Name of the machine that asks."),
    share: z.string().max(256).optional().describe("Name of the share, where the path has none."),
    sharename: z.string().max(256).optional().describe("Another spelling of share."),
    searchPath: z.string().max(4096).optional().describe("Path inside the share."),
  })
  .describe("Credentials of a shared folder.");
