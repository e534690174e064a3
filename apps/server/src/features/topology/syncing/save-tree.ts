import { mapCanarySecrets, secretPlaceholder } from "@mainstay/contract";
import sql from "sql-template-tag";
import type { Database, Queryable } from "#platform/db/database.ts";
import { storableJson } from "#platform/db/storable-text.ts";
import { uuidOf } from "#platform/uuid-of.ts";
import { Turn } from "#platform/with-turns.ts";
import type { Component } from "./component.ts";

/** What saving a tree has changed, in components. */
export interface TreeChanges {
  added: number;
  changed: number;
  removed: number;
}

/** A component and the row that it is. */
export interface PlacedComponent {
  id: string;
  parentId: string | null;
  /** Ids of what it lies in, from the root on, joined by dots. */
  path: string;
  component: Component;
}

/** A text in place of what is not there: two components of one place, type and name are one. */
const none = "";

/**
 * Where each component of a tree stands, parents before their children. Its id follows from its topology, its parent, its
 * type and its name, so that it is the same in every run. What says the same twice is one, and told.
 */
export async function placeTree(
  topologyId: string,
  roots: readonly Component[],
  idOf: (component: Component, parentId: string | null) => string = ({ name, type }, parentId) =>
    uuidOf(topologyId, parentId ?? none, type ?? none, name),
): Promise<{ placed: PlacedComponent[]; notices: string[] }> {
  const placed: PlacedComponent[] = [];
  const seen = new Map<string, PlacedComponent>();
  const twins = new Map<PlacedComponent, Twins>();
  const turn = new Turn();
  const placeAll = async (
    components: readonly Component[],
    parent: PlacedComponent | undefined,
  ): Promise<void> => {
    for (const component of components) {
      if (turn.isOver) await turn.end();
      const { name, type, externalId } = component;
      const place = JSON.stringify([parent?.id ?? none, type ?? none, name]);
      const first = seen.get(place);
      if (first) {
        const same = twins.get(first) ?? { parent, externalIds: [first.component.externalId] };
        same.externalIds.push(externalId);
        twins.set(first, same);
        continue;
      }
      const id = idOf(component, parent?.id ?? null);
      const path = parent ? [parent.path, parent.id].filter((one) => one !== "").join(".") : "";
      const one = { id, parentId: parent?.id ?? null, path, component };
      seen.set(place, one);
      placed.push(one);
      if (component.children.length > 0) await placeAll(component.children, one);
    }
  };
  await placeAll(roots, undefined);
  return { placed, notices: Array.from(twins, ([first, same]) => noticeOf(first, same)) };
}

/** What says the same as one that stands in its place already. */
interface Twins {
  parent: PlacedComponent | undefined;
  /** Of all, the first among them. */
  externalIds: string[];
}

const mostNamed = 5;
const longestNamed = 100;
const shownId = (id: string) =>
  id.length > longestNamed ? `${id.slice(0, longestNamed - 1)}…` : id;

/** Other external ids tell people which things it is that are called alike. */
function noticeOf({ component: { name, type } }: PlacedComponent, { parent, externalIds }: Twins) {
  const where = `"${name}"${type ? ` of type ${type}` : ""} in ${parent ? `"${parent.component.name}"` : "the topology"}`;
  const ids = [...new Set(externalIds)];
  const more = ids.length > mostNamed ? ` and ${ids.length - mostNamed} more` : "";
  const named =
    ids.length > 1
      ? ` (external ids ${ids.slice(0, mostNamed).map(shownId).join(", ")}${more})`
      : "";
  return `There are ${externalIds.length} components ${where}${named}: the first of them is kept.`;
}

const localAgent = "00000000-0000-0000-0000-000000000000";

/** Rows that one statement writes: their JSON is made without a break. */
const portion = 500;

export interface SaveTreeInput {
  topologyId: string;
  /** Whose components they are; this server's own when absent. */
  agentId?: string;
  placed: readonly PlacedComponent[];
  isComplete: boolean;
  schedule: string | undefined;
}

