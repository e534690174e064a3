import type { LookUp } from "@mainstay/data-api/declare.ts";
import type { Resource } from "@mainstay/contract";
import type {
  AboutDeclaration,
  FieldType,
  OwnField,
  ResourceDeclaration,
  SearchDeclaration,
} from "#platform/resource.ts";

/** A kind that can be searched, with everything said that its declaration leaves out. */
export interface Searchable extends Required<
  Omit<SearchDeclaration, "scope" | "fields" | "about">
> {
  /** Where what is to be looked up first is put; without it statements look it up themselves. */
  lookUps?: LookUp[];
  /** What its rows are called. */
  table: string;
  /** Where they are stored. */
  stored: string;
  read: Resource;
  fields: Readonly<Record<string, FieldType>>;
  scope: SearchDeclaration["scope"];
  about: About | undefined;
  /** Its name and where the namespace is, as SQL. */
  name: string;
  namespace: string;
}

/** What its rows are about; `maps` are those that are asked without anything before them. */
export interface About {
  column: string;
  called: string;
  kind: Searchable;
  fields: Readonly<Record<string, string>>;
  maps: readonly string[];
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
    own: {},
    listed: {},
    indexed: {},
    icon: "null",
    maps: [],
    hasProperties: false,
    hasPropertyIndex: false,
    hasFieldSelector: false,
    ...search,
    aliases: { ...commonAliases, ...search.aliases },
    scope: search.scope,
    about: search.about && aboutOf(search.about, search.maps ?? []),
    table,
    stored: table,
    read,
    name: declared.name ?? `${table}.name`,
    namespace,
  };
}

function aboutOf({ resource, ...about }: AboutDeclaration, ownMaps: readonly string[]): About {
  const kind = searchable(resource);
  return { ...about, kind, maps: kind.maps.filter((map) => !ownMaps.includes(map)) };
}

/**
 * The same kind where its rows are called otherwise: in a statement over a view of the table. `shown` says what of the
 * table the view has not, as SQL over the table's name.
 */
export function searchedAs(
  kind: Searchable,
  alias: string,
  shown: Readonly<Record<string, string>> = {},
): Searchable {
  const columns = new RegExp(`\\b${kind.table}\\.(\\w+)`, "g");
  const renamed = (text: string): string =>
    text.replaceAll(columns, (_, column: string) =>
      Object.hasOwn(shown, column)
        ? `(${shown[column]!.replaceAll(columns, `${alias}.$1`)})`
        : `${alias}.${column}`,
    );
  const all = (texts: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, renamed(text)]));
  return {
    ...kind,
    table: alias,
    name: renamed(kind.name),
    namespace: renamed(kind.namespace),
    icon: renamed(kind.icon),
    shown: {
      ...all(kind.shown),
      ...Object.fromEntries(
        Object.entries(shown).map(([column, text]) => [
          column,
          text.replaceAll(columns, `${alias}.$1`),
        ]),
      ),
    },
    own: Object.fromEntries(
      Object.entries(kind.own).map(([field, one]) => [field, renamedField(one, renamed, all)]),
    ),
  };
}

function renamedField(
  field: OwnField,
  renamed: (text: string) => string,
  all: (texts: Readonly<Record<string, string>>) => Record<string, string>,
): OwnField {
  switch (field.type) {
    case "anywhere":
      return { ...field, of: field.of.map(renamed) };
    case "some":
    case "texts":
    case "last":
      return { ...field, of: renamed(field.of), from: renamed(field.from) };
    case "count":
      return { ...field, counted: renamed(field.counted) };
    case "words":
      return { ...field, words: all(field.words) };
    case "level":
      return { ...field, of: renamed(field.of) };
    case "author":
      return { ...field, id: renamed(field.id), of: field.of.map(renamed) };
  }
}

/** The same kind, of which what is to be looked up before a statement is put into a list, and so for what it is about. */
export const lookingUp = (kind: Searchable, lookUps: LookUp[]): Searchable => ({
  ...kind,
  lookUps,
  about: kind.about && { ...kind.about, kind: { ...kind.about.kind, lookUps } },
});

/** Those of all kinds that can be searched, by the name that is asked for. */
export const searchables = (all: readonly ResourceDeclaration[]): ReadonlyMap<string, Searchable> =>
  new Map(all.flatMap((one) => (one.search ? [[one.search.as, searchable(one)] as const] : [])));
