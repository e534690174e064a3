import type { Mapping } from "@mainstay/scripting";
import type { RunnableCheck } from "../runner/runnable-check.ts";
import { outputOf } from "./context.ts";
import type { FinishedOutcome } from "./finish-outcome.ts";

type Check = Pick<RunnableCheck, "name" | "dependsOn">;

/** What the checks of one run say to those that depend on them. */
export interface Outputs<Of extends Check> {
  /** Waits for those that the check depends on; undefined when it depends on none. */
  of(check: Of): Promise<Record<string, Mapping> | undefined>;
  put(check: Of, outcome: FinishedOutcome): void;
  /** It says nothing in this run, and nobody waits for it. */
  skip(check: Of): void;
  /** Nobody waits any more. */
  end(): void;
}

const nothing = { of: async () => undefined, put() {}, skip() {}, end() {} };

/** Those that are depended on come before the others (`inOrder`), so that none waits for one that does not start. */
export function createOutputs<Of extends Check>(
  checks: readonly Of[],
  isKnown: (check: Of) => Mapping | undefined | false = () => false,
): Outputs<Of> {
  const names = new Set(checks.flatMap(({ dependsOn }) => dependsOn));
  if (names.size === 0) return nothing;
  const said = new Map<string, PromiseWithResolvers<Mapping | undefined>>();
  for (const check of checks) {
    if (!names.has(check.name)) continue;
    const output = Promise.withResolvers<Mapping | undefined>();
    said.set(check.name, output);
    const known = isKnown(check);
    if (known !== false) output.resolve(known);
  }
  return {
    async of({ dependsOn }) {
      if (dependsOn.length === 0) return undefined;
      const entries = await Promise.all(
        dependsOn.map(async (name) => [name, await said.get(name)?.promise] as const),
      );
      return Object.fromEntries(
        entries.flatMap(([name, output]) => (output ? [[name, output]] : [])),
      );
    },
    put: (check, outcome) => said.get(check.name)?.resolve(outputOf(outcome)),
    skip: (check) => said.get(check.name)?.resolve(undefined),
    end: () => {
      for (const { resolve } of said.values()) resolve(undefined);
    },
  };
}
