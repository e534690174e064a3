import fc from "fast-check";
import { secretPlaceholder } from "../declare.ts";
import { tame } from "./tame-requests.ts";
import type { Ask } from "./zoo.ts";

const names = fc.constantFrom(
  "id",
  "title",
  "mood",
  "pages",
  "tags",
  "attributes",
  "words",
  "created_by",
  "publisher_id",
  "published_at",
  "in_print",
  "price",
  "extra",
  "email",
  "country",
  "blurb",
  "name",
  "books",
  "people",
  "publishers",
  "genres",
  "book_genres",
  "reviews",
  "blurbs",
  "active_books",
  "editor_id",
  "*",
  "nope",
  "body",
  "r0",
  "written",
  "page",
  "initial",
  "maker",
  "person_id",
  "passports",
  "events",
  "settings",
  "keyless",
  "value",
  "second",
);
const junk = fc.oneof(
  fc.string({ unit: "binary", maxLength: 12 }),
  fc.constantFrom(
    "'",
    '"',
    "\\",
    "\0",
    ";--",
    "$1",
    "%00",
    "((",
    "))",
    "->",
    "->>",
    "::",
    "!",
    "...",
    ",",
    ".",
    "{}",
    "{",
    "null",
    "1e999",
    "-1",
    "9".repeat(30),
    "ı",
    "\ud800",
  ),
);
const word = fc.oneof({ weight: 8, arbitrary: names }, { weight: 1, arbitrary: junk });
const value = fc.oneof(
  fc.integer().map(String),
  names,
  junk,
  fc.constantFrom(
    secretPlaceholder,
    "true",
    "2024-01-01",
    "{a,b}",
    "(1,2)",
    "[1,5)",
    "now-2d",
    "a&b",
    '{"a":1}',
  ),
);
const operator = fc.constantFrom(
  "eq",
  "neq",
  "gt",
  "gte",
  "lt",
  "lte",
  "like",
  "ilike",
  "match",
  "imatch",
  "in",
  "is",
  "isdistinct",
  "cs",
  "cd",
  "ov",
  "sl",
  "sr",
  "nxr",
  "nxl",
  "adj",
  "fts",
  "plfts",
  "phfts",
  "wfts",
  "not.eq",
  "not.in",
  "eq(any)",
  "like(all)",
  "fts(english)",
  "fts(nope)",
  "",
  "zz",
);
const field = fc.oneof(
  { weight: 4, arbitrary: word },
  {
    weight: 1,
    arbitrary: fc.tuple(word, fc.constantFrom("->", "->>"), word).map((parts) => parts.join("")),
  },
);
const comparison = fc
  .tuple(operator, value)
  .map(([name, text]) => (name.endsWith("in") ? `${name}.(${text},1)` : `${name}.${text}`));
const { logic } = fc.letrec<{ logic: string; group: string }>((tie) => ({
  logic: fc.oneof(
    { maxDepth: 4 },
    fc.tuple(field, comparison).map(([name, text]) => `${name}.${text}`),
    tie("group"),
  ),
  group: fc
    .tuple(
      fc.constantFrom("and", "or", "not.and", "not.or"),
      fc.array(tie("logic"), { maxLength: 3 }),
    )
    .map(([name, items]) => `${name}(${items.join(",")})`),
}));
const { select } = fc.letrec<{ select: string; item: string }>((tie) => ({
  item: fc.oneof(
    { maxDepth: 3 },
    field,
    fc.tuple(word, field).map(([alias, name]) => `${alias}:${name}`),
    fc
      .tuple(field, fc.constantFrom("text", "int", "jsonb", "regclass", "nope"))
      .map(([name, type]) => `${name}::${type}`),
    fc
      .tuple(
        fc.constantFrom("", "...", "x:"),
        word,
        fc.constantFrom("", "!inner", "!left", "!created_by", "!nope"),
        tie("select"),
      )
      .map(([before, name, hint, items]) => `${before}${name}${hint}(${items})`),
  ),
  select: fc.array(tie("item"), { maxLength: 4 }).map((items) => items.join(",")),
}));
const parameter = fc.oneof(
  select.map((text) => ["select", text]),
  fc.tuple(field, comparison),
  fc.tuple(
    fc.tuple(word, field).map((path) => path.join(".")),
    comparison,
  ),
  fc.tuple(
    fc.constantFrom("and", "or", "not.or", "people.or"),
    fc.array(logic, { maxLength: 3 }).map((items) => `(${items.join(",")})`),
  ),
  fc.tuple(
    fc.constantFrom("order", "people.order", "genres.order"),
    fc
      .tuple(field, fc.constantFrom("", ".desc", ".asc.nullslast", ".up"))
      .map((parts) => parts.join("")),
  ),
  fc.tuple(fc.constantFrom("limit", "offset", "genres.limit"), value),
  fc.tuple(
    word.map((name) => `${name}.filter`),
    fc
      .array(
        fc.oneof(
          value,
          value.map((text) => `!${text}`),
        ),
      )
      .map((items) => items.join(",")),
  ),
  fc.tuple(fc.constantFrom("columns", "on_conflict", "publisher", "n", "min_pages"), value),
);
const encode = (text: string) => encodeURIComponent(text.toWellFormed());
const wild = (tables: readonly string[]) =>
  fc
    .tuple(
      fc.oneof(
        fc.constantFrom(...tables, "rpc/books_of", "rpc/some_numbers", "rpc/everybody", "blurbs"),
        junk.map(encode),
      ),
      fc.array(parameter, { maxLength: 5 }),
      fc.boolean(),
    )
    .map(([path, parameters, encoded]) => {
      const pairs = parameters.map(([key = "", text = ""]) =>
        encoded ? `${encode(key)}=${encode(text)}` : `${key}=${text}`,
      );
      return `${path.replaceAll("%", "%25")}?${pairs.join("&")}`;
    });
