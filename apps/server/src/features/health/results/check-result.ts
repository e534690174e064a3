import { storableText } from "#platform/db/storable-text.ts";
import type { Expiry } from "../check-types/expiry.ts";
import { storableJson } from "./storable-json.ts";

/** What came out of a run, as it came. A target has its hand in it, so nothing of it may be believed. */
export interface RawOutcome {
  durationMs: unknown;
  pass: unknown;
  invalid?: unknown;
  untried?: unknown;
  expires?: { at: unknown; what: unknown } | undefined;
  message?: unknown;
  error?: unknown;
  details?: unknown;
}

/** The same as plain values within limits, which PostgreSQL can hold and JSON can say. */
export interface StorableOutcome {
  durationMs: number;
  pass: boolean;
  invalid: boolean;
  /** The target could not be tried: counts neither as passed nor as failed. */
  untried?: boolean;
  /** What of the target ends some day. */
  expires?: Expiry;
  message?: string;
  error?: string;
  /** The text of a JSON object. */
  details?: string;
}

/** What one run of one check leaves behind; made by `checkResult`, so that it can be stored. */
export interface CheckResult extends StorableOutcome {
  checkId: string;
  /** When the run began. */
  time: Date;
  severity?: string;
  /** Failures in a row that make the check unhealthy. */
  failuresNeeded: number;
  /** Passes in a row that make it healthy. */
  successesNeeded: number;
  /** The next slot of its canary. */
  nextAt?: Date;
  /** When the next result must be there at the latest; after that the state is unknown to every reader. */
  dueAt?: Date;
}

export interface RawResult extends RawOutcome {
  checkId: string;
  time: Date;
  severity?: unknown;
  failuresNeeded: number;
  successesNeeded: number;
  nextAt: Date | undefined;
}

/** Limits of the stored texts. Source: spec formats, section 5.3. */
const LONGEST_MESSAGE = 4_096;
const LONGEST_ERROR = 131_072;
const LONGEST_SEVERITY = 64;
/** The longest that an `int` of milliseconds holds: 24 days. */
const LONGEST_MS = 2_147_483_647;

export function storableOutcome(outcome: RawOutcome): StorableOutcome {
  const pass = outcome.pass === true;
  const invalid = outcome.invalid === true;
  return {
    durationMs: wholeMs(outcome.durationMs),
    pass,
    invalid,
    // What a document asks for that cannot be meant was not tried either.
    ...(!pass && (invalid || outcome.untried === true) && { untried: true }),
    ...expiryOf(outcome.expires),
    message: textOf(outcome.message, LONGEST_MESSAGE),
    error: textOf(outcome.error, LONGEST_ERROR),
    details: detailsOf(outcome.details),
  };
}

export function checkResult(raw: RawResult): CheckResult {
  const { checkId, time, nextAt } = raw;
  return {
    ...storableOutcome(raw),
    checkId,
    time: isMoment(time) ? time : new Date(),
    severity: textOf(raw.severity, LONGEST_SEVERITY),
    failuresNeeded: atLeastOne(raw.failuresNeeded),
    successesNeeded: atLeastOne(raw.successesNeeded),
    nextAt: isMoment(nextAt) ? nextAt : undefined,
  };
}

/** Stands in the place of a result that the database refuses: what came out is lost, so nothing is known of the target. */
export function unstorableResult(result: CheckResult, error: unknown): CheckResult {
  const reason = textOf(error instanceof Error ? error.message : error, 500) ?? "no reason given";
  return {
    checkId: result.checkId,
    time: result.time,
    durationMs: result.durationMs,
    pass: false,
    invalid: false,
    untried: true,
    error: `The result could not be stored, because: ${reason}`,
    failuresNeeded: result.failuresNeeded,
    successesNeeded: result.successesNeeded,
    nextAt: result.nextAt,
    dueAt: result.dueAt,
  };
}

/** A certificate says its end itself, which may be any year. */
function expiryOf(raw: RawOutcome["expires"]): { expires?: Expiry } {
  const { at, what } = raw ?? {};
  if (!isMoment(at) || (what !== "certificate" && what !== "domain")) return {};
  return { expires: { at, what } };
}

/** The details of a result as a value again. */
export const readDetails = (details: string | undefined): Record<string, unknown> | undefined =>
  details === undefined ? undefined : (JSON.parse(details) as Record<string, unknown>);

/** What a strip of last runs has room for, up to the year 2286; PostgreSQL's own range is smaller than a Date's too. */
const LAST_MOMENT = 10 ** 13;

const isMoment = (value: unknown): value is Date =>
  value instanceof Date && value.getTime() >= 0 && value.getTime() < LAST_MOMENT;

function wholeMs(ms: unknown): number {
  if (typeof ms !== "number" || Number.isNaN(ms)) return 0;
  return Math.min(Math.max(0, Math.round(ms)), LONGEST_MS);
}

const atLeastOne = (count: number) =>
  Number.isFinite(count) ? Math.min(Math.max(1, Math.round(count)), LONGEST_MS) : 1;

/** What should be a text and is none is said as JSON: better an odd text than none. */
function textOf(value: unknown, longest: number): string | undefined {
  if (value === undefined || value === null) return undefined;
  return storableText(typeof value === "string" ? value : storableJson(value), longest);
}

function detailsOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  const text = storableJson(value);
  return text === "{}" ? undefined : text;
}
