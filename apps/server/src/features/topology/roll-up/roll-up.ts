import { isDeepStrictEqual } from "node:util";
import type { Context } from "@mainstay/scripting";
import sql from "sql-template-tag";
import type { Ctx, Tx } from "#platform/context.ts";
import { takeLock } from "#platform/db/advisory-locks.ts";
import { givingWay } from "#platform/db/give-way.ts";
import { storableJson } from "#platform/db/storable-text.ts";
import { Turn } from "#platform/with-turns.ts";
import { scriptEvaluator } from "#platform/scripts/evaluator.ts";
import { judgeComponents, type Judgement, type Source } from "./judge-components.ts";
import { type ComponentRow, readComponents } from "./read-components.ts";
import { endlessScripts, scriptsOf } from "./scripts.ts";

export interface RollUp {
  /** Components that were judged. */
  judged: number;
  /** Of them, those that have become others. */
  changed: number;
  /** Scripts that failed and ties that do not count, each with the name of its component. */
  faults: string[];
}

export interface RollUpOptions {
  /** Only what hangs together with components of these. Everything unless said. */
  topologyIds?: readonly string[];
}

const longestMs = 120_000;
/** Components that one statement writes. */
const PORTION = 1_000;

/**
 * Judges components anew by all that hangs on them, and writes those that come to something else. One pass at a time, on
 * whatever server: it holds the lock `components` from before it reads until what it found is there. Rows are locked in
 * the order of their ids. May be done at any time, and again: nothing changes where nothing has changed.
 * @throws what the signal of `ctx` was aborted for; then nothing is written
 */
export const rollUp = (ctx: Ctx, options: RollUpOptions = {}): Promise<RollUp> =>
  // Others write components in orders of their own.
  givingWay(() =>
    ctx.tx((tx) => rollUpIn(ctx, tx, options), {
      settings: { statement_timeout: String(longestMs) },
    }),
  );

async function rollUpIn(ctx: Ctx, tx: Tx, { topologyIds }: RollUpOptions): Promise<RollUp> {
  await takeLock(tx, "components");
  // Before the data: what changes while it is read is judged by the next pass.
  const inputs = await tx.first<{ inputs: string }>(sql`select topology_inputs() as inputs`);
  const rows = await readComponents(tx, topologyIds);
  const self = await readSelves(
    tx,
    rows.filter(({ is_local, health_expr }) => is_local && health_expr?.trim()),
  );
  const evaluate = scriptsOf({
    evaluator: ctx.service(scriptEvaluator),
    self,
    endless: ctx.service(endlessScripts),
    signal: ctx.signal,
  });
  const { judgements, failed, circles } = await judgeComponents(
    rows.map(sourceOf),
    evaluate,
    ctx.signal,
  );
  const turned: (Judgement & { id: string })[] = [];
  const turn = new Turn();
  for (const row of rows) {
    if (turn.isOver) await turn.end();
    ctx.signal.throwIfAborted();
    const judgement = judgements.get(row.id)!;
    if (row.is_local && isOther(row, judgement)) turned.push({ id: row.id, ...judgement });
  }
  let changed = 0;
  // In the order of their ids, as they were read.
  for (let from = 0; from < turned.length; from += PORTION)
    changed += await write(tx, turned.slice(from, from + PORTION));
  if (!topologyIds)
    await tx.run(
      sql`update topology_judged set inputs = ${inputs?.inputs ?? ""}, judged_at = clock_timestamp()`,
    );
  const names = new Map(rows.map(({ id, name }) => [id, name]));
  const faulty = [...new Set([...failed, ...circles.map(({ below }) => below)])];
  return {
    judged: rows.length,
    changed,
    faults: faulty.flatMap((id) => {
      const fault = judgements.get(id)?.fault;
      return fault ? [`${names.get(id)}: ${fault}`] : [];
    }),
  };
}

/** What their health's scripts see of them: what is said of them, not what was made of it before. */
async function readSelves(tx: Tx, rows: readonly ComponentRow[]): Promise<Map<string, Context>> {
  if (rows.length === 0) return new Map();
  const found = await tx.rows<{ id: string; self: Context }>(sql`
    select c.id, jsonb_strip_nulls(jsonb_build_object(
             'id', c.id, 'agent_id', c.agent_id, 'topology_id', c.topology_id, 'external_id', c.external_id,
             'parent_id', c.parent_id, 'config_id', c.config_id, 'name', c.name, 'text', c.text, 'namespace', c.namespace,
             'topology_type', c.topology_type, 'labels', coalesce(c.labels, '{}'), 'type', c.type, 'owner', c.owner,
             'description', c.description, 'lifecycle', c.lifecycle, 'icon', c.icon, 'hidden', c.hidden,
             'status', coalesce(c.given_status, ''), 'health', coalesce(c.given_health, ''),
             'properties', coalesce(c.properties, '[]'), 'path', coalesce(c.path, ''),
             'cost_per_minute', c.cost_per_minute::float8, 'created_at', c.created_at)) as self
      from components c where c.id = any (${rows.map(({ id }) => id)}::uuid[])`);
  return new Map(found.map(({ id, self }) => [id, self]));
}

const sourceOf = (row: ComponentRow): Source => ({
  id: row.id,
  name: row.name,
  parentId: row.parent_id,
  isRoot: row.parent_id === null,
  above: row.above ?? [],
  given: { status: row.given_status, health: row.given_health, summary: row.given_summary },
  checks: row.checks,
  insights: row.insights,
  statusExpr: row.status_expr,
  healthExpr: row.health_expr,
  ...(!row.is_local && {
    judged: { status: row.status, health: row.health ?? "unknown", summary: row.summary ?? {} },
  }),
});

const isOther = (row: ComponentRow, judgement: Judgement): boolean =>
  row.status !== judgement.status ||
  row.health !== judgement.health ||
  row.roll_up_fault !== judgement.fault ||
  !isDeepStrictEqual(row.summary, judgement.summary);

/** @returns how many are others now */
async function write(tx: Tx, turned: readonly (Judgement & { id: string })[]): Promise<number> {
  return tx.run(sql`
    with judged as materialized (
      select * from jsonb_to_recordset(${storableJson(turned)}::jsonb)
        j (id uuid, status text, health text, summary jsonb, fault text)
    ), locked as materialized (
      select c.id from components c join judged j using (id)
       where c.deleted_at is null
         and (c.status, c.health, c.summary, c.roll_up_fault) is distinct from (j.status, j.health, j.summary, j.fault)
       order by c.id for no key update of c
    )
    update components c set status = j.status, health = j.health, summary = j.summary, roll_up_fault = j.fault
      from judged j join locked using (id) where c.id = j.id`);
}
