// What a scrape costs: items a second that are new, and of which none, one in a hundred and all have changed, with the
// memory and the processor's time of the server and its database; beside it, in the same minutes, the same documents
// written by bare statements, 500 at a time. `npm run bench ingest [items]`.
import { createTestDatabase, startTestCluster } from "@mainstay/testkit";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import sql, { raw } from "sql-template-tag";
import { openDatabase } from "../apps/server/src/platform/db/database.ts";
import { createLog } from "../apps/server/src/platform/log.ts";
import { asStarted } from "./as-started.ts";
import { readAccess, startServer } from "../apps/e2e/src/server.ts";
import { familyOf, memoryOf, spentBy } from "./processes.ts";

const items = Number(process.argv[2] ?? 20_000);
const batch = 500;

/** A thing of about a kilobyte; another round of it differs in one place. */
const thing = (n: number, round: number) => ({
  id: `thing-${n}`,
  name: `thing-${n}`,
  kind: "Thing",
  labels: { app: `app-${n % 97}`, team: `team-${n % 13}`, zone: `zone-${n % 3}` },
  spec: {
    replicas: round,
    image: `registry/app-${n % 97}:${n % 31}`,
    env: Array.from({ length: 12 }, (_, k) => ({ name: `V${k}`, value: `${n}-${k}-abcdefghijkl` })),
    ports: [80, 443, 8_080],
  },
});

/** Each case is the round that each thing is in. */
const cases: readonly (readonly [name: string, round: (n: number) => number])[] = [
  ["new", () => 0],
  ["0 % changed", () => 0],
  ["1 % changed", (n) => (n % 100 === 0 ? 1 : 0)],
  ["100 % changed", () => 2],
  ["0 % changed again", () => 2],
];
const thingsOf = (round: (n: number) => number) =>
  Array.from({ length: items }, (_, n) => thing(n, round(n)));

const perSecond = (ms: number) => `${Math.round(items / (ms / 1_000)).toLocaleString("en")}/s`;
const say = (name: string, ms: number, more = "") =>
  console.log(
    `${name.padEnd(28)}${perSecond(ms).padStart(10)} ${(ms / 1_000).toFixed(1)} s ${more}`,
  );

async function bare(): Promise<void> {
  const cluster = await startTestCluster();
  const log = createLog("error");
  const { superuser: connection } = await createTestDatabase(cluster);
  const db = openDatabase({
    connection,
    applicationName: "bench",
    onError: (error) => log.error(error),
  });
  await db.run(sql`
    create table things (id text primary key, name text, labels jsonb, config jsonb, updated_at timestamptz)`);
  await db.run(sql`create index on things using gin (labels jsonb_path_ops)`);
  for (const [name, statement] of [
    ["bare insert", "on conflict (id) do nothing"],
    [
      "bare update of all",
      "on conflict (id) do update set config = excluded.config, updated_at = excluded.updated_at",
    ],
  ] as const) {
    const all = thingsOf(() => (name === "bare insert" ? 0 : 2));
    const begun = performance.now();
    for (let at = 0; at < all.length; at += batch)
      await db.run(sql`
        insert into things (id, name, labels, config, updated_at)
        select t ->> 'id', t ->> 'name', t -> 'labels', t, now()
          from jsonb_array_elements(${JSON.stringify(all.slice(at, at + batch))}::jsonb) t
        ${raw(statement)}`);
    say(name, performance.now() - begun);
  }
  await db.close();
  await cluster.stop();
}

async function scrapes(): Promise<void> {
  const folder = mkdtempSync("/tmp/mainstay-ingest-");
  mkdirSync(join(folder, "conf"));
  const server = await startServer(asStarted({ SELF_CHECKS: "false", LOG_LEVEL: "error" }));
  try {
    const { token } = await readAccess(server.dataDir);
    const headers = { "x-session-token": token, "content-type": "application/json" };
    const get = async <Answer>(path: string): Promise<Answer> => {
      const reply = await fetch(server.address + path, { headers });
      if (!reply.ok) throw new Error(`${path}: ${reply.status} ${await reply.text()}`);
      return (await reply.json()) as Answer;
    };
    const post = async (path: string, body: object) => {
      const reply = await fetch(server.address + path, {
        method: "POST",
        headers,
        body: JSON.stringify(body),
      });
      if (!reply.ok) throw new Error(`${path}: ${reply.status} ${await reply.text()}`);
    };
    const write = (round: (n: number) => number) => {
      const all = thingsOf(round);
      for (let at = 0; at < all.length; at += batch)
        writeFileSync(
          join(folder, "conf", `${at}.json`),
          JSON.stringify(all.slice(at, at + batch)),
        );
    };
    interface Run {
      id: string;
      status: string;
      duration_millis: number;
      details: { scrape_summary?: object; errors?: string[] };
    }
    let id = "";
    const runs = () =>
      get<Run[]>(
        `/api/db/job_history?resource_id=eq.${id}&name=eq.Scraper&status=neq.RUNNING&order=created_at.desc&limit=1`,
      );
    for (const [name, round] of cases) {
      write(round);
      const pid = server.process.pid!;
      const before = spentBy(familyOf(pid));
      let peaks = new Map<string, number>();
      // Only the last few are kept: counted they would be as many.
      const last = id === "" ? undefined : (await runs())[0]?.id;
      if (id === "") {
        await post("/api/documents", {
          apiVersion: "configs.flanksource.com/v1",
          kind: "ScrapeConfig",
          metadata: { name: "things" },
          spec: {
            schedule: "@every 24h",
            file: [
              {
                url: folder,
                paths: ["conf/*.json"],
                items: "$[*]",
                id: "$.id",
                name: "$.name",
                type: "Thing",
              },
            ],
          },
        });
        [{ id }] = await get<[{ id: string }]>("/api/db/config_scrapers?select=id&name=eq.things");
      } else {
        await post(`/api/catalog/scrapers/${id}/run`, {});
      }
      let found = await runs();
      for (; found[0]?.id === last; found = await runs()) {
        const now = new Map<string, number>();
        for (const [one, { program }] of spentBy(familyOf(pid)))
          now.set(program, (now.get(program) ?? 0) + memoryOf(one));
        peaks = new Map(
          [...now].map(([program, mb]) => [program, Math.max(mb, peaks.get(program) ?? 0)]),
        );
        await delay(250);
      }
      const [{ status, duration_millis: ms, details }] = found as [Run];
      if (status !== "SUCCESS") throw new Error(`${name}: ${status} ${JSON.stringify(details)}`);
      const cpu = new Map<string, number>();
      for (const [one, { program, cpuSeconds }] of spentBy(familyOf(pid)))
        cpu.set(program, (cpu.get(program) ?? 0) + cpuSeconds - (before.get(one)?.cpuSeconds ?? 0));
      const told = (numbers: Map<string, number>, unit: string, digits: number) =>
        [...numbers].map(([program, n]) => `${program} ${n.toFixed(digits)} ${unit}`).join(", ");
      say(
        `scrape, ${name}`,
        ms,
        `processor ${told(cpu, "s", 1)}; memory at most ${told(peaks, "MB", 0)}; ${JSON.stringify(details.scrape_summary)}`,
      );
    }
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

console.log(`${items.toLocaleString("en")} things of about 1 kB`);
await bare();
await scrapes();
await bare();
