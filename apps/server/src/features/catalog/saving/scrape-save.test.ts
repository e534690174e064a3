import type { Retention } from "@mainstay/contract";
import sql from "sql-template-tag";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Database } from "#platform/db/database.ts";
import { testDatabase } from "../../../testing/app.ts";
import { createDifferences } from "../changes/differences.ts";
import type { Processed } from "../scraping/process-found.ts";
import type { ScrapedInsight, ScrapedItem, Untold } from "../scraping/scraped.ts";
import { ScrapeSave } from "./scrape-save.ts";

const differences = createDifferences();
let db: Database;
let drop: () => Promise<void>;
beforeAll(async () => ({ db, drop } = await testDatabase()));
afterAll(async () => {
  await differences.close();
  await drop();
});

let made = 0;
async function scraper(): Promise<string> {
  const row = await db.first<{ id: string }>(
    sql`insert into config_scrapers (name, spec) values (${`s${++made}`}, '{}') returning id`,
  );
  return row!.id;
}

const item = (externalId: string, changes: Partial<ScrapedItem> = {}): ScrapedItem => ({
  externalId,
  aliases: [],
  type: "Thing",
  configClass: "Thing",
  name: externalId,
  config: {},
  labels: {},
  tags: {},
  properties: [],
  parents: [],
  relations: [],
  ...changes,
});

const processed = (found: Partial<Processed>): Processed => ({
  items: [],
  changes: [],
  insights: [],
  failures: [],
  gone: [],
  notices: [],
  ...found,
});

/** One scrape, at a time that can be any. */
async function scrape(
  scraperId: string,
  found: Partial<Processed>,
  {
    now = new Date(),
    isComplete = true,
    retention,
    ...untold
  }: { now?: Date; isComplete?: boolean; retention?: Retention } & Untold = {},
) {
  const save = new ScrapeSave({ db, scraperId, now, differences, retention });
  await save.add(processed(found));
  return save.finish({ isComplete, ...untold });
}

const changesOf = (scraperId: string) =>
  db.rows<{ name: string; change_type: string; summary: string; count: number; diff: string }>(sql`
    select i.name, c.change_type, c.summary, c.count, c.diff, c.patches, c.severity
      from config_changes c join config_items i on i.id = c.config_id
     where i.scraper_id = ${scraperId} order by c.created_at, c.change_type`);
const itemsOf = (scraperId: string) =>
  db.rows<Record<string, unknown>>(sql`
    select name, type, health, config, external_id, path, deleted_at is not null as is_deleted, delete_reason, updated_at, parent_id, id
      from config_items where scraper_id = ${scraperId} order by name`);

test("what is new is added, what is the same is seen, what differs is a change", async () => {
  const id = await scraper();
  const web = (replicas: number) => item("web", { config: { replicas, image: "a" } });
  const first = await scrape(id, { items: [web(1), item("db")] });
  expect(first.toJSON()).toEqual({ Thing: { added: 2, updated: 0, unchanged: 0 } });
  const [, before] = await itemsOf(id);
  const again = await scrape(id, { items: [web(1), item("db")] });
  expect(again.toJSON()).toEqual({ Thing: { added: 0, updated: 0, unchanged: 2 } });
  expect(await changesOf(id)).toEqual([]);
  const third = await scrape(id, { items: [web(3), item("db")] });
  expect(third.toJSON()).toEqual({ Thing: { added: 0, updated: 1, unchanged: 1 } });
  expect(await changesOf(id)).toEqual([
    {
      name: "web",
      change_type: "diff",
      summary: "replicas",
      count: 1,
      severity: "info",
      patches: { replicas: 3 },
      diff: expect.stringContaining('-  "replicas": 1\n+  "replicas": 3') as string,
    },
  ]);
  const [, after] = await itemsOf(id);
  expect(after).toMatchObject({ name: "web", config: { replicas: 3, image: "a" } });
  expect(after!.id).toBe(before!.id);
  expect((after!.updated_at as Date) > (before!.updated_at as Date)).toBe(true);
});

