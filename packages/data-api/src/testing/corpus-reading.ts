import type { CorpusRequest } from "./corpus.ts";

/** Reading requests, made by crossing what PostgREST's documentation describes feature by feature. */

const get = (url: string, headers?: Record<string, string>): CorpusRequest => ({
  method: "GET",
  url,
  headers,
});

const cross = <Left, Right>(
  lefts: readonly Left[],
  rights: readonly Right[],
): [left: Left, right: Right][] =>
  lefts.flatMap((left) => rights.map((right): [Left, Right] => [left, right]));

// prettier-ignore
const valuesByColumn: Record<string, readonly string[]> = {
  id: ["1", "3", "-1", "x", ""],
  title: ["Sea stories", "*s*", "S*", "100%25 sure_thing", "\"Sea stories\"", ""],
  mood: ["ok", "sad", "angry"],
  pages: ["120", "0", "1.5", "null"],
  price: ["9.90", "12", "NaN"],
  in_print: ["true", "f", "maybe"],
  tags: ["{sea}", "{sea,short}", "{}", "sea"],
  attributes: ["{\"lang\":\"en\"}", "{}", "[1]"],
  published_at: ["2023-05-01", "2023-05-01T10:00:00Z", "now", "soon"],
  "attributes->>lang": ["en", "de", "*e*"],
  "attributes->size->>w": ["10", "15"],
  "attributes->list": ["[1, 2, 3]", "1"],
  "tags->>0": ["sea", "guide"],
};
// prettier-ignore
const operators = [
  "eq", "neq", "gt", "gte", "lt", "lte", "like", "ilike", "match", "imatch", "is", "isdistinct", "cs", "cd", "ov",
  "not.eq", "not.like", "not.gt", "eq(any)", "gte(all)", "like(any)", "fts", "plfts(english)", "in",
];

const filters = Object.entries(valuesByColumn).flatMap(([column, values]) =>
  cross(operators, values).map(([operator, value]) => {
    const isList = operator.includes("(a") && !value.startsWith("{");
    const given = operator === "in" ? `(${value},2)` : isList ? `{${value}}` : value;
    return get(`books?select=id&order=id&${column}=${operator}.${given}`);
  }),
);

// prettier-ignore
const rangeFilters = cross(
  ["cs", "cd", "ov", "sl", "sr", "nxr", "nxl", "adj", "eq", "neq", "not.ov"],
  ["[1,5)", "[2,3]", "(,)", "empty", "[9,20)", "5", "bad"],
).map(([operator, value]) => get(`loans?select=branch,number&order=branch,number&span=${operator}.${value}`));

const isValues = ["null", "not_null", "true", "false", "unknown", "NULL", "Not_Null", "x", ""];
const isFilters = cross(["pages", "in_print", "deleted_at", "title", "extra->a"], isValues).flatMap(
  ([column, value]) => [
    get(`books?select=id&order=id&${column}=is.${value}`),
    get(`books?select=id&order=id&${column}=not.is.${value}`),
  ],
);

// prettier-ignore
const logic = [
  "id.eq.1", "id.gt.3", "title.ilike.*e*", "pages.is.null", "mood.in.(ok,sad)", "tags.cs.{sea}", "not.id.eq.1",
  "title.like(any).{S*,O*}", "attributes->>lang.eq.en", "price.gte.12.00", "title.eq.\"Running (fast), \\\"slow\\\"\"",
  "published_at.lt.2024-01-01T00:00:00.000Z", "words.fts(english).guide", "id.in.(1,2,3)", "nope.eq.1",
];
const logicTrees = cross(logic, logic).flatMap(([left, right], index) => {
  const shapes = [
    `or=(${left},${right})`,
    `and=(${left},${right})`,
    `not.or=(${left},${right})`,
    `or=(${left},and(${right},id.gt.0))`,
    `or=(not.and(${left},${right}),id.eq.2)`,
    `and=(or(${left},id.eq.4),or(${right},id.eq.5))`,
  ];
  return [get(`books?select=id&order=id&${shapes[index % shapes.length]}`)];
});

