import { readStoredJson, writeStored } from "../browser-storage.ts";
import { formatRange, parseRange, type TimeRange } from "./time-range.ts";

const key = "mainstay.recent-ranges";
/** Document 3, section 9. */
const kept = 5;

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === "string");

/** The ranges chosen last, the latest first. */
export function recentRanges(): TimeRange[] {
  return (readStoredJson(key, isTexts) ?? [])
    .flatMap((text) => parseRange(text) ?? [])
    .slice(0, kept);
}

export function rememberRange(range: TimeRange): void {
  const text = formatRange(range);
  const others = (readStoredJson(key, isTexts) ?? []).filter((other) => other !== text);
  writeStored(key, JSON.stringify([text, ...others].slice(0, kept)));
}
