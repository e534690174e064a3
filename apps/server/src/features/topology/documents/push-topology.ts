import sql from "sql-template-tag";
import { z } from "zod";
import type { Ctx } from "#platform/context.ts";
import type { Queryable } from "#platform/db/database.ts";
import { conflict, invalid } from "#platform/errors.ts";
import { recordRun } from "#platform/jobs/history.ts";
import { uuidOf } from "#platform/uuid-of.ts";
import { Turn } from "#platform/with-turns.ts";
import { rollUp } from "../roll-up/roll-up.ts";
import { mostComponents } from "../syncing/build-tree.ts";
import { type Component, everyComponent } from "../syncing/component.ts";
import { FoundMistake, readFound, refuseTooDeep } from "../syncing/read-found.ts";
import { placeTree, saveTreeIn, type TreeChanges } from "../syncing/save-tree.ts";
import { tellFirst } from "../syncing/tell-first.ts";

/** A component with its children, as another server knows it; of a list each. Source: server contract, section 7. */
const root = z.looseObject({
  topology_id: z.guid("Say which topology it is of: topology_id is a UUID."),
  name: z.string().min(1).max(253),
});
export const PushedTopology = z.union([z.array(root).min(1).max(mostComponents), root]);

const localAgent = "00000000-0000-0000-0000-000000000000";

export interface PushReply {
  message: "success";
  payload: unknown;
  /** What was left out of it; absent where all was taken. */
  warnings?: string[];
}

/**
 * Takes over the components of a topology that another server runs. What it knows under an external id, or under a name in
 * one place, is the same component as before; what is not among them any more is ended. Of several topologies all are
 * saved, or none. What was left out is told in the answer, and in the job history of the topology.
 */
export async function pushTopology(
  ctx: Ctx,
  { agentName, pushed }: { agentName: string | undefined; pushed: z.output<typeof PushedTopology> },
): Promise<PushReply> {
  ctx.require("topologies", "write");
  const agentId = agentName ? await findAgent(ctx, agentName) : localAgent;
  const trees = [pushed].flat();
  const byTopology = Map.groupBy(trees, ({ topology_id: id }) => id.toLowerCase());
  const topologies: Pushed[] = [];
  for (const [topologyId, roots] of byTopology) topologies.push(await readOne(topologyId, roots));
  // Who pushes the same at the same time locks it in the same order.
  topologies.sort((a, b) => (a.topologyId < b.topologyId ? -1 : 1));
  const began = ctx.clock.now();
  const saved = await ctx.db.transaction(async (tx) => {
    const all: Saved[] = [];
    for (const topology of topologies) all.push(await saveOne(tx, { ...topology, agentId }));
    return all;
  });
  await rollUp(ctx, { topologyIds: [...byTopology.keys()] });
  for (const { topologyId, summary, notices } of saved)
    if (notices.length > 0)
      await recordRun(
        ctx.db,
        {
          name: "PushTopology",
          resource: { type: "topology", id: topologyId },
          retention: "balanced",
          began,
        },
        () =>
          Promise.resolve({
            successes: summary.components,
            errors: [],
            details: { summary, warnings: tellFirst(notices) },
          }),
      );
  const warnings = tellFirst(saved.flatMap(({ notices }) => notices));
  return { message: "success", payload: pushed, ...(warnings.length > 0 && { warnings }) };
}

interface Saved {
  topologyId: string;
  summary: TreeChanges & { components: number };
  notices: string[];
}

async function findAgent(ctx: Ctx, name: string): Promise<string> {
  const agent = await ctx.db.first<{ id: string }>(
    sql`select id from agents where name = ${name} and deleted_at is null`,
  );
  if (!agent) throw invalid(`There is no agent called "${name.slice(0, 100)}".`);
  return agent.id;
}

/** The ids that the sender gives its components. */
const givenIds = new WeakMap<Component, string>();

async function read(tree: Record<string, unknown>, index: number, turn: Turn): Promise<Component> {
  try {
    refuseTooDeep(tree);
    const component = await readFound(tree, { at: `component ${index + 1}`, turn });
    rememberIds(component, tree);
    for (const one of everyComponent([component]))
      if (one.externalId === "") one.externalId = one.name;
    return component;
  } catch (error) {
    if (error instanceof FoundMistake) throw invalid(error.message);
    throw error;
  }
}

