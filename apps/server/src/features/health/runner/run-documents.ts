import { type CanaryDocument, checksOf, inOrder, type RunResult } from "@mainstay/contract";
import { invalid } from "#platform/errors.ts";
import { createGate } from "#platform/gate.ts";
import { createRunArtifacts } from "../artifacts/run-artifacts.ts";
import { untried } from "../check-types/check-type.ts";
import { awaitingTypes, type Connector } from "../check-types/index.ts";
import { readDetails, storableOutcome } from "../results/check-result.ts";
import { eachLimited } from "#platform/each-limited.ts";
import type { FinishedOutcome } from "../scripts/finish-outcome.ts";
import { createOutputs } from "../scripts/outputs.ts";
import { runCheck, StoppedRun, type TimedOutcome } from "./run-check.ts";
import { runnableCheck, type RunnableParts } from "./runnable-check.ts";

export interface RunDocumentsOptions extends RunnableParts {
  connector: Connector;
  signal: AbortSignal;
  /** Checks that are run at most; a text with more is refused. */
  mostChecks?: number;
  /** No check may take longer than this, whatever it says. */
  longestMs?: number;
}

export interface DocumentResult extends RunResult {
  canary: string;
  /** Why it was not run; then it neither passed nor failed. */
  held?: string;
}

const AT_ONCE = 16;

const isAwaiting = ({ type }: { type: string }) => awaitingTypes.includes(type);

/** Runs every check of some documents once and stores nothing: the dry run of the console, and `mainstay run`. */
export async function runDocuments(
  documents: readonly CanaryDocument[],
  {
    connector,
    signal,
    mostChecks = 1000,
    longestMs = Number.POSITIVE_INFINITY,
    ...parts
  }: RunDocumentsOptions,
): Promise<DocumentResult[]> {
  const all = documents.flatMap((document) =>
    inOrder(
      checksOf(document).map((check) => ({
        document,
        check,
        name: check.name,
        dependsOn: check.dependsOn,
      })),
    ),
  );
  type Item = (typeof all)[number];
  const outputs = new Map(
    documents.map((document) => [
      document,
      createOutputs(
        all.filter((item) => item.document === document),
        ({ check }: Item) => (check.held !== undefined || isAwaiting(check) ? undefined : false),
      ),
    ]),
  );
  if (all.length > mostChecks)
    throw invalid(`There are ${all.length} checks; at most ${mostChecks} are run at a time.`);
  const results = new Map<Item, DocumentResult[]>();
  const gate = createGate({ running: 1 });
  await eachLimited(all, AT_ONCE, async (item) => {
    const { check, document } = item;
    const start = new Date();
    const about = {
      canary: document.name,
      type: check.type,
      name: check.name,
      namespace: check.namespace,
      description: check.description,
      severity: check.severity,
      labels: check.labels,
      start: start.toISOString(),
    };
    if (check.held !== undefined) {
      const why = { held: check.held, error: check.held };
      results.set(item, [{ ...about, pass: false, invalid: true, ...why, duration: 0 }]);
      return;
    }
    if (isAwaiting(check)) {
      const held =
        "It waits to be called, and is judged by the server that hears the calls; save it to have an address to call.";
      const why = { held, message: held };
      results.set(item, [{ ...about, pass: false, invalid: false, ...why, duration: 0 }]);
      return;
    }
    const { interval } = document.spec;
    const { name, namespace, labels } = document;
    const place = {
      canary: { id: document.uid ?? "", name, namespace, labels },
      intervalMs: interval === undefined ? undefined : interval * 1000,
    };
    const runnable = runnableCheck(check, place, parts);
    const limited = { ...runnable, timeoutMs: Math.min(runnable.timeoutMs, longestMs) };
    const said = outputs.get(document)!;
    const context = { outputs: await said.of(item) };
    const began = performance.now();
    // Those that came out before the end are shown all the same.
    const artifacts = runnable.leavesFiles ? createRunArtifacts(gate) : undefined;
    const found = await runCheck({
      check: limited,
      connector,
      stop: signal,
      context,
      artifacts,
    }).catch((error: unknown): FinishedOutcome => {
      said.skip(item);
      if (!(error instanceof StoppedRun)) throw error;
      return { ...untried(error.message), durationMs: performance.now() - began };
    });
    said.put(item, found);
    results.set(item, [
      { ...about, ...shownOutcome(found) },
      ...(found.made ?? []).map((made) => ({
        ...about,
        type: made.type,
        name: made.name,
        namespace: made.namespace ?? about.namespace,
        description: made.description,
        severity: made.severity ?? about.severity,
        labels: made.labels,
        ...shownOutcome(made.outcome),
      })),
    ]);
  });
  return all.flatMap((item) => results.get(item)!);
}

/** As it would be stored: what a target answers may be more than an answer of ours can hold. */
function shownOutcome(found: TimedOutcome) {
  const {
    message,
    error,
    durationMs,
    details,
    expires: _expires,
    ...verdict
  } = storableOutcome(found);
  const more = { message, error, duration: durationMs, detail: readDetails(details) };
  return { ...verdict, ...more };
}
