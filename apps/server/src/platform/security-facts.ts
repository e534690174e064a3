import type { SecurityFact } from "@mainstay/contract";
import type { Ctx } from "./context.ts";
import type { Feature, Services } from "./feature.ts";

const order: readonly SecurityFact["weight"][] = ["serious", "notable"];

/** What every feature says about its own part, the serious first; otherwise in the order of the features. */
export async function collectFacts(
  features: readonly Feature[],
  ctx: Ctx,
  services: Services,
): Promise<SecurityFact[]> {
  const said = features.flatMap((feature) => feature.security?.(ctx, services) ?? []);
  const facts = (await Promise.all(said)).flat();
  return order.flatMap((weight) => facts.filter((fact) => fact.weight === weight));
}

/** Those of a list that are so. */
export const factsThatHold = (
  facts: readonly (readonly [holds: boolean, fact: () => SecurityFact])[],
): SecurityFact[] => facts.flatMap(([holds, fact]) => (holds ? [fact()] : []));

/** `1 person`, `3 people`. */
export const counted = (count: number, one: string, several: string): string =>
  `${count} ${count === 1 ? one : several}`;
