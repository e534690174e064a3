import sql from "sql-template-tag";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../../../testing/app.ts";
import { readComponents } from "./read-components.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ role: "api" });
});
afterAll(() => app.stop());

test("thousands below one component are read at once, and not one after the other", async () => {
  const [topology] = await app.owner.rows<{ id: string }>(
    sql`insert into topologies (name, spec) values ('pods', '{}') returning id`,
  );
  await app.owner.run(sql`
    with top as (insert into components (external_id, name, status, topology_id) values ('top', 'top', 'unknown', ${topology!.id}) returning id)
    insert into components (external_id, name, status, parent_id, topology_id)
    select 'pod-' || n, 'pod-' || n, 'unknown', top.id, ${topology!.id} from top, generate_series(1, 2000) n`);
  // Without it the planner does not yet know that all have the same parent.
  await app.owner.raw("analyze components");
  await app.owner.transaction(async (tx) => {
    expect(await readComponents(tx, [topology!.id])).toHaveLength(2001);
    const read = await tx.first<{ scans: number; rows: number }>(sql`
      select seq_scan::int as scans, (seq_tup_read + idx_tup_fetch)::int as rows from pg_stat_xact_user_tables
       where relname = 'components'`);
    expect(read!.scans).toBeLessThan(5);
    expect(read!.rows).toBeLessThan(5 * 2001);
  });
});
