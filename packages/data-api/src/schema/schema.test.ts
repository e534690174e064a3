import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TableDeclaration } from "../declare.ts";
import { openZoo, type Zoo } from "../testing/zoo.ts";
import { type Catalog, readCatalog } from "./catalog.ts";
import { buildSchema } from "./schema.ts";
import { findViewOrigins } from "./view-origins.ts";

let zoo: Zoo;
let catalog: Catalog;

beforeAll(async () => {
  zoo = await openZoo();
  await zoo.pool.query(`
    create view v_cte as with c as (select id, title as name from books) select name, id as book from c;
    create view v_sub as select s.id, (select max(stars) from reviews r where r.book_id = s.id) as best
      from (select b.id, b.title || '!' as loud from books b where exists (select 1 from reviews)) s;
    create view v_group as select publisher_id, count(*) as books from books group by publisher_id;
    create view v_join as select b.id, b.created_by, b.editor_id, a.id as author, e.id as editor
      from books b left join people a on a.id = b.created_by left join people e on e.id = b.editor_id;
    create view "v (odd) {name}" as select id as "a {b} (c) :resno 9", name from people;
    create view v_over as select "a {b} (c) :resno 9" as person from "v (odd) {name}";
    create materialized view v_stored as select id, publisher_id from active_books;
    create schema inside;
    create table inside.vault (id int primary key, book_id int references public.books (id), code text);
    create view vaults as select id, book_id from inside.vault;
    create table parts (id int, at date, primary key (id, at)) partition by range (at);
    create table parts_2024 partition of parts for values from ('2024-01-01') to ('2025-01-01')`);
  catalog = await readCatalog(zoo.pool, ["public"], []);
});

afterAll(() => zoo.close());

function originsOf(view: string): Record<string, string> {
  const relation = catalog.relations.find(({ name }) => name === view);
  const named = (oid: number, number: number) => {
    const table = catalog.relations.find((other) => other.oid === oid);
    return `${table?.name}.${table?.columns.find((column) => column.number === number)?.name}`;
  };
  const origins = findViewOrigins(catalog).get(relation?.oid ?? 0) ?? new Map();
  return Object.fromEntries(
    (relation?.columns ?? []).flatMap(({ name, number }) => {
      const origin = origins.get(number);
      return origin ? [[name, named(origin.relation, origin.column)]] : [];
    }),
  );
}

describe("where the columns of a view come from", () => {
  test.for<[string, Record<string, string>]>([
    ["v_cte", { name: "books.title", book: "books.id" }],
    ["v_sub", { id: "books.id" }],
    ["v_group", { publisher_id: "books.publisher_id" }],
    [
      "v_join",
      {
        id: "books.id",
        created_by: "books.created_by",
        editor_id: "books.editor_id",
        author: "people.id",
        editor: "people.id",
      },
    ],
    ["v (odd) {name}", { "a {b} (c) :resno 9": "people.id", name: "people.name" }],
    ["v_over", { person: "people.id" }],
    ["v_stored", { id: "books.id", publisher_id: "books.publisher_id" }],
    ["active_titles", { book: "books.id", title: "books.title", pub: "books.publisher_id" }],
    ["vaults", { id: "vault.id", book_id: "vault.book_id" }],
    ["all_names", {}],
  ])("%s", ([view, expected]) => {
    expect(originsOf(view)).toEqual(expected);
  });
});

describe("relationships", () => {
  const relationships = (tables: TableDeclaration[], from: string) =>
    buildSchema("public", catalog, tables, [])
      .tables.get(from)
      ?.relationships.map(({ cardinality, to, pairs, junction }) =>
        [cardinality, to, junction?.table ?? pairs.map((pair) => pair.join("=")).join()].join(" "),
      )
      .toSorted();
  const declared = (...names: string[]) => names.map((name) => ({ name, read: "x" }));

  test("a key holds both ways, and between what is declared only", () => {
    expect(relationships(declared("books", "publishers"), "books")).toEqual([
      "many-to-one publishers publisher_id=id",
    ]);
    expect(relationships(declared("books", "publishers"), "publishers")).toEqual([
      "one-to-many books id=publisher_id",
    ]);
    expect(relationships(declared("books"), "books")).toEqual([]);
  });

  test("unique keys are one to one, keys of several columns stay together", () => {
    expect(relationships(declared("books", "blurbs"), "blurbs")).toEqual([
      "one-to-one books book_id=id",
    ]);
    expect(relationships(declared("loans", "loan_notes"), "loans")).toEqual([
      "one-to-many loan_notes branch=branch,number=number",
    ]);
  });

  test("a join table relates its two sides, when it is declared", () => {
    expect(relationships(declared("books", "genres", "book_genres"), "genres")).toEqual([
      "many-to-many books book_genres",
      "one-to-many book_genres id=genre_id",
    ]);
    expect(relationships(declared("books", "genres"), "genres")).toEqual([]);
  });

  test("views stand where their tables would, once for each column that shows the key", () => {
    const toPeople = relationships(declared("v_join", "people"), "v_join");
    expect(toPeople?.filter((relationship) => relationship.includes(" people "))).toEqual([
      "many-to-one people created_by=id",
      "many-to-one people editor_id=id",
    ]);
    expect(relationships(declared("reviews", "v_join"), "reviews")).toEqual([
      "many-to-one v_join book_id=id",
      "many-to-one v_join reviewer_id=author",
      "many-to-one v_join reviewer_id=editor",
    ]);
    expect(relationships(declared("books", "vaults"), "vaults")).toEqual([
      "many-to-one books book_id=id",
    ]);
  });

  test("a hidden column relates nothing", () => {
    const tables = [
      { name: "books", read: "x", hidden: ["publisher_id"] },
      ...declared("publishers"),
    ];
    expect(relationships(tables, "books")).toEqual([]);
    expect(relationships(tables, "publishers")).toEqual([]);
  });
});

test("partitions are not relations of their own", () => {
  const names = catalog.relations.map(({ name }) => name);
  expect(names).toContain("parts");
  expect(names).not.toContain("parts_2024");
});

test("generated columns are never writable", () => {
  const table = buildSchema(
    "public",
    catalog,
    [{ name: "books", read: "x", write: "x", writable: ["title", "words"] }],
    [],
  ).tables.get("books");
  expect([...(table?.writable ?? [])]).toEqual(["title"]);
});
