import type { CanaryCheck } from "@mainstay/contract";
import { type SpecNeeds, specNeeds, type WrittenSpec } from "#features/connections/index.ts";

/** What says something of the check and nothing to its target. */
const ofTheCheck = new Set([
  "name",
  "description",
  "namespace",
  "icon",
  "severity",
  "labels",
  "timeout",
  "test",
  "display",
  "transform",
  "transformDeleteStrategy",
  "markFailOnEmpty",
  "metrics",
  "relationships",
  "dependsOn",
  "retries",
]);

type Written = Pick<CanaryCheck, "type" | "spec" | "isTemplated" | "env">;

/** A check as it is prepared. */
export const writtenCheck = ({ type, spec, isTemplated, env }: Written): WrittenSpec => ({
  noun: "check",
  type,
  spec,
  isTemplated,
  ownKeys: ofTheCheck,
  env,
});

export const checkNeeds = (check: Written): SpecNeeds | undefined => specNeeds(writtenCheck(check));
