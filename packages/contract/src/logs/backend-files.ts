import { z } from "zod";
import { timeZoneName } from "../canary/fields.ts";
import { sftpConnection } from "../canary/share-fields.ts";
import { textList, wordOf } from "../scrape-config/texts.ts";
import { secretIn } from "../secrets/marks.ts";
import { backendShape, fieldName } from "./backend-routes.ts";

const { host, port, username, password, privateKey, hostKey } = sftpConnection.shape;

const machineShape = {
  connection: secretIn("address", z.string().max(2048))
    .optional()
    .describe("A stored connection (connection://namespace/name), or ssh://user@host:port."),
  host: host.describe(
    "Our addition: name or address of the machine, which is asked over SSH; without one and without a connection it is this machine.",
  ),
  port: port.describe("Port of SSH; 22 when absent."),
  username,
  password,
  privateKey,
  hostKey,
} as const;

type Machine = Readonly<Partial<Record<keyof typeof machineShape, unknown>>>;

/** Nobody signs in at this machine. */
function needsHost(spec: Machine, context: z.RefinementCtx): void {
  if (spec.host || spec.connection) return;
  for (const key of ["port", "username", "password", "privateKey", "hostKey"] as const)
    if (spec[key] !== undefined)
      context.addIssue({
        code: "custom",
        path: [key],
        message: `"${key}" is of no use without a host: nobody signs in at this machine.`,
      });
}

/** How lines of a file are written. */
export const lineFormats = ["auto", "json", "logfmt", "syslog", "common", "plain"] as const;
export type LineFormat = (typeof lineFormats)[number];

export const fileBackend = z
  .looseObject({
    ...backendShape,
    ...machineShape,
    path: textList(4096, 100).describe(
      "Files, or patterns of them with * and **; rotated ones that are gzipped (.gz) are read as well.",
    ),
    format: wordOf(lineFormats, "format of lines")
      .optional()
      .describe(
        "Our addition: json, logfmt, syslog, common (and combined), plain; what each line looks like (auto) when absent.",
      ),
    timezone: timeZoneName
      .optional()
      .describe("Our addition: zone of times that name none; UTC when absent."),
    fields: z
      .looseObject({
        timestamp: fieldName
          .optional()
          .describe("Field with the time; the usual ones when absent."),
        message: fieldName
          .optional()
          .describe("Field with the message; the usual ones when absent."),
        level: fieldName.optional().describe("Field with the level; the usual ones when absent."),
      })
      .optional()
      .describe("Our addition: names of fields, of lines that have any."),
  })
  .superRefine((spec, context) => {
    if (spec.path.length === 0)
      context.addIssue({ code: "custom", path: ["path"], message: "Say which files are read." });
    for (const [index, path] of spec.path.entries())
      if (!path.startsWith("/"))
        context.addIssue({
          code: "custom",
          path: ["path", index],
          message: `"${path.slice(0, 80)}" is not an absolute path.`,
        });
    needsHost(spec, context);
  })
  .describe("Lines of files: of this machine, or of another one over SSH.");
export type FileBackend = z.output<typeof fileBackend>;

export const journaldBackend = z
  .looseObject({
    ...backendShape,
    ...machineShape,
    units: textList(256, 100)
      .optional()
      .describe("Units whose lines are read, for example nginx.service; all when absent."),
    matches: z
      .record(z.string().max(64), z.string().max(1000))
      .optional()
      .describe("Fields of the journal that lines must have, for example _TRANSPORT: kernel."),
    directory: z
      .string()
      .max(4096)
      .startsWith("/", "This is not an absolute path.")
      .optional()
      .describe("Folder of journal files; those of the machine itself when absent."),
  })
  .superRefine((spec, context) => {
    for (const field of Object.keys(spec.matches ?? {}))
      if (!/^[A-Z0-9_]+$/.test(field))
        context.addIssue({
          code: "custom",
          path: ["matches", field],
          message: `"${field}" is no field of the journal: they have capital letters.`,
        });
    needsHost(spec, context);
  })
  .describe("Our addition: the journal of systemd, of this machine or of another one over SSH.");
export type JournaldBackend = z.output<typeof journaldBackend>;
