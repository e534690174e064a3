/** What one run of one check leaves behind. */
export interface CheckResult {
  checkId: string;
  /** When the run began. */
  time: Date;
  durationMs: number;
  pass: boolean;
  invalid: boolean;
  message?: string;
  error?: string;
  details?: Record<string, unknown>;
  severity?: string;
  /** Failures in a row that make the check unhealthy. */
  failuresNeeded: number;
  /** Passes in a row that make it healthy. */
  successesNeeded: number;
  /** The next slot of its canary. */
  nextAt?: Date;
}

/** Limits of the stored texts. Source: spec formats, section 5.3. */
const LONGEST_MESSAGE = 4096;
const LONGEST_ERROR = 131_072;
const LONGEST_DETAILS = 131_072;

/** Text as PostgreSQL can hold it: no NUL, no half of a surrogate pair, not longer than `longest`. */
export function storable(text: string | undefined, longest = LONGEST_MESSAGE): string | null {
  if (text === undefined) return null;
  const whole = text.includes("\0") ? text.replaceAll("\0", "\uFFFD") : text;
  const cut = whole.length > longest ? `${whole.slice(0, longest - 1)}…` : whole;
  return cut.toWellFormed();
}

export const storableError = (text: string | undefined) => storable(text, LONGEST_ERROR);

export function storableDetails(details: Record<string, unknown> | undefined): string | null {
  if (!details || Object.keys(details).length === 0) return null;
  const text = JSON.stringify(details, (_key, value: unknown) =>
    typeof value === "string" ? storable(value, LONGEST_DETAILS) : value,
  );
  if (text.length > LONGEST_DETAILS) {
    return JSON.stringify({
      cut: `The details were ${text.length} characters long and are not kept; ${LONGEST_DETAILS} are.`,
    });
  }
  return text;
}
