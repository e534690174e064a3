import sql from "sql-template-tag";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TableDeclaration } from "./declare.ts";
import { createDataApi } from "./engine.ts";
import { asker, json, openZoo, undone, type Zoo } from "./testing/zoo.ts";

/**
 * What the asker may not see has no say in what is answered. The rows and the statistics of the database hold what a
 * rule hides; `noninterference.test.ts` looks for more of the kind.
 */
let zoo: Zoo;
let ask: ReturnType<typeof asker<object>>;
let hooks = 0;

/** Asked last, where PostgreSQL may choose. */
const rule: TableDeclaration<object>["rowRule"] = (column) => sql`is_mine(${column("owner")})`;
const open = { read: "all", write: "all" };
const tables: TableDeclaration<object>[] = [
  { ...open, name: "diary", writable: ["text"], rowRule: rule },
  {
    ...open,
    name: "bookings",
    writable: ["id", "span", "owner"],
    rowRule: rule,
  },
  { ...open, name: "tags", hidden: ["id", "reason"], writable: ["name"] },
  {
    ...open,
    name: "genres",
    writable: ["id", "name"],
    beforeWrite: ({ rows }) => {
      hooks += 1;
      return Promise.resolve(rows);
    },
  },
  { ...open, name: "books", hidden: ["price"], writable: ["id", "title"] },
  { ...open, name: "diary_lines", writable: ["id"] },
  { ...open, name: "diary_view", verbs: [] },
  { ...open, name: "sunny_days", writable: ["id", "text"] },
];

beforeAll(async () => {
  zoo = await openZoo();
  await zoo.pool.query(`
    create table diary (id int primary key, owner text not null, text text not null, size int not null);
    insert into diary select n, case when n % 100 = 0 then 'me' else 'other' end,
      case when n % 100 = 0 then 'sunny' else 'SECRET plan' end, n from generate_series(1, 2000) n;
    create table diary_lines (id int primary key, diary_id int references diary on delete cascade);
    insert into diary_lines select n, n from generate_series(1, 500) n;
    create view diary_view as select id, text from diary where owner = 'me';
    create view sunny_days as select id, text from diary where text = 'sunny' with check option;
    create function is_mine(text) returns boolean language plpgsql cost 10000 as $$ begin return $1 = 'me'; end $$;
    create function line_size(diary) returns int language plpgsql stable as $$
      begin if $1.owner <> 'me' then raise exception 'met %', $1.text; end if; return $1.size; end $$;
    create table tags (id int primary key generated always as identity, name text unique, reason text not null, check (reason <> name));
    create table bookings (id int primary key, span int4range, owner text, exclude using gist (span with &&));
    insert into bookings values (1, '[1,77)', 'other');
    analyze`);
  const api = createDataApi<object>({
    pool: zoo.pool,
    tables,
    functions: [{ name: "line_size", resource: "all" }],
    plan: true,
  });
  await api.ready();
  ask = asker(api, undone(zoo.pool, {}));
});

afterAll(() => zoo.close());

describe("a condition does not meet rows that a rule hides", () => {
  /** Each fails on what the hidden rows hold, and on nothing of the visible ones. */
  test.for([
    "text=like.SECRET\\",
    "text=ilike.secret\\",
    'text=like(any).{x,"SECRET\\\\"}',
    "or=(text.like.SECRET\\,id.eq.100)",
    "and=(id.eq.100,or(text.like.SECRET\\,line_size.eq.100))",
    "line_size=gt.0",
    "line_size=in.(100,200)",
    "not.and=(line_size.eq.100,text.eq.sunny)",
  ])("%s", async (condition) => {
    const url = `diary?${condition}&select=id`;
    const ofEmbed = condition.replace(/^(?:not\.)?\w+(?==)/, "diary.$&");
    for (const asked of [
      { url },
      { url, headers: { prefer: "count=exact" } },
      { url: `diary_lines?select=id,diary!inner(id)&${ofEmbed}` },
      { url, method: "DELETE", headers: { prefer: "return=representation" } },
      { url: `${url}&order=id&limit=50`, method: "PATCH", body: { text: "x" } },
    ]) {
      const { status, body } = await ask(asked);
      expect([asked.url, status < 300, body]).toEqual([asked.url, true, body]);
    }
  });

  test("and still does what it says", async () => {
    const ids = async (condition: string) =>
      (json(await ask({ url: `diary?${condition}&select=id` })) as { id: number }[]).map(
        ({ id }) => id,
      );
    expect(await ids("text=match.^s&line_size=lt.250")).toEqual([100, 200]);
    expect(await ids("line_size=not.gte.200")).toEqual([100]);
    expect(await ids("text=fts.sunny&id=lte.100")).toEqual([100]);
  });
});

