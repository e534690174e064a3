import { codeInCanarySpec, defaultTopologySchedule, type WrittenSpec } from "@mainstay/contract";
import sql from "sql-template-tag";
import { itemFinder, tagValues } from "#features/catalog/index.ts";
import { type RunnableParts, runLookup } from "#features/health/index.ts";
import type { Ctx } from "#platform/context.ts";
import { recordRun } from "#platform/jobs/history.ts";
import { runLimited } from "#platform/jobs/limited-run.ts";
import type { JobReport } from "#platform/jobs/job.ts";
import type { Connector } from "#platform/outbound/connector.ts";
import { codeOff } from "#platform/require-code.ts";
import type { Sealed } from "#platform/sealing/sealed.ts";
import { topologySealer } from "../documents/topology-kind.ts";
import { relateComponents } from "../relating/relate-components.ts";
import { rollUp } from "../roll-up/roll-up.ts";
import { selectorOf } from "../selector-of.ts";
import {
  type BuildParts,
  buildTree,
  TooManyComponents,
  type TopologyDocument,
} from "./build-tree.ts";
import { isPushed, pushTree } from "./push-tree.ts";
import { saveChecks } from "./save-checks.ts";
import { saveRelationships } from "./save-relationships.ts";
import { placeTree, saveTree } from "./save-tree.ts";
import { tellFirst } from "./tell-first.ts";

/** A run of a topology is given up after this long. */
const timeoutMs = 15 * 60_000;

export interface TopologyRow {
  id: string;
  name: string;
  namespace: string;
  labels: Record<string, string> | null;
  spec: WrittenSpec;
  sealed: Sealed;
  updated_at: Date | null;
}

export interface SyncParts {
  ctx: Ctx;
  connector: Connector;
  runnable: RunnableParts;
  /** Aborted when the claim has gone, or the server stops. */
  signal: AbortSignal;
}

export interface SyncSummary {
  components: number;
  added: number;
  changed: number;
  removed: number;
}

/** What a document is built with. Lookups that reach into the machine are not run where nothing may. */
export function buildParts(
  document: Omit<TopologyDocument, "spec">,
  { ctx, connector, runnable, signal }: SyncParts,
): BuildParts {
  const off = codeOff(ctx.config);
  const values = ctx.service(tagValues);
  return {
    lookUp: async (spec, given) =>
      off !== undefined && codeInCanarySpec(spec).length > 0
        ? { values: [], errors: [off] }
        : runLookup({ spec, document, given, connector, signal }, runnable),
    items: ctx.service(itemFinder),
    tagValues: (tag, selector) => values(tag, selector && selectorOf(selector)),
    evaluator: runnable.evaluator,
    signal,
  };
}

/** Looks up the components of a row of `topologies`, and leaves a row in the job history. Nothing where there is none. */
export async function syncTopology(id: string, parts: SyncParts): Promise<void> {
  const { ctx } = parts;
  const row = await ctx.db.first<TopologyRow>(sql`
    select id, name, namespace, labels, spec, sealed, updated_at from topologies where id = ${id} and deleted_at is null`);
  if (!row) return;
  const run = {
    name: "Topology",
    resource: { type: "topology", id: row.id },
    retention: "balanced",
  } as const;
  await recordRun(ctx.db, run, () =>
    runLimited({ name: "Topology", timeoutMs, stop: parts.signal }, async (signal) => {
      try {
        return await sync(row, { ...parts, ctx: ctx.with({ signal }), signal });
      } catch (error) {
        // Why it was ended says more than what was interrupted.
        signal.throwIfAborted();
        if (error instanceof TooManyComponents) return { successes: 0, errors: [error.message] };
        throw error;
      }
    }),
  );
}

async function sync(row: TopologyRow, parts: SyncParts): Promise<JobReport> {
  const { ctx } = parts;
  const { id, name, namespace } = row;
  const opened = topologySealer(ctx.config).open(row.spec, row.sealed);
  const [failure] = opened.failures;
  if (failure)
    return {
      successes: 0,
      errors: [`The stored value of ${failure.place.path} cannot be used: ${failure.message}`],
    };
  const spec = opened.document;
  const about = { id, name, namespace, labels: row.labels ?? {} };
  const tree = await buildTree({ ...about, spec }, buildParts(about, parts));
  parts.signal.throwIfAborted();
  const { placed, notices } = await placeTree(id, tree.roots);
  const { schedule = defaultTopologySchedule } = spec as { schedule?: string };
  const changes = await saveTree(ctx.db, {
    topologyId: id,
    placed,
    isComplete: tree.isComplete,
    schedule,
  });
  const checks = await saveChecks(ctx, { topology: row, placed, isComplete: tree.isComplete });
  const { isComplete } = tree;
  const unrelated = await saveRelationships(ctx.db, { topologyId: id, placed, isComplete });
  const related = await relateComponents(ctx, { topologyIds: [id] });
  const { faults } = await rollUp(ctx, { topologyIds: [id] });
  // The other server would end what could not be looked up here.
  const pushed = isComplete ? await pushTree(spec.push, { row: about, placed, parts }) : [];
  const summary: SyncSummary = { components: placed.length, ...changes };
  const warnings = [tree.notices, notices, unrelated, faults].flatMap(tellFirst);
  if (!isComplete && isPushed(spec.push))
    warnings.push("push: nothing was sent, because not everything could be looked up.");
  return {
    successes: placed.length,
    errors: [...tree.errors, ...checks.errors, ...related.errors, ...pushed],
    details: { summary, ...(warnings.length > 0 && { warnings }) },
  };
}
