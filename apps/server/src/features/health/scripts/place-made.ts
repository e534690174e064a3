import sql from "sql-template-tag";
import type { Database, Queryable } from "#platform/db/database.ts";
import type { DeleteStrategy, MadeResult } from "./transform.ts";

/*
 * Checks that the transform of another one makes are rows of their own under it. They come and go with its results:
 * most runs find them as they are and write nothing.
 */

export interface Parent {
  id: string;
  canaryId: string;
  namespace: string;
  severity?: string;
  /** Of those that do not say themselves what becomes of them when they are there no more. */
  deleteStrategy?: DeleteStrategy;
}

export interface PlacedResult {
  checkId: string;
  made: MadeResult;
}

interface Row {
  id: string;
  type: string;
  name: string;
  namespace: string | null;
  description: string | null;
  icon: string | null;
  severity: string | null;
  labels: Record<string, string> | null;
  strategy: DeleteStrategy | null;
}

const keyOf = ({ type, name }: { type: string; name: string }) => `${type}/${name}`;

/**
 * Makes the rows under a check agree with what its transform made. Those that are there no more are soft-deleted, but
 * only by a run that made any. Answers each result with its row; names of other checks of the canary are refused.
 */
export async function placeMade(
  db: Database,
  parent: Parent,
  made: readonly MadeResult[],
): Promise<{ placed: PlacedResult[]; refused: MadeResult[] }> {
  if (made.length === 0) return { placed: [], refused: [] };
  const wanted = made.filter(({ isDeleted }) => !isDeleted);
  const known = await readMade(db, parent.id);
  if (isSettled(known, wanted, parent)) return placedIn(known, wanted);
  return db.transaction(async (tx) => {
    // The order in which the writer of results locks them, and whoever saves the document.
    await tx.rows(
      sql`select id from checks where canary_id = ${parent.canaryId} order by id for no key update`,
    );
    const found = placedIn(await writeMade(tx, parent, wanted), wanted);
    const kept = new Set(found.placed.map(({ checkId }) => checkId));
    const gone = (await readMade(tx, parent.id)).filter(({ id }) => !kept.has(id));
    await deleteMade(tx, parent, gone);
    return found;
  });
}

/** Those that a check has made and that are there now. */
export function readMade(db: Queryable, parentId: string): Promise<Row[]> {
  return db.rows<Row>(sql`
    select id, type, name, namespace, description, icon, severity, labels,
           spec ->> 'transformDeleteStrategy' as strategy
      from checks where parent_id = ${parentId} and deleted_at is null`);
}

function isSettled(known: readonly Row[], wanted: readonly MadeResult[], parent: Parent): boolean {
  const living = new Map(known.map((row) => [keyOf(row), row]));
  return (
    living.size === wanted.length &&
    wanted.every((made) => {
      const row = living.get(keyOf(made));
      return (
        row !== undefined &&
        row.namespace === (made.namespace ?? parent.namespace) &&
        row.description === (made.description ?? null) &&
        row.icon === (made.icon ?? null) &&
        row.severity === (made.severity ?? parent.severity ?? null) &&
        row.strategy === (made.deleteStrategy ?? null) &&
        isSame(row.labels ?? {}, made.labels)
      );
    })
  );
}

function isSame(a: Record<string, string>, b: Record<string, string>): boolean {
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => a[key] === b[key]);
}

function placedIn(
  rows: readonly Pick<Row, "id" | "type" | "name">[],
  wanted: readonly MadeResult[],
) {
  const ids = new Map(rows.map((row) => [keyOf(row), row.id]));
  const placed: PlacedResult[] = [];
  const refused: MadeResult[] = [];
  for (const made of wanted) {
    const checkId = ids.get(keyOf(made));
    if (checkId === undefined) refused.push(made);
    else placed.push({ checkId, made });
  }
  return { placed, refused };
}

/** Nothing of a parent that has gone meanwhile; nothing in the place of a check that is not its own. */
async function writeMade(
  tx: Queryable,
  parent: Parent,
  wanted: readonly MadeResult[],
): Promise<Pick<Row, "id" | "type" | "name">[]> {
  const column = <Value>(read: (made: MadeResult) => Value) => wanted.map(read);
  return tx.rows(sql`
    with rows as (
      insert into checks (canary_id, parent_id, transformed, type, name, namespace, description, icon, severity, labels,
                          spec, owner)
      select p.canary_id, p.id, true, m.type, m.name, m.namespace, m.description, m.icon, m.severity, m.labels, m.spec,
             p.owner
        from unnest(${column(({ type }) => type)}::text[], ${column(({ name }) => name)}::text[],
                    ${column((made) => made.namespace ?? parent.namespace)}::text[],
                    ${column(({ description }) => description ?? null)}::text[],
                    ${column(({ icon }) => icon ?? null)}::text[],
                    ${column((made) => made.severity ?? parent.severity ?? null)}::text[],
                    ${column(({ labels }) => JSON.stringify(labels))}::jsonb[],
                    ${column(({ deleteStrategy }) => JSON.stringify(deleteStrategy ? { transformDeleteStrategy: deleteStrategy } : {}))}::jsonb[])
               as m (type, name, namespace, description, icon, severity, labels, spec)
        join checks p on p.id = ${parent.id} and p.deleted_at is null
      on conflict (canary_id, type, name, agent_id) do update
         set parent_id = excluded.parent_id, transformed = true, namespace = excluded.namespace,
             description = excluded.description, icon = excluded.icon, severity = excluded.severity,
             labels = excluded.labels, spec = excluded.spec, owner = excluded.owner, deleted_at = null
       where checks.parent_id = excluded.parent_id or checks.deleted_at is not null
      returning id, type, name
    ), totals as (
      insert into check_totals (check_id, endpoint)
      select r.id, m.endpoint
        from unnest(${column(({ type }) => type)}::text[], ${column(({ name }) => name)}::text[],
                    ${column(({ endpoint }) => endpoint ?? null)}::text[]) as m (type, name, endpoint)
        join rows r using (type, name)
      on conflict (check_id) do update set endpoint = excluded.endpoint, held = null
    )
    select id, type, name from rows`);
}

const leftAs = { MarkHealthy: "healthy", MarkUnhealthy: "unhealthy", Ignore: null } as const;

/** Whoever hears of changes of a state hears how each was left. */
async function deleteMade(tx: Queryable, parent: Parent, gone: readonly Row[]): Promise<void> {
  if (gone.length === 0) return;
  const strategyOf = (row: Row) => row.strategy ?? parent.deleteStrategy ?? "Ignore";
  await tx.run(sql`
    update checks c set deleted_at = now(), next_runtime = null, result_due = null, status = coalesce(g.status, c.status)
      from unnest(${gone.map(({ id }) => id)}::uuid[],
                  ${gone.map((row) => leftAs[strategyOf(row)] ?? null)}::text[]) as g (id, status)
     where c.id = g.id`);
}
