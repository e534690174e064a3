import { readFileSync } from "node:fs";
import { urlOf, createTestDatabase, type TestDatabase } from "@mainstay/testkit";
import "@mainstay/testkit/global-setup.ts";
import pg from "pg";
import sql from "sql-template-tag";
import { inject } from "vitest";
import type { FunctionDeclaration, TableDeclaration } from "../declare.ts";
import type { Zoo } from "./zoo.ts";

/** Stands in every value that must not come out. */
export const secret = "SEKRET";

/** Names of what is not declared and of hidden columns, as far as they are no part of another word. */
export const unseenNames = [
  "loans",
  "loan_notes",
  "visits",
  "friends",
  "shelves",
  "born",
  "country",
];

/** People whose number leaves three when it is divided by five are nobody's business. */
export const guardedTables: TableDeclaration<object>[] = [
  {
    name: "books",
    read: "books",
    write: "books",
    hidden: ["price"],
    secret: ["extra"],
    writable: ["id", "title", "pages", "mood", "tags", "attributes", "extra"],
  },
  {
    name: "people",
    read: "people",
    write: "people",
    verbs: ["update"],
    writable: ["name"],
    columns: ["id", "name"],
    rowRule: (column) => sql`${column("id")} % 5 <> 3`,
  },
  { name: "publishers", read: "publishers", hidden: ["country"] },
  {
    name: "genres",
    read: "genres",
    write: "genres",
    writable: ["id", "name"],
    ignoreReadOnly: true,
  },
  { name: "book_genres", read: "genres", rowRule: (column) => sql`${column("weight")} < 100` },
  { name: "reviews", read: "forbidden", write: "forbidden", writable: ["id"] },
  { name: "active_books", read: "books" },
  { name: "events", read: "books", secret: ["person_id"] },
  { name: "passports", read: "people", hidden: ["number"] },
  { name: "paints", read: "books", hidden: ["shade"], secret: ["second"] },
  {
    name: "settings",
    read: "settings",
    write: "settings",
    secret: ["value"],
    writable: ["name", "value"],
  },
  {
    name: "keyless",
    read: "keyless",
    write: "keyless",
    writable: ["a", "b"],
    rowRule: (column) => sql`${column("b")} < 100`,
  },
];

export const guardedFunctions: FunctionDeclaration[] = [
  { name: "books_of", resource: "books" },
  { name: "some_numbers", resource: "books" },
  { name: "loud_title", resource: "books" },
  { name: "initial", resource: "people" },
  { name: "maker", resource: "people" },
  { name: "everybody", resource: "people" },
];

export const canAsk = (resource: string) => resource !== "forbidden";

/** One of two worlds that are alike in everything the asker may see. */
export interface World {
  /** In the hidden values; of another length in the other world. */
  mark: string;
  /** Numbers of people who are there and may not be seen; number 3 is referred to and always there. */
  unseenPeople: readonly number[];
  rowsOfOthers: number;
}

export const worlds: readonly [World, World] = [
  { mark: secret, unseenPeople: [3], rowsOfOthers: 1 },
  { mark: `${secret} of the other world`, unseenPeople: [3, 8, 13, 18, 23], rowsOfOthers: 7 },
];

/**
 * The test schema, once for each world with its hidden part. They are clones of one database, because PostgreSQL puts
 * what it hashes in an order that follows numbers which it gave things when they were made.
 */
export async function openWorlds(wanted: readonly World[]): Promise<Zoo[]> {
  const cluster = { connection: inject("cluster") };
  const base = await createTestDatabase(cluster);
  const pool = new pg.Pool({ ...base.superuser, max: 1 });
  await pool.query(readFileSync(new URL("zoo.sql", import.meta.url), "utf8"));
  await pool.end();
  const zoos: Zoo[] = [];
  for (const world of wanted)
    zoos.push(await openWorld(world, await createTestDatabase(cluster, base.name)));
  await base.drop();
  return zoos;
}

async function openWorld(world: World, database: TestDatabase): Promise<Zoo> {
  const pool = new pg.Pool({ ...database.superuser, max: 4 });
  // Dropping the database ends the connections that are idle.
  pool.on("error", () => undefined);
  const client = await pool.connect();
  await fillWorld(world, client);
  client.release();
  return {
    pool,
    url: urlOf(database.superuser),
    async close() {
      await pool.end();
      await database.drop();
    },
  };
}

async function fillWorld(
  { mark, unseenPeople, rowsOfOthers }: World,
  client: pg.PoolClient,
): Promise<void> {
  const fill = (text: string, values: unknown[] = []) => client.query(text, values);
  // A function that fails on whom the asker may not see tells when it was called with him.
  await fill(`
    create function initial(people) returns text language plpgsql stable as $$
    begin
      if $1.id % 5 = 3 then raise exception 'met %', $1.email; end if;
      return left($1.name, 1);
    end $$;
    create function everybody() returns setof people language sql stable as 'select * from people order by id'`);
  await fill("update people set email = $1 || id, born = date '1900-01-01' + length($1)", [mark]);
  for (const id of unseenPeople)
    await fill(
      `insert into people values ($1, $2, $2, '2000-01-01')
       on conflict (id) do update set name = excluded.name, email = excluded.email`,
      [id, mark],
    );
  await fill("insert into people values (6, 'Seen'), (9, 'Seen too')");
  await fill("update publishers set country = $1", [mark]);
  await fill("update blurbs set blurb = $1, isbn = $1 || book_id", [mark]);
  // Tables that are written and whose plans are told are as long in both worlds: how long a table is on disk cannot be
  // kept out of guesses about it, and tells how much is hidden in it.
  const even = mark.padEnd(40, ".");
  await fill("update books set price = length($1), extra = json_build_object('a', $2::text)", [
    mark,
    even,
  ]);
  await fill("update reviews set body = $1, stars = 1 + length($1) % 5", [mark]);
  await fill("update events set person_id = $1", [mark === secret ? 1 : 2]);
  await fill("update passports set number = $1 || id", [mark]);
  await fill("update paints set shade = length($1), second = length($1)", [mark]);
  await fill("update settings set value = $1", [even]);
  for (let number = 0; number < rowsOfOthers; number += 1) {
    await fill("insert into keyless values ($1, 100 + $2)", [mark, number]);
    await fill("insert into shelves values (100 + $1, $2)", [number, mark]);
    await fill("insert into visits values (100 + $1, 1, 2)", [number]);
    await fill("insert into reviews (book_id, reviewer_id, stars, body) values (1, 1, 2, $1)", [
      mark,
    ]);
  }
  // Of genres and books that visible rows refer to as well.
  await fill(
    "insert into book_genres select 3, genre, 100 + genre from generate_series(1, $1) genre",
    [Math.min(rowsOfOthers, 3)],
  );
  await fill("insert into book_genres values (4, 1, 7), (4, 3, 8)");
  await fill("insert into keyless values ('d', 4)");
  // Else statistics of hidden rows would be made at some moment, see the test.
  const { rows } = await client.query<{ name: string }>(
    "select oid::regclass::text as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace",
  );
  for (const { name } of rows) await fill(`alter table ${name} set (autovacuum_enabled = false)`);
}
