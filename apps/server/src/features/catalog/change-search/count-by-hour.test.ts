import { afterAll, beforeAll, expect, test } from "vitest";
import sql, { join, type Sql } from "sql-template-tag";
import { startTestApp, type TestApp } from "../../../testing/app.ts";

/** Counts by the hour beside counts of the changes themselves: the same numbers, whatever is asked for. */

let seed = 11;
const below = (sides: number) => {
  seed = (seed * 48_271) % 2_147_483_647;
  return seed % sides;
};
const oneOf = <One>(all: readonly One[]) => all[below(all.length)]!;
const itemOf = (n: number) => `0190a0b4-0000-7000-8000-${String(n).padStart(12, "0")}`;
const hourMs = 3_600_000;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ role: "api" });
  await app.db.run(sql`
    insert into config_items (id, name, type, config_class, deleted_at)
    select ('0190a0b4-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, 'item ' || n, 'T', 'T', case when n % 4 = 0 then now() end
      from generate_series(1, 20) n`);
  // Many stand at the very beginning of an hour, or just before it.
  const thisHour = Math.floor(Date.now() / hourMs) * hourMs;
  const at = () =>
    new Date(
      oneOf([
        thisHour - below(80) * hourMs,
        thisHour - below(80) * hourMs - 1,
        Date.now() - below(80 * hourMs),
        // Clocks elsewhere go wrong.
        Date.now() + below(3 * hourMs),
      ]),
    );
  const made = Array.from(
    { length: 400 },
    () =>
      sql`(${itemOf(1 + below(20))}::uuid, ${oneOf(["diff", "Pulled", "", null])}::text,
           ${oneOf(["critical", "High", "low", "info", "odd", null])}::text, ${at()}::timestamptz,
           ${oneOf(["ann@example.com", "bob", "", null])}::text, ${oneOf(["Image pulled", "back-off", null])}::text,
           ${oneOf([1, 1, 2, 7])}::int)`,
  );
  await app.db.run(sql`
    insert into config_changes (config_id, change_type, severity, created_at, external_created_by, summary, count) values ${join(made)}`);
});
afterAll(() => app.stop());

interface Search {
  body: object;
  where: Sql;
}
const types: readonly Search[] = [
  { body: {}, where: sql`true` },
  { body: { type: "diff" }, where: sql`c.change_type = 'diff'` },
  { body: { type: "!diff" }, where: sql`c.change_type is distinct from 'diff'` },
  { body: { search: "-type=pulled" }, where: sql`c.change_type is distinct from 'Pulled'` },
  {
    body: { search: "type=diff | severity>=high" },
    where: sql`(c.change_type = 'diff' or lower(c.severity) in ('critical', 'high'))`,
  },
];
const severities: readonly Search[] = [
  { body: {}, where: sql`true` },
  { body: { severity: "high" }, where: sql`lower(c.severity) in ('critical', 'high')` },
  { body: { severity: "!info" }, where: sql`lower(coalesce(c.severity, 'info')) <> 'info'` },
];
/** What counts by the hour do not know: what must not hold is taken away from them. */
const others: readonly Search[] = [
  { body: {}, where: sql`true` },
  {
    body: { search: "-by=ann" },
    where: sql`c.external_created_by is distinct from 'ann@example.com'`,
  },
  {
    body: { search: "by!=ann,bob" },
    where: sql`coalesce(c.external_created_by, '') not in ('ann@example.com', 'bob')`,
  },
  {
    body: { search: "-pulled -count>1" },
    where: sql`coalesce(c.summary, '') <> 'Image pulled' and c.count <= 1`,
  },
  {
    body: { search: "-type=diff -(by=ann pulled)" },
    where: sql`c.change_type is distinct from 'diff' and (c.external_created_by = 'ann@example.com' and c.summary = 'Image pulled') is not true`,
  },
  { body: { search: "count>1" }, where: sql`c.count > 1` },
  { body: { search: "count>=2 back" }, where: sql`c.count >= 2 and c.summary = 'back-off'` },
  { body: { search: "count>1.5 -count=7" }, where: sql`c.count = 2` },
];
const gone: readonly Search[] = [
  { body: {}, where: sql`i.deleted_at is null` },
  { body: { include_deleted_configs: true }, where: sql`true` },
];

