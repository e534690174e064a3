import sql from "sql-template-tag";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testDatabase } from "../../../testing/app.ts";

let database: Awaited<ReturnType<typeof testDatabase>>;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

interface PlanNode {
  "Relation Name"?: string;
  "Actual Rows": number;
  "Actual Loops": number;
  "Rows Removed by Filter"?: number;
  Plans?: PlanNode[];
}

/** Results that a plan has looked at. */
function resultsRead(node: PlanNode): number {
  const own = node["Relation Name"]?.startsWith("check_statuses")
    ? (node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0)) * node["Actual Loops"]
    : 0;
  return (node.Plans ?? []).reduce((sum, child) => sum + resultsRead(child), own);
}

test("the checks of one item are summarised from their own results, however many others there are", async () => {
  const { db, owner } = database;
  const runs = 50;
  await db.run(sql`
    insert into config_items (id, type, config_class) values ('00000000-0000-4000-8000-000000000001', 'Test', 'Test')`);
  await db.run(sql`
    with canary as (insert into canaries (name, namespace, spec) values ('many', 's', '{}') returning id),
    made as (
      insert into checks (canary_id, type, name, status)
      select id, 'http', n::text, 'healthy' from canary, generate_series(1, 200) n returning id, canary_id, name),
    related as (
      insert into check_config_relationships (config_id, check_id, canary_id)
      select '00000000-0000-4000-8000-000000000001', id, canary_id from made where name in ('1', '2'))
    insert into check_totals (check_id, passed, last_time) select id, ${runs}, now() from made`);
  await db.run(sql`
    insert into check_statuses (check_id, time, duration, status)
    select id, now() - n * interval '1 minute', 10, n > 1 from checks, generate_series(1, ${runs}::int) n`);
  await owner.raw("analyze");
  const asked = `select * from check_summary_for_config where config_id = '00000000-0000-4000-8000-000000000001'`;
  const shown = await db.raw(`${asked} order by name`);
  expect(shown.rows).toMatchObject(
    ["1", "2"].map((name) => ({
      name,
      uptime: { passed: runs - 1, failed: 1 },
      latency: { p99: 10, avg: 10 },
    })),
  );
  const explained = await db.raw(`explain (analyze, format json) ${asked}`);
  const [{ Plan: plan }] = (explained.rows as { "QUERY PLAN": [{ Plan: PlanNode }] }[])[0]![
    "QUERY PLAN"
  ];
  // By the hour, and by the last one where there were none for an hour.
  expect(resultsRead(plan)).toBeGreaterThanOrEqual(2 * runs);
  expect(resultsRead(plan)).toBeLessThanOrEqual(4 * runs);
});
