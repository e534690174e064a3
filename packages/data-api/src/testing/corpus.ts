/** A request of the comparison with PostgREST: the same is sent to both. */
export interface CorpusRequest {
  method: string;
  /** Path and query, as after the server's address. */
  url: string;
  headers?: Record<string, string>;
  body?: string;
  /** Of `tokens.ts`: what it is sent with. */
  as?: string;
}

const get = (url: string, headers?: Record<string, string>): CorpusRequest => ({
  method: "GET",
  url,
  headers,
});
const counted = (url: string) => get(url, { prefer: "count=exact" });
const object = { accept: "application/vnd.pgrst.object+json" };

const selects = [
  "books",
  "books?select=*",
  "books?select=id,title",
  "books?select=id, title",
  "books?select=title,id",
  "books?select=number:id,name:title",
  "books?select=id,id,title",
  "books?select=page:id,item:title,written:mood,e1:pages,r0:id&order=id",
  "books?select=value:id,page:reviews(item:id,page:stars),e1:publishers(e1:name)&page.order=id&order=id&e1=not.is.null",
  "books?select=id::text,price::int",
  "books?select=n:id::text",
  "books?select=attributes->lang",
  "books?select=attributes->>lang",
  "books?select=language:attributes->>lang",
  "books?select=attributes->size->w,attributes->list->0",
  "books?select=attributes->list->>-1",
  "books?select=w:attributes->size->>w::int",
  "books?select=tags->0",
  "books?select=extra->a",
  "books?select=id&select=title",
  "books?select=nope",
  "books?select=id,nope->x",
  "books?select=id,(title)",
  "books?select=id,,title",
  "books?select=id::nosuchtype",
  "books?select=count()",
  "books?select=pages.sum()",
  "books?select=",
  "Odd%20Names?select=%22the%20id%22,%22a,b%22",
  "Odd%20Names?select=the%20id,dash-ed&order=the%20id",
  "Odd%20Names?select=*&dash-ed=eq.z",
  'Odd%20Names?select="q\\"uote"',
  "empty_table",
  "empty_table?select=id",
  "all_names?order=kind,id",
  "book_summaries?order=id",
  "active_books?order=id",
];

// prettier-ignore
const filters = [
  "id=eq.1", "id=neq.1", "id=gt.2", "id=gte.2", "id=lt.3", "id=lte.3", "id=not.eq.1", "id=eq.1&id=eq.2",
  "id=eq.abc", "id=eq.", "id=99999999999=x", "id=abc", "id=eqq.1", "id=not.not.eq.1", "nope=eq.1",
  "title=like.*s*", "title=ilike.*SEA*", "title=like.S%25", "title=not.ilike.*guide", "title=ilike.100%25%20sure_thing",
  "title=match.^S", "title=imatch.^s", "title=match.(", "pages=like.1*",
  "id=in.(1,2)", "id=in.(1, 2)", "id=in.()", "id=not.in.(1,2)", "id=in.(a)", "id=in.1,2", "mood=in.(ok,sad)", "mood=in.(bad)",
  "title=in.(%22Sea stories%22,%22Old almanac%22)", "title=in.(%22Running (fast), \\%22slow\\%22%22)", "title=in.(Sea stories)",
  "pages=is.null", "pages=not.is.null", "in_print=is.true", "in_print=is.false", "in_print=is.unknown", "pages=is.NULL",
  "pages=is.nope", "title=is.true", "in_print=eq.1", "in_print=eq.0", "in_print=eq.true", "in_print=eq.maybe",
  "pages=isdistinct.120", "pages=not.isdistinct.120",
  "tags=cs.{sea}", "tags=cd.{sea,short,guide}", "tags=ov.{sport,guide}", "tags=cs.sea", "attributes=cs.{%22lang%22:%22en%22}",
  "words=fts.guide", "words=fts(english).guides", "words=plfts.sea stories", "words=phfts(english).sea stories",
  "words=wfts.sea or guide", "words=not.fts.sea", "title=fts.guide", "words=fts(nolang).x", "words=fts.a%20b",
  "published_at=gt.2023-05-15", "published_at=gte.2023-05-01T10:00:00Z", "published_at=gt.yesterdayish",
  "attributes->>lang=eq.en", "attributes->size->>w=eq.10", "attributes->size->w=eq.15", "attributes->lang=eq.%22en%22",
  "attributes->>lang=is.null", "attributes->list->>0=eq.1", "attributes->>lang=in.(en,de)", "tags->>0=eq.sea",
  "or=(id.eq.1,id.eq.2)", "and=(id.gt.1,id.lt.4)", "or=(id.eq.1,and(id.gt.2,id.lt.4))", "not.or=(id.eq.1,id.eq.2)",
  "not.and=(id.gt.1,id.lt.4)", "or=(id.not.eq.1,not.and(id.eq.1,pages.gt.3))", "or=(id.in.(1,2),title.ilike.*guide*)",
  "or=(title.eq.%22Running (fast), \\%22slow\\%22%22,id.eq.3)", "or=(pages.is.null,in_print.is.false)", "or=()", "or=(id.eq.1", "or=id.eq.1",
  "or=(id.eq.1,)", "or=(nope.eq.1)", "and=(published_at.gt.2023-05-15T00:00:00.000Z,published_at.lt.2024-01-01T00:00:00.000Z)",
  "or=(attributes->>lang.eq.de,id.eq.1)", "or=(tags.cs.{sea},id.eq.2)", "or=(%20id.eq.1%20,%20id.eq.2%20)",
  "id=eq(any).{1,2}", "title=like(any).{S*,M*}", "title=ilike(all).{*s*,*e*}", "id=neq(any).{1}", "id=gt(all).{1,2}",
  "nope.id=eq.1", "publishers.id=eq.1", "price=eq.9.9", "price=lt.10", "born=eq.1", "created_by=eq.1",
].map((filter) => `books?select=id&order=id&${filter}`);

