// Takes long: a cluster of 3,000 objects (5,000 in a whole walk) is scraped again and again.
import { amount } from "@mainstay/testkit/sample.ts";
import sql from "sql-template-tag";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Database } from "#platform/db/database.ts";
import { testDatabase } from "../../../../testing/app.ts";
import { createDifferences } from "../../changes/differences.ts";
import type { Json } from "../../changes/json-patch.ts";
import { scrapeInto } from "../../testing/scrape-into.ts";
import { eventOf, type ShopCluster, startShop } from "../testing/shop-cluster.ts";

const differences = createDifferences();
let db: Database;
let drop: () => Promise<void>;
let shop: ShopCluster;
let id: string;
/** Where the last whole scrape stood. */
let position: Json | undefined;

const size = { namespaces: 10, pods: amount(400, 200), configMaps: 90, services: 10 };

beforeAll(async () => {
  shop = await startShop({ watchMs: 50 });
  for (let space = 0; space < size.namespaces; space += 1) {
    const namespace = `team-${space}`;
    const add = (apiVersion: string, kind: string, name: string, more: object) =>
      shop.add({ apiVersion, kind, metadata: { name, namespace, ...labelled(name) }, ...more });
    shop.add({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
    for (let number = 0; number < size.services; number += 1)
      add("v1", "Service", `s-${space}-${number}`, { spec: { selector: { part: `${number}` } } });
    for (let number = 0; number < size.configMaps; number += 1)
      add("v1", "ConfigMap", `c-${space}-${number}`, { data: { key: `${number}` } });
    for (let number = 0; number < size.pods; number += 1)
      add("v1", "Pod", `p-${space}-${number}`, {
        spec: { nodeName: "n1", containers: [{ name: "app", image: "app:1" }] },
        status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
      });
  }
  ({ db, drop } = await testDatabase());
  id = (
    await first<{ id: string }>(
      sql`insert into config_scrapers (name, spec) values ('cluster', '{}') returning id`,
    )
  ).id;
});
afterAll(async () => {
  await differences.close();
  await drop();
  await shop.server.close();
});

const labelled = (name: string) => ({ labels: { part: `${Number(name.split("-").at(-1)) % 10}` } });

const watch = ["Pod", "ConfigMap", "Event"].map((kind) => ({ apiVersion: "v1", kind }));
const scrape = (from?: Json, more: object = {}) => {
  const spec = { clusterName: "prod", kubeconfig: shop.kubeconfig, watch, ...more };
  return scrapeInto(db, id, { type: "kubernetes", spec, from }, { differences });
};
const first = async <Row extends object>(query: Parameters<Database["first"]>[0]) =>
  (await db.first<Row>(query))!;
const stored = async () =>
  first<{ items: number; there: number; changes: number }>(sql`
    select count(*)::int as items, (count(*) filter (where deleted_at is null))::int as there,
           (select count(*)::int from config_changes) as changes
      from config_items where scraper_id = ${id}`);

/** All that the stand-in has and that is an item, and the cluster. */
const objects = () =>
  shop.server.kinds
    .filter(({ kind, group }) => kind !== "Event" && group !== "metrics.k8s.io")
    .reduce((sum, kind) => sum + shop.server.store.all(kind).length, 1);

test("everything is there once, with what it belongs to", async () => {
  const run = await scrape();
  expect(run.errors).toEqual([]);
  const total = objects();
  expect(total).toBeGreaterThan(amount(5000, 3000));
  expect(run).toMatchObject({
    isComplete: true,
    added: total,
    updated: 0,
    unchanged: 0,
    warnings: [],
  });
  // One pod was evicted long ago.
  expect(await stored()).toEqual({ items: total, there: total - 1, changes: 0 });
  const doubled = await db.rows(
    sql`select external_id[1] from config_items where scraper_id = ${id} group by 1 having count(*) > 1`,
  );
  expect(doubled).toEqual([]);
  const pod = await first<{ path: string[]; related: string[] }>(sql`
    select (select array_agg(a.type || '/' || a.name order by p.place)
              from unnest(string_to_array(i.path, '.')) with ordinality p (id, place) join config_items a on a.id = p.id::uuid) as path,
           (select array_agg(r.relation || '/' || o.name order by r.relation)
              from config_relationships r join config_items o on o.id in (r.config_id, r.related_id) and o.id <> i.id
             where i.id in (r.config_id, r.related_id) and r.deleted_at is null) as related
      from config_items i where scraper_id = ${id} and name = 'p-3-37'`);
  expect(pod).toEqual({
    path: ["Kubernetes::Cluster/prod", "Kubernetes::Namespace/team-3"],
    related: ["NodePod/n1", "ServicePod/s-3-7", "hard/team-3"],
  });
});

test("what has not changed is not written, whatever its cluster renews", async () => {
  shop.update("Node/n1", ({ status }) => {
    status.conditions[0].lastHeartbeatTime = new Date().toISOString();
  });
  shop.update("Lease/leader", ({ spec }) => (spec.renewTime = new Date().toISOString()));
  const before = await stored();
  expect(await scrape()).toMatchObject({
    added: 0,
    updated: 0,
    unchanged: before.items,
    deleted: 0,
  });
  expect(await stored()).toEqual(before);
});

test("what has changed is a change, what has come is an item", async () => {
  const { items } = await stored();
  for (let number = 0; number < 200; number += 1) {
    shop.update(`ConfigMap/c-2-${number % 80}`, ({ data }) => (data.key = `other ${number}`));
    shop.update(`Pod/p-4-${number}`, ({ spec }) => (spec.containers[0].image = "app:2"));
    shop.add({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: `new-${number}`, namespace: "team-1" },
    });
  }
  const pod = shop.objects.get("Pod/p-4-1")!;
  shop.add(eventOf(pod, "BackOff", { count: 3, lastTimestamp: new Date().toISOString() }));
  expect(await scrape()).toMatchObject({ added: 200, updated: 280, unchanged: items - 280 });
  const changes = await db.rows<{ change_type: string; n: number }>(sql`
    select change_type, count(*)::int as n from config_changes group by 1 order by 1`);
  expect(changes).toEqual([
    { change_type: "BackOff", n: 1 },
    { change_type: "diff", n: 280 },
  ]);
});

/** Everything that happens, and nothing that it happens to. */
const eventsAlone = { selector: "no=thing" };

test("events are counted as often as they happened, however often they are told", async () => {
  const event = shop.objects.get("Event/p-4-1.backoff")!;
  const times = () =>
    first(
      sql`select count, (select count(*)::int from config_changes) as changes from config_changes where change_type = 'BackOff'`,
    );
  expect(await times()).toEqual({ count: 3, changes: 281 });
  await scrape(undefined, eventsAlone);
  expect(await times()).toEqual({ count: 3, changes: 281 });
  shop.server.store.update(event, (one) => {
    one.count = 9;
    one.lastTimestamp = new Date().toISOString();
  });
  await scrape(undefined, eventsAlone);
  expect(await times()).toEqual({ count: 9, changes: 281 });
});

test("a cluster that goes away in the middle takes nothing along", async () => {
  await db.run(sql`update config_item_scrapes set seen_at = seen_at - interval '3 days'`);
  const before = await stored();
  let pages = 0;
  shop.server.intercept = ({ path }, response) => {
    if (path === "/version" || !path.includes("/")) return false;
    pages += 1;
    if (pages < 12) return false;
    response.destroy();
    return true;
  };
  const run = await scrape();
  shop.server.intercept = undefined;
  expect(run.isComplete).toBe(false);
  expect(run.errors.length).toBeGreaterThan(0);
  expect(await stored()).toEqual(before);
  // The next one that sees everything takes what is gone.
  for (let number = 0; number < 50; number += 1) shop.remove(`Pod/p-5-${number}`);
  await db.run(sql`update config_item_scrapes set seen_at = seen_at - interval '3 days'`);
  const whole = await scrape();
  expect(whole).toMatchObject({ isComplete: true, deleted: 50 });
  position = whole.position;
  expect(await stored()).toEqual({ ...before, there: before.there - 50 });
});

test("what is followed is what a scrape would have found", async () => {
  const before = await stored();
  for (let round = 0; round < 3; round += 1) {
    for (let number = 0; number < 60; number += 1) {
      const place = round * 60 + number;
      shop.update(`Pod/p-6-${place}`, ({ spec }) => (spec.containers[0].image = "app:3"));
      shop.update(`ConfigMap/c-7-${number}`, ({ data }) => (data.key = `round ${round}`));
      shop.remove(`Pod/p-8-${place}`);
      shop.add({
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name: `late-${place}`, namespace: "team-1", labels: { part: "3" } },
      });
    }
    // The cluster has forgotten what happened: what was deleted meanwhile is seen by the next scrape.
    if (round === 2) shop.server.store.compact();
    const followed = await scrape(position);
    expect(followed).toMatchObject({
      errors: [],
      added: 60,
      deleted: round === 2 ? 0 : 60,
      isComplete: false,
    });
    ({ position } = followed);
  }
  const after = await stored();
  expect(after.there).toBe(before.there + 3 * 60 - 2 * 60);
  expect(after.changes).toBe(before.changes + 3 * 60 + 3 * 60);
  expect(await scrape()).toMatchObject({ added: 0, updated: 0, errors: [] });
  expect((await stored()).changes).toBe(after.changes);
  const related = await db.rows(sql`
    select o.name from config_relationships r join config_items i on i.id = r.related_id join config_items o on o.id = r.config_id
     where i.name = 'late-7' and r.relation = 'ServicePod' and r.deleted_at is null`);
  expect(related).toEqual([{ name: "s-1-3" }]);
});

