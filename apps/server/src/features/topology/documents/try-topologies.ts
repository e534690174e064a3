import { canarySpec, checksOf, topologyFormat } from "@mainstay/contract";
import type { TopologyTrial, TopologyTrialReply } from "@mainstay/contract/topology-trial.ts";
import sql from "sql-template-tag";
import { type TrialInput, trialsOf } from "#features/documents/index.ts";
import { runnableParts } from "#features/health/index.ts";
import type { Ctx } from "#platform/context.ts";
import type { Connector } from "#platform/outbound/connector.ts";
import { buildTree, TooManyComponents } from "../syncing/build-tree.ts";
import { compareTree } from "../syncing/compare-tree.ts";
import { type Component, everyComponent } from "../syncing/component.ts";
import { placeTree } from "../syncing/save-tree.ts";
import { showTree } from "../syncing/show-tree.ts";
import { buildParts } from "../syncing/sync-topology.ts";
import { tellFirst } from "../syncing/tell-first.ts";
import { topologyKind } from "./topology-kind.ts";

/** Components that are shown of one document. */
const mostShown = 500;

/** Each run may ask many targets. */
const tryTopologies = trialsOf({
  format: topologyFormat,
  kind: topologyKind,
  mostDocuments: 10,
  mostRuns: 3,
  longestMs: 60_000,
});

/** Looks up the components of a text once, stores nothing, and says what would become of those that are stored. */
export const dryRun = (
  ctx: Ctx,
  { connector, ...input }: TrialInput & { connector: Connector },
): Promise<TopologyTrialReply> =>
  tryTopologies(ctx, input, async (documents, signal) => {
    const results: TopologyTrial[] = [];
    for (const { name, namespace, labels, source, uid } of documents) {
      const stored = await ctx.db.first<{ id: string }>(sql`
        select id from topologies
         where deleted_at is null
           and (id = ${input.id ?? uid ?? null}::uuid or (name = ${name} and namespace = ${namespace}))
         order by id = ${input.id ?? uid ?? null}::uuid desc nulls last limit 1`);
      const id = stored?.id ?? "00000000-0000-0000-0000-000000000000";
      const about = { id, name, namespace, labels };
      const parts = buildParts(about, { ctx, connector, runnable: runnableParts(ctx), signal });
      const topology = `${namespace}/${name}`;
      try {
        const tree = await buildTree({ ...about, spec: source }, parts);
        const { placed, notices } = await placeTree(id, tree.roots);
        const { isComplete } = tree;
        const { schedule } = source as { schedule?: string };
        results.push({
          topology,
          complete: isComplete,
          count: placed.length,
          components: showTree(tree.roots, mostShown),
          changes: await compareTree(ctx.db, { topologyId: id, placed, isComplete, schedule }),
          checks: checksIn(tree.roots),
          errors: tellFirst(tree.errors),
          warnings: [tree.notices, notices].flatMap(tellFirst),
        });
      } catch (error) {
        if (!(error instanceof TooManyComponents)) throw error;
        results.push(nothing(topology, error.message));
      }
    }
    return results;
  });

const none = () => ({ count: 0, names: [] });
const nothing = (topology: string, error: string): TopologyTrial => ({
  topology,
  complete: false,
  count: 0,
  components: [],
  changes: { added: none(), changed: none(), removed: none() },
  checks: 0,
  errors: [error],
  warnings: [],
});

/** Checks of their own that components have. */
function checksIn(roots: readonly Component[]): number {
  let count = 0;
  for (const { checks } of everyComponent(roots))
    for (const { inline } of checks) {
      const read = canarySpec.safeParse(inline);
      if (!inline || !read.success) continue;
      const source = inline as Record<string, unknown>;
      count += checksOf({
        namespace: "",
        labels: {},
        annotations: {},
        spec: read.data,
        source,
      }).length;
    }
  return count;
}