// prettier-ignore
const orders = [
  "order=title", "order=title.desc", "order=pages.desc.nullslast,id", "order=pages.nullsfirst", "order=pages.asc.nullslast",
  "order=mood,id.desc", "order=attributes->>lang,id", "order=attributes->size->>w.desc.nullslast,id", "order=nope", "order=id.up", "order=",
  "order=id.desc&order=id.asc", "order=id.desc.nullsfirst", "order=id.nullsfirst.desc", "order=id,title&limit=2", "order=id&limit=2&offset=1",
  "order=id&limit=0", "order=id&limit=-1", "order=id&offset=-1", "order=id&limit=abc", "order=id&offset=100", "order=id&limit=2&offset=4",
].map((order) => `books?select=id,title&${order}`);

// prettier-ignore
const embeds = [
  "books?select=id,publishers(name)&order=id",
  "books?select=id,publisher_id(name)&order=id",
  "books?select=id,books_publisher_id_fkey(name)&order=id",
  "books?select=id,publisher:publishers(*)&order=id",
  "books?select=*,created_by(id,name)&order=id",
  "books?select=id,created_by(name),editor_id(name)&order=id",
  "books?select=id,person:created_by(name)&order=id",
  "books?select=id,people(name)",
  "books?select=id,people!books_created_by_fkey(name)&order=id",
  "books?select=id,people!created_by(id, name)&order=id",
  "books?select=id,author:people!created_by(name),editor:people!editor_id(name)&order=id",
  "books?select=id,people!nope(name)",
  "books?select=id,nope(name)",
  "books?select=id,reviews(stars,body)&order=id",
  "books?select=id,reviews(stars,reviewer:people(name))&order=id",
  "books?select=id,reviews(*,reviewer_id(name))&order=id",
  "books?select=id,reviews()&order=id",
  "books?select=id,genres(name)&order=id",
  "books?select=id,book_genres(weight,genres(name))&order=id",
  "genres?select=name,books(id,title)&order=id",
  "genres?select=name,books!book_genres(id)&order=id",
  "books?select=id,blurbs(isbn)&order=id",
  "blurbs?select=isbn,books(title)&order=book_id",
  "publishers?select=name,books(id,title)&order=id",
  "publishers?select=name,head_id(name)&order=id",
  "publishers?select=name,people(name)&order=id",
  "people?select=name,publishers(name)&order=id",
  "people?select=name,books!created_by(title)&order=id",
  "people?select=name,books!books_editor_id_fkey(title)&order=id",
  "people?select=name,books(title)",
  "people?select=name,reviews(stars,books(title,publishers(name)))&order=id",
  "shelves?select=name,shelves(name)&order=id",
  "shelves?select=name,parent_id(name)&order=id",
  "shelves?select=name,parent:parent_id(name),children:shelves!parent_id(name)&order=id",
  "shelves?select=name,shelves!shelves_parent_id_fkey(name)&order=id",
  "loans?select=branch,number,loan_notes(note)&order=branch,number",
  "loan_notes?select=note,loans(branch,number,books(title))&order=id",
  "loan_notes?select=note,loans!loan_notes_branch_number_fkey(book_id)&order=id",
  "books?select=id,publishers!inner(name)&order=id",
  "books?select=id,publishers!inner(name)&publishers.name=eq.North&order=id",
  "books?select=id,publishers!left(name)&publishers.name=eq.North&order=id",
  "books?select=id,reviews!inner(stars)&reviews.stars=gte.4&order=id",
  "books?select=id,genres!inner(name)&genres.name=eq.fiction&order=id",
  "books?select=id,people!created_by!inner(name)&people.name=eq.Ada&order=id",
  "books?select=id,reviews(stars)&reviews.stars=gte.4&order=id",
  "books?select=id,reviews(id,stars)&reviews.order=stars.asc&order=id",
  "books?select=id,reviews(id)&reviews.order=id.desc&reviews.limit=1&order=id",
  "books?select=id,reviews(id)&reviews.order=id&reviews.offset=1&order=id",
  "books?select=id,r:reviews(id)&r.stars=eq.5&order=id",
  "books?select=id,r:reviews(id)&reviews.stars=eq.5&order=id",
  "books?select=id,p:publishers(name)&order=publishers(name),id",
  "books?select=id&order=id&limit=0&offset=1",
  "books?select=id,nope(id)&reviews.id=eq.1",
  "books?select=id,reviews(id)&reviews.or=(stars.eq.5,stars.eq.1)&order=id",
  "books?select=id,reviews(id,people(name))&reviews.people.name=eq.Linus&order=id",
  "books?select=id,reviews(id)&reviews.nope=eq.1",
  "books?select=id,reviews(nope)",
  "books?select=id&reviews.stars=eq.1",
  "books?select=id&reviews.order=stars",
  "books?select=id,publishers(id)&publishers=is.null&order=id",
  "books?select=id,publishers(id)&publishers=not.is.null&order=id",
  "books?select=id,reviews(id)&reviews=is.null&order=id",
  "books?select=id,reviews()&reviews=not.is.null&order=id",
  "books?select=id,reviews(id),publishers(id)&or=(reviews.is.null,publishers.is.null)&order=id",
  "books?select=id,...publishers(publisher:name)&order=id",
  "books?select=id,...publishers(name,...people(head:name))&order=id",
  "books?select=id,...reviews(stars)&order=id",
  "active_books?select=id,publishers(name)&order=id",
  "active_books?select=id,created_by(name)&order=id",
  "active_books?select=*,created_by(name)&order=id",
  "active_books?select=id,reviews(stars)&order=id",
  "active_titles?select=book,publishers(name)&order=book",
  "active_titles?select=book,reviews(stars)&order=book",
  "book_summaries?select=id,review_count,created_by(name)&order=id",
  "book_summaries?select=id,people(name)&order=id",
  "reviews?select=id,active_books(title)&order=id",
  "reviews?select=id,book:active_titles(title)&order=id",
  "reviews?select=id,people_names(name)&order=id",
  "reviews?select=id,reviewer:reviewer_id(name)&order=id",
  "publishers?select=name,active_books(title)&order=id",
  "publishers?select=name,active_titles(title)&order=id",
  "people_names?select=name,reviews(stars)&order=id",
  "all_names?select=name,books(title)",
  "books?select=id,attributes->lang,publishers(name)&order=id",
  "books?select=id,publishers(name)&order=publishers(name).desc.nullslast,id",
  "books?select=id,publishers(id)&order=publishers(name),id.desc",
  "books?select=id,p:publishers(id,name)&order=p(name).desc.nullsfirst,id",
  "books?select=id,reviews(stars)&order=reviews(stars)",
  "books?select=id&order=publishers(name)",
  "books?select=id,publishers(name)&order=publishers(nope)",
  "reviews?select=id,books(publishers(name))&books.order=publishers(name)&order=id",
  "books?select=id,reviews(stars,reviews(id))",
  "books?select=id,publishers(name",
  "books?select=id,publishers)name(",
];

