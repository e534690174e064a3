// Takes long: every view is asked for everything that there is, and beside statements by hand.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import sql, { join, raw, type Sql } from "sql-template-tag";
import { testDatabase } from "../../testing/app.ts";
import { untilBlocked } from "../../testing/blocked.ts";

let database: Awaited<ReturnType<typeof testDatabase>>;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

const rows = <Row extends object>(statement: Sql) => database.db.rows<Row>(statement);
const run = (statement: Sql) => database.db.run(statement);

const ids = new Map<string, string>();
/** An id that is the same wherever its name stands. */
function idOf(name: string): string {
  const known = ids.get(name);
  if (known !== undefined) return known;
  const made = `0190a0b4-0000-7000-8000-${String(ids.size + 1).padStart(12, "0")}`;
  ids.set(name, made);
  return made;
}
const nameOf = (id: string): string => [...ids].find(([, one]) => one === id)?.[0] ?? id;

interface Item {
  type?: string;
  parent?: string;
  path?: string;
  health?: string | null;
  status?: string;
  tags?: unknown;
  labels?: unknown;
  deleted?: boolean;
  scraper?: string;
}

const insertItem = (name: string, item: Item = {}) => sql`
  insert into config_items (id, name, type, config_class, parent_id, path, health, status, tags, labels, deleted_at, scraper_id)
  values (${idOf(name)}, ${name}, ${item.type ?? "Kubernetes::Pod"}, 'Pod', ${item.parent ? idOf(item.parent) : null}, ${item.path ?? null},
          ${item.health ?? null}, ${item.status ?? null}, ${item.tags === undefined ? null : JSON.stringify(item.tags)}::jsonb,
          ${item.labels === undefined ? null : JSON.stringify(item.labels)}::jsonb, ${item.deleted ? new Date() : null},
          ${item.scraper ? idOf(item.scraper) : null})`;
const add = (name: string, item?: Item) => run(insertItem(name, item));
const change = (
  item: string,
  type: string | null,
  severity: string | null,
  daysAgo: number,
  externalId?: string,
) =>
  run(sql`
    insert into config_changes (config_id, change_type, severity, created_at, external_change_id)
    values (${idOf(item)}, ${type}, ${severity}, now() - ${daysAgo}::float8 * interval '1 day', ${externalId ?? null})`);
const insight = (
  item: string,
  type: string | null,
  severity: string | null,
  status = "open",
  daysAgo = 0,
) =>
  run(sql`
    insert into config_analysis (config_id, analyzer, analysis_type, severity, status, first_observed, last_observed)
    values (${idOf(item)}, 'analyzer of ' || ${status}, ${type}, ${severity}, ${status}, now() - ${daysAgo}::float8 * interval '1 day', now() - ${daysAgo}::float8 * interval '1 day')`);
const relate = (from: string, to: string, relation = "Soft", deleted = false) =>
  run(sql`
    insert into config_relationships (config_id, related_id, relation, deleted_at)
    values (${idOf(from)}, ${idOf(to)}, ${relation}, ${deleted ? new Date() : null})`);

beforeEach(async () => {
  for (const table of [
    "config_changes",
    "config_analysis",
    "config_relationships",
    "config_component_relationships",
    "components",
    "config_items",
    "config_facets",
    "event_queue",
  ])
    await database.owner.run(sql`delete from ${raw(table)}`);
  await run(sql`update config_change_window set since = now() - interval '30 days'`);
});

