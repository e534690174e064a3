import { setTimeout as delay } from "node:timers/promises";
import type { Ctx } from "#platform/context.ts";
import { conflict } from "#platform/errors.ts";
import { type Claim, claimNow, releaseSql } from "#platform/jobs/claims.ts";
import type { WorkerRegistry } from "#platform/jobs/worker-registry.ts";
import { CANARY_SLOTS } from "../documents/sync-canary.ts";

const LOOK_EVERY_MS = 50;

export interface HoldOptions {
  canaryId: string;
  workers: Pick<WorkerRegistry, "id" | "keep">;
  /** How long to wait for a run that is going on. */
  waitMs: number;
}

/**
 * Does something while nothing else runs a canary: takes the claim that its slots are run under. Waits for a run that
 * is going on; refuses when that takes too long.
 */
export async function holdCanary<Result>(
  ctx: Ctx,
  options: HoldOptions,
  work: (claim: Claim) => Promise<Result>,
): Promise<Result> {
  const done = options.workers.keep({ kind: CANARY_SLOTS, key: options.canaryId });
  try {
    const claim = await take(ctx, options);
    try {
      return await work(claim);
    } finally {
      await letGo(ctx, options, claim);
    }
  } finally {
    done();
  }
}

/** What was done stays done when this fails: a claim that is not kept is given back by the registry. */
async function letGo(ctx: Ctx, { workers, canaryId }: HoldOptions, claim: Claim): Promise<void> {
  await ctx.db.run(releaseSql(workers.id, [claim])).catch((error: unknown) => {
    ctx.log.warn({ err: error, canary: canaryId }, "a canary is let go a little later");
  });
}

async function take(ctx: Ctx, { canaryId, workers, waitMs }: HoldOptions): Promise<Claim> {
  const deadline = performance.now() + waitMs;
  const { signal } = ctx;
  for (;;) {
    const claim = await claimNow(ctx.db, {
      kind: CANARY_SLOTS,
      key: canaryId,
      workerId: workers.id,
      signal,
    });
    if (claim) return claim;
    if (performance.now() > deadline) {
      throw conflict("This check's canary is being run and takes long. Try again in a moment.");
    }
    await delay(LOOK_EVERY_MS, undefined, { signal });
  }
}