// prettier-ignore
const counts = [
  "books?select=id&order=id", "books?select=id&order=id&limit=2", "books?select=id&order=id&limit=2&offset=2", "books?select=id&order=id&offset=5",
  "books?select=id&order=id&offset=6", "books?select=id&id=eq.77", "books?select=id&limit=0", "books?select=id&id=eq.77&offset=1",
  "books?select=id,reviews!inner(id)&order=id", "books?select=id,publishers!inner(name)&publishers.name=eq.North&limit=1&order=id",
  "books?select=id,reviews(id)&reviews=is.null&order=id", "books?select=id,genres!inner(id)&limit=1&order=id", "empty_table", "empty_table?offset=1",
];

const ranges: CorpusRequest[] = [
  get("books?select=id&order=id", { range: "0-1" }),
  get("books?select=id&order=id", { range: "1-" }),
  get("books?select=id&order=id", { range: "3-1" }),
  get("books?select=id&order=id", { range: "0-1", "range-unit": "items", prefer: "count=exact" }),
  get("books?select=id&order=id", { range: "2-3", prefer: "count=exact" }),
  get("books?select=id&order=id", { range: "100-200", prefer: "count=exact" }),
  get("books?select=id&order=id&limit=3", { range: "1-10" }),
  get("books?select=id&order=id", { prefer: "count=exact,return=representation" }),
  get("books?select=id&order=id", { prefer: "count=nope" }),
  get("books?select=id&order=id", { prefer: "handling=strict, nope=1" }),
  get("books?select=id&order=id", { prefer: "handling=lenient, nope=1" }),
  { method: "HEAD", url: "books?select=id&order=id", headers: { prefer: "count=exact" } },
  get("books?select=id&id=eq.1", object),
  get("books?select=id&id=eq.77", object),
  get("books?select=id", object),
  get("books?select=id&id=eq.1", { accept: "application/json;charset=utf-8" }),
  get("books?select=id&id=eq.1", { accept: "text/html,application/xhtml+xml,*/*;q=0.8" }),
  get("books?select=id&id=eq.1", { accept: "image/png" }),
];

