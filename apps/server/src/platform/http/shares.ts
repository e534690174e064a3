import { ApiError } from "@mainstay/data-api";
import type { FastifyRequest } from "fastify";
import type { Ctx } from "../context.ts";
import type { Queryable } from "../db/database.ts";
import { tooMany } from "../errors.ts";
import { type BudgetLimits, createBudget } from "./database-budget.ts";
import { networkOf } from "./network-of.ts";
import { createTurns, type TurnLimits } from "./turns.ts";

export interface ShareLimits {
  /** Of one person, or of one network of nobody. */
  asker: TurnLimits;
  /** Of all of them together. */
  everybody: TurnLimits;
  budget: BudgetLimits;
}

export interface Asked<T> {
  ctx: Ctx;
  request: FastifyRequest;
  /** Of answers that are the same for everybody: joins this one with those that are asked for at the same time. */
  together?: (work: () => Promise<T>) => Promise<T>;
}

/**
 * Runs the statements of an answer when it is its asker's turn; `spent` is told how long each took, in milliseconds, of
 * what is answered together that of the first who asked.
 */
export type Share = <T>(
  asked: Asked<T>,
  work: (spent: (ms: number) => void) => Promise<T>,
) => Promise<T>;

/** Keeps one asker from taking the database away from the others: turns, and a budget of its time. Refuses with 429. */
export function createShares({ asker: ofAsker, everybody, budget: limits }: ShareLimits): Share {
  const turns = createTurns(ofAsker);
  const everybodys = createTurns(everybody);
  const budget = createBudget(limits);
  return async ({ ctx, request, together }, work) => {
    const asker = ctx.actor.kind === "person" ? ctx.actor.id : networkOf(request.ip);
    const inTurn = (signal?: AbortSignal) =>
      everybodys.take("everybody", () => work((ms) => budget.spend(asker, ms)), signal);
    try {
      budget.require(asker);
      // What others wait for, too, does not end with who asked first.
      const answer = together ? () => together(() => inTurn()) : () => inTurn(ctx.signal);
      return await turns.take(asker, answer, ctx.signal);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      throw tooMany(`${error.message} Try again in a moment.`);
    }
  };
}

export interface SharedStatement<T> {
  db: Ctx["db"];
  spent: (ms: number) => void;
  /** What takes longer is refused. */
  longestMs: number;
  settings?: Readonly<Record<string, string>>;
  ask(tx: Queryable): Promise<T>;
}

/** Asks in a transaction of its own, planned with the values that it is asked with, and tells what it took. */
export const askShared = <T>({ db, spent, longestMs, settings, ask }: SharedStatement<T>) =>
  db.transaction(
    async (tx) => {
      const begun = performance.now();
      try {
        return await ask(tx);
      } finally {
        spent(performance.now() - begun);
      }
    },
    {
      settings: {
        statement_timeout: String(longestMs),
        // A plan that is made without knowing the words could not use the index on them.
        plan_cache_mode: "force_custom_plan",
        ...settings,
      },
    },
  );