describe("numbers beside an item", () => {
  const of = async (name: string) =>
    (await rows(sql`select changes, analysis, namespace from configs where id = ${idOf(name)}`))[0];

  test("its changes of the last 30 days and its open insights, or nothing", async () => {
    await add("a", { tags: { namespace: "web" } });
    await add("b");
    await change("a", "diff", "info", 1);
    await change("a", "diff", "info", 2);
    await change("a", "diff", null, 3);
    await change("a", null, "high", 3);
    await change("a", "diff", "high", 31);
    await insight("a", "security", "high");
    await insight("a", "security", "low", "open", 400);
    await insight("a", null, "low");
    await insight("a", "cost", "low", "resolved");
    expect(await of("a")).toEqual({
      namespace: "web",
      changes: [
        { change_type: "diff", severity: "info", total: 3 },
        { change_type: "", severity: "high", total: 1 },
      ],
      analysis: { security: 2, other: 1 },
    });
    expect(await of("b")).toEqual({ namespace: null, changes: null, analysis: null });
  });

  const totals = async () =>
    (
      await rows<{ name: string; change_type: string; severity: string; total: number }>(sql`
        select i.name, change_type, severity, total from config_change_totals t join config_items i on i.id = t.config_id
         where total <> 0 order by 1, 2, 3`)
    ).map((row) => Object.values(row).join(" "));

  test("follow every change that comes, becomes another and goes", async () => {
    await add("a");
    await change("a", "diff", "info", 1, "x");
    await change("a", "old", "info", 40, "y");
    expect(await totals()).toEqual(["a diff info 1"]);
    await run(
      sql`update config_changes set severity = 'high', count = 2 where external_change_id = 'x'`,
    );
    expect(await totals()).toEqual(["a diff high 1"]);
    await run(sql`update config_changes set created_at = now() where external_change_id = 'y'`);
    expect(await totals()).toEqual(["a diff high 1", "a old info 1"]);
    await run(sql`delete from config_changes where external_change_id = 'x'`);
    expect(await totals()).toEqual(["a old info 1"]);
  });

  test("leave behind what is older than 30 days when the window slides, once", async () => {
    await add("a");
    await add("b");
    await run(sql`update config_change_window set since = now() - interval '33 days'`);
    await change("a", "diff", "info", 32);
    await change("a", "diff", "info", 31);
    await change("a", "diff", "info", 1);
    await change("b", "diff", null, 31);
    await change("b", "diff", "low", 34);
    expect(await totals()).toEqual(["a diff info 3", "b diff info 1"]);
    const slide = async () => (await rows(sql`select slide_change_window() as gone`))[0];
    expect(await slide()).toEqual({ gone: 3 });
    expect(await totals()).toEqual(["a diff info 1"]);
    expect(await rows(sql`select from config_change_totals`)).toHaveLength(1);
    expect(await slide()).toEqual({ gone: 0 });
    expect(await totals()).toEqual(["a diff info 1"]);
    await run(sql`delete from config_changes where created_at < now() - interval '30 days'`);
    expect(await totals()).toEqual(["a diff info 1"]);
  });

  test("are those of the changes themselves, whatever happened at the same time", async () => {
    const items = ["a", "b", "c", "d"];
    for (const item of items) await add(item);
    let seed = 7;
    const below = (sides: number) => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % sides;
    };
    const oneOf = <One>(all: readonly One[]) => all[below(all.length)]!;
    // Some fall out of the window while this runs.
    const at = () =>
      oneOf([
        sql`now() - ${below(29)} * interval '1 day'`,
        sql`now() - interval '30 days' + ${below(800)} * interval '1 millisecond'`,
        sql`now() - interval '31 days'`,
      ]);
    const type = () => oneOf(["diff", "Created", null]);
    const severity = () =>
      oneOf(["critical", "HIGH", "high", "medium", "low", "info", null, "odd"]);
    const some = () => sql`(abs(hashtext(id::text)) + ${below(1_000)}) % ${2 + below(5)} = 0`;
    const operations: (() => Sql)[] = [
      ...Array.from({ length: 4 }, () => () => {
        const made = Array.from(
          { length: 1 + below(6) },
          () => sql`(${idOf(oneOf(items))}::uuid, ${type()}::text, ${severity()}::text, ${at()})`,
        );
        return sql`insert into config_changes (config_id, change_type, severity, created_at) values ${join(made)}`;
      }),
      () => sql`update config_changes set severity = ${severity()} where ${some()}`,
      () =>
        sql`update config_changes set change_type = ${type()}, created_at = ${at()} where ${some()}`,
      () => sql`update config_changes set config_id = ${idOf(oneOf(items))} where ${some()}`,
      () => sql`delete from config_changes where ${some()}`,
      () => sql`delete from config_changes where created_at < now() - interval '30 days 12 hours'`,
      () => sql`select slide_change_window()`,
      () => sql`select sum_change_hours()`,
    ];
    const worker = async () => {
      for (let n = 0; n < 40; n += 1) {
        const operation = oneOf(operations)();
        // Two of them may want the same changes in different order; one of them is undone then.
        await run(operation).catch((error: { code?: string }) => {
          if (error.code !== "40P01") throw error;
        });
      }
    };
    await Promise.all(Array.from({ length: 6 }, worker));
    expect(
      await rows(sql`
        with true_ones as (
          select config_id, coalesce(change_type, '') as change_type, coalesce(severity, 'info') as severity, count(*)::int as total
            from config_changes where created_at > (select since from config_change_window) group by 1, 2, 3)
        select * from true_ones full join (select * from config_change_totals where total <> 0) kept
                 using (config_id, change_type, severity, total)
         where true_ones.config_id is null or kept.config_id is null`),
    ).toEqual([]);
    const counted = (severe: string) =>
      sql`count(*) filter (where lower(severity) = ${severe})::int as ${raw(severe)}`;
    const sums = await rows(sql`
      select config_id, count(*)::int as total, ${join(["critical", "high", "medium", "low"].map(counted))}
        from config_changes where created_at > (select since from config_change_window) group by 1 order by 1`);
    expect(sums.length).toBeGreaterThan(0);
    expect(
      await rows(sql`
        select config_id, total, critical, high, medium, low from config_change_sums
         where (total, critical, high, medium, low) <> (0, 0, 0, 0, 0) order by 1`),
    ).toEqual(sums);
    const hours = await rows(sql`
      select date_trunc('hour', created_at, 'UTC') as hour, change_type, severity, count(*)::int as total
        from config_changes group by 1, 2, 3 order by 1, 2, 3`);
    const kept = () =>
      rows(sql`
        select hour, change_type, severity, sum(total)::int as total from config_change_hours
         group by 1, 2, 3 having sum(total) <> 0 order by 1, 2, 3`);
    expect(await kept()).toEqual(hours);
    await run(sql`select sum_change_hours()`);
    expect(await kept()).toEqual(hours);
    expect(await rows(sql`select from config_change_hours`)).toHaveLength(hours.length);
    expect(await rows(sql`select sum_change_hours()::int as taken`)).toEqual([{ taken: 0 }]);
  });

  describe("by the type of their item", () => {
    const types = () => rows(sql`select type from config_change_sums`);
    const retype = () => sql`update config_items set type = 'New' where id = ${idOf("a")}`;

    test("which is added when nobody is changing it", async () => {
      await add("a", { type: "Old" });
      await database.db.transaction(async (tx) => {
        await tx.run(retype());
        await change("a", "diff", "info", 1);
        await run(sql`select type_change_sums()`);
      });
      await run(sql`select type_change_sums()`);
      expect(await types()).toEqual([{ type: "New" }]);
    });

    test("which stays what it has become while a change was written", async () => {
      await add("a", { type: "Old" });
      await change("a", "diff", "info", 1);
      await run(sql`select type_change_sums()`);
      expect(await types()).toEqual([{ type: "Old" }]);
      const { counted } = await database.db.transaction(async (tx) => {
        await tx.run(retype());
        const counting = change("a", "diff", "info", 1);
        await untilBlocked(tx, 1);
        return { counted: counting };
      });
      await counted;
      expect(await types()).toEqual([{ type: "New" }]);
    });
  });

  test("hold the window still while they are counted into it", async () => {
    await add("a");
    await run(sql`update config_change_window set since = now() - interval '31 days'`);
    const slide = await database.db.transaction(async (tx) => {
      await tx.run(sql`
        insert into config_changes (config_id, change_type, created_at)
        values (${idOf("a")}, 'diff', now() - interval '30.5 days')`);
      const sliding = rows(sql`select slide_change_window() as gone`);
      await untilBlocked(tx, 1);
      return { sliding };
    });
    expect(await slide.sliding).toEqual([{ gone: 1 }]);
    expect(await totals()).toEqual([]);
    expect(await rows(sql`select total from config_change_sums`)).toEqual([{ total: 0 }]);
  });

  test("go with the item", async () => {
    await add("a");
    await change("a", "diff", "info", 1);
    await run(sql`delete from config_changes`);
    await run(sql`delete from config_items`);
    expect(await rows(sql`select from config_change_totals`)).toEqual([]);
    expect(await rows(sql`select from config_change_sums`)).toEqual([]);
  });
});

