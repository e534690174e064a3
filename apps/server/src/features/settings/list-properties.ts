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
  /** Of stored ones; nobody is named to who is not signed in. */
  created_by?: { id: string; name: string; avatar: string | null } | null;
  /** Exact to the microsecond, as the data API says them: a write may ask whether it is still so. */
  created_at?: string;
  updated_at?: string;
}

type StoredProperty = Required<
  Pick<Property, "name" | "value" | "created_by" | "created_at" | "updated_at">
>;

const descriptions = new Map<string, string>(
  knownFlags.map(({ name, description }) => [name, description]),
);

/** Every property in force. The console reads its feature flags from them. */
export async function listProperties(ctx: Ctx): Promise<Property[]> {
  const stored = await ctx.db.rows<StoredProperty>(sql`
    select s.name, s.value, to_jsonb(s.created_at) #>> '{}' as created_at, to_jsonb(s.updated_at) #>> '{}' as updated_at,
           case when ${ctx.actor.kind !== "anonymous"} and p.id is not null
                then json_build_object('id', p.id, 'name', p.name, 'avatar', p.avatar) end as created_by
      from properties s left join people p on p.id = s.created_by
     where s.deleted_at is null`);
  const local = await ctx.service(localProperties).current();
  const inForce = new Map<string, Omit<Property, "name" | "type" | "description">>();
  for (const { name, ...row } of stored) inForce.set(name, { ...row, source: "db" });
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
