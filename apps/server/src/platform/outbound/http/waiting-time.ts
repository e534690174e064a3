import { formatDuration } from "@mainstay/contract";

const longestMs = 366 * 86_400_000;

/** Whether an answer says that no more requests are taken for now. */
export const isUsedUp = (headers: Readonly<Record<string, string>>): boolean =>
  headers["x-ratelimit-remaining"] === "0";

/** Milliseconds that an answer asks to wait (`Retry-After`, or when its limits end); undefined when it does not say. */
export function waitingMs(
  headers: Readonly<Record<string, string>>,
  now = Date.now(),
): number | undefined {
  const text = headers["retry-after"]?.trim() ?? "";
  const reset = isUsedUp(headers) ? Number(headers["x-ratelimit-reset"]) * 1000 - now : Number.NaN;
  const said = /^\d{1,9}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now;
  const ms = text === "" ? reset : said;
  return ms >= 0 && ms <= longestMs ? ms : undefined;
}

/** The same for people. */
export function waitingTime(
  headers: Readonly<Record<string, string>>,
  now = Date.now(),
): string | undefined {
  const ms = waitingMs(headers, now);
  return ms === undefined ? undefined : formatDuration(Math.ceil(ms / 1000) * 1000);
}
