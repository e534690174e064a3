import { isInMatchList, parseMatchList } from "@mainstay/contract";
import { readJson } from "#platform/outbound/http/read-json.ts";
import type { Json, JsonObject } from "../../changes/json-patch.ts";
import { isObject } from "../../changes/json-patch.ts";

/** What scrapers of web APIs have in common. */

/**
 * Whether something is among those that are meant, with `*` and `!`, under one of its names, and under none of them taken
 * out; all are when none is said.
 */
export function meantBy(
  patterns: readonly string[] | undefined,
): (...spellings: string[]) => boolean {
  if (!patterns?.length) return () => true;
  const { include, exclude } = parseMatchList(patterns);
  return (...spellings) =>
    spellings.every((text) => isInMatchList({ include: [], exclude }, text)) &&
    spellings.some((text) => isInMatchList({ include, exclude: [] }, text));
}

/** `timed_out` and `timedOut` as one word, `TimedOut`. */
export const pascal = (text: string): string =>
  text
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join("");

/** Of years with four digits: others are written in ways that not everybody reads. */
const ages = { from: Date.parse("0001-01-01"), to: Date.parse("9999-12-31") };

/** The time, when a calendar has it. */
export const ofCalendar = (time: Date): Date | undefined =>
  +time >= ages.from && +time <= ages.to ? time : undefined;

/** A time as the API writes it. */
export const timeOf = (value: unknown): Date | undefined =>
  typeof value === "string" && value !== "" ? ofCalendar(new Date(value)) : undefined;

/** Some fields of an object, without those that are null or not there. */
export function pick(from: Readonly<Record<string, unknown>>, keys: readonly string[]): JsonObject {
  return Object.fromEntries(
    keys.flatMap((key) => {
      const value = from[key];
      return value === undefined || value === null ? [] : [[key, value as Json]];
    }),
  );
}

/** An object of an answer without what is null, as deep as it goes: some APIs write it and some leave it out. */
export const withoutNulls = (value: Json): Json =>
  Array.isArray(value)
    ? (value as readonly Json[]).map(withoutNulls)
    : isObject(value)
      ? Object.fromEntries(
          Object.entries(value).flatMap(([key, inner]) =>
            inner === null ? [] : [[key, withoutNulls(inner)]],
          ),
        )
      : value;

/** The JSON of a text as this catalog keeps it; undefined when it is none, or nests too deeply. */
export const jsonIn = (text: string): Json | undefined => readJson(text) as Json | undefined;
