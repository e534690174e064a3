import type { ComponentSummary, Health } from "@mainstay/contract";
import sql, { empty } from "sql-template-tag";
import type { Queryable } from "#platform/db/database.ts";
import { inPortions } from "#platform/db/in-portions.ts";

/** What of a component it is judged by. */
export interface ComponentRow {
  id: string;
  name: string;
  parent_id: string | null;
  is_local: boolean;
  given_status: string | null;
  given_health: string | null;
  given_summary: ComponentSummary | null;
  status_expr: string | null;
  health_expr: string | null;
  status: string;
  health: Health | null;
  summary: ComponentSummary | null;
  roll_up_fault: string | null;
  above: string[] | null;
  checks: Record<string, number> | null;
  insights: ComponentSummary["insights"] | null;
}

/**
 * By the ids of topologies, all that hangs together with their components, upwards and downwards. All ties are read at
 * once and joined: followed from one component to the next, the database would read the whole table for each, where it
 * takes every one for the parent of many (a lookup's thousands of pods have one).
 */
const near = (topologyIds: readonly string[]) => sql`
  with recursive ties as materialized (
    select id as one, parent_id as other from components where parent_id is not null and deleted_at is null
    union all
    select component_id, relationship_id from component_relationships where deleted_at is null
  ), ways as materialized (
    select one, other from ties union all select other, one from ties
  ), near as (
    select id from components where topology_id = any (${[...topologyIds]}::uuid[]) and deleted_at is null
    union
    select w.other from near join ways w on w.one = near.id
  )`;

/** All components, or those that hang together with these topologies, in the order of their ids. */
export async function readComponents(
  tx: Queryable,
  topologyIds: readonly string[] | undefined,
): Promise<ComponentRow[]> {
  const found: ComponentRow[] = [];
  const all = sql`
    ${topologyIds ? near(topologyIds) : empty}
    select c.id, c.name, c.parent_id, c.agent_id = '00000000-0000-0000-0000-000000000000' as is_local,
           c.given_status, c.given_health, c.given_summary, c.status_expr, c.health_expr,
           c.status, c.health, c.summary, c.roll_up_fault, r.above, k.counts as checks, a.counts as insights
      from components c
      left join (select component_id, array_agg(relationship_id::text) as above
                   from component_relationships where deleted_at is null group by 1) r on r.component_id = c.id
      left join (select component_id, jsonb_object_agg(status, n) as counts
                   from (select component_id, status, count(*) as n from component_own_checks group by 1, 2) s
                  group by 1) k on k.component_id = c.id
      left join (select component_id, jsonb_object_agg(analysis_type, severities) as counts
                   from (select component_id, analysis_type, jsonb_object_agg(severity, n) as severities
                           from (select component_id, analysis_type, severity, count(*) as n
                                   from component_own_insights group by 1, 2, 3) s
                          group by 1, 2) t
                  group by 1) a on a.component_id = c.id
     where c.deleted_at is null ${topologyIds ? sql`and c.id in (select id from near)` : empty}
     order by c.id`;
  for await (const rows of inPortions<ComponentRow>(tx, all)) found.push(...rows);
  return found;
}
