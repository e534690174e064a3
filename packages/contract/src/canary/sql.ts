import { z } from "zod";
import { commonShape, connectionShape, count, durationOrSeconds, tls } from "./fields.ts";

const sqlShape = {
  ...commonShape,
  ...connectionShape,
  query: z
    .string()
    .min(1)
    .max(262_144)
    .optional()
    .describe("Statement to run; SELECT 1 when absent."),
  results: count.optional().describe("Fewest rows that the query must return."),
  timeout: durationOrSeconds
    .optional()
    .describe("Time for the query, in seconds or as a duration."),
} as const;

const needsAddress = (spec: { url?: string; connection?: string }, context: z.RefinementCtx) => {
  if (!spec.url && !spec.connection) {
    context.addIssue({
      code: "custom",
      path: [],
      message: "A database check needs a url or a connection.",
    });
  }
};

export const postgresSpec = z
  .looseObject(sqlShape)
  .superRefine(needsAddress)
  .describe("Queries to PostgreSQL.");
export type PostgresSpec = z.output<typeof postgresSpec>;

export const mysqlSpec = z
  .looseObject(sqlShape)
  .superRefine(needsAddress)
  .describe("Queries to MySQL or MariaDB.");
export type MysqlSpec = z.output<typeof mysqlSpec>;

export const mssqlSpec = z
  .looseObject({ ...sqlShape, tlsConfig: tls.optional() })
  .superRefine(needsAddress)
  .describe("Queries to Microsoft SQL Server.");
export type MssqlSpec = z.output<typeof mssqlSpec>;