test("health that changes is a change, and an event", async () => {
  const id = await scraper();
  await scrape(id, { items: [item("a", { health: "healthy", status: "Running" })] });
  await scrape(id, { items: [item("a", { health: "unhealthy", status: "Failed" })] });
  expect(await changesOf(id)).toMatchObject([
    {
      change_type: "Unhealthy",
      severity: "medium",
      summary: "Health changed from healthy to unhealthy",
    },
  ]);
  const events = await db.rows<{ name: string }>(sql`
    select name from event_queue where properties ->> 'id' in (select id::text from config_items where scraper_id = ${id}) order by name`);
  expect(events.map(({ name }) => name)).toEqual([
    "config.changed",
    "config.created",
    "config.unhealthy",
  ]);
});

test("what was not seen for long is deleted, and comes back as what it was", async () => {
  const id = await scraper();
  const longAgo = new Date(Date.now() - 25 * 3600_000);
  await scrape(id, { items: [item("stays"), item("goes")] }, { now: longAgo });
  const failed = await scrape(id, { items: [item("stays")] }, { isComplete: false });
  expect(failed.toJSON()).toMatchObject({ Thing: { unchanged: 1 } });
  expect((await itemsOf(id)).map(({ is_deleted }) => is_deleted)).toEqual([false, false]);
  const complete = await scrape(id, { items: [item("stays")] });
  expect(complete.toJSON()).toMatchObject({ Thing: { deleted: 1 } });
  const [gone] = await itemsOf(id);
  expect(gone).toMatchObject({ name: "goes", is_deleted: true, delete_reason: "STALE" });
  const back = await scrape(id, { items: [item("stays"), item("goes")] });
  expect(back.toJSON()).toEqual({ Thing: { added: 0, updated: 1, unchanged: 1 } });
  const [returned] = await itemsOf(id);
  expect(returned).toMatchObject({ id: gone!.id, is_deleted: false, delete_reason: null });
});

test("an empty scrape deletes nothing", async () => {
  const id = await scraper();
  await scrape(id, { items: [item("a")] }, { now: new Date(Date.now() - 25 * 3600_000) });
  await scrape(id, {});
  expect((await itemsOf(id)).map(({ is_deleted }) => is_deleted)).toEqual([false]);
});

test("parents and relationships follow, also of what comes later, and go when nobody says them any more", async () => {
  const id = await scraper();
  const child = item("pod", {
    parents: [{ externalId: "none" }, { externalId: "ns", type: "Thing" }],
    relations: [
      { to: { externalId: "node" }, relation: "NodePod", isIncoming: true },
      { to: { name: "svc", type: "Thing" }, relation: "PodService" },
    ],
  });
  await scrape(id, {
    items: [child, item("ns", { parents: [{ externalId: "cluster" }] }), item("cluster")],
  });
  const edges = () =>
    db
      .rows<{ edge: string }>(sql`
      select f.name || ' ' || r.relation || ' ' || t.name as edge
        from config_relationships r join config_items f on f.id = r.config_id join config_items t on t.id = r.related_id
       where f.scraper_id = ${id} and r.deleted_at is null order by edge`)
      .then((rows) => rows.map(({ edge }) => edge));
  expect(await edges()).toEqual(["cluster hard ns", "ns hard pod"]);
  const [cluster, ns, pod] = await itemsOf(id);
  expect([cluster!.path, ns!.path, pod!.path]).toEqual([
    "",
    cluster!.id,
    `${String(cluster!.id)}.${String(ns!.id)}`,
  ]);
  // The pod has not changed; what it names is there now.
  await scrape(id, {
    items: [
      child,
      item("ns", { parents: [{ externalId: "cluster" }] }),
      item("cluster"),
      item("node"),
      item("svc"),
    ],
  });
  expect(await edges()).toEqual([
    "cluster hard ns",
    "node NodePod pod",
    "ns hard pod",
    "pod PodService svc",
  ]);
  await scrape(id, {
    items: [item("pod"), item("ns"), item("cluster"), item("node"), item("svc")],
  });
  expect(await edges()).toEqual([]);
});

