import { readFileSync } from "node:fs";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TableDeclaration } from "./declare.ts";
import { createDataApi, type DataApiOptions } from "./engine.ts";
import { costLimits } from "./limits.ts";
import { asker, json, kept, openZoo, type Zoo } from "./testing/zoo.ts";

/**
 * What a request may cost. Measured over PostgreSQL 18 on two cores, one text each; "not stopped" means that
 * `statement_timeout` does not end it, because PostgreSQL does not look for interrupts there:
 *
 * | asked | text | time | memory |
 * |---|---|---|---|
 * | `^(a*)(a*)(a*)(a*)\1\2\3\4a?c?b$` | 301 letters | 8 s | |
 * | `(?=.*(?=.*(?=.*x)))` | 10,000 letters | over 10 s | |
 * | `(?=a.*c)x|(?=b.*c)y` | 100,000 letters | over 10 s | |
 * | `a?` 1,000 times, `a` 1,000 times | 1,000 letters | 3.1 s | 81 MB |
 * | `((x?){16}y?){31}!` (527 atoms) | 100,000 letters | 1.8 s | 23 MB |
 * | `((a?){16}){16}` (256 atoms) | 100,000 letters | 0.1 s | 6 MB |
 * | `(((.*){0,20}){0,20}){0,20}b` | any | 0.6 s, then "too complex" | 165 MB |
 * | 5,000 alternatives, ignoring case | 100,000 letters | 0.1 s | 10 MB |
 * | `[ab]*a[ab]{250}c` (the automaton's worst) | 100,000 letters | 0.1 s | 1 MB |
 * | `like %aaa…b%`, 30,000 letters | 1,000,000 `a` | 55 s, not stopped | 3 MB |
 * | `like %aaa…b%`, 1,000 letters | 1,000,000 `a` | 2.1 s, not stopped | 3 MB |
 * | `like` of 30,000 `%a` | any | at once: stack depth | 5 MB |
 * | `cs` of 10,000 texts | 100,000 texts | 32 s, not stopped | 7 MB |
 * | `ov` of 10,000 texts | 100,000 texts | 9.8 s | 6 MB |
 * | `cs` of 7,000 lists in JSON | 20,000 lists | 8.7 s, not stopped | 9 MB |
 * | `fts`, 2,000 times `a:*` one after the other | 20,000 words | 2.7 s | 140 MB |
 */
let zoo: Zoo;
let pool: pg.Pool;
let writers: pg.Pool;
/** Of the connection that reads and the one that writes. */
let backends: number[];
const everything = { read: "all", write: "all" };
const tables: TableDeclaration<object>[] = [
  { ...everything, name: "crews", writable: ["name"] },
  { ...everything, name: "crew_members", verbs: [] },
  { ...everything, name: "sailors", writable: ["name"] },
];

const open = (options: Partial<DataApiOptions<object>> = {}) =>
  asker(createDataApi<object>({ pool, ownPool: true, tables, ...options }), kept(zoo.pool, {}));

beforeAll(async () => {
  zoo = await openZoo();
  const { database, host, port, user } = zoo.pool.options;
  const one = () => new pg.Pool({ database, host, port, user, max: 1 });
  [pool, writers] = [one(), one()];
  for (const each of [pool, writers]) each.on("error", () => undefined);
  await zoo.pool.query(`
    create table crews (id int primary key, name text not null, log text);
    create table sailors (id int primary key, name text not null, story text not null, tags text[], captain int references sailors);
    create table crew_members (crew int references crews, sailor int references sailors, primary key (crew, sailor));
    insert into crews select n, 'crew ' || n, repeat('l', 100) from generate_series(1, 40) n;
    insert into sailors select n, 'sailor ' || n, repeat('a', 300) || 'b', '{a,b}', 1 from generate_series(1, 300) n;
    insert into crew_members select c, s from generate_series(1, 40) c, generate_series(1, 300) s;
    analyze`);
  backends = await Promise.all(
    [pool, writers].map(async (each) => {
      const { rows } = await each.query<{ pid: number }>("select pg_backend_pid() as pid");
      return rows[0]!.pid;
    }),
  );
});

afterAll(async () => {
  await Promise.all([pool.end(), writers.end()]);
  await zoo.close();
});

const refusal = async (asked: Parameters<ReturnType<typeof open>>[0], options = {}) => {
  const response = await open(options)(asked);
  return [response.status, (json(response) as { code: string; message: string }).message];
};