describe("tags and labels that there are", () => {
  const facets = async () =>
    (
      await rows<{ text: string }>(sql`
        select kind || ' ' || key || '=' || value || ' ' || items as text from config_facets where items <> 0 order by 1`)
    ).map(({ text }) => text);
  const offered = async () =>
    [
      ...(await rows<{ text: string }>(
        sql`select 'tag ' || key || '=' || value as text from config_tags order by 1`,
      )),
      ...(await rows<{ text: string }>(
        sql`select 'label ' || key || '=' || value as text from config_labels order by 1`,
      )),
    ].map(({ text }) => text);

  test("follow items that come, become others, are deleted, come back and go", async () => {
    await add("a", { tags: { zone: "1" }, labels: { app: "x" } });
    await add("b", { tags: { zone: "1" } });
    await add("c", { tags: { zone: "1" }, deleted: true });
    expect(await facets()).toEqual(["label app=x 1", "tag zone=1 2"]);
    await run(sql`update config_items set tags = '{"zone":"2"}' where name = 'a'`);
    expect(await facets()).toEqual(["label app=x 1", "tag zone=1 1", "tag zone=2 1"]);
    await run(sql`update config_items set deleted_at = now() where name = 'a'`);
    expect(await facets()).toEqual(["tag zone=1 1"]);
    expect(await offered()).toEqual(["tag zone=1"]);
    await run(sql`update config_items set deleted_at = null, status = 'x'`);
    expect(await facets()).toEqual(["label app=x 1", "tag zone=1 2", "tag zone=2 1"]);
    await run(sql`delete from config_items where name in ('a', 'b')`);
    expect(await facets()).toEqual(["tag zone=1 1"]);
  });

  test("are none where a map holds something else, or what nobody would choose", async () => {
    await add("a", { tags: ["x"], labels: null });
    await add("b", { labels: { note: "x".repeat(401), ["k".repeat(129)]: "y", ok: "1" } });
    expect(await facets()).toEqual(["label ok=1 1"]);
  });
});

