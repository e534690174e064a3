import type { Resource } from "@mainstay/contract";

/** How a field is compared. */
export type FieldType =
  | "text"
  /** Texts of the form `Kubernetes::Pod`, which `pod` names too. */
  | "type"
  /** Nothing in it is `unknown`. */
  | "health"
  | "id"
  | "agent"
  | "date"
  | "number"
  | "texts"
  /** JSON, of which a path is compared. */
  | "json";

/**
 * A field that is no column. Its SQL is ours and names columns of the table by the table's name, so that it can be asked
 * of the table under another name.
 */
export type OwnField =
  /** Any of these texts has it somewhere. */
  | { type: "anywhere"; of: readonly string[] }
  /** A text of any of the rows of `from`, which are those of the resource. */
  | { type: "some"; of: string; from: string }
  /** One of the texts of a list in a row of `from`, of which `lowered` has an index. */
  | { type: "texts"; of: string; from: string }
  /** The latest of the moments in the rows of `from`. */
  | { type: "last"; of: string; from: string }
  /** How many: `counted` selects the id of each resource that has any, as `id`, and how many as `n`. */
  | { type: "count"; counted: string }
  /** One of these words, each with the condition that it says. */
  | { type: "words"; words: Readonly<Record<string, string>> }
  /** How much it matters: one of these words, the most first, in any case; nothing and any other word is the last of them. */
  | { type: "level"; of: string; words: readonly string[] }
  /** Who did it: a person by `id`, or one of these texts where others did. */
  | { type: "author"; id: string; of: readonly string[] };

/** What rows are about: its fields are asked through them. */
export interface AboutDeclaration {
  /** The column that holds its id. */
  column: string;
  resource: ResourceDeclaration;
  /** What stands before a field of it: `config` of `config:health=unhealthy`. */
  called: string;
  /** Those of its fields that need nothing before them, by the name under which they are asked. */
  fields: Readonly<Record<string, string>>;
}

/** What searches and selectors can say of a kind. Names of columns are ours, never what somebody sent. */
export interface SearchDeclaration {
  /** The name by which it is asked for: `checks`. */
  as: string;
  /** The columns of its table that can be named. `deleted_at` and `agent_id` are minded where they are among them. */
  fields: Readonly<Record<string, FieldType>>;
  aliases?: Readonly<Record<string, string>>;
  /** Fields that are no columns. */
  own?: Readonly<Record<string, OwnField>>;
  /** Views that list the few values of a column, under its name: whoever looks for a value looks there first. */
  listed?: Readonly<Record<string, string>>;
  /**
   * Maps with an index on what they hold, each with a table of `key` and `value` of all there are: it knows how a value
   * is written.
   */
  indexed?: Readonly<Partial<Record<"labels" | "tags", string>>>;
  /** Columns that readers see otherwise than they are stored, as SQL. */
  shown?: Readonly<Record<string, string>>;
  /** The name of its icon, as SQL. */
  icon?: string;
  /** Maps of text to text. */
  maps?: readonly ("labels" | "tags")[];
  about?: AboutDeclaration;
  /** A list of `{name, text}`, in which every unknown field is looked up. */
  hasProperties?: boolean;
  /** Whether the table has an index on `property_words(properties)`. */
  hasPropertyIndex?: boolean;
  /** Whether Kubernetes' field selectors apply. */
  hasFieldSelector?: boolean;
  /** What one of them belongs to. */
  scope?: {
    column: string;
    /** The table in which `namespace/name` is looked up; none yet for some. */
    table?: string;
    called: string;
  };
}

/**
 * A kind of thing that has a name. From its declaration it is found by search and selectors, and named in the audit, in
 * the job history and wherever else only its kind and id are known. Its page is declared in the console.
 */
export interface ResourceDeclaration {
  /** The wire's name of one: `resource_type` in the job history, for example. */
  kind: string;
  /** With an `id` of type uuid. */
  table: string;
  /** The row of the permission matrix. */
  read: Resource;
  /** Its name, as SQL over the table's columns; the column `name` unless said. */
  name?: string;
  /** What its name is unique in, likewise; nothing unless said. */
  namespace?: string;
  search?: SearchDeclaration;
}

/** A table whose rows have no name of their own because they are about a resource: what the audit says of them. */
export interface RowsAbout {
  table: string;
  kind: string;
  /** Its id, as SQL over `row_id` (text) and `row` (the values as JSON); `row_id` unless said. */
  id?: string;
  /** A second resource, which the rows put into the first: a person in a team. */
  member?: { kind: string; id: string };
}