// prettier-ignore
const selects = [
  "*", "id,title", "id,loud_title", "id,page_share,n:loud_title", "t:title,id::text", "id,attributes->>lang,attributes->size",
  "id,tags->0", "id,x:attributes->list->1::int", "id,title,title", "id,price::text,p2:price::int", "pages,mood",
  "id,maker(name)", "id,good_reviews(stars)", "id,publishers(*)", "id,publisher_id(name)", "id,people!created_by(name)",
  "id,people!books_editor_id_fkey(name)", "id,editor:editor_id(name,born)", "id,genres(name)", "id,book_genres(weight,genres(name))",
  "id,blurbs(blurb)", "id,reviews(stars,people(name))", "id,reviews(*)", "id,loans(branch)", "id,...publishers(name)",
  "id,...publishers(publisher:name,...people(head:name))", "id,genres!inner(name)", "id,publishers!inner(name)", "id,publishers!left(name)",
  "id,reviews!inner(stars)", "id,publishers()", "id,people(name)", "id,nothing(x)", "id,publishers!nope(name)", "id,reviews(count())",
  "id,publishers(name,people(name,passports(number)))",
];
const orders = [
  "id",
  "title.desc",
  "pages.asc.nullsfirst,id",
  "mood,id.desc",
  "attributes->>lang.desc,id",
  "loud_title",
  "nope",
];
const pages = ["", "&limit=2", "&limit=2&offset=1", "&offset=4", "&limit=0", "&offset=99"];
const tables = cross(selects, orders).map(([select, order], index) =>
  get(`books?select=${select}&order=${order}${pages[index % pages.length]}`),
);

// prettier-ignore
const embedConditions = [
  "publishers.name=eq.North", "publishers.id=gt.1", "publishers=is.null", "publishers=not.is.null", "publishers.order=name",
  "publishers.limit=1", "publishers.or=(id.eq.1,name.eq.South)", "publishers.and=(id.eq.1)", "publishers.not.or=(id.eq.1)",
  "or=(publishers.is.null,id.eq.1)", "or=(publishers.not.is.null,id.eq.3)", "order=publishers(name).desc,id", "publishers.nope=eq.1", "other.id=eq.1",
];
// prettier-ignore
const embedSources = [
  "books?select=id,publishers(name)", "books?select=id,publishers!inner(name)", "books?select=id,publishers(id,name)", "books?select=id,...publishers(name)",
  "active_books?select=id,publishers(name)",
];
const toOne = cross(embedSources, embedConditions).map(([source, condition]) =>
  get(`${source}&${condition}${condition.startsWith("order") ? "" : "&order=id"}`),
);

// prettier-ignore
const listConditions = [
  "reviews.stars=gte.4", "reviews=is.null", "reviews=not.is.null", "reviews.order=stars.desc", "reviews.limit=1&reviews.order=id",
  "reviews.offset=1&reviews.order=id", "reviews.or=(stars.eq.1,stars.eq.5)", "or=(reviews.is.null,id.eq.1)", "order=reviews(stars)", "reviews.people.name=eq.Ada",
];
// prettier-ignore
const listSources = [
  "books?select=id,reviews(id,stars)", "books?select=id,reviews!inner(id,stars)", "books?select=id,title,r:reviews(id,stars)",
  "active_books?select=id,reviews(id)", "books?select=id,reviews(id,people!inner(name))",
];
const toMany = cross(listSources, listConditions).flatMap(([source, condition]) => {
  const order = condition.startsWith("order") ? "" : "&order=id";
  return [
    get(`${source}&${condition}${order}`),
    get(`${source}&${condition}${order}`, { prefer: "count=exact" }),
  ];
});

// prettier-ignore
const relations = [
  "people?select=id,visits(id)", "people?select=id,visits!from_person(id)", "people?select=id,visits!visits_to_person_fkey(id)",
  "people?select=id,friends(*)", "people?select=id,friends!a(b)", "people?select=id,people(name)", "people?select=id,people!friends(name)",
  "people?select=id,passports(number)", "passports?select=number,people(name)", "passports?select=number,id(name)", "people?select=name,events(name)",
  "events?select=name,people(name)&order=id", "events?select=name,person_id(name)&order=id", "visits?select=id,from_person(name),to_person(name)&order=id",
  "visits?select=id,people(name)", "visits?select=id,a:people!from_person(name),b:people!to_person(name)&order=id", "shelves?select=name,shelves(name)&order=id",
  "shelves?select=name,parent_id(name)&order=id", "shelves?select=name,shelves!parent_id(name)&order=id", "shelves?select=name,publishers(name)&order=id",
  "genres?select=name,books(title)&order=id", "genres?select=name,genre_books(book_id)&order=id", "genre_books?select=genre,books(title)&order=book_id,genre",
  "genre_books?select=genre,book_id(title)&order=book_id,genre", "book_counts?order=publisher_id", "book_counts?select=books,publishers(name)&order=publisher_id",
  "publishers?select=name,book_counts(books)&order=id", "publishers?select=name,people(name)&order=id", "people?select=name,publishers(name)&order=id",
  "loan_notes?select=note,loans(span)&order=id", "loans?select=branch,loan_notes(note)&order=branch,number", "people?select=name,books!created_by(title,genres(name))&order=id",
  "people?select=name,books!editor_id(title)&order=id", "people?select=name,books(title)&order=id", "people_names?select=name,books!created_by(title)&order=id",
  "active_titles?select=book,publishers(name)&order=book", "book_summaries?select=id,reviews(stars)&order=id", "book_summaries?select=id,created_by(name)&order=id",
];