describe("lists of what there is", () => {
  beforeEach(async () => {
    await add("a", { type: "B::X", status: "Running" });
    await add("b", { type: "A::Y", status: "Running" });
    await add("c", { type: "A::Y", status: "Ready" });
    await add("d", { type: "C::Gone", deleted: true });
    await change("a", "diff", "high", 1);
    await change("a", "diff", "low", 1);
    await change("b", "Created", "low", 1);
    await change("b", null, "low", 1);
    await insight("a", "cost", "high");
    await insight("b", null, "low", "silenced", 40);
  });
  test.each([
    ["config_types", "type", ["A::Y", "B::X", "C::Gone"]],
    ["config_statuses", "status", ["Ready", "Running"]],
    ["config_classes", "config_class", ["Pod"]],
    ["config_names", "name", ["a", "b", "c", "d"]],
    ["change_types", "change_type", ["Created", "diff"]],
    ["analyzer_types", "analyzer", ["analyzer of open", "analyzer of silenced"]],
    ["analysis_types", "analysis_type", ["cost"]],
    ["config_analysis_analyzers", "analyzer", ["analyzer of open"]],
    ["config_changes_by_types", "type || ' ' || change_count", ["A::Y 2", "B::X 2"]],
    [
      "config_analysis_by_severity",
      "type || ' ' || severity || ' ' || analysis_count",
      ["B::X high 1"],
    ],
    [
      "config_analysis_items",
      "config_type || ' ' || coalesce(analysis_type, '-')",
      ["A::Y -", "B::X cost"],
    ],
    ["analysis_by_config", "analysis::text", [`{"cost": {"high": 1}}`, `{"other": {"low": 1}}`]],
    [
      "catalog_changes",
      "name || ' ' || coalesce(change_type, '-')",
      ["a diff", "a diff", "b -", "b Created"],
    ],
    [
      "config_summary",
      "type || ' ' || total_configs || ' ' || changes || ' ' || coalesce(severity::text, '-')",
      [`A::Y 2 2 -`, `B::X 1 2 {"high": 1}`],
    ],
    [
      "config_class_summary",
      "config_class || ' ' || total_configs || ' ' || changes || ' ' || analysis",
      [`Pod 4 4 {"cost": 1}`],
    ],
  ])("%s", async (view, text, expected) => {
    const found = await rows<{ text: string }>(sql`select ${raw(text)} as text from ${raw(view)}`);
    expect(found.map((row) => row.text).toSorted()).toEqual(expected);
  });

  test("of AWS with where they are", async () => {
    await add("vm", {
      type: "AWS::EC2::Instance",
      labels: { zone: "1a", region: "1", account: "me" },
    });
    expect(await rows(sql`select name, zone, region, account from config_items_aws`)).toEqual([
      { name: "vm", zone: "1a", region: "1", account: "me" },
    ]);
  });
});

