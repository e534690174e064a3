import type { ResourceSelector } from "@mainstay/contract";
import { type Context, Duration, type Value } from "@mainstay/scripting";
import type { z } from "zod";
import type { Connector } from "#platform/outbound/connector.ts";
import { isNotTried } from "#platform/outbound/not-tried.ts";
import type { Left } from "#platform/outbound/left-files.ts";
import { type Expiry, expiryInError } from "./expiry.ts";

/**
 * A check type: how one kind of target is tried once. It gets a validated spec with secrets resolved and returns a
 * result. It never touches our database, never retries, never alerts, never keeps time: the runner does.
 */
export interface CheckType<Spec> {
  type: string;
  /** The schema from `@mainstay/contract`, the one source for validation, editor and form. */
  spec: z.ZodType<Spec>;
  /** Whether it needs the machine's network: such checks are not run while the machine has lost it. */
  network: boolean;
  /** What the health page shows as the check's endpoint; never with a secret in it. */
  endpoint(spec: Spec): string;
  /** A failure of the target is a result. What is thrown becomes a failed result with its message. */
  run(input: CheckInput<Spec>): Promise<CheckOutcome>;
  /**
   * Of a type that asks nobody: something outside calls an address of this server, and the runner judges the calls in
   * place of `run`.
   */
  awaits?: AwaitedCalls<Spec>;
}

interface AwaitedCalls<Spec> {
  /** What the last call brought is kept, and the check is judged as soon as one comes. */
  keepsCalls?: boolean;
  /** What the caller's address ends in, when the document says it; else one is made when somebody asks. */
  token(spec: Spec): string | undefined;
  /** Whether the calls came in time. */
  judge(spec: Spec, calls: Calls): CheckOutcome;
}

/** What a call brought. */
export interface ReceivedCall {
  /** Without those that may carry credentials. */
  headers: Record<string, string>;
  /** Of a body that is JSON. */
  json?: unknown;
  /** Of any other. */
  content?: string;
}

export interface Calls {
  /** The last one, if there was one since this server listens. */
  last?: Date;
  /** The last one that was kept, whenever it came. */
  kept?: { at: Date; call: ReceivedCall };
  /** Since when they are expected. */
  since: Date;
  now: Date;
}

export interface CheckInput<Spec> {
  /** As it is run: templates rendered, value sources and connections put in the place of what named them. */
  spec: Spec;
  /** Of the document that holds the check. */
  namespace: string;
  /** Aborted at the timeout and when the server stops; everything that waits must heed it. */
  signal: AbortSignal;
  /** Time left when `run` is called, in milliseconds. */
  timeoutMs: number;
  /** What the runner does for types whose checks hold others, or conditions of their own; absent where nobody lends it. */
  lent?: Lent;
  /** The only way to open a socket or to run a script, so that the server's policy holds. */
  connector: Connector;
  /** Takes files that the run leaves; absent where nobody keeps any. */
  artifacts?: ArtifactKeeper;
  /** Looks into the catalog; absent where there is none, without a server. @throws what is wrong with the selectors */
  configItems?: ConfigItems;
}

export interface ArtifactKeeper {
  /**
   * Keeps the files within their limits, as far as the signal lets it. What is not kept is said beside the result; a check
   * does not fail for it, so this does not reject.
   */
  keep(files: AsyncIterable<Left>, around: { signal: AbortSignal }): Promise<void>;
}

/** Items of the catalog by selectors, with their columns by name. */
export type ConfigItems = (
  selectors: readonly ResourceSelector[],
) => Promise<readonly Record<string, unknown>[]>;

export interface Lent {
  /** What a CEL expression of the check gives, as text. Rejects with what is wrong with it. */
  evaluate(name: string, expr: string, context: Context): Promise<string>;
  /** Runs the checks of a spec as a canary holds it, whose templates see the context as well. */
  runChecks(
    spec: Readonly<Record<string, unknown>>,
    context: Context,
    around: Pick<CheckInput<unknown>, "signal" | "connector">,
  ): Promise<LentResult[]>;
}

export interface LentResult {
  name: string;
  type: string;
  pass: boolean;
  invalid?: boolean;
  untried?: boolean;
  message?: string;
  error?: string;
  durationMs: number;
}

