import fc from "fast-check";
import { secretPlaceholder } from "../declare.ts";

/** Requests that mean something, with a wrong word here and there: they get as far as the database. */

interface TameAsk {
  url: string;
  method: string;
  body: string;
  headers?: Record<string, string>;
}

/** What may be said of a table: the columns of each use, and rows that it takes. */
interface Ground {
  table: string;
  columns: readonly string[];
  numbers: readonly string[];
  texts: readonly string[];
  embeds: readonly string[];
  folded: readonly string[];
  /** Methods that change it, and rows that it takes. */
  writes: readonly string[];
  row: fc.Arbitrary<object>;
}

const wrong = fc.constantFrom("price", "extra", "email", "value", "nope", "reviews", "id", "*");
const rarely = (usual: fc.Arbitrary<string>) =>
  fc.oneof({ weight: 99, arbitrary: usual }, { weight: 1, arbitrary: wrong });
const oneOf = (words: readonly string[]) => rarely(fc.constantFrom(...words));
const dotted = (...parts: fc.Arbitrary<string>[]) =>
  fc.tuple(...parts).map((words) => words.join("."));

/** Among them what fails only on rows that it meets: an escape of nothing, an open bracket. */
const patterns = fc.constantFrom(
  "*a*",
  "S*",
  "s",
  "SE\\",
  "*\\",
  "A\\",
  "(",
  "^S",
  "a & b",
  "sea",
  "true",
);
const textOperators = fc.constantFrom(
  "like",
  "ilike",
  "not.ilike",
  "match",
  "not.imatch",
  "wfts",
  "plfts",
  "fts",
  "phfts(english)",
);

const testOf = ({ numbers, columns, texts }: Ground) =>
  fc.oneof(
    fc.tuple(
      oneOf(numbers),
      dotted(
        fc.constantFrom("eq", "gt", "not.lte", "isdistinct", "neq"),
        fc.integer({ min: -1, max: 14 }).map(String),
      ),
    ),
    fc.tuple(
      oneOf(numbers),
      fc.array(fc.nat(9)).map((list) => `in.(${list.join(",")})`),
    ),
    fc.tuple(oneOf(columns), fc.constantFrom("is.null", "not.is.null", "eq.1", "neq.x")),
    fc.tuple(oneOf(texts), dotted(textOperators, patterns)),
  );

const paired = (pairs: readonly (readonly [string, string | number | undefined])[]) =>
  pairs
    .flatMap(([key, text]) =>
      text === undefined ? [] : [`${encodeURIComponent(key)}=${encodeURIComponent(String(text))}`],
    )
    .join("&");

const selectOf = ({ columns, embeds, folded }: Ground) =>
  fc
    .tuple(
      fc.array(oneOf(columns), { minLength: 1, maxLength: 4 }),
      embeds.length === 0 ? fc.constant([]) : fc.array(oneOf(embeds), { maxLength: 2 }),
      fc.oneof(
        { weight: 4, arbitrary: fc.constant([]) },
        { weight: 1, arbitrary: oneOf(folded).map((one) => [one]) },
      ),
    )
    .map((lists) => lists.flat().join(","));

const orderOf = ({ columns }: Ground) =>
  fc
    .array(
      fc
        .tuple(oneOf(columns), fc.constantFrom("", ".desc", ".asc.nullsfirst"))
        .map((parts) => parts.join("")),
      { minLength: 1, maxLength: 2 },
    )
    .map((terms) => terms.join(","));

const groupOf = (ground: Ground) =>
  fc
    .array(testOf(ground), { minLength: 1, maxLength: 3 })
    .map((tests) => `(${tests.map((parts) => parts.join(".")).join(",")})`);

/** In one request of ten. */
const seldom = <Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> =>
  fc.oneof({ weight: 9, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value });

const queryOf = (ground: Ground) =>
  fc
    .record({
      select: selectOf(ground),
      where: fc.array(testOf(ground), { maxLength: 2 }),
      group: fc.option(groupOf(ground), { nil: undefined, freq: 1 }),
      order: fc.option(orderOf(ground), { nil: undefined, freq: 1 }),
      limit: fc.nat(6),
      conflict: seldom(fc.constantFrom(...ground.columns)),
    })
    .map(({ select, where, group, order, limit, conflict }) =>
      paired([
        ["select", select],
        ...where.map(([key = "", text = ""]) => [key, text] as const),
        ["or", group],
        ["order", order],
        ["limit", order === undefined || limit > 3 ? undefined : limit],
        ["on_conflict", conflict],
      ]),
    );

const json = (rows: fc.Arbitrary<unknown>) => rows.map((value) => JSON.stringify(value));
const sometimes = <Row extends object>(row: { [Key in keyof Row]: fc.Arbitrary<Row[Key]> }) =>
  fc.record(row, { requiredKeys: [] });
const secret = fc.constantFrom(secretPlaceholder, secretPlaceholder, "new", null);
const few = fc.nat(12);