test("an item that is its own parent, over others, stands under nothing", async () => {
  const id = await scraper();
  const ring = ["a", "b", "c"].map((name, index, all) =>
    item(name, { parents: [{ externalId: all[(index + 1) % 3]! }] }),
  );
  const summary = await scrape(id, {
    items: [...ring, item("below", { parents: [{ externalId: "a" }] })],
  });
  expect(summary.toJSON().Thing!.warnings!.toSorted()).toEqual(
    ["a", "b", "c"].map(
      (name) => `${name} is a parent of itself, over others; it is listed without a parent.`,
    ),
  );
  const rows = await itemsOf(id);
  expect(rows.map(({ name, path }) => [name, path])).toEqual([
    ["a", ""],
    ["b", ""],
    ["below", rows[0]!.id],
    ["c", ""],
  ]);
  expect(rows.find(({ name }) => name === "below")!.parent_id).toBe(rows[0]!.id);
});

test("changes are told once, folded when they say the same, and orphaned ones are counted", async () => {
  const id = await scraper();
  const noon = Date.now() - 86_400_000;
  const at = (minutes: number) => new Date(noon + minutes * 60_000);
  const event = (minutes: number, more = {}) => ({
    item: { externalId: "pod" },
    changeType: "BackOff",
    source: "kubelet",
    summary: `restarted ${minutes} times`,
    createdAt: at(minutes),
    ...more,
  });
  const named = { ...event(0), changeType: "Deploy", externalChangeId: "42", createdBy: "Vera" };
  await scrape(id, {
    items: [item("pod")],
    changes: [
      event(0),
      event(10),
      named,
      { ...event(0), item: { externalId: "nobody", type: "Pod" } },
    ],
  });
  const summary = await scrape(id, {
    items: [item("pod")],
    changes: [event(30), event(120), named, { ...event(1), action: "ignore" as const }],
  });
  expect(summary.toJSON()["*"]).toMatchObject({ change: { ignored: { BackOff: 1 } } });
  expect((await changesOf(id)).map(({ change_type: type, count }) => [type, count])).toEqual([
    ["Deploy", 1],
    ["BackOff", 3],
    ["BackOff", 1],
  ]);
  const [deploy] = await db.rows(sql`
    select external_created_by, created_by from config_changes where external_change_id = '42'`);
  expect(deploy).toEqual({ external_created_by: "Vera", created_by: null });
});

test("a change that ends its item deletes it", async () => {
  const id = await scraper();
  await scrape(id, { items: [item("vm")] });
  await scrape(id, {
    changes: [{ item: { externalId: "vm" }, changeType: "TerminateInstances", action: "delete" }],
  });
  expect(await itemsOf(id)).toMatchObject([{ is_deleted: true, delete_reason: "FROM_EVENT" }]);
});

test("insights are there once, resolved when they are not found again, and silenced ones stay so", async () => {
  const id = await scraper();
  const insight = (analyzer: string) => ({
    item: { externalId: "vm" },
    analyzer,
    analysisType: "security" as const,
    severity: "high" as const,
    status: "open" as const,
  });
  const vm = item("vm");
  await scrape(id, { items: [vm], insights: [insight("a"), insight("b")] });
  await db.run(
    sql`update config_analysis set status = 'silenced' where scraper_id = ${id} and analyzer = 'a'`,
  );
  await scrape(id, { items: [vm], insights: [insight("a"), insight("c")] });
  const rows = await db.rows(sql`
    select analyzer, status from config_analysis where scraper_id = ${id} order by analyzer`);
  expect(rows).toEqual([
    { analyzer: "a", status: "silenced" },
    { analyzer: "b", status: "resolved" },
    { analyzer: "c", status: "open" },
  ]);
});

