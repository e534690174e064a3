import type { Value } from "@mainstay/scripting";
import type { Ctx } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";
import { type CatalogAnswers, withCatalog } from "#platform/scripts/ask-catalog.ts";
import { scriptEvaluator } from "#platform/scripts/evaluator.ts";
import { defineService } from "#platform/service.ts";
import { findItems, type FoundItem } from "../find-items.ts";
import { gitOpsSource } from "./gitops-source.ts";
import { traverse } from "./traverse.ts";

/**
 * The evaluator of the server's scripts, which may ask its catalog. A document's scripts see all of it: whoever may write
 * a canary or a scraper may read every item.
 */
export const catalogEvaluator = defineService("scripts that ask the catalog", (parts) =>
  withCatalog(parts.service(scriptEvaluator), catalogAnswers(parts)),
);

type AnswerParts = Pick<Ctx, "db" | "clock" | "log">;

export function catalogAnswers({ db, clock, log }: AnswerParts): CatalogAnswers {
  /** A fault of ours is not for whoever wrote the script. */
  const told = async <T>(name: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      if (error instanceof AppError || signal.aborted) throw error;
      log.warn({ err: error }, `a script that calls ${name} was not answered`);
      throw new Error("the catalog cannot be asked now", { cause: error });
    }
  };
  return {
    query: (selectors, { most, signal }) =>
      told("catalog.query", signal, async () =>
        values(await findItems({ db, clock }, selectors, { ...(most && { most }), signal })),
      ),
    traverse: (way, signal) =>
      told("catalog.traverse", signal, async () => values(await traverse(db, way, signal))),
    source: (id, signal) =>
      told("gitops.source", signal, async () => ({ ...(await gitOpsSource(db, id, signal)) })),
  };
}

/** Columns of rows are what JSON can hold, and dates. */
const values = (items: readonly FoundItem[]) => items as unknown as Value[];
