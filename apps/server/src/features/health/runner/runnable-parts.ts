import { catalogEvaluator, itemFinder } from "#features/catalog/index.ts";
import { connectionFinder } from "#features/connections/index.ts";
import type { Ctx } from "#platform/context.ts";
import { valueSources } from "#platform/value-sources/create-value-sources.ts";
import type { RunnableParts } from "./runnable-check.ts";

/** What a server runs checks with. */
export const runnableParts = (ctx: Pick<Ctx, "service">): RunnableParts => ({
  evaluator: ctx.service(catalogEvaluator),
  values: ctx.service(valueSources),
  connections: ctx.service(connectionFinder),
  configItems: ctx.service(itemFinder),
});