test("an item that another scraper has is left to it, until that one is gone", async () => {
  const [one, other] = [await scraper(), await scraper()];
  const uid = "0190a6b4-8f0c-7000-8000-000000000001";
  await scrape(one, { items: [item(uid, { name: "of one" })] });
  const refused = await scrape(other, { items: [item(uid, { name: "of the other" })] });
  expect(refused.toJSON().Thing).toEqual({
    added: 0,
    updated: 0,
    unchanged: 0,
    warnings: [`${uid} is already there, from the scraper ${one}; it is left as that one has it.`],
  });
  await db.run(sql`update config_scrapers set deleted_at = now() where id = ${one}`);
  await scrape(other, { items: [item(uid, { name: "of the other" })] });
  expect(await itemsOf(other)).toMatchObject([{ name: "of the other", is_deleted: false }]);
});

test("an item that one scraper stops telling goes to the other that tells it, and is never gone", async () => {
  const [one, other] = [await scraper(), await scraper()];
  const uid = "0190a6b4-8f0c-7000-8000-000000000002";
  const rest = item("0190a6b4-8f0c-7000-8000-000000000003");
  const said = (owner: string) => item(uid, { name: "shared", config: { owner } });
  let at = Date.now() - 3600_000;
  /** One after the other, with the row that the worker leaves of it. */
  async function run(id: string, items: ScrapedItem[], isComplete = true) {
    at += 10_000;
    const summary = await scrape(id, { items }, { now: new Date(at), isComplete });
    await db.run(sql`
      insert into job_history (name, resource_type, resource_id, status, created_at)
      values ('Scraper', 'config_scraper', ${id}, ${isComplete ? "SUCCESS" : "WARNING"}, ${new Date(at)})`);
    return summary;
  }
  const itsHistory = () =>
    db.first(sql`
      select scraper_id, deleted_at, config ->> 'owner' as owner,
             (select array_agg(change_type order by created_at) from config_changes c where c.config_id = i.id) as changes
        from config_items i where id = ${uid}`);
  // In turns, nothing goes back and forth.
  for (let round = 0; round < 3; round += 1) {
    await run(one, [said("one"), rest]);
    await run(other, [said("other")]);
  }
  // One that could not look everywhere may have it still.
  await run(one, [rest], false);
  await run(other, [said("other")]);
  expect(await itsHistory()).toEqual({
    scraper_id: one,
    deleted_at: null,
    owner: "one",
    changes: null,
  });
  await run(one, [rest]);
  await run(other, [said("other")]);
  const handed = { scraper_id: other, deleted_at: null, owner: "other", changes: ["diff"] };
  expect(await itsHistory()).toEqual(handed);
  // It is not the first one's to end, or to take back, while the other tells it.
  await db.run(sql`update config_item_scrapes set seen_at = seen_at - interval '3 days'`);
  await run(other, [said("other")]);
  await run(one, [rest]);
  const back = await run(one, [said("one"), rest]);
  expect(back.toJSON().Thing!.warnings).toEqual([
    `${uid} is already there, from the scraper ${other}; it is left as that one has it.`,
  ]);
  expect(await itsHistory()).toEqual(handed);
});

test("two scrapers that find an item at the same time make one of it", async () => {
  const [one, other] = [await scraper(), await scraper()];
  const uid = "0190a6b4-8f0c-7000-8000-000000000004";
  const both = () =>
    Promise.all(
      [one, other].map((id) => scrape(id, { items: [item(uid, { config: { of: id } })] })),
    );
  await both();
  await both();
  const settled = async () =>
    db.rows(sql`
      select scraper_id, deleted_at, config, (select count(*)::int from config_changes c where c.config_id = i.id) as changes
        from config_items i where id = ${uid}`);
  const found = await settled();
  expect(found).toMatchObject([{ deleted_at: null }]);
  for (let round = 0; round < 3; round += 1) await both();
  expect(await settled()).toEqual(found);
});