export interface CheckOutcome {
  pass: boolean;
  /** One line for the history list. */
  message?: string;
  /** Why it failed. */
  error?: string;
  /** The document is wrong, not the target. */
  invalid?: boolean;
  /** The target could not be tried from here, and nothing is known about it; `error` says what was missing. */
  untried?: boolean;
  /** What of the target ends some day. Where a run that passes says nothing, there is nothing. */
  expires?: Expiry;
  /** The part of the run that counts as latency, in milliseconds; the whole run when absent. */
  durationMs?: number;
  /** What is stored and shown of the run; JSON, at most 128 KiB (larger is cut and says so). */
  details?: Record<string, unknown>;
  /**
   * What scripts see by name, `results` among them; asked only where the check has scripts, and never stored. Where it
   * is absent, `results` is what `details` are.
   */
  data?: () => Record<string, Value>;
  /** The failure is the type's own verdict, which counts only where the check has no `test`. */
  isDefaultVerdict?: boolean;
  /** There is nothing to judge yet, and scripts are not asked. */
  isWaiting?: boolean;
  /** Labels that the run found, over those of the check, for its scripts. */
  labels?: Readonly<Record<string, string>>;
}

export const checkType = <Spec>(type: CheckType<Spec>): CheckType<Spec> => type;

export const passed = (message?: string, more: Partial<CheckOutcome> = {}): CheckOutcome => ({
  pass: true,
  message,
  ...more,
});
export const failed = (error: string, more: Partial<CheckOutcome> = {}): CheckOutcome => ({
  pass: false,
  error,
  ...more,
});

/** The target could not be tried: a program, a permission, a way out was missing here. */
export const untried = (error: string, more: Partial<CheckOutcome> = {}): CheckOutcome => ({
  pass: false,
  untried: true,
  error,
  ...more,
});

/** What was thrown, as the outcome that it is. */
export function failedBy(error: unknown, more: Partial<CheckOutcome> = {}): CheckOutcome {
  const message = error instanceof Error ? error.message : String(error);
  const all = { ...expiryInError(error), ...more };
  return isNotTried(error) ? untried(message, all) : failed(message, all);
}

/** Whether a run said nothing about its target: it could not be tried, or what its document asks for cannot be meant. */
export const isUntried = ({ pass, untried: is, invalid }: CheckOutcome): boolean =>
  !pass && (is === true || invalid === true);

/** Why an aborted run ended: its time was over, or the server wanted it to. */
export function abortMessage({
  signal,
  timeoutMs,
}: {
  signal: AbortSignal;
  timeoutMs: number;
}): string {
  const reason: unknown = signal.reason;
  // An abort without a reason of its own comes from the server.
  const isStop = reason instanceof Error && reason.name === "AbortError";
  return isStop ? "stopped before it was finished" : `timed out after ${Math.round(timeoutMs)} ms`;
}

/** What has not ended this long after an abort is left behind. */
const abandonAfterMs = 3000;

/**
 * Runs the part of a check that may throw: an abort and an error both become a failed result. Work that does not heed
 * the abort (a library, a hung file system) is not waited for.
 */
export async function attempt(
  input: { signal: AbortSignal; timeoutMs: number },
  work: () => Promise<CheckOutcome>,
): Promise<CheckOutcome> {
  const { signal } = input;
  const started = performance.now();
  let abandon: NodeJS.Timeout | undefined;
  let onAbort: (() => void) | undefined;
  try {
    signal.throwIfAborted();
    const abandoned = new Promise<never>((_fulfil, reject) => {
      onAbort = () => {
        abandon = setTimeout(() => reject(signal.reason as Error), abandonAfterMs);
      };
      signal.addEventListener("abort", onAbort, { once: true });
    });
    return await Promise.race([work(), abandoned]);
  } catch (error) {
    const durationMs = performance.now() - started;
    if (signal.aborted) return failed(abortMessage(input), { durationMs });
    return failedBy(error, { durationMs });
  } finally {
    clearTimeout(abandon);
    if (onAbort) signal.removeEventListener("abort", onAbort);
  }
}

/** Milliseconds for people: whole, or with one decimal below ten. */
export const inMs = (ms: number): string =>
  `${ms < 10 ? Math.round(ms * 10) / 10 : Math.round(ms)} ms`;

/** A length of time as scripts know it. */
export const scriptDuration = (ms: number): Duration => new Duration(BigInt(Math.round(ms * 1e6)));

/** The longest beginning of a text that takes at most so many characters as JSON, where control characters take six. */
export function cutToJson(text: string, most: number): string {
  let cut = text.slice(0, most);
  for (
    let over = JSON.stringify(cut).length - most;
    over > 0;
    over = JSON.stringify(cut).length - most
  ) {
    cut = cut.slice(0, Math.min(cut.length - 1, Math.floor(cut.length * (most / (over + most)))));
  }
  return cut;
}