/** What a feature says of resources. */
interface Declaring {
  name: string;
  resources?: readonly ResourceDeclaration[];
  rowsAbout?: readonly RowsAbout[];
}

export interface Resources {
  all: readonly ResourceDeclaration[];
  rowsAbout: readonly RowsAbout[];
}

const plainName = /^[a-z_][a-z0-9_]*$/;

/** What all features declare, together. Throws when two declare the same. */
export function collectResources(features: readonly Declaring[]): Resources {
  const all = features.flatMap(({ resources = [] }) => resources);
  const rowsAbout = features.flatMap((feature) => feature.rowsAbout ?? []);
  const owners = new Map<string, string>();
  const own = (what: string, feature: string) => {
    const other = owners.get(what);
    if (other !== undefined)
      throw new Error(`${what} is declared twice: by ${other} and by ${feature}.`);
    owners.set(what, feature);
  };
  for (const { name, resources = [], rowsAbout: about = [] } of features) {
    for (const { kind, table, search } of resources) {
      own(`The kind of resource "${kind}"`, name);
      own(`What the rows of ${table} are`, name);
      if (search) own(`The search for "${search.as}"`, name);
    }
    for (const { table } of about) own(`What the rows of ${table} are`, name);
  }
  const kinds = new Set(all.map(({ kind }) => kind));
  for (const { table, kind, member } of rowsAbout) {
    for (const one of [kind, ...(member ? [member.kind] : [])])
      if (!kinds.has(one))
        throw new Error(`The rows of ${table} are about a "${one}", which no feature declares.`);
  }
  const odd = [
    ...all.flatMap(({ kind, table }) => [kind, table]),
    ...rowsAbout.map(({ table }) => table),
  ];
  for (const name of odd)
    if (!plainName.test(name)) throw new Error(`"${name}" is no name for a resource or a table.`);
  return { all, rowsAbout };
}

const byTable = (cases: readonly (readonly [table: string, sql: string])[], otherwise: string) =>
  cases.length === 0
    ? otherwise
    : `case of_table ${cases.map(([table, sql]) => `when '${table}' then ${sql}`).join(" ")} else ${otherwise} end`;

/**
 * The declarations as SQL. `resource_names` has every resource there is; asked for one kind and id it looks into one
 * table, by its key. A view rather than a function: it reads as its owner does, whoever reads what is built on it, and
 * is planned together with it.
 */
export function resourceViews({ all, rowsAbout }: Resources): string {
  const names = all.map(
    ({ kind, table, name = "name", namespace }) =>
      `select '${kind}'::text as kind, id, (${name})::text as name, (${namespace ?? "null"})::text as namespace from ${table}`,
  );
  const direct = all.map(({ kind, table }) => [table, `'${kind}'`] as const);
  const about = rowsAbout.map(({ table, kind }) => [table, `'${kind}'`] as const);
  const members = rowsAbout.flatMap(({ table, member }) => (member ? [{ table, member }] : []));
  return `
create view resource_names as
${names.length > 0 ? names.join("\nunion all\n") : "select null::text as kind, null::uuid as id, null::text as name, null::text as namespace where false"};

-- What is no id names nothing.
create function as_id(text text) returns uuid language sql immutable parallel safe as $$
  select case when text ~ '^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$' then text::uuid end
$$;

create function resource_name(of_kind text, of_id text) returns text language sql stable as $$
  select coalesce(namespace || '/', '') || name from resource_names where kind = of_kind and id = as_id(of_id)
$$;

-- What a row of a table is, or is about.
create function kind_of_row(of_table text) returns text language sql immutable parallel safe as $$
  select ${byTable([...direct, ...about], "null")}
$$;
create function id_of_row(of_table text, row_id text, "row" jsonb) returns text language sql immutable parallel safe as $$
  select ${byTable(
    rowsAbout.flatMap(({ table, id }) => (id ? [[table, id] as const] : [])),
    "row_id",
  )}
$$;
create function member_kind_of_row(of_table text) returns text language sql immutable parallel safe as $$
  select ${byTable(
    members.map(({ table, member }) => [table, `'${member.kind}'`]),
    "null",
  )}
$$;
create function member_id_of_row(of_table text, "row" jsonb) returns text language sql immutable parallel safe as $$
  select ${byTable(
    members.map(({ table, member }) => [table, member.id]),
    "null",
  )}
$$;
`;
}