test("what becomes of items and their changes is told, and nothing else", async () => {
  const told = async () => {
    const found = await rows<{ name: string; id: string }>(sql`
      select name, properties ->> 'id' as id from event_queue where name like 'config.%' order by name, id`);
    await database.owner.run(sql`delete from event_queue`);
    return found.map(({ name, id }) => `${name} ${nameOf(id)}`);
  };
  await add("a", { health: "healthy" });
  await add("b", { health: "unhealthy" });
  expect(await told()).toEqual(["config.created a", "config.created b", "config.unhealthy b"]);
  await run(sql`update config_items set last_scraped_time = now(), status = 'x'`);
  expect(await told()).toEqual([]);
  await run(sql`update config_items set health = case name when 'a' then 'warning' end`);
  expect(await told()).toEqual(["config.unknown b", "config.warning a"]);
  await run(sql`update config_items set deleted_at = now() where name = 'a'`);
  await run(sql`update config_items set deleted_at = now() where name = 'a'`);
  expect(await told()).toEqual(["config.deleted a"]);
  await change("b", "diff", null, 1);
  await change("b", "Created", null, 1);
  expect(await told()).toEqual(["config.changed b", "config.updated b"]);
});

describe("parents", () => {
  const edges = async () =>
    (
      await rows<{ config_id: string; related_id: string; relation: string }>(
        sql`select config_id, related_id, relation from config_relationships where deleted_at is null`,
      )
    )
      .map((edge) => `${nameOf(edge.config_id)} ${edge.relation} ${nameOf(edge.related_id)}`)
      .toSorted();

  test("are hard relationships, which follow them", async () => {
    // Both in one statement: the child may come first.
    await run(sql`with child as (${insertItem("child", { parent: "one" })}) ${insertItem("one")}`);
    await add("two");
    await relate("one", "child", "Soft");
    expect(await edges()).toEqual(["one Soft child", "one hard child"]);
    await run(sql`update config_items set parent_id = ${idOf("two")} where name = 'child'`);
    expect(await edges()).toEqual(["one Soft child", "two hard child"]);
    await run(sql`update config_relationships set deleted_at = now() where relation = 'hard'`);
    await run(sql`update config_items set parent_id = null where name = 'child'`);
    await run(sql`update config_items set parent_id = ${idOf("two")} where name = 'child'`);
    expect(await edges()).toEqual(["one Soft child", "two hard child"]);
    await run(sql`update config_items set parent_id = null where name = 'child'`);
    expect(await edges()).toEqual(["one Soft child"]);
  });

  test("that go leave their children without one", async () => {
    await add("one");
    await add("child", { parent: "one" });
    await run(sql`delete from config_relationships`);
    await run(sql`delete from config_items where name = 'one'`);
    expect(await rows(sql`select name, parent_id from config_items`)).toEqual([
      { name: "child", parent_id: null },
    ]);
  });
});

test("an item without a name is called by the end of its id", async () => {
  await run(
    sql`insert into config_items (id, name, type, config_class) values (${idOf("nameless")}, '', 'X', 'X')`,
  );
  expect(await rows(sql`select name from config_items`)).toEqual([
    { name: idOf("nameless").slice(-12) },
  ]);
});

/**
 * cluster ─ namespace ─ pod by parents; pod → secret → store by soft ties, store → pod closes a circle; node → pod;
 * namespace → gone, which is deleted; pod → untied by a tie that is deleted.
 */
