import {
  type CanaryCheck,
  codeInCanarySpec,
  defaultSchedule,
  parseSchedule,
} from "@mainstay/contract";
import sql from "sql-template-tag";
import { invalid } from "#platform/errors.ts";
import type { Ctx, Tx } from "#platform/context.ts";
import { makeDue, removeSchedules, setSchedules } from "#platform/jobs/claims.ts";
import { type Locate, requireCode } from "#platform/require-code.ts";
import { runTimes } from "../results/result-due.ts";
import { longestRunMs } from "../runner/runnable-check.ts";
import { type CanaryRow, checkDocument, type CheckedDocument } from "./check-document.ts";
import type { Sealer } from "#platform/sealing/sealer.ts";
import { isPaused } from "./paused.ts";
import { holdCode } from "./hold-code.ts";
import { syncCalls } from "./sync-calls.ts";
import { syncChecks } from "./sync-checks.ts";

/** The kind of the rows in `schedules` that run canaries; their key is the canary's id. */
export const CANARY_SLOTS = "canary";
const NEVER = "@never";

interface SyncOptions {
  runSoon: boolean;
  /** Opens what the row's document seals. */
  sealer: Sealer;
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
  // As it will run: what is sealed could be more than it seems.
  const { document: opened } = options.sealer.open(row.spec, row.sealed);
  requireCode(ctx, codeInCanarySpec(opened), options.locate);
  const { spec } = checked;
  const checks = holdCode(ctx.config, checked.checks);
  await syncChecks(tx, { id: row.id, owner: spec.owner }, checks);
  await syncCalls(tx, row, options.sealer);
  const schedule =
    spec.schedule ?? (spec.interval === undefined ? defaultSchedule : `@every ${spec.interval}s`);
  const runs = !isPaused(row) && checks.some((check) => !check.held);
  await setSchedules(tx, {
    kind: CANARY_SLOTS,
    key: row.id,
    // The row stays when nothing is due by the clock: a run on demand claims it, so that no two runs overlap.
    schedule: runs ? schedule : NEVER,
    timeZone: spec.timeZone,
  });
  if (runs && options.runSoon && schedule !== NEVER) await makeDue(tx, CANARY_SLOTS, row.id);
  await setResultDue(tx, row.id, { checks, schedule });
  return { ...checked, checks };
}

/**
 * By when each check must have its next result under the document as it is now. What is overdue stays so until there
 * is one: saving a document is no result.
 */
async function setResultDue(
  tx: Tx,
  canaryId: string,
  { checks, schedule }: { checks: readonly CanaryCheck[]; schedule: string },
): Promise<void> {
  const run = checks.filter((check) => check.held === undefined);
  const parsed = parseSchedule(schedule);
  const intervalMs = parsed.kind === "every" ? parsed.everyMs : undefined;
  const { allowancesMs } = runTimes(run.map((check) => longestRunMs(check, intervalMs)));
  await tx.run(sql`
    update checks c
       set result_due = case when s.next_at is null or a.allowance is null or c.last_runtime is null then null
                             when c.result_due < now() then c.result_due
                             else s.next_at + a.allowance * interval '1 ms' end
      from checks k
      join schedules s on s.kind = ${CANARY_SLOTS} and s.key = ${canaryId}
      left join unnest(${run.map((check) => check.type)}::text[], ${run.map((check) => check.name)}::text[],
                       ${allowancesMs}::float8[]) a (type, name, allowance) on a.type = k.type and a.name = k.name
     where k.canary_id = ${canaryId} and k.deleted_at is null and c.id = k.id`);
}