describe("guesses are told of tables that may be seen whole, and of no others", () => {
  test.for<[string, string, string | RegExp]>([
    ["diary?text=like.SECRET*", "planned", "*/0"],
    ["diary?select=id&owner=eq.other", "planned", "*/0"],
    ["diary?select=id&limit=1", "estimated", "0-0/20"],
    ["diary_view?select=id&limit=1", "planned", "0-0/20"],
    ["diary_lines?select=id,diary!inner(id)&limit=1", "planned", "0-0/5"],
    ["diary_lines?select=id&limit=1", "planned", "0-0/500"],
    ["diary_lines?select=id&id=lt.100&limit=1", "planned", /^0-0\/\d+$/],
  ])("%s, %s", async ([url, count, range]) => {
    const { headers } = await ask({ url, headers: { prefer: `count=${count}` } });
    expect(headers["content-range"]).toMatch(range);
  });
});

describe("a plan", () => {
  const accept = (options = "") => ({ accept: `application/vnd.pgrst.plan+json${options}` });

  test("tells steps, not what they cost or met, whatever is asked", async () => {
    const response = await ask({
      url: "books?pages=is.null",
      headers: accept(";options=analyze|verbose|buffers"),
    });
    expect(response.status).toBe(200);
    expect(response.headers["content-type"]).not.toContain("analyze");
    expect(response.body).toContain("Seq Scan");
    expect(response.body).not.toMatch(/Cost|Rows|Width|Actual|Output|price/);
  });

  test.for(["diary", "diary_view", "diary_lines?select=id,diary(id)"])(
    "%s is refused, because the rows that are not seen choose its steps",
    async (url) => {
      expect((await ask({ url, headers: accept() })).status).toBe(400);
    },
  );

  test("of a write is refused likewise, and otherwise writes nothing", async () => {
    const headers = accept(";options=analyze");
    const asked = { method: "PATCH", url: "diary?id=eq.100", body: { text: "x" }, headers };
    expect((await ask(asked)).status).toBe(400);
    const before = hooks;
    const api = createDataApi<object>({ pool: zoo.pool, tables, plan: true });
    await api.ready();
    const ends: string[] = [];
    const response = await asker(api, async (work, settings) => {
      try {
        const done = await undone(zoo.pool, {})(work, settings);
        ends.push("kept");
        return done;
      } catch (error) {
        ends.push("taken back");
        throw error;
      }
    })({ method: "POST", url: "genres", body: { id: 90, name: "x" }, headers });
    expect([response.status, ends, hooks - before]).toEqual([200, ["taken back"], 1]);
  });
});

test("what lies behind a failure is told to the program, and to the asker only that there is one", async () => {
  await zoo.pool.query(`
    create function fail() returns trigger language plpgsql as $$
      begin raise 'page 7 of the index is torn' using errcode = 'XX001'; end $$;
    create table torn (id int);
    create trigger fail before insert on torn for each row execute function fail()`);
  const api = createDataApi<object>({
    pool: zoo.pool,
    tables: [{ ...open, name: "torn", writable: ["id"] }],
  });
  await api.ready();
  const causes: unknown[] = [];
  const send = (id: unknown) =>
    api.handle({
      method: "POST",
      path: "torn",
      query: "",
      headers: {},
      body: JSON.stringify({ id }),
      can: () => true,
      write: undone(zoo.pool, {}),
      failed: (cause) => causes.push(cause),
    });
  expect((await send("no number")).status).toBe(400);
  expect(causes).toEqual([]);
  const answer = await send(1);
  expect([answer.status, json(answer)]).toMatchObject([500, { code: "XX001", details: null }]);
  expect(answer.body).not.toContain("torn");
  expect(causes).toMatchObject([{ message: "page 7 of the index is torn" }]);
});

describe("errors", () => {
  const refused = async (asked: Parameters<typeof ask>[0]) => {
    const response = await ask(asked);
    return [response.status, json(response)];
  };

  test("quote no row of others", async () => {
    const body = { id: 2, span: "[5,6)", owner: "me" };
    expect(await refused({ method: "POST", url: "bookings", body })).toMatchObject([
      400,
      { code: "23P01", details: null },
    ]);
  });

  test("quote no row beneath a view", async () => {
    const body = { text: "rainy" };
    expect(await refused({ method: "PATCH", url: "sunny_days?id=eq.100", body })).toMatchObject([
      400,
      { code: "44000", details: null },
    ]);
  });

  test.for<[string, Parameters<typeof ask>[0], object]>([
    [
      "a table that is not declared",
      { method: "DELETE", url: "books?id=eq.1" },
      {
        code: "23503",
        message: "The write violates a foreign key of the database.",
        details: null,
      },
    ],
    [
      "a hidden column without a value",
      { method: "POST", url: "tags", body: { name: "x" } },
      { code: "23502", message: "The write violates a not-null constraint of the database." },
    ],
  ])("do not name %s", async ([, asked, error]) => {
    expect((await refused(asked))[1]).toMatchObject(error);
  });

  test("a hidden key is none", async () => {
    const headers = { prefer: "resolution=merge-duplicates" };
    const [status, body] = await refused({
      method: "POST",
      url: "tags",
      headers,
      body: { name: "x" },
    });
    expect([status, body]).toMatchObject([400, { code: "23502" }]);
  });
});