// prettier-ignore
const aggregates = [
  "count()", "n:count()", "pages.sum()", "pages.avg()", "pages.min(),pages.max()", "mood,count()", "mood,pages.sum()", "publisher_id,count(),price.sum()",
  "price.sum()::int", "pages::text.max()", "s:price.avg()::text,mood", "in_print,mood,count()", "publishers(name),count()", "title.count()", "attributes->>lang,count()",
  "publishers(name,head_id.count())", "id,reviews(stars.avg())", "id,reviews(count())", "...publishers(name),count()", "...publishers(country,id.count())", "nope.sum()", "pages.median()",
];
const grouped = aggregates.flatMap((select) => [
  get(`books?select=${select}`),
  get(`books?select=${select}&id=gt.1`),
  get(`books?select=${select}&id=gt.99`),
]);

const accepts = [
  "application/json",
  "application/vnd.pgrst.object+json",
  "application/vnd.pgrst.object+json;nulls=stripped",
  "application/vnd.pgrst.array+json;nulls=stripped",
  "application/vnd.pgrst.array+json",
  "text/csv",
  "text/csv;charset=utf-8, */*",
  "application/json; charset=utf-8",
  "application/vnd.pgrst.object",
];
// prettier-ignore
const shaped = [
  "books?select=id,title,pages&order=id", "books?select=id,deleted_at&id=eq.1", "books?id=eq.99", "books?select=id,publishers(name,head_id)&order=id",
  "loans?order=branch,number", "Odd%20Names?order=the%20id", "books?select=id,tags,attributes&order=id&limit=2", "genres?select=name&order=id&limit=1",
  "rpc/some_numbers?n=3", "rpc/add_numbers?a=1&b=2", "rpc/first_book?select=id,deleted_at", "rpc/books_of?publisher=1&select=id,deleted_at&order=id",
];
const shapes = cross(accepts, shaped).map(([accept, url]) => get(url, { accept }));

const counts = [
  "count=exact",
  "count=exact, handling=strict",
  "count=none",
  "handling=lenient, x=y",
  "tx=rollback",
  "return=minimal",
];
const ranges: (string | undefined)[] = [
  undefined,
  "0-1",
  "2-",
  "1-1",
  "10-20",
  "5-2",
  "0-99",
  "-1",
  "x",
];
// prettier-ignore
const counted = cross(cross(counts, ranges), ["books?select=id&order=id", "books?select=id&order=id&id=gt.2", "empty_table", "rpc/some_numbers?n=4"]).map(
  ([[prefer, range], url]) => get(url, { prefer, ...(range === undefined ? {} : { range }) }),
);

// prettier-ignore
const represented = [
  "paints?order=id", "paints?select=id,shade&order=id", "paints?select=name,s:shade&shade=eq.%2387CEEB", "paints?shade=in.(%2387CEEB,%23228B22)&order=id",
  "paints?shade=gt.%23228B22", "paints?second=is.null", "paints?shade=in.()", "paints?select=shade::text&order=id", "paints?select=id&order=shade", "paints?shade=eq.nope",
  "paints?or=(shade.eq.%2387CEEB,id.eq.2)&order=id", "paints?shade=not.eq.%2387CEEB", "paints?shade=isdistinct.1&order=id",
];

const media = cross(
  ["rpc/page", "rpc/page?title=x", "rpc/words"],
  ["text/html", "*/*", "text/*", "text/plain", "application/json", "image/png, text/html;q=0.5"],
).map(([url, accept]) => get(url, { accept }));

const heads = shaped.map((url): CorpusRequest => ({ method: "HEAD", url }));

/** By subject. */
export const readingCorpus: Record<string, CorpusRequest[]> = {
  "filters: operator, column, value": filters,
  "filters on ranges": rangeFilters,
  "is and its words": isFilters,
  "and, or, not": logicTrees,
  "select, order and pages": tables,
  "conditions on one related row": toOne,
  "conditions on lists of related rows": toMany,
  "kinds of relationships": relations.map((url) => get(url)),
  aggregates: grouped,
  "shapes of answers": shapes,
  "counts and ranges": counted,
  "domains with representations": represented.map((url) => get(url)),
  "functions that make media": media,
  HEAD: heads,
};
