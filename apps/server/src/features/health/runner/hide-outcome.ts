import type { CanaryCheck } from "@mainstay/contract";
import { createHider, type Hider } from "#platform/sealing/hide-secrets.ts";
import { type CheckOutcome, failed, failedBy } from "../check-types/check-type.ts";
import type { CheckInput } from "../check-types/index.ts";
import type { FinishedOutcome } from "../scripts/finish-outcome.ts";
import { hidingKeeper } from "../artifacts/hide-in-files.ts";
import { checkSecrets, whyCheckNotOpened } from "./check-secrets.ts";

type Run = (input: Omit<CheckInput<unknown>, "spec" | "namespace">) => Promise<CheckOutcome>;

/** Runs a check so that none of its secrets shows in what it reports, whatever its type; without them it is not run. */
export function hidingRun(
  check: Pick<CanaryCheck, "type" | "spec">,
  run: Run,
  unopened?: string,
): Run {
  const why = whyCheckNotOpened(check, unopened);
  if (why !== undefined) return async () => failed(why, { invalid: true });
  const hider = createHider(checkSecrets(check));
  if (!hider) return run;
  return async (input) => {
    const artifacts = hidingKeeper(input.artifacts, hider);
    const outcome = await run({ ...input, artifacts }).catch((error: unknown) => {
      return hideSecrets(failedBy(error), hider);
    });
    return hideSecrets(outcome, hider);
  };
}

export function hideSecrets<Outcome extends CheckOutcome>(outcome: Outcome, hider: Hider): Outcome {
  const { message, error, details, data } = outcome;
  const { made, metrics, shown } = outcome as Partial<FinishedOutcome>;
  return {
    ...outcome,
    ...(message !== undefined && { message: hider.message(message) }),
    ...(error !== undefined && { error: hider.message(error) }),
    ...(shown !== undefined && { shown: hider.message(shown) }),
    ...(details !== undefined && { details: hider.value(details) as typeof details }),
    // Other checks of the document see it.
    ...(data && { data: () => hider.value(data()) as ReturnType<typeof data> }),
    ...(made && {
      made: made.map(({ outcome: one, ...about }) => ({
        ...(hider.value(about) as typeof about),
        outcome: hideSecrets(one, hider),
      })),
    }),
    ...(metrics && { metrics: hider.value(metrics) }),
  };
}