/**
 * Makes the components of a topology agree with what was placed, in one transaction: rows of other topologies are not
 * touched, those that say the same are not written, and what is not among them is ended where `isComplete`. The rows that
 * there are are locked in the order of their ids first, as everybody does who writes many.
 */
export const saveTree = (db: Database, input: SaveTreeInput): Promise<TreeChanges> =>
  db.transaction((tx) => saveTreeIn(tx, input));

/** The same, in a transaction that there is. */
export async function saveTreeIn(
  tx: Queryable,
  { topologyId, agentId = localAgent, placed, isComplete, schedule }: SaveTreeInput,
): Promise<TreeChanges> {
  const topology = await tx.first(
    sql`select from topologies where id = ${topologyId} and deleted_at is null for share`,
  );
  // Deleted meanwhile, and with it all that it made.
  if (!topology) throw new Error("The topology was deleted while it ran.");
  await tx.run(sql`
    with locked as materialized (
      select id from components where topology_id = ${topologyId} order by id for update
    )
    select count(*) from locked`);
  const changes = { added: 0, changed: 0, removed: 0 };
  for (let from = 0; from < placed.length; from += portion) {
    const { added, changed } = await write(
      tx,
      { topologyId, agentId, schedule },
      placed.slice(from, from + portion),
    );
    changes.added += added;
    changes.changed += changed;
  }
  if (isComplete) {
    const ids = placed.map(({ id }) => id);
    changes.removed = await tx.run(sql`
      update components c set deleted_at = now()
       where c.topology_id = ${topologyId} and c.deleted_at is null
         and not exists (select from unnest(${ids}::uuid[]) k (id) where k.id = c.id)`);
  }
  return changes;
}

/** The secrets of inline checks stay in the document. */
const shownCheck = ({ selector, inline }: Component["checks"][number]) => ({
  ...(selector && { selector }),
  ...(inline && { inline: mapCanarySecrets(inline, () => secretPlaceholder) }),
});

const filled = <Item>(list: readonly Item[]) => (list.length > 0 ? list : null);

/** The columns of a component that a run writes. */
export const rowOf = (
  { id, parentId, path, component }: PlacedComponent,
  schedule: string | undefined,
) => ({
  id,
  parent_id: parentId,
  path,
  name: component.name,
  external_id: component.externalId,
  text: component.text ?? null,
  // Of a component of the topology itself the type says what the topology is of.
  topology_type: parentId === null ? (component.type ?? null) : null,
  namespace: component.namespace ?? null,
  labels: component.labels,
  hidden: component.hidden,
  status_expr: component.statusExpr ?? null,
  health_expr: component.healthExpr ?? null,
  given_status: component.status ?? null,
  given_health: component.health ?? null,
  given_summary: component.summary ?? null,
  status_reason: component.statusReason ?? null,
  description: component.description ?? null,
  lifecycle: component.lifecycle ?? null,
  tooltip: component.tooltip ?? null,
  schedule: schedule ?? null,
  icon: component.icon ?? null,
  type: component.type ?? null,
  owner: component.owner ?? null,
  selectors: filled(component.selectors),
  log_selectors: filled(component.logs),
  component_checks: filled(component.checks.map(shownCheck)),
  configs: filled(component.configs),
  properties: filled(component.properties),
  position: component.order,
  config_id: component.configId ?? null,
  is_leaf: component.children.length === 0,
});