function rememberIds(component: Component, { id, components }: Record<string, unknown>): void {
  const given = z.guid().safeParse(id);
  if (given.success) givenIds.set(component, given.data.toLowerCase());
  for (const [index, child] of component.children.entries())
    rememberIds(child, (components as Record<string, unknown>[])[index]!);
}

interface Pushed {
  topologyId: string;
  roots: Component[];
  /** The roots, and all that lies within them. */
  all: Component[];
}

async function readOne(
  topologyId: string,
  trees: readonly Record<string, unknown>[],
): Promise<Pushed> {
  const turn = new Turn();
  const roots: Component[] = [];
  for (const [index, tree] of trees.entries()) roots.push(await read(tree, index, turn));
  const all = Array.from(everyComponent(roots));
  if (all.length > mostComponents)
    throw invalid(`There are ${all.length} components, at most ${mostComponents} are taken.`);
  return { topologyId, roots, all };
}

async function saveOne(
  tx: Queryable,
  { topologyId, agentId, roots, all }: Pushed & { agentId: string },
): Promise<Saved> {
  const { name, namespace = "default" } = roots[0]!;
  const twin = await tx.first(sql`
    select from topologies where name = ${name} and namespace = ${namespace} and agent_id = ${agentId}
       and deleted_at is null and id <> ${topologyId}`);
  if (twin)
    throw conflict(
      `Another topology of that place is called "${name}" in the namespace ${namespace}.`,
    );
  const [topology] = await tx.rows<{ source: string; agent_id: string }>(sql`
    insert into topologies as t (id, agent_id, name, namespace, spec, source)
    values (${topologyId}, ${agentId}, ${name}, ${namespace}, '{}', 'Push')
    on conflict (id) do update set deleted_at = null where t.source = 'Push' and t.agent_id = ${agentId}
    returning source, agent_id`);
  if (!topology)
    throw conflict(
      "This topology is not one that was pushed from there: its components are kept as they are.",
    );
  const ids = await idsFor(tx, topologyId, all);
  const { placed, notices } = await placeTree(topologyId, roots, ids);
  const changes = await saveTreeIn(tx, {
    topologyId,
    agentId,
    placed,
    isComplete: true,
    schedule: undefined,
  });
  return { topologyId, summary: { components: placed.length, ...changes }, notices };
}

type IdOf = (component: Component, parentId: string | null) => string;

/** Who a component is: by its place and name, by its external id, by the id that it comes with. */
async function idsFor(tx: Queryable, topologyId: string, all: readonly Component[]): Promise<IdOf> {
  const given = all.flatMap((component) => givenIds.get(component) ?? []);
  const [taken] = await tx.rows<{ id: string }>(sql`
    select id from components where id = any(${given}::uuid[]) and topology_id is distinct from ${topologyId} limit 1`);
  if (taken) throw conflict(`The component ${taken.id} belongs to another topology.`);
  const rows = await tx.rows<{
    id: string;
    parent_id: string | null;
    type: string | null;
    name: string;
    external_id: string;
  }>(
    sql`select id, parent_id, type, name, external_id from components where topology_id = ${topologyId} order by deleted_at nulls first, id`,
  );
  const placeOf = (parent: string | null, type: string | null | undefined, name: string) =>
    JSON.stringify([parent, type ?? null, name]);
  const sameAs = (type: string | null | undefined, externalId: string) =>
    JSON.stringify([type ?? null, externalId]);
  const byPlace = new Map<string, string>();
  const byExternalId = new Map<string, string>();
  for (const row of rows) {
    const place = placeOf(row.parent_id, row.type, row.name);
    const same = sameAs(row.type, row.external_id);
    if (!byPlace.has(place)) byPlace.set(place, row.id);
    if (!byExternalId.has(same)) byExternalId.set(same, row.id);
  }
  const used = new Set<string>();
  return (component, parentId) => {
    const { name, type, externalId } = component;
    const candidates = [
      byPlace.get(placeOf(parentId, type, name)),
      byExternalId.get(sameAs(type, externalId)),
      givenIds.get(component),
    ];
    const known = candidates.find((id) => id !== undefined && !used.has(id));
    const id = known ?? uuidOf(topologyId, parentId ?? "", type ?? "", name);
    used.add(id);
    return id;
  };
}
