import sql from "sql-template-tag";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../../../testing/app.ts";
import { counting } from "../testing/counting.ts";
import { componentOf } from "./read-found.ts";
import { saveChecks } from "./save-checks.ts";
import { placeTree, saveTree } from "./save-tree.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ role: "api" });
});
afterAll(() => app.stop());

const placedOf = async (topologyId: string, many: number) => {
  const components = Array.from({ length: many }, (_, n) => ({
    ...componentOf({ name: `c${n}`, namespace: "default" }),
    externalId: `c${n}`,
    checks: [{ inline: { tcp: [{ name: `t${n}`, endpoint: "localhost:1" }] } }],
  }));
  return (await placeTree(topologyId, components)).placed;
};

test("checks that are as they were cost the same however many they are", async () => {
  const costs: number[] = [];
  for (const many of [2, 30]) {
    const topology = (await app.db.first<{ id: string; updated_at: Date | null }>(
      sql`insert into topologies (name, spec) values (${`of ${many}`}, '{}') returning id, updated_at`,
    ))!;
    const placed = await placedOf(topology.id, many);
    const isComplete = true;
    await saveTree(app.db, { topologyId: topology.id, placed, isComplete, schedule: undefined });
    const save = async () => {
      const { counted, asked } = counting(app.db);
      const ctx = app.app.ctx.with({ db: counted });
      expect(await saveChecks(ctx, { topology, placed, isComplete })).toEqual({ errors: [] });
      return asked();
    };
    await save();
    const kept = await app.db.rows(
      sql`select from canaries where source like 'component/%' and deleted_at is null
             and source = any (${placed.map(({ id }) => `component/${id}`)})`,
    );
    expect(kept).toHaveLength(many);
    costs.push(await save());
  }
  expect(costs[1]).toBe(costs[0]);
});
