import type { FastifyRequest } from "fastify";
import type { Ctx } from "#platform/context.ts";
import type { Queryable } from "#platform/db/database.ts";
import { askShared, createShares, type Share } from "#platform/http/shares.ts";

/** What one asker, and all together, may have of the database for answers of the topology. */
export const topologyShares = (): Share =>
  createShares({
    // A page asks for its components and for its log selectors at the same time.
    asker: { atOnce: 2, waiting: 30, longestWaitMs: 10_000 },
    everybody: { atOnce: 4, waiting: 200, longestWaitMs: 10_000 },
    budget: { mostMs: 40_000, perMinuteMs: 20_000, askers: 10_000 },
  });

/** A statement that takes longer is refused. */
const longestMs = 5_000;

/** Asks when it is the asker's turn, in a transaction of its own. */
export const askInTurn = <T>(
  share: Share,
  asked: { ctx: Ctx; request: FastifyRequest },
  ask: (tx: Queryable) => Promise<T>,
): Promise<T> => share(asked, (spent) => askShared({ db: asked.ctx.db, spent, longestMs, ask }));
