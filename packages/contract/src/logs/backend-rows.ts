import { z } from "zod";
import { envVar } from "../canary/fields.ts";
import { textList } from "../scrape-config/texts.ts";
import { secret, secretIn } from "../secrets/marks.ts";
import { backendShape, fieldName } from "./backend-routes.ts";

export const postgresBackend = z
  .looseObject({
    ...backendShape,
    connection: secretIn("address", z.string().max(8192))
      .optional()
      .describe(
        "A stored connection (connection://namespace/name), or the address of the database.",
      ),
    url: secretIn("address", z.string().max(8192))
      .optional()
      .describe("Address of the database. A password in it is secret."),
    username: envVar.optional().describe("User name."),
    password: secret(envVar).optional().describe("Password."),
    table: z
      .string()
      .min(1)
      .max(256)
      .optional()
      .describe("Table or view with the lines, perhaps with its schema: logs.lines."),
    query: z
      .string()
      .min(1)
      .max(65_536)
      .optional()
      .describe("A query that gives the lines, in the place of a table."),
    columns: z
      .looseObject({
        timestamp: fieldName.describe("Column with the time."),
        message: fieldName.describe("Column with the message."),
        level: fieldName.optional().describe("Column with the level."),
        id: fieldName
          .optional()
          .describe("Column that tells lines of the same time apart, and orders them."),
        labels: textList(1000, 100)
          .optional()
          .describe("Columns that become labels; of one of JSON its fields do."),
      })
      .describe("What the columns are."),
  })
  .superRefine((spec, context) => {
    const wrong = (message: string, path: string[] = []) =>
      context.addIssue({ code: "custom", path, message });
    if (!spec.url && !spec.connection)
      wrong("A log backend of postgres needs url, or a connection.");
    if (spec.table === undefined && spec.query === undefined)
      wrong("Say where the lines are: a table, or a query.");
    if (spec.table !== undefined && spec.query !== undefined)
      wrong('"query" is of no use beside a table.', ["query"]);
  })
  .describe("Our addition: a table of PostgreSQL.");
export type PostgresBackend = z.output<typeof postgresBackend>;
