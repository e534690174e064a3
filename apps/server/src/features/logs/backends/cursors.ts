import type { z } from "zod";
import { invalid } from "#platform/errors.ts";

/** Where a page ended, in a backend's own words. */
export const printCursor = (value: object): string =>
  Buffer.from(JSON.stringify(value)).toString("base64url");

/** @throws invalid for what the backend did not write itself */
export function readCursor<T>(text: string | undefined, schema: z.ZodType<T>): T | undefined {
  if (text === undefined) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(text, "base64url").toString("utf8"));
  } catch {
    value = undefined;
  }
  const { data } = schema.safeParse(value);
  if (data === undefined) throw invalid("This is no cursor of this log backend.");
  return data;
}
