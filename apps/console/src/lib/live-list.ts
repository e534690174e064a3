import { db, type Query, type TableName, type Where } from "./db.ts";

/** A list of rows, as what follows its changes must know it. */
export interface LiveList {
  table: string;
  /** The columns that say which rows are in it, and in which order. */
  decidedBy: Pick<ReadonlySet<string>, "has">;
  /** The rows that an answer shows, and whether these are all that the list has. */
  shown: (answer: unknown) => { ids: ReadonlySet<string>; isAll: boolean };
  /** Whether the list has one of these rows. Left out where it has every row of the table. */
  hasAny?: (ids: readonly string[]) => Promise<boolean>;
}

type Rowish = Readonly<Record<string, unknown>>;

/**
 * The list that a query finds, answered as `db.list` or `db.page` do: `meta: { tables: [table], list: listOf(table, query) }`.
 * It is then asked for again when one of the rows that it shows has changed or gone, and when another one has come into
 * it or may have left another of its pages, and not for what changes beside it. Rows are named by `key`, as the table
 * announces them.
 */
export function listOf<T extends TableName, Row>(
  table: T,
  query: Query<T, Row>,
  key = "id" as keyof Where<T> & string,
): LiveList {
  const {
    where = {},
    anyOf = [],
    anyOfEach = [],
    search,
    order = [],
    limit = Infinity,
    offset = 0,
  } = query;
  const filtered = [where, ...anyOf, ...anyOfEach.flat()].flatMap((one) =>
    Object.entries(one).flatMap(([name, filter]) => (filter === undefined ? [] : [name])),
  );
  return {
    table,
    // A typed search may be about any of them.
    decidedBy: search
      ? { has: () => true }
      : new Set(
          // `tags->>key` is decided by the column.
          [...filtered, ...order.map((text) => text.split(".", 1)[0]!)].map(
            (column) => column.split("->", 1)[0]!,
          ),
        ),
    shown(answer) {
      const page = Array.isArray(answer)
        ? { rows: answer as Rowish[], total: offset > 0 || answer.length >= limit ? Infinity : 0 }
        : (answer as { rows: Rowish[]; total: number });
      return {
        ids: new Set(page.rows.map((row) => String(row[key]))),
        isAll: page.rows.length >= page.total,
      };
    },
    ...((filtered.length > 0 || search) && { hasAny: (ids) => db.hasAny(table, query, key, ids) }),
  };
}