test("what an agent has is left to it, and an alias of two items means the scraper's own", async () => {
  const [one, other] = [await scraper(), await scraper()];
  const uid = "0190a6b4-8f0c-7000-8000-000000000005";
  const agent = await db.first<{ id: string }>(
    sql`insert into agents (name) values ('far-away') returning id`,
  );
  await db.run(sql`
    insert into config_items (id, agent_id, type, name, config_class, external_id, config)
    values (${uid}, ${agent!.id}, 'Thing', 'of the agent', 'Thing', array[${uid}], '{}')`);
  const refused = await scrape(one, { items: [item(uid, { name: "of the server" })] });
  expect(refused.toJSON().Thing!.warnings).toEqual([
    `${uid} is already there, from an agent; it is left as that one has it.`,
  ]);
  expect(await db.first(sql`select name, scraper_id from config_items where id = ${uid}`)).toEqual({
    name: "of the agent",
    scraper_id: null,
  });
  await scrape(one, { items: [item("mine", { aliases: ["shared-alias"] })] });
  await scrape(other, { items: [item("theirs", { aliases: ["shared-alias"] })] });
  for (const id of [one, other])
    await scrape(id, {
      changes: [
        {
          item: { externalId: "shared-alias" },
          changeType: "Deployed",
          externalChangeId: "d1",
          action: "keep",
        },
      ],
    });
  expect(await changesOf(one)).toMatchObject([{ name: "mine", change_type: "Deployed" }]);
  expect(await changesOf(other)).toMatchObject([{ name: "theirs", change_type: "Deployed" }]);
});

test.each([
  ["ahead", 1],
  ["behind", -1],
])("what a source tells whose clock is an hour %s is there once, and stays", async (_how, sign) => {
  const id = await scraper();
  const off = new Date(Date.now() + sign * 3600_000);
  const change = { item: { externalId: "vm" }, changeType: "Restart", createdAt: off };
  const found = {
    items: [item("vm", { createdAt: off }), item("gone", { deletedAt: off })],
    changes: [
      { ...change, externalChangeId: "r1" },
      { ...change, summary: "restarted" },
      // As an object that was made a moment ago has it.
      { ...change, externalChangeId: "r0", createdAt: new Date(+off - 60_000) },
    ],
  };
  await scrape(id, found);
  for (let round = 0; round < 2; round += 1)
    expect((await scrape(id, found)).toJSON().Thing).toEqual({
      added: 0,
      updated: 0,
      unchanged: 2,
    });
  const changes = await changesOf(id);
  expect(changes.map(({ change_type: type, count }) => [type, count])).toEqual([
    ["Restart", 1],
    ["Restart", 1],
    ["Restart", 1],
  ]);
  await db.run(sql`select slide_change_window()`);
  const counted = await db.rows(sql`
    select name, created_at, deleted_at, changes -> 0 -> 'total' as changes from configs where scraper_id = ${id} order by name`);
  expect(counted).toMatchObject([
    { name: "gone", deleted_at: off },
    { name: "vm", deleted_at: null, created_at: off, changes: 3 },
  ]);
});

test("what is large is kept whole up to the most, told in patches, and listed without it above", async () => {
  const id = await scraper();
  const large = (megabytes: number, last: string) => ({
    items: [
      item("large", {
        config: { last, lines: Array.from({ length: megabytes }, () => "x".repeat(1024 * 1024)) },
      }),
      item("small", { config: { last } }),
    ],
  });
  const kept = async () => (await itemsOf(id))[0]!.config as { last?: string; cut?: string };
  await scrape(id, large(5, "one"));
  expect(JSON.stringify(await kept()).length).toBeGreaterThan(5 * 1024 * 1024);
  await scrape(id, large(5, "two"));
  expect(await changesOf(id)).toMatchObject([
    { name: "large", change_type: "diff", summary: "last", patches: { last: "two" }, diff: null },
    { name: "small", change_type: "diff", summary: "last" },
  ]);
  const above = await scrape(id, large(9, "three"));
  expect(above.toJSON().Thing).toEqual({
    added: 0,
    updated: 2,
    unchanged: 0,
    warnings: [
      expect.stringMatching(/^large: it has 9437\d+ characters; at most 8388608 are kept/),
    ],
  });
  expect(await kept()).toEqual({
    cut: expect.stringMatching(/^It has 9437\d+ characters/) as string,
  });
  // The notice is told as long as it holds, and nothing is a change of it.
  const told = (await changesOf(id)).length;
  expect((await scrape(id, large(9, "three"))).toJSON().Thing).toMatchObject({
    unchanged: 2,
    warnings: [expect.stringMatching(/^large: /)],
  });
  expect(await changesOf(id)).toHaveLength(told);
  await scrape(id, large(6, "four"));
  expect(await kept()).toMatchObject({ last: "four" });
});

