import pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createDataApi, type DataApi } from "./engine.ts";
import { json, openZoo, undone, type Zoo } from "./testing/zoo.ts";

/** Writes that are one statement in a pool of their own. */
let zoo: Zoo;
beforeAll(async () => {
  zoo = await openZoo();
});
afterAll(() => zoo.close());

describe("only a write that nothing of the program's surrounds is one", () => {
  const minimal = "return=minimal";
  const columns = { read: "all", write: "all", writable: ["id", "name"] };
  test.for<
    [
      string,
      { method: string; url: string; prefer: string; isAlone: boolean; status: number | string },
    ]
  >([
    ["an insert", { method: "POST", url: "genres", prefer: minimal, isAlone: true, status: 201 }],
    [
      "an update",
      { method: "PATCH", url: "genres?id=eq.1", prefer: minimal, isAlone: true, status: 204 },
    ],
    [
      "a delete",
      { method: "DELETE", url: "genres?id=eq.4", prefer: minimal, isAlone: true, status: 204 },
    ],
    [
      "rows that come back",
      {
        method: "POST",
        url: "genres",
        prefer: "return=representation",
        isAlone: false,
        status: 201,
      },
    ],
    [
      "a limited update",
      {
        method: "PATCH",
        url: "genres?order=id&limit=1&id=gt.0",
        prefer: minimal,
        isAlone: false,
        status: 204,
      },
    ],
    [
      "at most so many",
      {
        method: "PATCH",
        url: "genres?id=eq.1",
        prefer: `${minimal}, handling=strict, max-affected=1`,
        isAlone: false,
        status: 204,
      },
    ],
    [
      "a PUT",
      { method: "PUT", url: "genres?id=eq.9", prefer: minimal, isAlone: false, status: 204 },
    ],
    [
      "a table with hooks",
      { method: "DELETE", url: "samples?id=eq.0", prefer: minimal, isAlone: false, status: 204 },
    ],
  ])("%s", async ([, { method, url, prefer, isAlone, status }]) => {
    const sent: string[] = [];
    const writePool = {
      async connect() {
        sent.push("alone");
        const client = await zoo.pool.connect();
        return {
          async query({ text, values }: { text: string; values?: unknown[] }) {
            await client.query("begin");
            const { rows } = await client.query<Record<string, unknown>>(text, values);
            await client.query("rollback");
            return { rows };
          },
          release: () => client.release(),
        };
      },
    };
    const api = createDataApi<object>({
      pool: zoo.pool,
      writePool,
      tables: [
        { name: "genres", ...columns },
        {
          name: "samples",
          read: "all",
          write: "all",
          writable: ["id"],
          beforeWrite: ({ rows }) => Promise.resolve(rows),
        },
      ],
    });
    await api.ready();
    const [path = "", query = ""] = url.split("?");
    const body =
      method === "DELETE"
        ? undefined
        : JSON.stringify(method === "PATCH" ? { name: "new" } : { id: 9, name: "new" });
    const answer = await api.handle({
      method,
      path,
      query,
      headers: { prefer },
      body,
      can: () => true,
      write: (work, settings) => {
        sent.push("transaction");
        return undone(zoo.pool, {})(work, settings);
      },
    });
    expect(answer.status).toBe(status);
    expect(sent).toEqual([isAlone ? "alone" : "transaction"]);
  });
});

