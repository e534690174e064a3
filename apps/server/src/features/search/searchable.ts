import type { Resource } from "@mainstay/contract";
import type { FieldType, ResourceDeclaration, SearchDeclaration } from "#platform/resource.ts";

/** A kind that can be searched, with everything said that its declaration leaves out. */
export interface Searchable extends Required<Omit<SearchDeclaration, "scope" | "fields">> {
  table: string;
  read: Resource;
  fields: Readonly<Record<string, FieldType>>;
  scope: SearchDeclaration["scope"];
  /** Its name and where the namespace is, as SQL. */
  name: string;
  namespace: string;
}

/** Short names of columns that many kinds have. */
const commonAliases = {
  created: "created_at",
  updated: "updated_at",
  deleted: "deleted_at",
  agent: "agent_id",
};

/** Throws for a kind that declares no search. */
export function searchable({ kind, table, read, ...declared }: ResourceDeclaration): Searchable {
  const { search, namespace = "null::text" } = declared;
  if (!search) throw new Error(`The kind of resource "${kind}" declares no search.`);
  return {
    shown: {},
    icon: "null",
    maps: [],
    hasProperties: false,
    hasFieldSelector: false,
    ...search,
    aliases: { ...commonAliases, ...search.aliases },
    scope: search.scope,
    table,
    read,
    name: declared.name ?? `${table}.name`,
    namespace,
  };
}

/** Those of all kinds that can be searched, by the name that is asked for. */
export const searchables = (all: readonly ResourceDeclaration[]): ReadonlyMap<string, Searchable> =>
  new Map(all.flatMap((one) => (one.search ? [[one.search.as, searchable(one)] as const] : [])));
