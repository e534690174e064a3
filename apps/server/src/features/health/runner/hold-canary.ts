import { setTimeout as delay } from "node:timers/promises";
import type { Ctx } from "#platform/context.ts";
import { conflict } from "#platform/errors.ts";
import { type Claim, claimNow, releaseSql } from "#platform/jobs/claims.ts";
import { CANARY_SLOTS } from "../documents/sync-canary.ts";

const LOOK_EVERY_MS = 50;

export interface HoldOptions {
  canaryId: string;
  /** Of this process, in the registry of workers. */
  workerId: string;
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
  const claim = await take(ctx, options);
  try {
    return await work(claim);
  } finally {
    await ctx.db.run(releaseSql(options.workerId, [claim]));
  }
}

async function take(ctx: Ctx, { canaryId, workerId, waitMs }: HoldOptions): Promise<Claim> {
  const deadline = performance.now() + waitMs;
  const { signal } = ctx;
  for (;;) {
    const claim = await claimNow(ctx.db, { kind: CANARY_SLOTS, key: canaryId, workerId, signal });
    if (claim) return claim;
    if (performance.now() > deadline) {
      throw conflict("This check's canary is being run and takes long. Try again in a moment.");
    }
    await delay(LOOK_EVERY_MS, undefined, { signal });
  }
}