test("a burst of events over looks and scrapes is there once, each as often as it happened", async () => {
  const begun = await scrape();
  ({ position } = begun);
  const events: { uid: string; times: number }[] = [];
  /** Events of pods, of which each fifth has only just been made, and what of the last happened once more. */
  const burst = (many: number) => {
    for (let number = 0; number < many; number += 1) {
      const name = `burst-${events.length}`;
      const isFresh = number % 5 === 0;
      const about = isFresh
        ? shop.add({ apiVersion: "v1", kind: "Pod", metadata: { name, namespace: "team-1" } })
        : shop.objects.get(`Pod/p-9-${number % size.pods}`)!;
      const now = new Date().toISOString();
      const more = { metadata: { name, namespace: "team-1" }, lastTimestamp: now };
      const event = shop.add(eventOf(about, "Burst", more));
      const times = 1 + (number % 3);
      for (let time = 1; time < times; time += 1)
        shop.server.store.update(event, (one) => (one.count += 1));
      events.push({ uid: event.metadata.uid, times });
    }
  };
  /** While this is asked for, once. */
  const during = (isIt: (path: string, query: URLSearchParams) => boolean) => {
    shop.server.intercept = ({ path, query }) => {
      if (!isIt(path, query)) return false;
      shop.server.intercept = undefined;
      burst(300);
      return false;
    };
  };
  burst(900);
  during((_path, query) => query.get("watch") === "true");
  ({ position } = await scrape(position));
  // In the middle of everything, when pods have been read and events have not.
  let isPastPods = false;
  during((path) => {
    isPastPods ||= path.endsWith("/pods");
    return isPastPods && path.endsWith("/events");
  });
  ({ position } = await scrape());
  expect(shop.server.intercept).toBeUndefined();
  burst(300);
  ({ position } = await scrape(position));
  await scrape(position);
  const found = await db.rows<{ uid: string; times: number }>(sql`
    select external_change_id as uid, count as times from config_changes where change_type = 'Burst'`);
  const byUid = (list: typeof events) =>
    list.toSorted((one, other) => (one.uid < other.uid ? -1 : 1));
  expect(found).toHaveLength(1800);
  expect(byUid(found)).toEqual(byUid(events));
});