test("what PostgreSQL cannot hold is held in another way, and what is found twice counts once", async () => {
  const id = await scraper();
  const hostile = item("odd", { config: { "a\0b": "x\0\ud800y" }, description: "\0" });
  const summary = await scrape(id, { items: [hostile, item("odd")] });
  expect(summary.toJSON().Thing!.warnings).toEqual(["odd was found twice; the first counts."]);
  expect(await itemsOf(id)).toMatchObject([{ config: { "a\uFFFDb": "x\uFFFD\uFFFDy" } }]);
});

test("as an item was before is kept", async () => {
  const id = await scraper();
  await scrape(id, { items: [item("a", { config: { n: 1, list: [1, 2] }, status: "One" })] });
  await scrape(id, { items: [item("a", { config: { n: 2, list: [1, 2, 3] }, status: "Two" })] });
  const versions = await db.rows(sql`
    select back, was from config_item_versions v join config_items i on i.id = v.config_id where i.scraper_id = ${id}`);
  expect(versions).toEqual([
    {
      back: [
        { op: "replace", path: "/n", value: 1 },
        { op: "remove", path: "/list/2" },
      ],
      was: { status: "One" },
    },
  ]);
});

test("what the document does not keep is not written, however often its source tells it", async () => {
  const id = await scraper();
  const day = 86_400_000;
  const now = new Date();
  const ago = (days: number) => new Date(now.getTime() - days * day);
  const retention: Retention = {
    changes: [
      { name: "Commit", count: 2 },
      { name: "Restart", age: "10d" },
    ],
    types: [{ name: "Th*", createdAge: "30d" }],
  };
  const told = (externalChangeId: string, changeType: string, days: number) => ({
    item: { externalId: "web" },
    externalChangeId,
    changeType,
    createdAt: ago(days),
  });
  const found = {
    items: [
      item("web"),
      item("ancient", { createdAt: ago(31) }),
      item("young", { createdAt: ago(29) }),
    ],
    changes: [
      told("c1", "Commit", 3),
      told("c2", "Commit", 2),
      told("r1", "Restart", 9),
      told("r2", "Restart", 11),
      told("o", "Other", 59),
      told("older", "Other", 61),
    ],
  };
  const summary = await scrape(id, found, { now, retention });
  expect(summary.toJSON()["*"]?.change?.ignored).toEqual({ Restart: 1, Other: 1 });
  expect((await itemsOf(id)).map(({ name }) => name)).toEqual(["web", "young"]);
  const ids = async () =>
    (
      await db.rows<{ external_change_id: string }>(sql`
        select external_change_id from config_changes c join config_items i on i.id = c.config_id
         where i.scraper_id = ${id} order by 1`)
    ).map((row) => row.external_change_id);
  expect(await ids()).toEqual(["c1", "c2", "o", "r1"]);
  // Two that are newer are there: one before them would be one too many, and what is newest is kept.
  await scrape(
    id,
    { changes: [told("c0", "Commit", 4), told("c3", "Commit", 1)] },
    { now, retention },
  );
  expect(await ids()).toEqual(["c1", "c2", "c3", "o", "r1"]);
});

