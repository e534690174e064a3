import { z } from "zod";
import { envVar } from "../canary/fields.ts";
import { secret, secretIn } from "../secrets/marks.ts";
import { baseShape } from "./base-fields.ts";

const auth = z
  .looseObject({
    username: envVar.optional().describe("User name."),
    password: secret(envVar).optional().describe("Password."),
  })
  .describe("Credentials, where the connection has none.");

export const sqlScraper = z
  .looseObject({
    ...baseShape,
    connection: secretIn("address", z.string().min(1).max(8192)).describe(
      "A stored connection (connection://namespace/name), or the address of a database. A password in it is secret.",
    ),
    auth: auth.optional(),
    driver: z
      .string()
      .max(64)
      .optional()
      .describe("Accepted; the address says it: postgres, mysql or sqlserver."),
    query: z.string().min(1).max(262_144).describe("The query; every row is an item."),
  })
  .describe("Rows of a database.");

export type SqlScraper = z.output<typeof sqlScraper>;
