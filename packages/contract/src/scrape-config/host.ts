import { z } from "zod";
import { sftpConnection } from "../canary/share-fields.ts";
import { secretIn } from "../secrets/marks.ts";
import { baseShape } from "./base-fields.ts";
import { textList, wordOf } from "./texts.ts";

/** What a scraper of a machine can read. */
export const hostParts = [
  "system",
  "packages",
  "services",
  "ports",
  "certificates",
  "containers",
  "users",
  "filesystems",
  "networks",
] as const;
export type HostPart = (typeof hostParts)[number];

const parts = z.array(wordOf(hostParts, "part of a machine")).max(100);
const { host, port, username, password, privateKey, hostKey } = sftpConnection.shape;

export const hostScraper = z
  .looseObject({
    ...baseShape,
    connection: secretIn("address", z.string().max(2048))
      .optional()
      .describe("A stored connection (connection://namespace/name), or ssh://user@host:port."),
    host: host.describe(
      "Name or address of the machine, which is asked over SSH; without one and without a connection it is this machine.",
    ),
    port: port.describe("Port of SSH; 22 when absent."),
    username,
    password,
    privateKey,
    hostKey,
    include: parts
      .optional()
      .describe(
        "What is read: system, packages, services, ports, certificates, containers, users, filesystems, networks; all when absent.",
      ),
    exclude: parts.optional().describe("What is not read."),
    certificatePaths: textList(4096, 1000)
      .optional()
      .describe("Files and folders with certificates (/srv/*/tls), beside the usual ones."),
  })
  .superRefine((spec, context) => {
    if (spec.host || spec.connection) return;
    for (const key of ["port", "username", "password", "privateKey", "hostKey"] as const)
      if (spec[key] !== undefined)
        context.addIssue({
          code: "custom",
          path: [key],
          message: `"${key}" is of no use without a host: nobody signs in at this machine.`,
        });
  })
  .describe(
    "Our addition: a machine with its packages, services, ports, certificates and the like.",
  );

export type HostScraper = z.output<typeof hostScraper>;