const grounds: readonly Ground[] = [
  {
    table: "books",
    columns: [
      "id",
      "title",
      "mood",
      "pages",
      "tags",
      "attributes",
      "attributes->size->>w",
      "attributes->list->0",
      "in_print",
      "published_at",
      "extra",
    ],
    numbers: ["id", "pages", "publisher_id", "created_by", "editor_id"],
    texts: ["title", "words", "loud_title", "attributes->>lang"],
    embeds: [
      "publishers(*)",
      "created_by(name)",
      "a:people!created_by(id,initial)",
      "editor_id(name)",
      "...people!editor_id(name)",
      "people!editor_id!inner(id)",
      "maker(*)",
      "genres(name)",
      "genres!inner()",
      "book_genres(weight,genres(*))",
      "...publishers(name)",
      "publishers!inner(people(name))",
      "publishers(head_id(*),books(id))",
      "reviews(id)",
      "blurbs(*)",
      "...genres(name,id)",
      "...book_genres(weight,...genres(name))",
      "...reviews(id)",
      "genres(count(),name)",
      "people!created_by(name,external:email)",
    ],
    folded: [
      "count()",
      "n:count()",
      "pages.sum()",
      "pages::text.max()::text",
      "price.avg()",
      "extra.max()",
      "attributes->size->>w.min()",
      "loud_title",
      "loud_title.max()",
    ],
    writes: ["POST", "PATCH", "DELETE"],
    row: sometimes({
      id: few,
      title: fc.constantFrom("x", "Sea stories"),
      mood: fc.constantFrom("ok", "sad"),
      pages: few,
      extra: secret,
    }),
  },
  {
    table: "people",
    columns: ["id", "name", "initial"],
    numbers: ["id"],
    texts: ["name", "initial"],
    embeds: [
      "books!created_by(title)",
      "books!editor_id(id,publishers(name))",
      "books!editor_id!inner(id)",
      "publishers(name)",
      "passports(*)",
      "events(name)",
      "...passports(id)",
      "reviews(id)",
    ],
    folded: ["count()", "id.max()", "name.min()", "email.max()", "initial.max()"],
    writes: ["PATCH"],
    row: sometimes({ name: fc.constantFrom("x", "Ada"), id: few }),
  },
  {
    table: "publishers",
    columns: ["id", "name", "head_id"],
    numbers: ["id", "head_id"],
    texts: ["name"],
    embeds: ["people(name,initial)", "head_id!inner(*)", "books(id)", "...head_id(name)"],
    folded: ["count()", "country.max()", "head_id.sum()"],
    writes: ["POST"],
    row: fc.constant({}),
  },
  {
    table: "events",
    columns: ["id", "at", "name", "person_id"],
    numbers: ["id"],
    texts: ["name"],
    embeds: ["people(name)", "person_id(name)", "people!inner(id)"],
    folded: ["count()", "person_id.max()", "name.min()"],
    writes: ["POST"],
    row: fc.constant({}),
  },
  {
    table: "passports",
    columns: ["id"],
    numbers: ["id"],
    texts: ["id"],
    embeds: ["people(name)", "people!inner(id)", "id(name)"],
    folded: ["count()", "number.max()"],
    writes: ["POST"],
    row: fc.constant({}),
  },
  {
    table: "paints",
    columns: ["id", "name", "second"],
    numbers: ["id"],
    texts: ["name"],
    embeds: [],
    folded: ["count()", "second.max()", "second::text"],
    writes: ["POST"],
    row: fc.constant({}),
  },
  {
    table: "settings",
    columns: ["name", "value"],
    numbers: ["name"],
    texts: ["name"],
    embeds: [],
    folded: ["count()", "value.max()", "value::text"],
    writes: ["POST", "POST", "PATCH", "DELETE"],
    row: fc.record({
      name: fc.constantFrom("theme", "zoom", "fresh", "other"),
      value: fc.constantFrom(secretPlaceholder, "new"),
    }),
  },
  {
    table: "keyless",
    columns: ["a", "b"],
    numbers: ["b"],
    texts: ["a"],
    embeds: [],
    folded: ["count()", "b.sum()"],
    writes: ["POST", "PATCH", "DELETE"],
    row: sometimes({ a: fc.constantFrom("a", "x"), b: fc.constantFrom(1, 2, 200) }),
  },
  {
    table: "active_books",
    columns: ["id", "title", "publisher_id", "pages"],
    numbers: ["id", "pages"],
    texts: ["title", "publisher_name"],
    embeds: ["publishers(name)", "people(name)", "genres(name)"],
    folded: ["count()", "pages.sum()"],
    writes: ["POST"],
    row: fc.constant({}),
  },
  {
    table: "rpc/everybody",
    columns: ["id", "name", "initial"],
    numbers: ["id"],
    texts: ["name", "initial"],
    embeds: ["books!editor_id(id)", "passports(*)"],
    folded: ["count()", "name.max()"],
    writes: ["POST"],
    row: fc.constant({}),
  },
];

/** A representation of what was written is what tells most. */
const told = fc.constantFrom("", "return=representation", "return=representation,count=exact");
const resolved = fc.constantFrom(
  "",
  ",resolution=merge-duplicates",
  ",resolution=ignore-duplicates",
  ",missing=default",
  ",missing=default,resolution=merge-duplicates",
);

const ofGround = (ground: Ground): fc.Arbitrary<TameAsk> =>
  fc
    .tuple(
      fc.oneof(
        { weight: 5, arbitrary: fc.constantFrom("GET", "GET", "GET", "HEAD") },
        { weight: ground.writes.length, arbitrary: fc.constantFrom(...ground.writes) },
      ),
      queryOf(ground),
      fc.oneof(json(ground.row), json(fc.array(ground.row, { maxLength: 3 }))),
      fc.option(fc.tuple(told, resolved)),
    )
    .map(([method, query, body, prefer]) => ({
      method,
      url: `${ground.table}?${query}`,
      body,
      ...(prefer && method !== "GET"
        ? { headers: { prefer: prefer.join(""), "content-type": "application/json" } }
        : {}),
    }));

export const tame: fc.Arbitrary<TameAsk> = fc.oneof(
  { weight: 6, arbitrary: fc.oneof(...grounds.slice(0, 2).map(ofGround)) },
  { weight: 5, arbitrary: fc.oneof(...grounds.slice(2).map(ofGround)) },
);
