// A cluster in which much happens: 300 events a second (a million an hour is 278) and 20 changes of objects, which a
// scraper follows. Afterwards each event has to be there once and as often as the cluster counts it, and each object as
// it was last. Tells how far behind the catalog was, and what that cost. `npm run bench cluster-events [minutes]`.
import { setTimeout as delay } from "node:timers/promises";
import {
  eventOf,
  startShop,
} from "../apps/server/src/features/catalog/scraper-types/testing/shop-cluster.ts";
import { readAccess, startServer } from "../apps/e2e/src/server.ts";
import { asStarted } from "./as-started.ts";
import { familyOf, memoryOf, spentBy } from "./processes.ts";

const minutes = Number(process.argv[2] ?? 6);
const pods = 2000;
const perSecond = { events: 300, changes: 20, made: 2 };
/** Besides, once a minute, at once. */
const burst = 5000;
/** A cluster forgets events after an hour; here, sooner. */
const forgottenMs = 150_000;
const inParts = 10;

type Stored = ReturnType<Awaited<ReturnType<typeof startShop>>["add"]>;
interface Told {
  madeAt: number;
  count: number;
  isOrphan: boolean;
}

const shop = await startShop();
const namespace = "crowd";
shop.add({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
const pod = (name: string): Stored =>
  shop.add({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace, labels: { app: name } },
    spec: { nodeName: "n1", containers: [{ name: "app", image: "app:1" }] },
    status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
  });
const all = Array.from({ length: pods }, (_, n) => pod(`p-${n}`));
const told = new Map<string, Told>();
const living: Stored[] = [];
let made = 0;
const pick = <One>(from: readonly One[]): One => from[Math.floor(Math.random() * from.length)]!;
const now = () => new Date().toISOString();

function addEvent(about: Stored, isOrphan = false): void {
  const event = shop.server.add(
    eventOf(about, pick(["BackOff", "Pulled", "Unhealthy", "Scheduled"]), {
      metadata: { name: `e-${(made += 1)}`, namespace },
      firstTimestamp: now(),
      lastTimestamp: now(),
    }),
  );
  living.push(event);
  told.set(event.metadata.uid, { madeAt: Date.now(), count: 1, isOrphan });
}
/** One that happened once more. */
function repeat(): void {
  const event = living.at(-1 - Math.floor(Math.random() * Math.min(living.length, 1000)));
  if (!event) return;
  shop.server.store.update(event, (one) => {
    one.count += 1;
    one.lastTimestamp = now();
  });
  const known = told.get(event.metadata.uid)!;
  known.count += 1;
}
const nobody = () =>
  ({ ...all[0]!, metadata: { ...all[0]!.metadata, uid: crypto.randomUUID() } }) as Stored;

function happen(part: number): void {
  for (let n = 0; n < perSecond.events / inParts; n += 1) {
    if (n % 10 === 0) addEvent(nobody(), true);
    else if (n % 5 === 1) repeat();
    else addEvent(pick(all));
  }
  for (let n = 0; n < perSecond.changes / inParts; n += 1)
    shop.server.store.update(pick(all), ({ spec }) => {
      spec.containers[0].image = `app:${Math.random()}`;
    });
  if (part % (inParts / perSecond.made) === 0) {
    // What has only just been made, and what is said of it at once.
    const fresh = pod(`late-${made}`);
    all.push(fresh);
    addEvent(fresh);
  }
  const kind = shop.server.kindOf("Event");
  while (living.length > 0 && told.get(living[0]!.metadata.uid)!.madeAt < Date.now() - forgottenMs)
    shop.server.store.remove(kind, namespace, living.shift()!.metadata.name);
}

const server = await startServer(asStarted({ SELF_CHECKS: "false", LOG_LEVEL: "warn" }));
try {
  const { token } = await readAccess(server.dataDir);
  const headers = { "x-session-token": token, "content-type": "application/json" };
  const get = async <Answer>(path: string): Promise<Answer> => {
    const reply = await fetch(server.address + path, { headers });
    if (!reply.ok) throw new Error(`${path}: ${reply.status} ${await reply.text()}`);
    return (await reply.json()) as Answer;
  };
  const pid = server.process.pid!;
  const spent = () => {
    const sums = new Map<string, { cpu: number; memory: number }>();
    for (const [one, { program, cpuSeconds }] of spentBy(familyOf(pid))) {
      const name = program.startsWith("postgres") ? "postgres" : "server";
      const sum = sums.get(name) ?? { cpu: 0, memory: 0 };
      sums.set(name, { cpu: sum.cpu + cpuSeconds, memory: sum.memory + memoryOf(one) });
    }
    return sums;
  };
  const applied = await fetch(`${server.address}/api/documents`, {
    method: "POST",
    headers,
    body: JSON.stringify({
      apiVersion: "configs.flanksource.com/v1",
      kind: "ScrapeConfig",
      metadata: { name: "crowd" },
      spec: {
        schedule: "@every 2m",
        kubernetes: [{ clusterName: "prod", kubeconfig: shop.kubeconfig }],
      },
    }),
  });
  if (!applied.ok) throw new Error(await applied.text());
  const [{ id }] = await get<[{ id: string }]>("/api/db/config_scrapers?select=id&name=eq.crowd");
  const runs = () =>
    get<{ name: string; status: string; duration_millis: number; details: object }[]>(
      `/api/db/job_history?resource_id=eq.${id}&status=neq.RUNNING&order=created_at.desc&select=name,status,duration_millis,details`,
    );
  while ((await runs()).length === 0) await delay(250);
  console.log(`${pods} pods; the first scrape took ${(await runs())[0]!.duration_millis} ms`);

  const changesAfter = (after: string, most: number) =>
    get<{ id: string; external_change_id: string; count: number }[]>(
      `/api/db/config_changes?select=id,external_change_id,count&external_change_id=not.is.null&id=gt.${after}&order=id&limit=${most}`,
    );
  const newest = async () => {
    const [row] = await get<{ external_change_id: string }[]>(
      "/api/db/config_changes?select=external_change_id&external_change_id=not.is.null&order=created_at.desc&limit=1",
    );
    return row && told.get(row.external_change_id)?.madeAt;
  };
  const behind: number[] = [];
  const begun = Date.now();
  const marks = [0, 1, 2, 3].map((part) => (part * minutes * 60_000) / 3);
  const figures: { at: number; spent: ReturnType<typeof spent> }[] = [];
  let parts = 0;
  let lastBurst = 0;
  let looked = 0;
  for (;;) {
    const passed = Date.now() - begun;
    if (marks.length > figures.length && passed >= marks[figures.length]!)
      figures.push({ at: passed, spent: spent() });
    if (passed >= minutes * 60_000) break;
    // However long this program was held up, it makes as many.
    for (; parts < (passed / 1000) * inParts; parts += 1) happen(parts);
    if (passed - lastBurst > 60_000) {
      lastBurst = passed;
      for (let n = 0; n < burst; n += 1) addEvent(pick(all));
    }
    if (passed - looked > 1000) {
      looked = passed;
      const at = await newest();
      if (at !== undefined) behind.push((Date.now() - at) / 1000);
    }
    await delay(20);
  }
  const wanted = new Map([...told].filter(([, { isOrphan }]) => !isOrphan));
  const check = async () => {
    const found = new Map<string, number>();
    let doubled = 0;
    let other = 0;
    for (let after = "00000000-0000-0000-0000-000000000000"; ;) {
      const rows = await changesAfter(after, 1000);
      for (const { external_change_id: uid, count } of rows) {
        if (!told.has(uid)) other += 1;
        else if (found.has(uid)) doubled += 1;
        found.set(uid, count);
      }
      if (rows.length === 0) break;
      after = rows.at(-1)!.id;
    }
    const lost = [...wanted.keys()].filter((uid) => !found.has(uid));
    const miscounted = [...wanted].filter(
      ([uid, { count }]) => found.has(uid) && found.get(uid) !== count,
    );
    return { found: found.size - other, lost: lost.length, miscounted: miscounted.length, doubled };
  };
  let result = await check();
  const stopped = Date.now();
  while ((result.lost > 0 || result.miscounted > 0) && Date.now() - stopped < 60_000) {
    await delay(2000);
    result = await check();
  }
  const items = new Map<string, string>();
  for (let after = ""; ;) {
    const rows = await get<{ name: string; image: string }[]>(
      `/api/db/config_items?select=name,image:config->spec->containers->0->>image&type=eq.Kubernetes::Pod&deleted_at=is.null&tags->>namespace=eq.${namespace}&name=gt.${after || "-"}&order=name&limit=1000`,
    );
    for (const { name, image } of rows) items.set(name, image);
    if (rows.length === 0) break;
    after = rows.at(-1)!.name;
  }
  const stale = all.filter(
    ({ metadata, spec }) => items.get(metadata.name) !== spec.containers[0].image,
  ).length;

  behind.sort((one, other) => one - other);
  const at = (part: number) => behind[Math.floor((behind.length - 1) * part)]?.toFixed(1);
  console.log(
    `${told.size} events (${wanted.size} of objects that there are) in ${minutes} minutes, ${Math.round((told.size / minutes) * 60)} an hour`,
  );
  console.log(
    `${JSON.stringify(result)}; ${stale} of ${all.length} pods not as they are, after ${((Date.now() - stopped) / 1000).toFixed(0)} s more`,
  );
  console.log(
    `behind: p50 ${at(0.5)} s, p95 ${at(0.95)} s, max ${at(1)} s (${behind.length} looks)`,
  );
  for (const [place, { at: passed, spent: sums }] of figures.entries())
    console.log(
      `${(passed / 1000).toFixed(0).padStart(5)} s: ${[...sums]
        .map(
          ([name, { cpu, memory }]) =>
            `${name} ${memory.toFixed(0)} MB, ${(cpu - (figures[Math.max(0, place - 1)]!.spent.get(name)?.cpu ?? 0)).toFixed(1)} s`,
        )
        .join("; ")}`,
    );
  for (const { name, status, duration_millis: ms, details } of (await runs()).slice(0, 12))
    console.log(`${name} ${status} ${ms} ms ${JSON.stringify(details).slice(0, 300)}`);
} finally {
  await server.stop();
  await shop.server.close();
}
process.exit(0);
