import type { ParsedDocument, TopologySpec } from "@mainstay/contract";
import type { TrialComponent } from "@mainstay/contract/topology-trial.ts";
import { runLookup, type RunnableParts } from "#features/health/index.ts";
import type { Connector } from "#platform/outbound/connector.ts";
import { buildTree, TooManyComponents } from "./build-tree.ts";
import { placeTree } from "./save-tree.ts";
import { tellFirst } from "./tell-first.ts";
import { showTree } from "./show-tree.ts";

/** What a document came to when its components were looked up once, and nothing was stored. */
export interface TopologyResult {
  topology: string;
  /** Nothing failed. */
  isComplete: boolean;
  count: number;
  components: TrialComponent[];
  errors: string[];
  warnings: string[];
}

export interface BuildOnceParts extends RunnableParts {
  connector: Connector;
  signal: AbortSignal;
}

/** Looks up the components of a document once, without a server and its catalog: `mainstay run`. */
export async function buildOnce(
  { name, namespace, labels, source, uid }: ParsedDocument<TopologySpec>,
  { connector, signal, ...runnable }: BuildOnceParts,
): Promise<TopologyResult> {
  const document = { id: uid ?? "00000000-0000-0000-0000-000000000000", name, namespace, labels };
  const topology = `${namespace}/${name}`;
  try {
    const tree = await buildTree(
      { ...document, spec: source },
      {
        lookUp: (spec, given) => runLookup({ spec, document, given, connector, signal }, runnable),
        evaluator: runnable.evaluator,
        signal,
      },
    );
    const { placed, notices } = await placeTree(document.id, tree.roots);
    return {
      topology,
      isComplete: tree.isComplete,
      count: placed.length,
      components: showTree(tree.roots, Number.POSITIVE_INFINITY),
      errors: tellFirst(tree.errors),
      warnings: [tree.notices, notices].flatMap(tellFirst),
    };
  } catch (error) {
    if (!(error instanceof TooManyComponents)) throw error;
    const errors = [error.message];
    return { topology, isComplete: false, count: 0, components: [], errors, warnings: [] };
  }
}