describe("how items hang together", () => {
  beforeEach(async () => {
    await add("cluster");
    await add("namespace", { parent: "cluster", path: idOf("cluster") });
    await add("pod", { parent: "namespace", path: `${idOf("cluster")}.${idOf("namespace")}` });
    for (const name of ["secret", "store", "node", "untied"]) await add(name);
    await add("gone", { deleted: true });
    await relate("pod", "secret");
    await relate("secret", "store");
    await relate("store", "pod");
    await relate("node", "pod");
    await relate("namespace", "gone");
    await relate("gone", "node");
    await relate("pod", "untied", "Soft", true);
    await relate("pod", "pod");
  });

  const edges = async (call: Sql) =>
    (
      await rows<{ id: string; related_id: string; direction: string; depth: number }>(
        sql`select id, related_id, direction, depth from ${call}`,
      )
    )
      .map(
        ({ id, related_id: to, direction, depth }) =>
          `${depth} ${direction[0]} ${nameOf(id)}>${nameOf(to)}`,
      )
      .toSorted();

  test.each<[string, unknown[], string[]]>([
    [
      "pod",
      ["outgoing", 5],
      ["1 o pod>pod", "1 o pod>secret", "2 o secret>store", "3 o store>pod"],
    ],
    ["pod", ["outgoing", 2], ["1 o pod>pod", "1 o pod>secret", "2 o secret>store"]],
    ["pod", ["outgoing", 0], []],
    ["pod", ["outgoing", 5, "both", "hard"], []],
    ["cluster", ["outgoing", 5, "both", "hard"], ["1 o cluster>namespace", "2 o namespace>pod"]],
    ["pod", ["incoming", 1], ["1 i namespace>pod", "1 i node>pod", "1 i pod>pod", "1 i store>pod"]],
    ["pod", ["incoming", 5, "hard"], ["1 i namespace>pod", "2 i cluster>namespace"]],
    ["secret", ["all", 1], ["1 i pod>secret", "1 o secret>store"]],
    ["secret", ["", 1], ["1 i pod>secret", "1 o secret>store"]],
  ])("the ties of %s %j", async (name, args, expected) => {
    const call = sql`config_relationships_recursive(${join([sql`${idOf(name)}::uuid`, ...args.map((one) => (typeof one === "number" ? sql`${one}::int` : sql`${one}::text`))])})`;
    expect(await edges(call)).toEqual(expected);
  });

  test("which way is meant must be said", async () => {
    await expect(
      rows(sql`select from config_relationships_recursive(${idOf("pod")}, 'none')`),
    ).rejects.toMatchObject({ code: "22023" });
  });

  test("the ids alone, each with its least distance", async () => {
    const found = await rows<{ id: string; direction: string; depth: number }>(
      sql`select * from related_config_ids_recursive(${idOf("cluster")}, 'outgoing', 10)`,
    );
    expect(found.map(({ id, depth }) => `${depth} ${nameOf(id)}`).toSorted()).toEqual([
      "1 namespace",
      "2 gone",
      "2 pod",
      "3 node",
      "3 pod".replace("pod", "secret"),
      "4 store",
    ]);
  });

  test("the way up, nearest first", async () => {
    expect(
      (
        await rows<Record<string, string>>(sql`select * from get_recursive_path(${idOf("pod")})`)
      ).map(
        ({ id, related_id: to, depth, relation_type: relation }) =>
          `${depth} ${relation} ${nameOf(id!)}>${nameOf(to!)}`,
      ),
    ).toEqual(["1 parent namespace>pod", "2 parent cluster>namespace"]);
    expect(await rows(sql`select * from get_recursive_path(${idOf("cluster")})`)).toEqual([]);
    expect(await rows(sql`select config_path(${idOf("pod")}) as path`)).toEqual([
      { path: [idOf("cluster"), idOf("namespace"), idOf("pod")].join(".") },
    ]);
  });

  const related = async (name: string, args: Sql) =>
    (
      await rows<{ name: string; related_ids: string[] | null }>(
        sql`select name, related_ids from related_configs_recursive(${idOf(name)}::uuid, ${args})`,
      )
    ).map(
      ({ name: one, related_ids: to }) => `${one}>${(to ?? []).map(nameOf).toSorted().join(",")}`,
    );

  test("items with what each is tied to, nearest first, and always what is above", async () => {
    expect(await related("secret", sql`'outgoing'`)).toEqual([
      "secret>store",
      "store>pod",
      "pod>pod,secret",
    ]);
    expect(await related("pod", sql`'outgoing', false, 1`)).toEqual([
      "pod>pod,secret",
      "namespace>pod",
      "secret>",
      "cluster>namespace",
    ]);
    expect(await related("namespace", sql`'outgoing', false, 1`)).toEqual([
      "namespace>gone,pod",
      "cluster>namespace",
      "pod>",
    ]);
    expect(await related("namespace", sql`'outgoing', true, 1`)).toEqual([
      "namespace>gone,pod",
      "cluster>namespace",
      "gone>",
      "pod>",
    ]);
    expect(await related("untied", sql`'all'`)).toEqual(["untied>"]);
  });

  test("by which names items are tied", async () => {
    const found = await rows<{ name: string; relations: Record<string, string[]> | null }>(
      sql`select name, relations from related_configs_recursive(${idOf("pod")}::uuid, 'outgoing', false, 1)`,
    );
    const named = found.map(({ name, relations }) => [
      name,
      Object.entries(relations ?? {}).map(([id, names]) => `${nameOf(id)} ${names.join()}`),
    ]);
    expect(Object.fromEntries(named)).toEqual({
      cluster: ["namespace hard"],
      namespace: ["pod hard"],
      pod: expect.arrayContaining([expect.stringMatching(/^secret /)]),
      secret: [],
    });
  });

  test("a walk ends at a number of items, and says so", async () => {
    const walk = async (most: number, way = "outgoing") => {
      const found = await rows<{ name: string; related_ids: string[] | null; is_partial: boolean }>(
        sql`select name, related_ids, is_partial from related_configs_recursive(${idOf("cluster")}::uuid, ${way}, true, 10, 'both', 'both', ${most})`,
      );
      const names = found.map(({ name }) => name);
      // What it does not show, it does not name.
      for (const { related_ids: to } of found)
        for (const id of to ?? []) expect(names).toContain(nameOf(id));
      return { names, isPartial: new Set(found.map((row) => row.is_partial)) };
    };
    expect(await walk(7)).toEqual({
      names: ["cluster", "namespace", "gone", "pod", "node", "secret", "store"],
      isPartial: new Set([false]),
    });
    const some = await walk(3);
    expect(some.isPartial).toEqual(new Set([true]));
    expect(some.names).toHaveLength(3);
    expect(some.names.slice(0, 2)).toEqual(["cluster", "namespace"]);
    expect(await walk(1)).toEqual({ names: ["cluster"], isPartial: new Set([true]) });
    expect(await walk(1, "incoming")).toEqual({ names: ["cluster"], isPartial: new Set([false]) });
  });

  test("changes of what is related", async () => {
    for (const name of ["cluster", "namespace", "pod", "store"]) await change(name, name, null, 1);
    const of = async (name: string, way: string, depth = 5) =>
      (
        await rows<{ change_type: string }>(
          sql`select change_type from related_changes_recursive(${idOf(name)}, ${way}, false, ${depth})`,
        )
      )
        .map((row) => row.change_type)
        .toSorted();
    expect(await of("namespace", "downstream")).toEqual(["namespace", "pod", "store"]);
    expect(await of("namespace", "upstream")).toEqual(["cluster", "namespace"]);
    expect(await of("namespace", "all")).toEqual(["cluster", "namespace", "pod", "store"]);
    expect(await of("namespace", "none")).toEqual(["namespace"]);
    expect(await of("namespace", "downstream", 1)).toEqual(["namespace", "pod"]);
  });

  test("children and neighbours", async () => {
    const children = async (depth: number) =>
      (
        await rows<{ child_id: string; level: number }>(
          sql`select * from lookup_config_children(${idOf("cluster")}, ${depth})`,
        )
      ).map(({ child_id: child, level }) => `${level} ${nameOf(child)}`);
    expect(await children(-1)).toEqual(["0 cluster", "1 namespace", "2 pod"]);
    expect(await children(1)).toEqual(["0 cluster", "1 namespace"]);
    const neighbours = await rows<{ id: string }>(
      sql`select * from lookup_config_relations(${idOf("pod")})`,
    );
    expect(neighbours.map(({ id }) => nameOf(id)).toSorted()).toEqual([
      "namespace",
      "node",
      "pod",
      "secret",
      "store",
      "untied",
    ]);
  });

  test("the detail of an item counts what its tabs show", async () => {
    await insight("namespace", "cost", "low");
    await insight("namespace", "cost", "low", "resolved", 1);
    await insight("namespace", "cost", "low", "resolved", 9);
    await change("store", "diff", null, 1);
    await change("store", "diff", null, 9);
    await change("cluster", "diff", null, 1);
    expect(
      await rows(
        sql`select summary, components from config_detail where id = ${idOf("namespace")}`,
      ),
    ).toEqual([
      {
        summary: { relationships: 3, analysis: 3, changes: 1, playbook_runs: 0, checks: 0 },
        components: [],
      },
    ]);
  });
});