const calls: CorpusRequest[] = [
  get("rpc/add_numbers?a=1&b=2"),
  get("rpc/add_numbers?a=1"),
  get("rpc/add_numbers?a=x&b=2"),
  get("rpc/add_numbers"),
  get("rpc/books_of?publisher=1&select=id,title"),
  get("rpc/books_of?publisher=1&min_pages=200&select=id"),
  get("rpc/books_of?publisher=1&id=eq.2&select=id,publishers(name)"),
  get("rpc/books_of?publisher=1&order=id.desc&limit=1&select=id"),
  counted("rpc/books_of?publisher=1&limit=1&select=id"),
  get("rpc/books_of?publisher=1&nope=eq.1&select=id"),
  get("rpc/mood_counts"),
  get("rpc/mood_counts?select=mood&books=gt.1"),
  get("rpc/first_book?select=id,title"),
  get("rpc/some_numbers?n=3"),
  get("rpc/echo_json?value=%7B%22a%22:1%7D"),
  { method: "POST", url: "rpc/add_numbers", body: '{"a":1,"b":2}' },
  { method: "POST", url: "rpc/echo_json", body: '{"value":{"a":[1,2]}}' },
  { method: "POST", url: "rpc/books_of?select=id", body: '{"publisher":2}' },
  { method: "POST", url: "rpc/rename_genre", body: '{"genre":1,"new_name":"trips"}' },
  { method: "POST", url: "rpc/add_numbers", body: "nope" },
];

const shown = { prefer: "return=representation" };
const minimal = { prefer: "return=minimal" };
const post = (url: string, body: unknown, headers?: Record<string, string>): CorpusRequest => ({
  method: "POST",
  url,
  headers,
  body: typeof body === "string" ? body : JSON.stringify(body),
});
const patch = (url: string, body: unknown, headers?: Record<string, string>): CorpusRequest => ({
  ...post(url, body, headers),
  method: "PATCH",
});
const remove = (url: string, headers?: Record<string, string>): CorpusRequest => ({
  method: "DELETE",
  url,
  headers,
});