async function write(
  tx: Queryable,
  {
    topologyId,
    agentId,
    schedule,
  }: { topologyId: string; agentId: string; schedule: string | undefined },
  placed: readonly PlacedComponent[],
): Promise<{ added: number; changed: number }> {
  const json = storableJson(placed.map((one) => rowOf(one, schedule)));
  // What says the same is left out before it comes to the insert, which would lock it and write down that it did.
  const counts = await tx.first<{ added: number; changed: number }>(sql`
    with given as materialized (
      select g.*, i.id as item_id
        from jsonb_to_recordset(${json}::jsonb) g (
             id uuid, parent_id uuid, path text, name text, external_id text, text text, topology_type text, namespace text,
             labels jsonb, hidden boolean, status_expr text, health_expr text, given_status text, given_health text,
             given_summary jsonb, status_reason text, description text, lifecycle text, tooltip text, schedule text,
             icon text, type text, owner text, selectors jsonb, log_selectors jsonb, component_checks jsonb, configs jsonb,
             properties jsonb, position int, config_id text, is_leaf boolean)
      -- An item that is not there is no reason to lose the component.
      left join config_items i
        on i.id = case when g.config_id ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then g.config_id::uuid end
    ), turned as (
      select g.* from given g left join components c on c.id = g.id
       where c.id is null or c.deleted_at is not null
          or (c.name, c.parent_id, c.path, c.external_id, c.text, c.topology_type, c.namespace, c.labels, c.hidden,
              c.status_expr, c.health_expr, c.given_status, c.given_health, c.given_summary, c.status_reason, c.description,
              c.lifecycle, c.tooltip, c.schedule, c.icon, c.owner, c.selectors, c.log_selectors, c.component_checks,
              c.configs, c.properties, c.position, c.config_id, c.is_leaf)
             is distinct from
             (g.name, g.parent_id, g.path, g.external_id, g.text, g.topology_type, g.namespace, g.labels, g.hidden,
              g.status_expr, g.health_expr, g.given_status, g.given_health, g.given_summary, g.status_reason, g.description,
              g.lifecycle, g.tooltip, g.schedule, g.icon, g.owner, g.selectors, g.log_selectors, g.component_checks,
              g.configs, g.properties, g.position, g.item_id, g.is_leaf)
    ), written as (
      insert into components (
        id, topology_id, agent_id, parent_id, path, name, external_id, text, topology_type, namespace, labels, hidden, status,
        status_expr, health_expr, given_status, given_health, given_summary, status_reason, description, lifecycle, tooltip,
        schedule, icon, type, owner, selectors, log_selectors, component_checks, configs, properties, position, config_id, is_leaf)
      select g.id, ${topologyId}::uuid, ${agentId}::uuid, g.parent_id, g.path, g.name, g.external_id, g.text, g.topology_type, g.namespace,
             g.labels, g.hidden, 'unknown', g.status_expr, g.health_expr, g.given_status, g.given_health, g.given_summary,
             g.status_reason, g.description, g.lifecycle, g.tooltip, g.schedule, g.icon, g.type, g.owner, g.selectors,
             g.log_selectors, g.component_checks, g.configs, g.properties, g.position, g.item_id, g.is_leaf
        from turned g
      on conflict (id) do update
         set name = excluded.name, parent_id = excluded.parent_id, path = excluded.path, external_id = excluded.external_id, text = excluded.text,
             topology_type = excluded.topology_type, namespace = excluded.namespace, labels = excluded.labels,
             hidden = excluded.hidden, status_expr = excluded.status_expr, health_expr = excluded.health_expr,
             given_status = excluded.given_status, given_health = excluded.given_health,
             given_summary = excluded.given_summary, status_reason = excluded.status_reason,
             description = excluded.description, lifecycle = excluded.lifecycle, tooltip = excluded.tooltip,
             schedule = excluded.schedule, icon = excluded.icon, owner = excluded.owner, selectors = excluded.selectors,
             log_selectors = excluded.log_selectors, component_checks = excluded.component_checks,
             configs = excluded.configs, properties = excluded.properties, position = excluded.position,
             config_id = excluded.config_id, is_leaf = excluded.is_leaf, deleted_at = null
      returning xmax = 0 as is_new
    )
    select count(*) filter (where is_new) as added, count(*) filter (where not is_new) as changed from written`);
  return counts!;
}
