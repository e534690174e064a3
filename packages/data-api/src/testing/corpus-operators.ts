import type { CorpusRequest } from "./corpus.ts";

// prettier-ignore
const operators = [
  "eq", "neq", "gt", "gte", "lt", "lte", "like", "ilike", "match", "imatch", "in", "is", "isdistinct", "fts", "plfts",
  "phfts", "wfts", "cs", "cd", "ov", "sl", "sr", "nxr", "nxl", "adj", "eq(any)", "like(all)", "gt(any)", "not.eq",
  "not.in", "fts(english)", "zz",
];

/** One column of each kind, with its table and its table's key. */
// prettier-ignore
const columns = [
  ["books", "id", "id"], ["books", "id", "title"], ["books", "id", "mood"], ["books", "id", "price"],
  ["books", "id", "in_print"], ["books", "id", "tags"], ["books", "id", "attributes"], ["books", "id", "extra"],
  ["books", "id", "words"], ["books", "id", "published_at"], ["books", "id", "attributes->size"],
  ["books", "id", "attributes->>lang"], ["people", "id", "born"], ["loans", "number", "span"], ["loan_notes", "id", "id"],
] as const;

// prettier-ignore
const values = [
  "1", "null", "true", "*a*", "{a,b}", "[1,5)", "(1,2)", "2024-01-01", "happy", '{"lang":"en"}', "", "{}", '("a",b)',
];

/** Every operator on a column of every kind with a value of every kind. */
export const operatorsCorpus: CorpusRequest[] = operators.flatMap((operator) =>
  columns.flatMap(([table, key, column]) =>
    values.map((value) => ({
      method: "GET",
      url: `${table}?select=${key}&${column}=${operator}.${encodeURIComponent(value)}`,
    })),
  ),
);