const writes: CorpusRequest[] = [
  post("genres", { id: 10, name: "new" }, shown),
  post("genres", { id: 10, name: "new" }, minimal),
  post("genres", { id: 10, name: "new" }),
  post("genres", { id: 10, name: "new" }, { prefer: "return=headers-only" }),
  post("genres?select=name", { id: 10, name: "new" }, shown),
  post(
    "genres?select=name",
    [
      { id: 10, name: "a" },
      { id: 11, name: "b" },
    ],
    { prefer: "return=representation,count=exact" },
  ),
  post("genres?columns=id,name", [{ id: 10, name: "a", junk: 1 }], shown),
  post("genres?columns=id,nope", [{ id: 10, name: "a" }], shown),
  post("genres", [], shown),
  post("genres", [{ id: 10, name: "a" }, { id: 11 }], shown),
  post("genres", { id: 10, nope: 1 }, shown),
  post("genres", { id: 1, name: "dup" }, shown),
  post("genres", { id: 12, name: null }, shown),
  post("genres", { id: 12, name: "travel" }, shown),
  post("genres", { id: "x", name: "y" }, shown),
  post("genres", "", shown),
  post("genres", "{", shown),
  post("genres", "3", shown),
  post("genres", { id: 12, name: "z" }, { ...shown, ...object }),
  post(
    "genres",
    [
      { id: 12, name: "z" },
      { id: 13, name: "zz" },
    ],
    { ...shown, ...object },
  ),
  // prettier-ignore
  post("books?select=id,title,mood,tags,attributes,deleted_at,publishers(name)", {
    id: 50, title: "New", mood: "sad", tags: ["a", "b,c"], attributes: { x: [1] }, publisher_id: 2, deleted_at: "2024-05-05T00:00:00Z",
  }, shown),
  post("books", { id: 50, title: "New", mood: "bad" }, shown),
  post("books", { id: 50, title: "New", publisher_id: 99 }, shown),
  post("books?select=id,price", '{"id":51,"title":"Big","price":12345.67}', shown),
  post("reviews", { id: 50, book_id: 1, stars: 9 }, shown),
  post(
    "genres",
    [
      { id: 1, name: "trips" },
      { id: 30, name: "n" },
    ],
    { prefer: "resolution=merge-duplicates,return=representation" },
  ),
  post(
    "genres",
    [
      { id: 1, name: "trips" },
      { id: 30, name: "n" },
    ],
    { prefer: "return=representation,resolution=ignore-duplicates" },
  ),
  post(
    "genres?on_conflict=name",
    { id: 31, name: "travel" },
    { prefer: "resolution=ignore-duplicates,return=representation" },
  ),
  post("genres?on_conflict=id", { id: 1, name: "m" }, shown),
  post("genres?on_conflict=nope", { id: 1, name: "m" }, { prefer: "resolution=merge-duplicates" }),
  post("books?on_conflict=title", { id: 1, title: "m" }, { prefer: "resolution=merge-duplicates" }),
  patch("genres?id=eq.1&select=written:id,body:name,page:id", { name: "trips" }, shown),
  patch("genres?id=eq.1", { name: "trips" }, shown),
  patch("genres?id=eq.1", { name: "trips" }, minimal),
  patch("genres?id=eq.1", { name: "trips" }),
  patch("genres?id=eq.1", {}, shown),
  patch("genres?id=eq.1", [{ name: "trips" }], shown),
  patch("genres?id=eq.77", { name: "trips" }, shown),
  patch("genres?id=eq.77", { name: "trips" }, minimal),
  patch("genres?id=in.(1,2)&select=id", { name: "same" }, shown),
  patch("genres?id=eq.1", { nope: 1 }, shown),
  patch("genres?nope=eq.1", { name: "x" }, shown),
  patch("genres?id=eq.1", "", shown),
  patch(
    "books?id=in.(1,2)&select=id,in_print,publishers(name)",
    { in_print: false },
    { prefer: "return=representation,count=exact" },
  ),
  patch("books?or=(id.eq.1,title.ilike.*guide*)&select=id,title", { title: "T" }, shown),
  patch("books?id=eq.1&select=id,reviews(stars)&reviews.stars=gt.3", { pages: 1 }, shown),
  patch("books?id=eq.1&select=id", { pages: 1 }, { ...shown, ...object }),
  patch("books?select=id&order=id", { pages: 1 }, { ...shown, ...object }),
  patch("people_names?id=eq.1", { name: "V" }, shown),
  remove("genres?id=eq.4", shown),
  remove("genres?id=eq.4", minimal),
  remove("genres?id=eq.4"),
  remove("genres?id=eq.77", shown),
  remove("genres?id=eq.1", shown),
  remove("reviews?book_id=eq.1&select=id,books(title)", shown),
  remove("reviews?stars=gte.4", { prefer: "return=representation,count=exact" }),
  remove("reviews?nope=eq.4", shown),
];

export const corpus: readonly CorpusRequest[] = [
  ...[...selects, ...filters, ...orders, ...embeds].map((url) => get(url)),
  ...counts.map(counted),
  ...ranges,
  ...calls,
  ...writes,
];

/** The tables and the one updatable view of the test schema. */
// prettier-ignore
export const zooTables = [
  "people", "publishers", "books", "genres", "book_genres", "reviews", "blurbs", "shelves", "loans", "loan_notes",
  "Odd Names", "empty_table", "people_names",
] as const;

export const zooViews = ["active_books", "active_titles", "book_summaries", "all_names"] as const;

// prettier-ignore
export const zooFunctions = [
  "books_of", "add_numbers", "mood_counts", "first_book", "some_numbers", "rename_genre", "echo_json",
] as const;