describe("patterns that can explode", () => {
  const backReferences = String.raw`^(a*)(a*)(a*)(a*)\1\2\3\4a?c?b$`;
  const listed = encodeURIComponent(`{"${backReferences.replaceAll("\\", "\\\\")}"}`);
  test.for([
    `sailors?story=match.${encodeURIComponent(backReferences)}`,
    `sailors?story=not.imatch.${encodeURIComponent(backReferences)}`,
    `sailors?or=(id.eq.1,story.match."${encodeURIComponent(backReferences.replaceAll("\\", "\\\\"))}")`,
    `sailors?story=match(any).${listed}`,
    `sailors?story=match(all).{(a)${encodeURIComponent("\\\\")}1}`,
    `crews?select=id,sailors(id)&sailors.story=match.${encodeURIComponent(backReferences)}`,
    "sailors?story=match.(?=.*(?=.*x))",
    "sailors?story=match.(((.*){0,20}){0,20}){0,20}b",
    `sailors?${"story=match.a&".repeat(costLimits.expressions + 1)}`,
    `sailors?story=like.*${"a".repeat(300)}b*`,
    `sailors?story.filter=${Array.from({ length: 20 }, () => `*${"a".repeat(200)}`).join()}`,
    `sailors?or=(${Array.from({ length: 20 }, () => `story.ilike.*${"a".repeat(200)}*`).join()})`,
    `sailors?story=fts.${"a:*<->".repeat(50)}a`,
    `sailors?tags=cs.{${"a,".repeat(600)}a}`,
    `sailors?tags=ov.{${"a,".repeat(600)}a}`,
  ])("%s is refused", async (url) => {
    const started = performance.now();
    const response = await open()({ url });
    expect([response.status, json(response)]).toMatchObject([400, { code: "PGRST100" }]);
    expect(performance.now() - started).toBeLessThan(2_000);
  });

  test("also where rows are changed", async () => {
    const url = `sailors?story=match.${encodeURIComponent(backReferences)}`;
    for (const method of ["PATCH", "DELETE"])
      expect((await refusal({ method, url, body: { name: "x" } }))[0]).toBe(400);
  });

  test.for<[string, number]>([
    ["story=match.^a{200}", 300],
    ["story=imatch.A%2BB$", 300],
    [String.raw`story=match.a\\d|b$`, 300],
    [String.raw`name=match(any).{"^sailor \\d$","9{2}$"}`, 12],
    ["name=match(any).{^sailor 7$}", 1],
    ["story=like.*ab", 300],
    ["tags=cs.{a}", 300],
  ])("%s is answered", async ([filter, rows]) => {
    const response = await open()({ url: `sailors?select=id&${filter}` });
    expect([response.status, response.body?.match(/id/g)?.length]).toEqual([200, rows]);
  });

  test("where the database's roles decide, they are PostgreSQL's to answer, unless an option says otherwise", async () => {
    const url = String.raw`sailors?select=id&limit=1&name=match.(s)ailor 1\1?`;
    expect((await open({ errors: "whole" })({ url })).status).toBe(200);
    expect((await open({ errors: "whole", limitsCosts: true })({ url })).status).toBe(400);
  });
});

