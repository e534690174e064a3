import type { SecurityFact } from "@mainstay/contract";
import type { Ctx } from "#platform/context.ts";
import { factsThatHold } from "#platform/security-facts.ts";

/** What the settings of checks weaken. */
export async function checkFacts({ config }: Ctx): Promise<SecurityFact[]> {
  return factsThatHold([
    [
      config.checkAllow.length > 0,
      () => ({
        id: "addresses.allowed",
        title: "Checks may reach addresses that are denied otherwise",
        state: `CHECK_ALLOW names ${config.checkAllow.join(", ")}.`,
        cost: "Whoever may edit checks has the server speak to these addresses; metadata services among them hand out the machine's credentials.",
        remedy: "Name only the addresses that checks need, or leave CHECK_ALLOW out.",
        setting: "CHECK_ALLOW",
        weight: "notable",
      }),
    ],
  ]);
}
