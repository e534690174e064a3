import { codeInCanarySpec, defaultSchedule } from "@mainstay/contract";
import { invalid } from "#platform/errors.ts";
import type { Ctx, Tx } from "#platform/context.ts";
import { makeDue, removeSchedules, setSchedules } from "#platform/jobs/claims.ts";
import { type Locate, requireCode } from "#platform/require-code.ts";
import { type CanaryRow, checkDocument, type CheckedDocument } from "./check-document.ts";
import { holdCode } from "./hold-code.ts";
import { syncChecks } from "./sync-checks.ts";

/** The kind of the rows in `schedules` that run canaries; their key is the canary's id. */
export const CANARY_SLOTS = "canary";
const NEVER = "@never";

interface SyncOptions {
  runSoon: boolean;
  /** Where the parts of the document are in what was sent. */
  locate?: Locate;
}

/**
 * Everything that follows from a canary's row, in the transaction that wrote it: its checks and its next run. Whoever
 * changes a row that stays answers for what it does on the server's machine, whichever part of the row they change.
 */
export async function syncCanary(
  ctx: Ctx,
  tx: Tx,
  row: CanaryRow,
  options: SyncOptions,
): Promise<Exclude<CheckedDocument, { issues: object }> | undefined> {
  if (row.deleted_at !== null) {
    await removeSchedules(tx, CANARY_SLOTS, row.id);
    return undefined;
  }
  const checked = checkDocument(row);
  if (checked.issues) {
    throw invalid(
      `The document of ${row.namespace}/${row.name} has errors.`,
      checked.issues.map(({ path, message }) => ({ path: path.join("."), message })),
    );
  }
  requireCode(ctx, codeInCanarySpec(row.spec), options.locate);
  const { spec } = checked;
  const checks = holdCode(ctx.config, checked.checks);
  await syncChecks(tx, { id: row.id, owner: spec.owner }, checks);
  const schedule =
    spec.schedule ?? (spec.interval === undefined ? defaultSchedule : `@every ${spec.interval}s`);
  const runs = !isPaused(row, spec.replicas) && checks.some((check) => !check.held);
  await setSchedules(tx, {
    kind: CANARY_SLOTS,
    key: row.id,
    // The row stays when nothing is due by the clock: a run on demand claims it, so that no two runs overlap.
    schedule: runs ? schedule : NEVER,
    timeZone: spec.timeZone,
  });
  if (runs && options.runSoon && schedule !== NEVER) await makeDue(tx, CANARY_SLOTS, row.id);
  return { ...checked, checks };
}

/** `replicas: 0`, or the annotation that the family knows for it. */
function isPaused(row: CanaryRow, replicas: number | undefined): boolean {
  return (
    replicas === 0 || row.annotations?.suspend === "true" || row.annotations?.paused === "true"
  );
}
