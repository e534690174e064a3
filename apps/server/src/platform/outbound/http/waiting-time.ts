import { formatDuration } from "@mainstay/contract";

const longestMs = 366 * 86_400_000;

/** How long an answer asks to wait (`Retry-After`), for people; undefined when it does not say so. */
export function waitingTime(
  headers: Readonly<Record<string, string>>,
  now = Date.now(),
): string | undefined {
  const text = headers["retry-after"]?.trim() ?? "";
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now;
  if (!(ms >= 0 && ms <= longestMs)) return undefined;
  return formatDuration(Math.ceil(ms / 1000) * 1000);
}
