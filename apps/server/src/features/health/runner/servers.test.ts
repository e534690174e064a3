// Takes long: several servers run checks by the clock, are killed, and others take over when their claims have run out.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { programFile } from "@mainstay/testkit/program-file.ts";
import sql from "sql-template-tag";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { openDatabase } from "#platform/db/database.ts";
import { createLog } from "#platform/log.ts";
import { createApp } from "../../../app.ts";
import { testConfig, testDatabase, type MigratedDatabase } from "../../../testing/app.ts";
import { saveDocuments } from "#platform/documents/save-documents.ts";
import { canaryKind } from "../documents/canary-kind.ts";

/** Several servers on one database, as a company runs them. */

let database: Awaited<ReturnType<typeof testDatabase>>;
let target: Server;
let url: string;
const open = new Map<string, ServerResponse[]>();
const calls = (path: string) => open.get(path)?.length ?? 0;
const empty = mkdtempSync("/tmp/mainstay-console-");
const stops: (() => Promise<void>)[] = [];

beforeAll(async () => {
  target = createServer((request, response) => {
    const path = request.url ?? "/";
    open.set(path, [...(open.get(path) ?? []), response]);
    if (!path.startsWith("/stuck")) response.end("ok");
  });
  await new Promise<void>((resolve) => target.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(target.address() as AddressInfo).port}`;
});
afterAll(async () => {
  target.closeAllConnections();
  await new Promise((resolve) => target.close(resolve));
  rmSync(empty, { recursive: true });
});
beforeEach(async () => {
  database = await testDatabase();
});
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
  await database.drop();
});

async function startServer(changes: Parameters<typeof testConfig>[0] = {}) {
  const db = openDatabase({
    connection: { connectionString: database.url },
    applicationName: "server",
    onError: () => undefined,
  });
  const app = await createApp({
    config: testConfig(changes),
    db,
    owner: database.owner,
    log: createLog("silent"),
    consoleDirectory: empty,
  });
  await app.listen();
  let isStopped = false;
  const stop = async () => {
    if (isStopped) return;
    isStopped = true;
    await app.stop();
    await db.close();
  };
  stops.push(stop);
  return { app, stop };
}

type Server_ = Awaited<ReturnType<typeof startServer>>;
const save = async ({ app }: Server_, name: string, spec: object) => {
  const { documents } = await saveDocuments(app.ctx, [canaryKind], {
    text: JSON.stringify({
      apiVersion: "canaries.flanksource.com/v1",
      kind: "Canary",
      metadata: { name },
      spec,
    }),
    source: "test",
  });
  return documents[0]!.id!;
};
const until = <T>(work: () => T | Promise<T>) =>
  vi.waitFor(work, { timeout: 100_000, interval: 25 });
const runsOf = async (canaryId: string) =>
  (await database.db.first<{ runs: number }>(sql`
      select count(*) as runs from check_statuses s join checks c on c.id = s.check_id where c.canary_id = ${canaryId}`))!
    .runs;

const historyOf = (canaryId: string) =>
  database.db.rows(sql`
    select status, success_count, error_count, details from job_history where resource_id = ${canaryId}`);

/** Every slot that is given out, by whom. */
async function recordClaims(): Promise<
  () => Promise<{ key: string; slot: Date; worker: string }[]>
> {
  await database.owner.raw(`
    create table claims_seen (key text, slot timestamptz, worker uuid);
    create function record_claim() returns trigger language plpgsql as $$
    begin insert into claims_seen values (new.key, new.slot, new.claimed_by); return null; end $$;
    create trigger record_claim after update on schedules for each row
      when (new.kind = 'canary' and new.claimed_by is not null and old.claimed_by is distinct from new.claimed_by)
      execute function record_claim()`);
  return () => database.db.rows(sql`select key, slot, worker from claims_seen order by slot`);
}

test("two servers share the slots: none is run twice, and when one leaves the other goes on", async () => {
  const one = await startServer();
  const two = await startServer();
  const claims = await recordClaims();
  const ids = await Promise.all(
    Array.from({ length: 40 }, (_, index) =>
      save(one, `shared-${index}`, {
        schedule: "@every 1s",
        http: [{ name: "h", url: `${url}/shared` }],
      }),
    ),
  );
  await until(async () => {
    const seen = await claims();
    expect(new Set(seen.map((claim) => claim.worker)).size).toBe(2);
    expect(seen.length).toBeGreaterThan(120);
  });
  await one.stop();
  const before = (await claims()).length;
  await until(async () => expect((await claims()).length).toBeGreaterThan(before + 80));
  await two.stop();
  const seen = await claims();
  const slots = new Set(seen.map((claim) => `${claim.key} ${claim.slot.toISOString()}`));
  expect(slots.size).toBe(seen.length);
  // Both have left in peace: what was claimed was run and written, once.
  const written = await Promise.all(ids.map(runsOf));
  expect(written.reduce((sum, count) => sum + count, 0)).toBe(seen.length);
});

test("stopping does not wait for a stuck target, records no failure, and leaves the slot to the next server", async () => {
  const one = await startServer();
  const id = await save(one, "stuck", {
    interval: 3600,
    timeout: "10m",
    http: [{ name: "s", url: `${url}/stuck-at-stop` }],
  });
  await until(() => expect(calls("/stuck-at-stop")).toBe(1));
  const startedAt = performance.now();
  await one.stop();
  expect(performance.now() - startedAt).toBeLessThan(10_000);
  expect(await runsOf(id)).toBe(0);
  const row = await database.db.first(sql`
    select claimed_by, next_at <= now() as due from schedules where kind = 'canary' and key = ${id}`);
  expect(row).toEqual({ claimed_by: null, due: true });
  await startServer();
  await until(() => expect(calls("/stuck-at-stop")).toBe(2));
  open.get("/stuck-at-stop")![1]!.end("ok");
  await until(async () => expect(await runsOf(id)).toBe(1));
});

test("a server that is killed loses no slot: another runs it again, and what had run stays as it was", async () => {
  const first = await startServer({ role: "api" });
  const id = await save(first, "killed", {
    interval: 3600,
    timeout: "10m",
    http: [
      { name: "done", url: `${url}/done`, responseCodes: [404] },
      { name: "stuck", url: `${url}/stuck-at-kill` },
    ],
  });
  const child = startProcess(database);
  await until(async () => {
    expect(calls("/stuck-at-kill")).toBe(1);
    expect(await runsOf(id)).toBe(1);
  });
  const killedAt = performance.now();
  child.kill("SIGKILL");
  await startServer();
  await until(() => expect(calls("/stuck-at-kill")).toBe(2));
  expect(performance.now() - killedAt).toBeLessThan(20_000);
  open.get("/stuck-at-kill")![1]!.end("ok");
  await until(async () => expect(await runsOf(id)).toBe(2));
  expect(calls("/done")).toBe(1);
  // Of the two halves of the run the history tells one whole.
  await until(async () =>
    expect(await historyOf(id)).toEqual([
      {
        status: "WARNING",
        success_count: 1,
        error_count: 1,
        details: { runs: 1, errors: [expect.stringMatching(/^done: .*200/) as string] },
      },
    ]),
  );
});

test("when the machine has lost its network, network checks are unknown and the others go on", async () => {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  const server = await startServer({ networkProbe: [`127.0.0.1:${port}`] });
  const id = await save(server, "cut off", {
    schedule: "@every 1s",
    tcp: [{ name: "far", endpoint: "127.0.0.1:1" }],
    exec: [{ name: "here", script: "true" }],
  });
  const states = () =>
    database.db.rows(sql`select name, status from checks where canary_id = ${id} order by name`);
  await until(async () => {
    expect(await states()).toEqual([
      { name: "far", status: "unknown" },
      { name: "here", status: "healthy" },
    ]);
  });
  const rows = await database.db.rows(sql`
    select distinct s.status, s.error from check_statuses s join checks c on c.id = s.check_id where c.name = 'far'`);
  expect(rows.length).toBeGreaterThan(0);
  for (const row of rows)
    expect(row).toEqual({
      status: null,
      error: expect.stringMatching(
        /^This machine has lost its network: nothing that NETWORK_PROBE/,
      ),
    });
  const told = await database.db.rows(sql`
    select e.name from event_queue e join checks c on c.id::text = e.properties ->> 'id' where c.name = 'far'`);
  expect(told).toEqual([]);
});

test("a database that drops every connection interrupts and loses nothing", async () => {
  const server = await startServer();
  const claims = await recordClaims();
  const ids = await Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      save(server, `dropped-${index}`, {
        schedule: "@every 1s",
        http: [{ name: "h", url: `${url}/dropped` }],
      }),
    ),
  );
  for (const wanted of [20, 60, 100]) {
    await until(async () => expect((await claims()).length).toBeGreaterThan(wanted));
    await database.db.raw(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'server'",
    );
  }
  await until(async () => expect((await claims()).length).toBeGreaterThan(140));
  await server.stop();
  const seen = await claims();
  const slots = new Set(seen.map((claim) => `${claim.key} ${claim.slot.toISOString()}`));
  const written = await Promise.all(ids.map(runsOf));
  const total = written.reduce((sum, count) => sum + count, 0);
  // A claim whose commit was cut off is given out again; what was run is written once for each slot.
  expect(total).toBeLessThanOrEqual(seen.length);
  expect(total).toBeGreaterThanOrEqual(slots.size - 30);
  const [totals] = await database.db.rows<{ counted: number }>(
    sql`select sum(passed + failed)::int as counted from check_totals`,
  );
  expect(totals!.counted).toBe(total);
});

function startProcess({ url, ownerUrl }: MigratedDatabase): ChildProcess {
  const dataDir = mkdtempSync("/tmp/mainstay-killed-");
  const child = spawn(process.execPath, [programFile, "serve", "--role", "worker"], {
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      DATABASE_URL: url,
      MIGRATION_DATABASE_URL: ownerUrl,
      PORT: "0",
      SELF_CHECKS: "false",
      LOG_LEVEL: "error",
      MAINSTAY_DATA_DIR: dataDir,
      ADMIN_PASSWORD: "correct-horse-battery",
    },
    stdio: ["ignore", "ignore", "inherit"],
  });
  stops.push(async () => {
    child.kill("SIGKILL");
    rmSync(dataDir, { recursive: true, force: true });
  });
  return child;
}

test("when no worker is left, what it ran is unknown to everybody; when one comes, it is as before and nobody is told", async () => {
  const api = await startServer({ role: "api" });
  const worker = await startServer({ role: "worker" });
  const id = await save(api, "left alone", {
    schedule: "@every 1s",
    http: [{ name: "h", url: `${url}/left-alone` }],
  });
  const session = await api.app.createLocalSession();
  const shown = async () => {
    const reply = await fetch(`${api.app.address}/api/canary/api/summary`, {
      headers: { "x-session-token": session.token },
    });
    const { checks_summary: checks } = (await reply.json()) as {
      checks_summary: { status: string; message?: string }[];
    };
    return checks[0];
  };
  await until(async () => expect(await shown()).toMatchObject({ status: "healthy" }));
  await worker.stop();
  const due = await database.db.first<{ seconds: number }>(sql`
    select extract(epoch from result_due - now())::float8 as seconds from checks where canary_id = ${id}`);
  // A second until the next slot, a second for the run, and the grace.
  expect(due!.seconds).toBeGreaterThan(5);
  expect(due!.seconds).toBeLessThanOrEqual(17);
  // A long stop: the slot and what was due with it are long past.
  await database.db.run(
    sql`update checks set result_due = now(), last_runtime = now() - interval '5 days'`,
  );
  await database.db.run(
    sql`update schedules set next_at = now() - interval '5 days' where key = ${id}`,
  );
  await until(async () =>
    expect(await shown()).toMatchObject({ status: "unknown", message: "no result for 5 days" }),
  );
  await startServer({ role: "worker" });
  await until(async () => expect(await shown()).toMatchObject({ status: "healthy" }));
  const events = await database.db.first(sql`
    select count(*)::int as count from event_queue where name like 'check.%'`);
  expect(events).toEqual({ count: 0 });
  await session.revoke();
});