test("what hangs on a hub is found with any plan, after however many questions", async () => {
  const hub = idOf("hub");
  for (const table of ["config_items", "config_relationships"])
    await database.owner.run(sql`alter table ${raw(table)} disable trigger user`);
  try {
    await database.owner.run(sql`
      insert into config_items (id, name, type, config_class)
      select ${hub}::uuid, 'hub', 'Hub', 'Hub'
       union all select md5('spoke ' || n)::uuid, 'spoke ' || n, 'Spoke', 'Spoke' from generate_series(1, 20000) n`);
    await database.owner.run(sql`
      insert into config_relationships (config_id, related_id, relation)
      select ${hub}::uuid, md5('spoke ' || n)::uuid, 'hard' from generate_series(1, 20000) n`);
  } finally {
    for (const table of ["config_items", "config_relationships"])
      await database.owner.run(sql`alter table ${raw(table)} enable trigger user`);
  }
  await database.owner.run(sql`analyze config_relationships`);
  const timeOf = async (mode: string) =>
    database.db.transaction(async (tx) => {
      await tx.run(sql`select set_config('plan_cache_mode', ${mode}, true)`);
      const begun = performance.now();
      const found = await tx.first<{ n: number }>(sql`
        select count(*)::int as n from walk_config_relationships(${hub}::uuid, 'outgoing', 10, 'both', 'both', 15000)`);
      expect(found).toEqual({ n: 15_000 });
      return performance.now() - begun;
    });
  const quick = await timeOf("force_custom_plan");
  // Where a plan that fits every question compares each tie with each item it takes a hundred times as long.
  expect(await timeOf("force_generic_plan")).toBeLessThan(10 * quick + 500);
  // To delete so many one by one takes longer than all else here.
  await database.owner.run(sql`truncate config_relationships, config_items cascade`);
});

