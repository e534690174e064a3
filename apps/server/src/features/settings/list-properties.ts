import { knownFlags } from "@mainstay/contract/known-flags.ts";
import sql from "sql-template-tag";
import type { Ctx } from "#platform/context.ts";
import { localProperties } from "./local-properties.ts";

export interface Property {
  name: string;
  value: string;
  /** `local` comes from a file of the server and cannot be edited. */
  source: "db" | "local";
  type: string;
  description: string;
}

const descriptions = new Map<string, string>(
  knownFlags.map(({ name, description }) => [name, description]),
);

/** Every property in force. The console reads its feature flags from them. */
export async function listProperties(ctx: Ctx): Promise<Property[]> {
  const stored = await ctx.db.rows<{ name: string; value: string }>(sql`
    select name, value from properties where deleted_at is null order by name`);
  const local = await localProperties(ctx.db);
  const inForce = new Map<string, Pick<Property, "value" | "source">>();
  for (const { name, value } of stored) inForce.set(name, { value, source: "db" });
  for (const [name, value] of local) inForce.set(name, { value, source: "local" });
  return [...inForce]
    .map(([name, property]) => ({
      name,
      ...property,
      type: "",
      description: descriptions.get(name) ?? "",
    }))
    .toSorted((left, right) => (left.name < right.name ? -1 : 1));
}