const row = fc.dictionary(fc.oneof(names, junk), fc.oneof(fc.jsonValue({ maxDepth: 2 }), value), {
  maxKeys: 4,
});
const body = fc.oneof(
  row.map((one) => JSON.stringify(one)),
  fc.array(row, { maxLength: 3 }).map((rows) => JSON.stringify(rows)),
  junk,
);
const methods = fc.constantFrom(
  "GET",
  "GET",
  "GET",
  "GET",
  "POST",
  "PATCH",
  "DELETE",
  "HEAD",
  "PUT",
  "junk",
);
const hostileHeaders = fc.record(
  {
    prefer: fc.constantFrom(
      "count=exact",
      "count=exact",
      "return=representation",
      "return=representation",
      "return=representation",
      "return=headers-only,count=planned",
      "count=planned",
      "count=estimated,timezone=Asia/Tokyo",
      "return=representation,missing=default",
      "return=representation,resolution=merge-duplicates",
      "resolution=ignore-duplicates,return=minimal",
      "handling=strict,max-affected=1,return=representation",
      "handling=strict,nonsense",
      "tx=rollback",
      "x",
    ),
    accept: fc.constantFrom(
      "application/json",
      "application/json",
      "application/json",
      "*/*",
      "application/vnd.pgrst.object+json",
      "application/vnd.pgrst.object+json;nulls=stripped",
      "application/vnd.pgrst.array+json;nulls=stripped",
      "text/csv",
      "application/vnd.pgrst.plan+json",
      "application/vnd.pgrst.plan",
      'application/vnd.pgrst.plan+json;for="text/csv";options=analyze|verbose|settings|buffers|wal',
      "image/png;q=x",
      "*/*",
    ),
    "content-type": fc.constantFrom(
      "application/json",
      "text/csv",
      "application/x-www-form-urlencoded",
      "text/plain",
      "application/octet-stream",
    ),
    "if-none-match": fc.constantFrom("*", 'W/"x"'),
    range: fc.constantFrom("0-1", "5-2", "x", "99-"),
  },
  { requiredKeys: [] },
);
const wildAsk = (tables: readonly string[]): fc.Arbitrary<Ask<object>> =>
  fc.record({ url: wild(tables), body, method: methods, headers: hostileHeaders });

/** Headers that nothing is wrong with, for requests that are to get far. */
const tameHeaders = fc.record(
  {
    prefer: fc.constantFrom("count=exact", "count=planned", "count=estimated"),
    accept: fc.constantFrom("application/json", "text/csv", "application/vnd.pgrst.plan+json"),
    range: fc.constantFrom("0-1", "1-"),
  },
  { requiredKeys: [] },
);
const tameAsk: fc.Arbitrary<Ask<object>> = fc
  .tuple(
    tame,
    fc.oneof({ weight: 3, arbitrary: tameHeaders }, { weight: 1, arbitrary: hostileHeaders }),
  )
  .map(([{ headers: own, ...asked }, sent]) => ({ ...asked, headers: { ...sent, ...own } }));

/** Any request: hostile, nearly valid, or valid. */
export const requests = (tables: readonly string[]): fc.Arbitrary<Ask<object>> =>
  fc.oneof(wildAsk(tables), tameAsk, tameAsk);