test("what a component is tied to", async () => {
  await add("pod");
  await add("gone", { deleted: true });
  const [component] = await rows<{ id: string }>(
    sql`insert into components (name, type, status, external_id) values ('shop', 'Service', 'healthy', 'shop') returning id`,
  );
  const id = component!.id;
  await run(sql`
    insert into config_component_relationships (component_id, config_id) values (${id}, ${idOf("pod")}), (${id}, ${idOf("gone")})`);
  await change("pod", "diff", "low", 1);
  await change("gone", "diff", "low", 2);
  await insight("pod", "cost", "low");
  await insight("pod", "security", "critical");
  await insight("pod", "security", "low", "resolved");
  await insight("gone", "cost", "high");
  const of = async (statement: Sql) =>
    (await rows<{ text: string }>(statement)).map(({ text }) => text);
  expect(
    await of(
      sql`select name || ' ' || change_type as text from changes_by_component where component_id = ${id}`,
    ),
  ).toEqual(["pod diff", "gone diff"]);
  expect(
    await of(sql`select severity as text from analysis_by_component where component_id = ${id}`),
  ).toEqual(["critical", "low"]);
  expect(
    await rows(sql`select analysis from analysis_summary_by_component where id = ${id}`),
  ).toEqual([{ analysis: { cost: { low: 1 }, security: { critical: 1, low: 1 } } }]);
  expect(
    await of(sql`select analysis_type as text from lookup_analysis_by_component(${id}) order by 1`),
  ).toEqual(["cost", "cost", "security", "security"]);
  expect(
    await of(
      sql`select config_id::text as text from lookup_changes_by_component(${id}) order by 1`,
    ),
  ).toEqual([idOf("pod"), idOf("gone")].toSorted());
  expect(
    await rows(
      sql`select name, type, role, deleted_at is null as there from lookup_configs_by_component(${id}) order by name`,
    ),
  ).toEqual([
    { name: "gone", type: "Pod", role: "left", there: false },
    { name: "pod", type: "Pod", role: "left", there: true },
  ]);
  expect(
    await rows(sql`select name, type, role from lookup_components_by_config(${idOf("pod")})`),
  ).toEqual([{ name: "shop", type: "Service", role: "left" }]);
  const [detail] = await rows<{ components: { name: string }[] }>(
    sql`select components from config_detail where id = ${idOf("pod")}`,
  );
  expect(detail!.components).toMatchObject([{ name: "shop" }]);
});

test("a scraper that is deleted takes along what it found, and says how its last run went", async () => {
  await run(
    sql`insert into config_scrapers (id, name, spec) values (${idOf("scraper")}, 'fleet', '{}')`,
  );
  await add("found", { scraper: "scraper" });
  await add("other");
  await run(sql`
    insert into job_history (name, resource_type, resource_id, status, success_count, error_count, time_start, created_at)
    values ('Scraper', 'config_scraper', ${idOf("scraper")}, 'FAILED', 0, 1, '2026-01-01Z', '2026-01-01Z'),
           ('Scraper', 'config_scraper', ${idOf("scraper")}, 'SUCCESS', 7, 0, '2026-01-02Z', '2026-01-02Z')`);
  expect(
    await rows(
      sql`select name, job_status, job_success_count, job_last_failed, agent from config_scrapers_with_status`,
    ),
  ).toEqual([
    {
      name: "fleet",
      job_status: "SUCCESS",
      job_success_count: 7,
      job_last_failed: new Date("2026-01-01Z"),
      agent: { id: "00000000-0000-0000-0000-000000000000", name: "local" },
    },
  ]);
  await run(sql`update config_scrapers set deleted_at = now()`);
  expect(await rows(sql`select from config_scrapers_with_status`)).toEqual([]);
  expect(
    await rows(sql`select name, delete_reason from config_items where deleted_at is not null`),
  ).toEqual([{ name: "found", delete_reason: "SCRAPER_DELETED" }]);
});
