import { type Cause, type CauseStep, type Health, isHealth } from "@mainstay/contract";
import sql from "sql-template-tag";
import type { Queryable } from "#platform/db/database.ts";

/** Components that are looked at on the way to causes, and how far below. */
const most = { components: 200, levels: 20 };

interface Row {
  id: string;
  above: string | null;
  name: string;
  type: string | null;
  status: string;
  health: Health | null;
  given_status: string | null;
  given_health: string | null;
  status_reason: string | null;
  description: string | null;
  health_expr: string | null;
  fault: string | null;
  is_local: boolean;
  since: Date | null;
}

export interface ExplainedComponent {
  name: string;
  health: Health;
  status: string;
  since: Date | undefined;
  causes: Cause[];
  /** Not everything that is so was looked at. */
  isCut: boolean;
  /** It, and those on the way that are so themselves. */
  componentIds: string[];
}

/** What may be told of besides components. */
export interface Sight {
  checks: boolean;
  configs: boolean;
}

/** When it became as it is: the first state after the last one that was another. */
const since = sql`
  (select min(s.time) from component_states s
    where s.component_id = c.id
      and s.time > coalesce((select max(o.time) from component_states o
                              where o.component_id = c.id and o.health is distinct from c.health), '-infinity'))`;

const columns = sql`
  c.id, c.name, c.type, c.status, c.health, c.given_status, c.given_health, c.status_reason, c.description, c.health_expr,
  c.roll_up_fault as fault, c.agent_id = '00000000-0000-0000-0000-000000000000' as is_local, ${since} as since`;

/** Why a component is as it is: down all ways on which others are as it is, to where somebody says so. */
export async function explainComponent(
  tx: Queryable,
  id: string,
  sight: Sight,
): Promise<ExplainedComponent | undefined> {
  const top = await tx.first<Row>(sql`
    select ${columns}, null::uuid as above from components c where c.id = ${id} and c.deleted_at is null`);
  if (!top) return undefined;
  const health = top.health ?? "unknown";
  const found = new Map([[top.id, { row: top, path: [stepOf(top)] }]]);
  let isCut = false;
  if (health !== "healthy")
    for (let frontier = [top.id], level = 0; frontier.length > 0; level++) {
      const below = await tx.rows<Row>(sql`
        select ${columns}, t.above
          from component_ties t join components c on c.id = t.below
         where t.above = any (${frontier}::uuid[]) and coalesce(c.health, 'unknown') = ${health}
         order by t.above, c.position, c.name, c.id limit ${most.components + 1}`);
      const next: string[] = [];
      for (const row of below) {
        if (found.has(row.id)) continue;
        if (found.size >= most.components || level >= most.levels) {
          isCut = true;
          break;
        }
        found.set(row.id, { row, path: [...found.get(row.above!)!.path, stepOf(row)] });
        next.push(row.id);
      }
      frontier = next;
    }
  const ids = [...found.keys()];
  const causes = [...found.values()].flatMap(({ row, path }) => ownCauses(row, path, health));
  const pathOf = (component: string) => found.get(component)!.path;
  if (sight.checks && health !== "healthy")
    causes.push(...(await checkCauses(tx, { ids, health, pathOf })));
  if (sight.configs && health !== "healthy") causes.push(...(await seenItems(tx, { ids, pathOf })));
  return {
    name: top.name,
    health,
    status: top.status,
    since: top.since ?? undefined,
    causes,
    isCut,
    componentIds: ids,
  };
}

const stepOf = ({ id, name, health, since: from }: Row): CauseStep => ({
  kind: "component",
  id,
  name,
  health,
  ...(from && { since: from.toISOString() }),
});

/** What is said by the component itself. */
function ownCauses(row: Row, path: CauseStep[], health: Health): Cause[] {
  const about = {
    id: row.id,
    name: row.name,
    ...(row.type !== null && { type: row.type }),
    health,
    ...(row.since && { since: row.since.toISOString() }),
    isReason: true,
    path,
  };
  if (row.fault !== null && row.health === "unknown")
    return [{ ...about, kind: "fault", message: row.fault }];
  if (row.health_expr?.trim())
    return [{ ...about, kind: "script", message: row.health_expr.trim().slice(0, 1000) }];
  if (!row.is_local) {
    const said = row.status_reason ?? row.description;
    return [{ ...about, kind: "source", message: said ?? `Its agent says ${row.status}.` }];
  }
  const given = row.given_health?.toLowerCase() ?? row.given_status?.toLowerCase();
  const says = given === "error" ? "unhealthy" : isHealth(given) ? given : undefined;
  if (says !== health) return [];
  const said = row.status_reason ?? row.description;
  const word = row.given_status ?? row.given_health;
  return [{ ...about, kind: "source", message: said ?? `Its source says ${word}.` }];
}

interface Below {
  ids: readonly string[];
  pathOf: (component: string) => CauseStep[];
}

async function checkCauses(
  tx: Queryable,
  { ids, health, pathOf }: Below & { health: Health },
): Promise<Cause[]> {
  const rows = await tx.rows<{
    component_id: string;
    id: string;
    name: string;
    type: string;
    since: Date | null;
    message: string | null;
  }>(sql`
    select o.component_id, k.id, k.name, k.type, k.last_transition_time as since,
           left(case when k.result_due < now() then 'Its result is overdue.' else
                  coalesce(t.held, t.untried, nullif(t.error, ''), t.message) end, 2000) as message
      from component_own_checks o join checks k on k.id = o.check_id left join check_totals t on t.check_id = k.id
     where o.component_id = any (${[...ids]}::uuid[]) and o.status = ${health}
     order by k.last_transition_time desc nulls last, k.name limit 200`);
  return rows.map(({ component_id, id, name, type, since: from, message }) => ({
    kind: "check",
    id,
    name,
    type,
    health,
    ...(from && { since: from.toISOString() }),
    ...(message && { message }),
    isReason: true,
    path: pathOf(component_id),
  }));
}

/** Items that are linked with them and are not well, and grave insights: they turn nothing, but may say why. */
async function seenItems(tx: Queryable, { ids, pathOf }: Below): Promise<Cause[]> {
  const rows = await tx.rows<{
    component_id: string;
    kind: "item" | "insight";
    id: string;
    name: string | null;
    type: string | null;
    health: string | null;
    since: Date | null;
    message: string | null;
  }>(sql`
    with linked as (
      select distinct r.component_id, i.id, i.name, i.type, i.health, i.status, i.description
        from config_component_relationships r join config_items i on i.id = r.config_id and i.deleted_at is null
       where r.component_id = any (${[...ids]}::uuid[]) and r.deleted_at is null)
    (select component_id, 'item' as kind, id, name, type, health, null::timestamptz as since,
            left(coalesce(description, status), 2000) as message
       from linked where health in ('unhealthy', 'warning') order by health, name limit 100)
    union all
    (select l.component_id, 'insight', a.id, coalesce(a.summary, a.analyzer), a.analysis_type, null, a.first_observed, left(a.message, 2000)
       from linked l join config_analysis a on a.config_id = l.id
      where a.status = 'open' and lower(a.severity) in ('critical', 'blocker', 'high')
      order by a.first_observed desc limit 100)`);
  return rows.map(({ component_id, kind, id, name, type, health, since: from, message }) => ({
    kind,
    id,
    name: name ?? "",
    ...(type !== null && { type }),
    ...(isHealth(health) && { health }),
    ...(from && { since: from.toISOString() }),
    ...(message && { message }),
    isReason: false,
    path: pathOf(component_id),
  }));
}
