import {
  type CanaryCheck,
  codeInCheck,
  deleteStrategies,
  longestDefaultTimeoutMs,
  parseDuration,
} from "@mainstay/contract";
import type { Evaluator, Mapping } from "@mainstay/scripting";
import {
  type PrepareParts,
  type Prepared,
  prepareSpec,
  textsOf,
} from "#features/connections/index.ts";
import { createHider } from "#platform/sealing/hide-secrets.ts";
import { type ConfigItems, failed } from "../check-types/check-type.ts";
import {
  type Calls,
  type CheckInput,
  type CheckOutcome,
  type CheckType,
  findCheckType,
} from "../check-types/index.ts";
import type { RunContext, Subject } from "../scripts/context.ts";
import { answersTo, callsLastResult } from "../scripts/evaluate.ts";
import {
  type FinishedOutcome,
  finishOutcome,
  type OutcomeScripts,
  readOutcomeScripts,
} from "../scripts/finish-outcome.ts";
import type { DeleteStrategy } from "../scripts/transform.ts";
import { hidingKeeper } from "../artifacts/hide-in-files.ts";
import { checkSecrets, whyCheckNotOpened } from "./check-secrets.ts";
import { hideSecrets, hidingRun } from "./hide-outcome.ts";
import { lend } from "./lend.ts";
import type { TimedOutcome } from "./run-check.ts";
import { checkNeeds, writtenCheck } from "./written-check.ts";

export { hidingRun } from "./hide-outcome.ts";

const SHORTEST_TIMEOUT_MS = 1_000;
const RETRY_EVERY_MS = 1_000;
const RETRIES = 3;
const MOST_RETRIES = 100;

/** A check that is ready to be run: its type found, its spec read, its limits settled. */
export interface RunnableCheck {
  type: string;
  name: string;
  spec: unknown;
  /** It needs the machine's network. */
  network: boolean;
  timeoutMs: number;
  severity?: string;
  failuresNeeded: number;
  successesNeeded: number;
  /** Names of those of the same document that run before. */
  dependsOn: readonly string[];
  retries?: RetryTimes;
  /** A script of it asks for the result before this one. */
  asksLastResult: boolean;
  /** Its document names files that a run may leave to be kept. */
  leavesFiles: boolean;
  /** Its transform makes other checks. */
  makesChecks: boolean;
  /** What becomes of those that it makes no more. */
  deleteStrategy?: DeleteStrategy;
  begin(context: RunContext): CheckRun;
  /** In place of `begin`, when it waits to be called. */
  judge?(calls: Calls): CheckOutcome;
}

/** One run of a check. */
export interface CheckRun {
  run(
    input: Omit<CheckInput<unknown>, "spec" | "namespace" | "configItems">,
  ): Promise<CheckOutcome>;
  /** What becomes of the outcome: scripts are evaluated, secrets hidden. */
  finish?(outcome: TimedOutcome): Promise<FinishedOutcome>;
}

export interface RetryTimes {
  most: number;
  delayMs: number;
  everyMs: number;
  longestMs: number;
}

/** What checks are run with. */
export interface RunnableParts extends PrepareParts {
  evaluator: Evaluator;
  /** Without them there is no catalog to look into. */
  configItems?: ConfigItems;
}

/** Where a check belongs. */
export interface CheckPlace {
  /** Empty of a document that is not stored. */
  checkId?: string;
  canary: Subject["canary"];
  /** The time between runs, which a check may not exceed unless it says so itself. */
  intervalMs: number | undefined;
  /** Why secrets of the check could not be opened; then it fails with that. */
  unopened?: string;
}

/** `intervalMs` is the time between runs, which a check may not exceed unless it says so itself. */
export const timeoutOf = (
  check: Pick<CanaryCheck, "timeoutMs">,
  intervalMs: number | undefined,
): number =>
  Math.max(
    SHORTEST_TIMEOUT_MS,
    check.timeoutMs ?? Math.min(intervalMs ?? longestDefaultTimeoutMs, longestDefaultTimeoutMs),
  );

export function retryTimes({ retries }: Pick<CanaryCheck, "retries">): RetryTimes | undefined {
  if (!retries || retries.disabled) return undefined;
  const everyMs = retries.interval === undefined ? RETRY_EVERY_MS : parseDuration(retries.interval);
  const longestMs =
    retries.timeout === undefined ? Number.POSITIVE_INFINITY : parseDuration(retries.timeout);
  const most = retries.maxRetries ?? (retries.timeout === undefined ? RETRIES : MOST_RETRIES);
  const delayMs = retries.delay === undefined ? everyMs : parseDuration(retries.delay);
  return most === 0 ? undefined : { most, delayMs, everyMs, longestMs };
}

