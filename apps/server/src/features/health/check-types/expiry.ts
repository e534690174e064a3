const dayMs = 86_400_000;

/** What of a target ends some day, and when; the list of checks can be sorted by it. */
export interface Expiry {
  at: Date;
  what: "certificate" | "domain";
}

const days = (ms: number) => {
  const count = Math.floor(ms / dayMs);
  return `${count} day${count === 1 ? "" : "s"}`;
};

/** Whether something is valid for long enough, in a sentence either way. */
export function judgeEnd(
  what: string,
  ends: Date,
  wantedDays: number,
): { message: string; error?: string } {
  const left = ends.getTime() - Date.now();
  const message = `${what} ends in ${days(left)}, on ${ends.toISOString().slice(0, 10)}`;
  if (left < 0) return { message, error: `${what} expired ${days(-left)} ago` };
  if (left < wantedDays * dayMs)
    return { message, error: `${what} expires in ${days(left)}, at least ${wantedDays} wanted` };
  return { message };
}

/** The end of a certificate, as an outcome carries it. */
export const certificateExpiry = (ends: Date | undefined): { expires?: Expiry } =>
  ends && !Number.isNaN(ends.getTime()) ? { expires: { at: ends, what: "certificate" } } : {};

/** Of an error by which a certificate was refused: what is wrong with it need not be its end, which is known. */
export function expiryInError(error: unknown): { expires?: Expiry } {
  let one = error;
  for (let depth = 0; one instanceof Error && depth < 10; depth += 1) {
    const { certificateEnds } = one as { certificateEnds?: unknown };
    if (certificateEnds instanceof Date) return certificateExpiry(certificateEnds);
    one = one.cause;
  }
  return {};
}
