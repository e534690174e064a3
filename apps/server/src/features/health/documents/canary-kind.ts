import { canaryFormat } from "@mainstay/contract";
import { type DocumentKind, plainRow } from "#platform/documents/document-kind.ts";
import { canarySealer } from "./canary-sealer.ts";
import { type CanaryRow, checkDocument } from "./check-document.ts";
import { holdCode } from "./hold-code.ts";
import { judgeCanaryScripts } from "./judge-scripts.ts";
import { dropMadeCanaries } from "./made-canaries.ts";
import { normaliseSpec } from "./normalise.ts";
import { syncCanary } from "./sync-canary.ts";

/** Canaries: documents that define checks and when they run. */
export const canaryKind: DocumentKind<CanaryRow> = {
  ...plainRow,
  format: canaryFormat,
  table: "canaries",
  normalise: normaliseSpec,
  judge: judgeCanaryScripts,
  async follow(ctx, tx, row, { locate }) {
    await syncCanary(ctx, tx, row, {
      runSoon: true,
      sealer: canarySealer(ctx.config),
      ...(locate && { locate }),
    });
    await dropMadeCanaries(ctx, tx, canaryKind, row);
  },
  heldIn({ config }, row) {
    const checked = checkDocument(row);
    const checks = checked.issues ? [] : holdCode(config, checked.checks);
    return checks.flatMap(({ type, name, held }) => (held ? [{ type, name, reason: held }] : []));
  },
};
