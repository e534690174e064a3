import { setTimeout as delay } from "node:timers/promises";
import sql from "sql-template-tag";
import type { Ctx } from "#platform/context.ts";
import { conflict } from "#platform/errors.ts";
import { releaseSql } from "#platform/jobs/claims.ts";
import { createWorkerRegistry } from "#platform/jobs/worker-registry.ts";
import { CANARY_SLOTS } from "../documents/sync-canary.ts";

const LOOK_EVERY_MS = 50;

export interface Held {
  /** The database's time when the canary was taken. */
  now: Date;
  nextAt: Date | null;
}

/**
 * Does something while nothing else runs a canary: takes the claim that its slots are run under, as a worker of its own
 * for as long as it takes. Waits for a run that is going on; refuses when that takes longer than `waitMs`.
 */
export async function holdCanary<Result>(
  ctx: Ctx,
  { canaryId, waitMs }: { canaryId: string; waitMs: number },
  work: (held: Held) => Promise<Result>,
): Promise<Result> {
  const worker = createWorkerRegistry({ db: ctx.db, log: ctx.log });
  await worker.start();
  try {
    const claim = await take(ctx, { canaryId, waitMs, workerId: worker.id });
    try {
      return await work({ now: claim.claimedAt, nextAt: claim.nextAt });
    } finally {
      const { claimedAt } = claim;
      const signal = ctx.signal;
      await ctx.db.run(
        releaseSql(worker.id, [
          {
            kind: CANARY_SLOTS,
            key: canaryId,
            slot: claimedAt,
            claimedAt,
            nextAt: undefined,
            signal,
          },
        ]),
      );
    }
  } finally {
    await worker.stop();
  }
}

interface Taken {
  claimedAt: Date;
  nextAt: Date | null;
}

async function take(
  ctx: Ctx,
  { canaryId, waitMs, workerId }: { canaryId: string; waitMs: number; workerId: string },
): Promise<Taken> {
  const deadline = performance.now() + waitMs;
  for (;;) {
    // To the millisecond, because the claim is named by this time again when it is let go.
    const taken = await ctx.db.first<Taken>(sql`
      update schedules set slot = date_trunc('milliseconds', now()), claimed_at = date_trunc('milliseconds', now()), claimed_by = ${workerId}
       where kind = ${CANARY_SLOTS} and key = ${canaryId} and claimed_by is null
      returning claimed_at as "claimedAt", next_at as "nextAt"`);
    if (taken) return taken;
    if (performance.now() > deadline) {
      throw conflict("This check's canary is being run and takes long. Try again in a moment.");
    }
    await delay(LOOK_EVERY_MS, undefined, { signal: ctx.signal });
  }
}