function anyRange(): Search & { from: Date } {
  const round = (ms: number) => oneOf([ms, Math.floor(ms / hourMs) * hourMs]);
  const from = new Date(round(Date.now() - below(90 * hourMs)));
  const to = oneOf([
    undefined,
    new Date(round(from.getTime() + 1 + hourMs + below(60 * hourMs))),
    new Date(from.getTime() + 1 + below(hourMs)),
  ]);
  return {
    from,
    body: { from: from.toISOString(), ...(to && { to: to.toISOString() }) },
    where: sql`c.created_at >= ${from} ${to ? sql`and c.created_at < ${to}` : sql``}`,
  };
}

test("as many are found, and in the same spans of time, as by a look at each of them", async () => {
  let found = 0;
  for (let round = 0; round < 120; round += 1) {
    // Some are not yet made one row of.
    if (round === 60) await app.db.run(sql`select sum_change_hours()`);
    const range = anyRange();
    // The one body has room for one search.
    const typed = oneOf([types, others]);
    const parts = [oneOf(typed), oneOf(severities), oneOf(gone), range];
    const where = sql`${join(
      parts.map((part) => part.where),
      " and ",
    )}`;
    const body = Object.assign({}, ...parts.map((part) => part.body)) as object;
    const counted = await app.db.rows<{ at: Date; severity: string; n: number }>(sql`
      select date_trunc('hour', c.created_at, 'UTC') as at, c.severity, count(*)::int as n
        from config_changes c join config_items i on i.id = c.config_id where ${where} group by 1, 2`);
    const total = counted.reduce((sum, { n }) => sum + n, 0);
    found += total;
    const listed = await app.admin.post("/api/catalog/changes", { ...body, page_size: 1 });
    expect([body, listed.status, listed.json.total ?? 0]).toEqual([body, 200, total]);
    if (range.from.getTime() >= Date.now()) continue;
    const { status, json } = await app.admin.post("/api/catalog/changes/timeline", body);
    expect(status).toBe(200);
    const stepMs = json.step_ms as number;
    const spans = new Map<string, number>();
    const exact = await app.db.rows<{ at: Date; n: number }>(sql`
      select date_bin(make_interval(secs => ${stepMs / 1000}::float8), c.created_at, 'epoch') as at, count(*)::int as n
        from config_changes c join config_items i on i.id = c.config_id where ${where} group by 1`);
    for (const { at, ...counts } of json.spans as ({ at: string } & Record<string, number>)[])
      spans.set(
        at,
        Object.values(counts).reduce((sum, n) => sum + n, 0),
      );
    expect([body, spans]).toEqual([
      body,
      new Map(exact.map(({ at, n }) => [at.toISOString(), n] as const)),
    ]);
  }
  expect(found).toBeGreaterThan(1_000);
});

test("counts what is asked of type and severity alone, and what must not hold, without the changes of whole hours", async () => {
  // Of an hour that nobody has changes in, only the counts say that there are some.
  const hour = "2026-01-01T10:00:00Z";
  await app.db.run(
    sql`insert into config_change_hours (hour, change_type, severity, total) values (${hour}, 'diff', 'high', 3)`,
  );
  const range = { from: "2026-01-01T09:30:00Z", to: "2026-01-01T11:30:00Z" };
  // On a second page: of a first one that is empty nothing is counted.
  const total = async (more: object) =>
    (await app.admin.post("/api/catalog/changes", { ...range, page: 2, ...more })).json.total;
  expect(await total({ search: "severity>=high" })).toBe(3);
  expect(await total({ type: "diff", severity: "high" })).toBe(3);
  expect(await total({ search: "severity>=high -by=ann -pulled" })).toBe(3);
  expect(await total({ type: "Pulled" })).toBeUndefined();
  expect(await total({ search: "severity>=high summary=*" })).toBeUndefined();
  await app.db.run(sql`delete from config_change_hours where hour = ${hour}`);
});