test("an item that its document has ended stays so while it is found", async () => {
  const id = await scraper();
  const retention: Retention = { types: [{ name: "Thing", createdAge: "1h", updatedAge: "1h" }] };
  const web = (replicas: number) => ({
    items: [item("web", { config: { replicas } }), item("db")],
  });
  await scrape(id, web(1), { retention });
  await db.run(sql`
    update config_items set deleted_at = now(), delete_reason = 'RETENTION',
           created_at = case name when 'web' then now() - interval '2 hours' else created_at end
     where scraper_id = ${id}`);
  const again = await scrape(id, web(2), { retention });
  expect(again.toJSON()).toEqual({ Thing: { added: 0, updated: 0, unchanged: 2 } });
  expect((await itemsOf(id)).map(({ is_deleted }) => is_deleted)).toEqual([true, true]);
  // Without the rule they are there again, as they are.
  await scrape(id, web(2));
  expect(
    (await itemsOf(id)).map(({ name, is_deleted, config }) => [name, is_deleted, config]),
  ).toEqual([
    ["db", false, {}],
    ["web", false, { replicas: 2 }],
  ]);
});

test("insights about items of others: by their ids, or where only one can be meant", async () => {
  const cluster = async (name: string, names: string[]) => {
    const items = names.map((one) =>
      item(`uid-${name}-${one}`, {
        aliases: [`Kubernetes/${name}/Pod/shop/${one}`],
        type: "Kubernetes::Pod",
        name: one,
        tags: { cluster: name, namespace: "shop" },
      }),
    );
    await scrape(await scraper(), { items });
  };
  await cluster("a", ["web", "only"]);
  await cluster("b", ["web"]);
  const insight = (name: string, among?: string): ScrapedInsight => ({
    item: {
      externalId: `Kubernetes/${among ? `${among}/` : ""}Pod/shop/${name}`,
      type: "Kubernetes::Pod",
    },
    ...(!among && {
      orSelected: { type: "Kubernetes::Pod", name, namespace: "shop", scope: "all" },
    }),
    analyzer: among ? `of ${among}` : "openssl",
    analysisType: "security",
    severity: "high",
    status: "open",
  });
  const id = await scraper();
  const insights = [insight("web", "b"), insight("only"), insight("web")];
  const summary = await scrape(id, { insights, judged: 3 });
  expect(summary.types.get("Kubernetes::Pod")?.warnings).toEqual([
    "Kubernetes/Pod/shop/web may be one of 2 items, of which none was taken.",
    "The insight openssl is about Kubernetes/Pod/shop/web, which is not there.",
  ]);
  const told = () =>
    db.rows(sql`
      select a.analyzer, i.external_id[1] as item, a.status from config_analysis a join config_items i on i.id = a.config_id
       where a.scraper_id = ${id} order by 1`);
  const [of, openssl] = [
    { analyzer: "of b", item: "uid-b-web" },
    { analyzer: "openssl", item: "uid-a-only" },
  ];
  expect(await told()).toEqual([
    { ...of, status: "open" },
    { ...openssl, status: "open" },
  ]);
  // Nothing was looked at: nothing is known to be mended.
  await scrape(id, {});
  await scrape(
    id,
    { insights: [insight("only")], judged: 3, failures: [{ message: "half" }] },
    {
      isComplete: false,
    },
  );
  expect(await told()).toEqual([
    { ...of, status: "open" },
    { ...openssl, status: "open" },
  ]);
  await scrape(id, { insights: [insight("only")], judged: 3 });
  expect(await told()).toEqual([
    { ...of, status: "resolved" },
    { ...openssl, status: "open" },
  ]);
});

