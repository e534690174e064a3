import sql, { type Sql } from "sql-template-tag";
import type { Ctx } from "#platform/context.ts";
import { notFound } from "#platform/errors.ts";
import { lostPaths } from "#platform/sealing/sealed.ts";
import type { ConnectionRow } from "./connection-kind.ts";
import { parseReference } from "./parse-reference.ts";
import { findRow } from "./read-connection.ts";

/** Something that names a connection. */
export interface ConnectionUse {
  /** As resources are called on the wire. */
  kind: string;
  id: string;
  name: string;
  namespace: string;
  /** Where in it: `postgres[rows].connection`. */
  place: string;
}

type Holder = Pick<ConnectionUse, "kind" | "id" | "name" | "namespace"> & { content: unknown };

/** Uses that are told, and documents that are looked into for them, at most. */
const most = 1_000;

/** Whether a text of somebody in a namespace names the connection. */
function names(row: ConnectionRow, text: string, namespace: string): boolean {
  if (!text.includes(row.id) && !text.startsWith("connection://")) return false;
  return parseReference(text, namespace).some((meaning) => {
    if (meaning.by === "id") return meaning.id === row.id;
    if (meaning.by === "address") return false;
    const isType = meaning.by !== "type" || meaning.type === row.type;
    return isType && meaning.namespace === row.namespace && meaning.name === row.name;
  });
}

/** The places of a document that hold such a text; elements of lists by their names. */
function placesIn(content: unknown, holds: (text: string) => boolean): string[] {
  const found: string[] = [];
  const walk = (value: unknown, path: string): void => {
    if (typeof value === "string") {
      if (holds(value)) found.push(path);
    } else if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) {
        const { name } = (item ?? {}) as { name?: unknown };
        walk(item, `${path}[${typeof name === "string" && name !== "" ? name : index}]`);
      }
    } else if (typeof value === "object" && value !== null) {
      for (const [key, inner] of Object.entries(value))
        walk(inner, path === "" ? key : `${path}.${key}`);
    }
  };
  walk(content, "");
  return found;
}

/** By its id, or as a reference that holds its name; which of those mean it is found out afterwards. */
const namesAny = (text: Sql, [id, ...names]: readonly string[]): Sql =>
  sql`(strpos(${text}, ${id}) > 0 or strpos(${text}, 'connection://') > 0
       and exists (select from unnest(${names.map((name) => JSON.stringify(name).slice(1, -1))}::text[]) n where strpos(${text}, n) > 0))`;

/**
 * What fails when a connection is gone: checks that connect with it, and connections that stand on it. And the paths of
 * its secrets that were given up with their key: what fails already.
 */
export async function listUses(
  ctx: Ctx,
  id: string,
): Promise<{ uses: ConnectionUse[]; lost: string[] }> {
  ctx.require("connections", "read");
  const row = await findRow(ctx.db, { by: "id", id });
  if (!row) throw notFound("connection was not found");
  // As it stands in a reference: plain, or as part of an address.
  const named = [row.id, row.name, encodeURIComponent(row.name)];
  const holders = await ctx.db.rows<Holder>(sql`
    select 'canary' as kind, id, name, namespace, spec as content from canaries
     where deleted_at is null and ${namesAny(sql`spec::text`, named)}
    union all
    select 'connection', id, name, namespace, jsonb_build_object('properties', properties) from connections
     where deleted_at is null and id <> ${row.id}::uuid and ${namesAny(sql`properties::text`, named)}
     order by namespace, name, id limit ${most}`);
  const uses = holders.flatMap(({ content, ...holder }) =>
    placesIn(content, (text) => names(row, text, holder.namespace)).map((place) => ({
      ...holder,
      place,
    })),
  );
  return { uses: uses.slice(0, most), lost: lostPaths(row.sealed) };
}