describe("such a write", () => {
  let pool: pg.Pool;
  let writePool: pg.Pool;
  let api: DataApi<undefined>;

  beforeAll(async () => {
    pool = new pg.Pool({ connectionString: zoo.url, max: 2 });
    writePool = new pg.Pool({ connectionString: zoo.url, max: 1 });
    writePool.on("connect", (client) => client.on("error", () => undefined));
    writePool.on("error", () => undefined);
    await pool.query(`
      create table jars (
        id int primary key, label text, size int unique deferrable initially deferred,
        filled_by text default current_setting('zoo.who', true));
      create table seen (verb text, moment text, level text, who text);
      create function note_who() returns trigger language plpgsql as $$ begin
        insert into seen values (tg_op, tg_when, tg_level, current_setting('zoo.who', true));
        if tg_level = 'ROW' and new.label = 'slow' then perform pg_sleep(10); end if;
        if tg_level = 'ROW' and new.label = 'cut' then perform pg_terminate_backend(pg_backend_pid()); end if;
        return coalesce(new, old);
      end $$;
      create trigger a before insert or update or delete on jars for each row execute function note_who();
      create trigger b after insert or update or delete on jars for each row execute function note_who();
      create constraint trigger c after insert or update or delete on jars deferrable initially deferred
        for each row execute function note_who();`);
    api = createDataApi<undefined>({
      pool,
      writePool,
      tables: [
        {
          name: "jars",
          read: "all",
          write: "all",
          writable: ["id", "label", "size"],
        },
      ],
      statementTimeoutMs: 300,
    });
    await api.ready();
  });
  afterAll(() => Promise.all([pool.end(), writePool.end()]));
  beforeEach(() => pool.query("truncate jars, seen"));

  const send = (
    method: string,
    query: string,
    body?: unknown,
    { who, prefer = "" }: { who?: string; prefer?: string } = {},
  ) =>
    api.handle({
      method,
      path: "jars",
      query,
      headers: { prefer: `return=minimal,${prefer}` },
      body: body === undefined ? undefined : JSON.stringify(body),
      can: () => true,
      write: () => Promise.reject(new Error("It was not sent alone.")),
      ...(who === undefined ? {} : { triggerSettings: { "zoo.who": who } }),
    });
  const jars = async () => (await pool.query("select * from jars order by id")).rows as unknown[];
  const seen = async (): Promise<unknown[]> =>
    (await pool.query({ text: "select verb, who from seen", rowMode: "array" })).rows;

  test.for([
    ["POST", "", { id: 2 }, "INSERT"],
    ["POST", "columns=id", [{ id: 2, label: "no" }], "INSERT"],
    ["PATCH", "id=eq.1", { label: "new" }, "UPDATE"],
    ["PATCH", "", { label: "new" }, "UPDATE"],
    ["DELETE", "id=eq.1", undefined, "DELETE"],
  ] as const)("%s jars?%s tells every trigger who asks", async ([method, query, body, verb]) => {
    for (const who of ["Ada 'the first'", "Grace"]) {
      await pool.query("truncate jars");
      await pool.query("insert into jars (id) values (1)");
      await pool.query("truncate seen");
      expect((await send(method, query, body, { who })).status).toBeLessThan(300);
      expect(await seen()).toEqual(Array.from({ length: 3 }, () => [verb, who]));
    }
  });

  test("gives defaults that ask for it what was set, and leaves nothing for the next", async () => {
    await send("POST", "", { id: 1 }, { who: "Ada" });
    await send("POST", "", { id: 2 });
    expect(await jars()).toMatchObject([
      { id: 1, filled_by: "Ada" },
      { id: 2, filled_by: "" },
    ]);
    const { rows } = await writePool.query("select current_setting('zoo.who', true) as who");
    expect(rows).toEqual([{ who: "" }]);
  });

  test("of no rows writes nothing", async () => {
    expect((await send("POST", "", [], { who: "Ada" })).status).toBe(201);
    expect((await send("PATCH", "id=eq.1", {}, { who: "Ada" })).status).toBe(204);
    expect(await jars()).toEqual([]);
    expect(await seen()).toEqual([]);
  });

  test("of a row that is there already says so and changes it", async () => {
    const prefer = "resolution=merge-duplicates";
    expect((await send("POST", "", { id: 1, label: "a" }, { who: "Ada", prefer })).status).toBe(
      201,
    );
    expect((await send("POST", "", { id: 1, label: "b" }, { who: "Ada", prefer })).status).toBe(
      200,
    );
    expect(await jars()).toMatchObject([{ id: 1, label: "b" }]);
  });

  test.for([
    ["in the statement", [{ id: 7 }, { id: 7 }]],
    [
      "when it is kept",
      [
        { id: 7, size: 1 },
        { id: 8, size: 1 },
      ],
    ],
  ] as const)("that fails %s leaves nothing", async ([, body]) => {
    for (const _ of [1, 2, 3]) {
      const answer = await send("POST", "", body, { who: "Ada" });
      expect([answer.status, json(answer)]).toMatchObject([409, { code: "23505" }]);
    }
    expect(await jars()).toEqual([]);
    expect(await seen()).toEqual([]);
    expect((await send("POST", "", { id: 7 })).status).toBe(201);
  });

  test("ends in time and leaves nothing", async () => {
    const answer = await send("POST", "", { id: 7, label: "slow" });
    expect([answer.status, json(answer)]).toMatchObject([504, { code: "57014" }]);
    expect(await jars()).toEqual([]);
  });

  test("whose connection is cut fails alone", async () => {
    const answer = await send("POST", "", { id: 7, label: "cut" });
    expect(answer.status).toBe(503);
    expect((await send("POST", "", { id: 7 })).status).toBe(201);
    expect(await jars()).toHaveLength(1);
  });
});
