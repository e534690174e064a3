import { z } from "zod";
import { secret, secretIn } from "../secrets/marks.ts";
import { commonShape, envVar } from "./fields.ts";

export const gitProtocolSpec = z
  .looseObject({
    ...commonShape,
    repository: secretIn("address", z.string().min(1).max(8192)).describe(
      "Address of the repository: https://, http://, git:// or ssh://. A password in it is secret.",
    ),
    filename: z
      .string()
      .max(4096)
      .optional()
      .describe("A file that the repository must have at the end of its first branch."),
    username: envVar.optional().describe("User name."),
    password: secret(envVar).optional().describe("Password or token."),
    certificate: secret(envVar).optional().describe("Private key (PEM) to sign in with over ssh."),
  })
  .describe("A repository of Git: it is there and can be read.");

export type GitProtocolSpec = z.output<typeof gitProtocolSpec>;