/** The longest that a run takes with all its tries. */
export function longestRunMs(
  check: Pick<CanaryCheck, "timeoutMs" | "retries">,
  intervalMs: number | undefined,
): number {
  const timeoutMs = timeoutOf(check, intervalMs);
  const times = retryTimes(check);
  if (!times) return timeoutMs;
  const { most, delayMs, everyMs, longestMs } = times;
  const all = delayMs + (most - 1) * everyMs + most * timeoutMs;
  return timeoutMs + Math.min(all, longestMs + timeoutMs);
}

export function runnableCheck(
  check: CanaryCheck,
  place: CheckPlace,
  parts: RunnableParts,
): RunnableCheck {
  const type = findCheckType(check.type);
  if (!type) throw new Error(`Checks of type ${check.type} cannot be run.`);
  const spec = type.spec.parse(check.spec);
  const retries = retryTimes(check);
  const scripts = readOutcomeScripts(check.spec);
  const strategy = deleteStrategies.find((one) => one === check.spec.transformDeleteStrategy);
  return {
    type: type.type,
    name: check.name,
    spec,
    network: type.network,
    timeoutMs: timeoutOf(check, place.intervalMs),
    severity: check.severity,
    failuresNeeded: check.consecutiveFailures,
    successesNeeded: check.consecutiveSuccesses,
    dependsOn: check.dependsOn,
    ...(retries && { retries }),
    asksLastResult: textsOf(check.spec).some(callsLastResult),
    leavesFiles: Array.isArray(check.spec.artifacts) && check.spec.artifacts.length > 0,
    makesChecks: scripts?.transform !== undefined,
    ...(strategy && { deleteStrategy: strategy }),
    begin: beginner(check, { place, parts, type, spec, scripts }),
    ...(type.awaits && { judge: (calls: Calls) => type.awaits!.judge(spec, calls) }),
  };
}

interface BeginParts {
  place: CheckPlace;
  parts: RunnableParts;
  type: CheckType<unknown>;
  spec: unknown;
  scripts: OutcomeScripts | undefined;
}

/** What a check needs is found once; most need nothing, and pay nothing. */
function beginner(
  check: CanaryCheck,
  { place, parts, type, spec, scripts }: BeginParts,
): RunnableCheck["begin"] {
  const { configItems } = parts;
  const { namespace } = check;
  const lent = lend({ parts, place, namespace, prepare: runnableCheck });
  const given = { namespace, lent, ...(configItems && { configItems }) };
  const { unopened } = place;
  const needs = checkNeeds(check);
  if (!needs && !scripts) {
    const run = hidingRun(check, (input) => type.run({ ...input, ...given, spec }), unopened);
    return () => ({ run });
  }
  const why = whyCheckNotOpened(check, unopened);
  if (why !== undefined) return () => ({ run: async () => failed(why, { invalid: true }) });
  const secrets = checkSecrets(check);
  const ownHider = createHider(secrets);
  const subject = subjectOf(check, { place, type, spec });
  const preparation = {
    written: writtenCheck(check),
    document: subject.canary,
    namespace: subject.canary.namespace || namespace,
    reaches: (one: Readonly<Record<string, unknown>>) => codeInCheck(check.type, one),
    schema: type.spec,
  };
  return (context) => {
    let hider = ownHider;
    return {
      async run(input) {
        if (!needs) {
          const artifacts = hidingKeeper(input.artifacts, ownHider);
          return type.run({ ...input, ...given, spec, artifacts });
        }
        const found: string[] = [];
        let prepared: Prepared<unknown>;
        try {
          prepared = await prepareSpec(
            {
              ...preparation,
              needs,
              given: context.given,
              seen: { ...(subject as unknown as Mapping), outputs: context.outputs ?? {} },
              answersTo: (text) => answersTo(text, context.lastResult),
              signal: input.signal,
            },
            parts,
            found,
          );
          if (prepared.ok)
            found.push(...checkSecrets({ type: check.type, spec: prepared.spec as never }));
        } finally {
          // Also what was found before it failed.
          if (found.length > 0) hider = createHider([...secrets, ...found]);
        }
        if (!prepared.ok) return failed(prepared.error, { invalid: true });
        const artifacts = hidingKeeper(input.artifacts, hider);
        return type.run({ ...input, ...given, spec: prepared.spec, artifacts });
      },
      async finish(outcome) {
        const finished = scripts
          ? await finishOutcome({ evaluator: parts.evaluator, subject, scripts }, outcome, context)
          : outcome;
        return hider ? hideSecrets(finished, hider) : finished;
      },
    };
  };
}

const subjectOf = (
  check: CanaryCheck,
  { place, type, spec }: Pick<BeginParts, "place" | "type" | "spec">,
): Subject => ({
  check: {
    id: place.checkId ?? "",
    name: check.name,
    type: check.type,
    description: check.description ?? "",
    labels: check.labels,
    endpoint: type.endpoint(spec),
  },
  canary: place.canary,
});