describe("embeds", () => {
  const through = (depth: number): string =>
    depth === 0 ? "id" : `id,${depth % 2 === 0 ? "sailors" : "crews"}(${through(depth - 1)})`;

  test.for<[string, string]>([
    ["deeper than clients go", `crews?select=${through(6)}`],
    ["of lists in lists in lists", `crews?select=${through(4)}`],
    [
      "too many",
      `crews?select=${Array.from({ length: 21 }, (_, n) => `a${n}:sailors(id)`).join()}`,
    ],
    [
      "of one column again and again",
      `crews?select=${Array.from({ length: 11 }, (_, n) => `a${n}:log`).join()}`,
    ],
  ])("%s are refused", async ([, url]) => {
    expect((await refusal({ url }))[0]).toBe(400);
    const written = {
      method: "PATCH",
      body: { name: "x" },
      headers: { prefer: "return=representation" },
    };
    expect((await refusal({ ...written, url: url.replace("?", "?id=eq.1&") }))[0]).toBe(400);
  });

  test("a list has so many rows, and the answer says which lists were cut", async () => {
    const ask = open({ maxListRows: 250 });
    const response = await ask({
      url: "crews?select=id,people:sailors(id,captain(name),crews(id))&id=lt.3",
    });
    const rows = json(response) as { people: { crews: object[] }[] }[];
    expect(rows.map(({ people }) => people.length)).toEqual([250, 250]);
    expect(rows[0]?.people[0]?.crews).toHaveLength(40);
    expect(response.headers["lists-cut"]).toBe("people");
    const inner = await ask({ url: "sailors?select=id,crews(id,sailors(id))&limit=1" });
    expect(inner.headers["lists-cut"]).toBe("crews.sailors");
    const spread = await ask({ url: "crews?select=id,...sailors(name)&limit=1" });
    expect((json(spread) as { name: string[] }[])[0]?.name).toHaveLength(250);
    expect(spread.headers["lists-cut"]).toBe("sailors");
    for (const limit of ["&sailors.limit=250", "&sailors.limit=7", "&sailors.id=lte.250"]) {
      const fitting = await ask({ url: `crews?select=id,sailors(id)&limit=1${limit}` });
      expect([fitting.status, fitting.headers["lists-cut"]]).toEqual([200, undefined]);
    }
    const next = await ask({ url: "crews?select=id,sailors(id)&limit=1&sailors.offset=250" });
    expect((json(next) as { sailors: object[] }[])[0]?.sailors).toHaveLength(50);
    const changed = await ask({
      method: "PATCH",
      url: "crews?id=eq.1&select=id,sailors(id)",
      body: { name: "crew 1" },
      headers: { prefer: "return=representation" },
    });
    expect([changed.status, changed.headers["lists-cut"]]).toEqual([200, "sailors"]);
  });

  const megabyte = 1024 * 1024;
  const peakOf = (pid: number) =>
    Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]) * 1024;
  const peak = () => backends.map(peakOf).reduce((sum, bytes) => sum + bytes);

  test.for<[string, Omit<Parameters<ReturnType<typeof open>>[0], "url">, string]>([
    ["lists in lists", {}, "crews?select=id,sailors(*,crews(*,sailors(*)))"],
    [
      "lists that are not shown",
      {},
      "crews?select=id,sailors!inner(id,crews!inner(id,sailors!inner()))",
    ],
    [
      "lists that are spread",
      {},
      "crews?select=id,...sailors(story,...crews(name,...sailors(story)))",
    ],
    [
      "beside each other",
      {},
      "sailors?select=a:crews(*,sailors(*)),b:crews(*,sailors(*)),c:crews(*,sailors(*))",
    ],
    [
      "as CSV",
      { headers: { accept: "text/csv" } },
      "crews?select=id,sailors(*,crews(*,sailors(*)))",
    ],
    [
      "of written rows",
      { method: "PATCH", body: { log: "l" }, headers: { prefer: "return=representation" } },
      "crews?id=gt.0&select=id,sailors(*,crews(*,sailors(*)))",
    ],
  ])("%s end the statement while it makes them", async ([, more, url]) => {
    const ask = asker(
      createDataApi<object>({
        pool,
        ownPool: true,
        tables: tables.map((table) =>
          table.name === "crews" ? { ...table, writable: ["log"] } : table,
        ),
        maxBytes: 4 * megabyte,
      }),
      kept(writers, {}),
    );
    await ask({ url: "crews?limit=1" });
    await ask({ method: "PATCH", url: "crews?id=eq.1", body: { log: "l" } });
    const before = peak();
    const response = await ask({ url, ...more });
    expect([response.status, json(response)]).toMatchObject([
      400,
      { code: "54000", message: expect.stringContaining("longer than") as string },
    ]);
    // Some hundred megabytes would be made to the end.
    expect(peak() - before).toBeLessThan(40 * megabyte);
  });

  test("what is just short enough is answered whole", async () => {
    const url = "crews?select=id,sailors(*)";
    const { body = "" } = await open()({ url });
    const bytes = Buffer.byteLength(body);
    expect(bytes).toBeGreaterThan(3 * megabyte);
    const fitting = await open({ maxBytes: bytes })({ url });
    expect([fitting.status, fitting.body === body]).toEqual([200, true]);
    expect((await open({ maxBytes: Math.floor(bytes / 2) })({ url })).status).toBe(400);
  });
});

test("what reads texts, counts or nests lists has less time", async () => {
  const limits: string[] = [];
  const watched = {
    async connect() {
      const client = await pool.connect();
      return {
        query(statement: { text: string; values?: unknown[] }) {
          if (statement.text.includes("set_config('default_"))
            limits.push(String(statement.values?.[1]));
          return client.query(statement);
        },
        release: () => client.release(),
      };
    },
  };
  const ask = open({ pool: watched, statementTimeoutMs: 9_000, costlyTimeoutMs: 3_000 });
  await ask({ url: "crews?id=eq.1" });
  for (const url of ["crews?name=like.*x", "crews?select=id,sailors(id,crews(id))&limit=1"]) {
    await ask({ url });
    expect(limits.at(-1)).toBe("3000");
    await ask({ url: "crews?id=eq.1" });
    expect(limits.at(-1)).toBe("9000");
  }
  await ask({ url: "crews?id=eq.1", headers: { prefer: "count=exact" } });
  expect(limits.at(-1)).toBe("3000");
});
