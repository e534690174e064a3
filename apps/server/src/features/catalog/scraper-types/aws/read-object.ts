import type { AwsObject, AwsValue } from "#platform/outbound/aws/aws-value.ts";
import { ofCalendar } from "../api/scraped-api.ts";

/** What answers of Amazon hold, whatever they hold. */

const isObject = (value: unknown): value is AwsObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const objectIn = (of: AwsObject | undefined, key: string): AwsObject => {
  const value = of?.[key];
  return isObject(value) ? value : {};
};

/** A text, or a number as one; empty when there is none. */
export const textIn = (of: AwsObject | undefined, key: string): string => {
  const value = of?.[key];
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
};

export const numberIn = (of: AwsObject | undefined, key: string): number | undefined => {
  const value = of?.[key];
  const number = typeof value === "string" && value !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
};

/** One that stands alone is a list of one: XML does not tell. */
const listOf = (value: AwsValue | null | undefined): readonly AwsValue[] =>
  value === undefined || value === null || value === ""
    ? []
    : Array.isArray(value)
      ? (value as readonly AwsValue[])
      : [value];

export const objectsIn = (of: AwsObject | undefined, key: string): AwsObject[] =>
  listOf(of?.[key]).filter(isObject);

export const textsIn = (of: AwsObject | undefined, key: string): string[] =>
  listOf(of?.[key]).filter((one) => typeof one === "string");

/** `{ Key, Value }`, `{ key, value }`, `{ TagKey, TagValue }`, or a mapping. */
export function tagsIn(of: AwsObject, key: string): Record<string, string> {
  const value = of[key];
  if (isObject(value) && !("Key" in value))
    return Object.fromEntries(
      Object.entries(value).flatMap(([name, one]) =>
        typeof one === "string" ? [[name, one]] : [],
      ),
    );
  return Object.fromEntries(
    objectsIn(of, key).flatMap((tag) => {
      const name = textIn(tag, "Key") || textIn(tag, "key") || textIn(tag, "TagKey");
      if (name === "") return [];
      return [[name, textIn(tag, "Value") || textIn(tag, "value") || textIn(tag, "TagValue")]];
    }),
  );
}

/** A time as texts write it, or in seconds since 1970. */
export function timeIn(of: AwsObject | undefined, key: string): Date | undefined {
  const value = of?.[key];
  if (typeof value !== "string" && typeof value !== "number") return undefined;
  return ofCalendar(new Date(typeof value === "number" ? value * 1000 : value));
}

/** Without what changes all the time and says nothing about how something is configured. */
export const without = (of: AwsObject, ...keys: string[]): AwsObject =>
  Object.fromEntries(Object.entries(of).filter(([key]) => !keys.includes(key)));

const timeName = /(?:At|Time|Date|Timestamp|_at)$/;
const since1970 = { from: 500_000_000, to: 4_000_000_000 };

/** Numbers that are times, in answers of JSON, as texts. */
export function withTimes(value: AwsValue | null, key = ""): AwsValue {
  if (value === null) return "";
  if (typeof value === "number")
    return timeName.test(key) && value > since1970.from && value < since1970.to
      ? new Date(value * 1000).toISOString()
      : value;
  if (typeof value !== "object") return value;
  if (Array.isArray(value))
    return (value as readonly (AwsValue | null)[]).map((one) => withTimes(one, key));
  return Object.fromEntries(
    Object.entries(value as Record<string, AwsValue | null>)
      .filter(([, one]) => one !== null)
      .map(([name, one]) => [name, withTimes(one, name)]),
  );
}
