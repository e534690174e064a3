import {
  canariesIn,
  codeInTopology,
  defaultTopologySchedule,
  mapTopologySecrets,
  topologyFormat,
  topologyScripts,
} from "@mainstay/contract";
import { ScriptError } from "@mainstay/scripting";
import { catalogEvaluator } from "#features/catalog/index.ts";
import { judgeCanaryScripts } from "#features/health/index.ts";
import type { Ctx } from "#platform/context.ts";
import {
  type DocumentKind,
  type DocumentParts,
  plainRow,
  type PlainDocumentRow,
} from "#platform/documents/document-kind.ts";
import type { EncryptionConfig } from "#platform/encryption.ts";
import type { KeyedIssue } from "#platform/http/refuse-places.ts";
import { makeDue, removeSchedules, setSchedules } from "#platform/jobs/claims.ts";
import { requireCode } from "#platform/require-code.ts";
import { mistakeOf } from "#platform/scripts/evaluate-script.ts";
import { createSealer, type Sealer } from "#platform/sealing/sealer.ts";

/** The kind of the rows in `schedules` that look components up; their key is the topology's id. */
export const TOPOLOGY_SLOTS = "topology";

/** Of the specs of topologies (`topologies.spec`, `topologies.sealed`). */
export const topologySealer = (config: EncryptionConfig): Sealer =>
  createSealer(config, { name: topologyFormat.name, map: mapTopologySecrets });

/** Nobody reads more mistakes than these. */
const mostIssues = 100;

/** Topologies: documents that say which components there are, and what hangs on them. */
export const topologyKind: DocumentKind<PlainDocumentRow> = {
  ...plainRow,
  format: topologyFormat,
  table: "topologies",
  exactSource: {
    column: "kept_in",
    word: (source) => (source.startsWith("kubernetes/") ? "KubernetesCRD" : "ConfigFile"),
  },
  judge: judgeScripts,
  async follow(ctx, tx, row, { locate }) {
    if (row.deleted_at !== null) return removeSchedules(tx, TOPOLOGY_SLOTS, row.id);
    // As it will run: what is sealed could be more than it seems.
    const { document: opened } = topologySealer(ctx.config).open(row.spec, row.sealed);
    requireCode(ctx, codeInTopology(opened), locate);
    const { schedule: said } = row.spec;
    const schedule = typeof said === "string" && said !== "" ? said : defaultTopologySchedule;
    await setSchedules(tx, { kind: TOPOLOGY_SLOTS, key: row.id, schedule });
    if (schedule !== "@never") await makeDue(tx, TOPOLOGY_SLOTS, row.id);
  },
};

/** Scripts that are none of their language: the topology's own, and those of its checks. They are read and not run. */
async function judgeScripts(
  ctx: Ctx,
  { spec, annotations }: Pick<DocumentParts, "annotations" | "spec">,
): Promise<KeyedIssue[]> {
  const evaluator = ctx.service(catalogEvaluator);
  const own = topologyScripts(spec).map(async ({ name, language, text, path }) => {
    try {
      await evaluator.check({ language, script: text });
      return [];
    } catch (error) {
      if (!(error instanceof ScriptError)) throw error;
      return [{ path: ["spec", ...path], message: mistakeOf(name, error).message }];
    }
  });
  const ofChecks = canariesIn(spec).map(async ({ spec: canary, path }) =>
    (await judgeCanaryScripts(ctx, { spec: canary, annotations })).map(
      ({ path: [, ...inner], ...issue }) => ({ ...issue, path: ["spec", ...path, ...inner] }),
    ),
  );
  return (await Promise.all([...own, ...ofChecks])).flat().slice(0, mostIssues);
}
