import fc from "fast-check";
import pg from "pg";
import sql from "sql-template-tag";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { TableDeclaration } from "./declare.ts";
import { createDataApi } from "./engine.ts";
import { requests } from "./testing/hostile-requests.ts";
import { asker, openZoo, undone, type Zoo } from "./testing/zoo.ts";

/** Stands in every value that must not come out. */
const secret = "SEKRET";

const tables: TableDeclaration<object>[] = [
  {
    name: "books",
    read: "books",
    write: "books",
    hidden: ["price"],
    secret: ["extra"],
    writable: ["id", "title", "pages", "mood", "tags", "attributes"],
  },
  {
    name: "people",
    read: "people",
    columns: ["id", "name"],
    rowRule: (column) => sql`${column("id")} <> 3`,
  },
  { name: "publishers", read: "publishers", hidden: ["country"] },
  {
    name: "genres",
    read: "genres",
    write: "genres",
    writable: ["id", "name"],
    ignoreReadOnly: true,
  },
  { name: "book_genres", read: "genres" },
  { name: "reviews", read: "forbidden", write: "forbidden", writable: ["id"] },
  { name: "active_books", read: "books" },
];

let zoo: Zoo;
let own: pg.Pool;
let ask: ReturnType<typeof asker<object>>;
let statements: string[] = [];

beforeAll(async () => {
  zoo = await openZoo();
  await zoo.pool.query(`
    update people set email = '${secret} ' || id;
    update people set name = '${secret}' where id = 3;
    update publishers set country = '${secret}';
    update blurbs set blurb = '${secret}', isbn = '${secret}' || book_id;
    update reviews set body = '${secret}';
    update books set extra = '{"a":"${secret}"}'`);
  own = new pg.Pool({ connectionString: zoo.url, max: 2 });
  const pool = {
    async connect() {
      const client = await own.connect();
      return {
        query(statement: { text: string; values?: unknown[] }) {
          // Settings, and the planner's guess where that was asked for, are not reads of rows.
          if (!/^(select set_config|begin|rollback|explain)/.test(statement.text))
            statements.push(statement.text);
          return client.query(statement);
        },
        release: (destroy?: boolean) => client.release(destroy),
      };
    },
  };
  const functions = [
    { name: "books_of", resource: "books" },
    { name: "some_numbers", resource: "books" },
    { name: "loud_title", resource: "books" },
  ];
  const api = createDataApi({
    pool,
    ownPool: true,
    tables,
    functions,
    maxRows: 50,
    aggregates: true,
    statementTimeoutMs: 5_000,
  });
  await api.ready();
  ask = asker(api, undone(zoo.pool, {}));
});

afterAll(async () => {
  await own.end();
  await zoo.close();
});

const can = (resource: string) => resource !== "forbidden";
/** `npm run fuzz` asks for more, and may give the seed of a run that failed. */
const runs = Number(process.env["FUZZ_RUNS"] ?? 2_000);
const seed = process.env["FUZZ_SEED"] === undefined ? undefined : Number(process.env["FUZZ_SEED"]);
/** Requests between two lines of progress, in a long run. */
const progressEvery = 10_000;
const megabyte = 1024 * 1024;

test(
  `${runs} hostile requests get an answer that is never a fault and never a secret`,
  async () => {
    const statuses = new Map<number, number>();
    let done = 0;
    let memoryBefore = 0;
    await fc.assert(
      fc.asyncProperty(requests(tables.map(({ name }) => name)), async (asked) => {
        statements = [];
        done += 1;
        if (done === Math.ceil(runs / 10)) memoryBefore = process.memoryUsage().rss;
        if (done % progressEvery === 0) process.stderr.write(`${done} of ${runs} requests\n`);
        const hasBody = ["POST", "PATCH", "PUT"].includes(asked.method ?? "");
        const response = await ask({ ...asked, body: hasBody ? asked.body : undefined, can });
        statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
        expect(response.status).toBeLessThan(500);
        expect(response.body ?? "").not.toContain(secret);
        expect(response.body ?? "").not.toMatch(/json_agg|lateral|recordset|returning/);
        expect(statements.length).toBeLessThanOrEqual(1);
      }),
      { numRuns: runs, ...(seed === undefined ? {} : { seed }) },
    );
    // What is kept between requests has bounds; a long run must not need ever more.
    expect(process.memoryUsage().rss - memoryBefore).toBeLessThan(400 * megabyte);
    // The generator is only worth something when much of it gets through to the database.
    expect(statuses.get(200) ?? 0).toBeGreaterThan(runs / 40);
    expect(statuses.get(400) ?? 0).toBeGreaterThan(runs / 10);
  },
  Math.max(120_000, runs * 5),
);
