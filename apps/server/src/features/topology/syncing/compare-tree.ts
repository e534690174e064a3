import { isDeepStrictEqual } from "node:util";
import type { TopologyTrial, TrialList } from "@mainstay/contract/topology-trial.ts";
import sql from "sql-template-tag";
import type { Queryable } from "#platform/db/database.ts";
import { Turn } from "#platform/with-turns.ts";
import { type PlacedComponent, rowOf } from "./save-tree.ts";

/** Names that are told of each. */
const mostNames = 100;

/** What saving a tree would change; the rows are those of the topology as they are. */
export async function compareTree(
  db: Queryable,
  {
    topologyId,
    placed,
    isComplete,
    schedule,
  }: {
    topologyId: string;
    placed: readonly PlacedComponent[];
    isComplete: boolean;
    schedule: string | undefined;
  },
): Promise<TopologyTrial["changes"]> {
  const rows = await db.rows<Record<string, unknown> & { id: string }>(sql`
    select * from components where topology_id = ${topologyId} and deleted_at is null order by path, name`);
  const stored = new Map(rows.map((row) => [row.id, row]));
  const added = new Names();
  const changed = new Names();
  const removed = new Names();
  const names = new Map<string, string>();
  const wayTo = (name: string, parent: string | null) =>
    parent === null ? name : `${names.get(parent) ?? "…"} / ${name}`;
  const turn = new Turn();
  for (const one of placed) {
    if (turn.isOver) await turn.end();
    const way = wayTo(one.component.name, one.parentId);
    names.set(one.id, way);
    const row = stored.get(one.id);
    if (!row) added.add(way);
    else if (differs(row, rowOf(one, schedule))) changed.add(way);
  }
  const kept = new Set(placed.map(({ id }) => id));
  if (isComplete)
    for (const row of rows) {
      const way = wayTo(String(row.name), (row.parent_id as string | null) ?? null);
      if (!names.has(row.id)) names.set(row.id, way);
      if (!kept.has(row.id)) removed.add(way);
    }
  return { added, changed, removed };
}

class Names implements TrialList {
  count = 0;
  readonly names: string[] = [];

  add(name: string): void {
    this.count += 1;
    if (this.names.length < mostNames) this.names.push(name);
  }
}

/** As JSON would have it: what is undefined is not there. */
const plain = (value: unknown): unknown =>
  typeof value === "object" && value !== null ? JSON.parse(JSON.stringify(value)) : (value ?? null);

const differs = (row: Record<string, unknown>, wanted: Record<string, unknown>): boolean =>
  Object.entries(wanted).some(([key, value]) => !isDeepStrictEqual(plain(row[key]), plain(value)));
