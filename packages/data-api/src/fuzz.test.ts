import fc from "fast-check";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createDataApi } from "./engine.ts";
import { fuzzRun } from "./testing/fuzz-run.ts";
import {
  canAsk,
  guardedFunctions,
  guardedTables,
  openWorlds,
  secret,
  unseenNames,
  worlds,
} from "./testing/guarded-zoo.ts";
import { requests } from "./testing/hostile-requests.ts";
import { asker, undone, type Zoo } from "./testing/zoo.ts";

let zoo: Zoo | undefined;
let own: pg.Pool;
let ask: ReturnType<typeof asker<object>>;
let statements: string[] = [];

beforeAll(async () => {
  [zoo] = await openWorlds(worlds.slice(0, 1));
  if (!zoo) throw new Error("There is no database to ask.");
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
  /** What would be kept is taken back, so that every request meets the same rows. */
  const writePool = {
    async connect() {
      const client = await pool.connect();
      return {
        async query(statement: { text: string; values?: unknown[] }) {
          await client.query({ text: "begin" });
          try {
            return await client.query(statement);
          } finally {
            await client.query({ text: "rollback" });
          }
        },
        release: client.release,
      };
    },
  };
  const options = {
    pool,
    ownPool: true,
    tables: guardedTables,
    functions: guardedFunctions,
    maxRows: 50,
    aggregates: true,
    plan: true,
    statementTimeoutMs: 5_000,
  };
  const [inTransactions, alone] = [
    createDataApi(options),
    createDataApi({ ...options, writePool }),
  ];
  await Promise.all([inTransactions.ready(), alone.ready()]);
  const write = undone(zoo.pool, {});
  const askers = [asker(inTransactions, write), asker(alone, write)];
  let turn = 0;
  ask = (asked) => {
    turn = 1 - turn;
    return askers[turn]!(asked);
  };
});

afterAll(async () => {
  await own.end();
  await zoo?.close();
});

const { count: runs, seed, say, progress } = fuzzRun(2_000);
const megabyte = 1024 * 1024;

test(
  `${runs} hostile requests get an answer that is never a fault and never a secret`,
  async () => {
    const statuses = new Map<number, number>();
    let done = 0;
    let memoryBefore = 0;
    await fc.assert(
      fc.asyncProperty(requests(guardedTables.map(({ name }) => name)), async (asked) => {
        statements = [];
        done += 1;
        if (done === Math.ceil(runs / 10)) memoryBefore = process.memoryUsage().rss;
        progress(done);
        const hasBody = ["POST", "PATCH", "PUT"].includes(asked.method ?? "");
        const response = await ask({
          ...asked,
          body: hasBody ? asked.body : undefined,
          can: canAsk,
        });
        statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
        expect(response.status).toBeLessThan(500);
        expect(response.body ?? "").not.toContain(secret);
        // A plan names what the statement is made of.
        if (response.headers["content-type"]?.includes("pgrst.plan") !== true)
          expect(response.body ?? "").not.toMatch(/json_agg|lateral|recordset|returning/);
        const said = JSON.stringify(asked);
        for (const name of unseenNames)
          if (!said.includes(name)) expect(response.body ?? "").not.toContain(name);
        expect(statements.length).toBeLessThanOrEqual(1);
      }),
      { numRuns: runs, seed },
    );
    const figures = [...statuses]
      .toSorted(([left], [right]) => left - right)
      .map(([status, count]) => `${status}: ${count}`);
    say(`${runs} requests, seed ${seed}: ${figures.join(", ")}`);
    // What is kept between requests has bounds; a long run must not need ever more.
    expect(process.memoryUsage().rss - memoryBefore).toBeLessThan(400 * megabyte);
    // The generator is only worth something when much of it gets through to the database.
    expect(statuses.get(200) ?? 0).toBeGreaterThan(runs / 40);
    expect(statuses.get(400) ?? 0).toBeGreaterThan(runs / 10);
  },
  Math.max(120_000, runs * 20),
);