test("what may be there untold stays: items by type and tags, insights by source", async () => {
  const id = await scraper();
  const twoDaysAgo = new Date(Date.now() - 48 * 3600_000);
  const placed = (name: string, region: string, type: string) => ({
    ...item(name),
    type,
    tags: { region },
  });
  const seen = placed("seen", "north", "Machine");
  const insight = (source?: string): ScrapedInsight => ({
    item: { externalId: seen.externalId },
    analyzer: source ?? "none",
    analysisType: "security",
    severity: "low",
    status: "open",
    ...(source !== undefined && { source }),
  });
  await scrape(
    id,
    {
      items: [
        seen,
        placed("machine of the north", "north", "Machine"),
        placed("machine of the south", "south", "Machine"),
        placed("disk of the north", "north", "Disk"),
        placed("disk of the south", "south", "Disk"),
      ],
      insights: [insight("Config"), insight("Advisor"), insight()],
    },
    { now: twoDaysAgo },
  );
  const unseen = [{ type: "Machine", tags: { region: "south" } }, { type: "Disk" }];
  await scrape(id, { items: [seen] }, { isComplete: false });
  const gone = async () =>
    (await itemsOf(id)).filter((one) => one.is_deleted).map(({ name }) => name);
  const open = async () =>
    (
      await db.rows<{ analyzer: string }>(
        sql`select analyzer from config_analysis where scraper_id = ${id} and status = 'open' order by 1`,
      )
    ).map(({ analyzer }) => analyzer);
  expect([await gone(), await open()]).toEqual([[], ["Advisor", "Config", "none"]]);
  await scrape(id, { items: [seen] }, { isComplete: false, unseen, unjudged: ["Config"] });
  expect([await gone(), await open()]).toEqual([["machine of the north"], ["Config"]]);
});

test("what may be there untold stays, by labels as well", async () => {
  const id = await scraper();
  const of = (repository: string) => ({ ...item(`of ${repository}`), labels: { repository } });
  const twoDaysAgo = new Date(Date.now() - 48 * 3600_000);
  await scrape(id, { items: [item("seen"), of("shop"), of("bank")] }, { now: twoDaysAgo });
  const { type } = item("seen");
  const unseen = [{ type, labels: { repository: "shop" } }];
  await scrape(id, { items: [item("seen")] }, { isComplete: false, unseen, unjudged: [] });
  const gone = (await itemsOf(id)).filter((one) => one.is_deleted).map(({ name }) => name);
  expect(gone).toEqual(["of bank"]);
});

test("costs that are not told stay, and what is told to have cost nothing has none", async () => {
  const id = await scraper();
  const costs = async (told: ScrapedItem["costs"]) => {
    await scrape(id, { items: [item("machine", told && { costs: told })] });
    const row = await db.first<{ day: number | null; month: number | null }>(
      sql`select cost_total_1d::float as day, cost_total_30d::float as month from config_items where scraper_id = ${id}`,
    );
    return [row!.day, row!.month];
  };
  expect(await costs({ day: 2, month: 60 })).toEqual([2, 60]);
  expect(await costs(undefined)).toEqual([2, 60]);
  expect(await costs({})).toEqual([null, null]);
});

test("what items were is read a portion at a time, however many have changed", async () => {
  const id = await scraper();
  const all = (said: string) => ({
    items: Array.from({ length: 7 }, (_, at) =>
      item(`large-${at}`, { config: { said: said.repeat(400) } }),
    ),
  });
  await scrape(id, all("a"));
  let largest = 0;
  const watched = new Proxy(db, {
    get: (target, key) =>
      key !== "rows"
        ? (Reflect.get(target, key) as unknown)
        : async (statement: Parameters<Database["rows"]>[0]) => {
            const rows = await target.rows<{ config?: string | null }>(statement);
            const size = rows.reduce((sum, row) => sum + (row.config?.length ?? 0), 0);
            largest = Math.max(largest, size);
            return rows;
          },
  });
  const now = new Date();
  const save = new ScrapeSave({
    db: watched,
    scraperId: id,
    now,
    differences,
    retention: undefined,
    mostBefore: 1000,
  });
  await save.add(processed({ items: [...all("b").items, item("new")] }));
  const summary = await save.finish({ isComplete: true });
  expect(summary.types.get("Thing")).toMatchObject({ added: 1, updated: 7 });
  expect(largest).toBeGreaterThan(400);
  expect(largest).toBeLessThanOrEqual(1000);
  expect((await changesOf(id)).filter((one) => one.change_type === "diff")).toHaveLength(7);
});
