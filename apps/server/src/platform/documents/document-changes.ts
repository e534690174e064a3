import type { DocumentChange, WrittenDocument } from "@mainstay/contract";
import type { Sealed } from "../sealing/sealed.ts";

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

/** What differs between two documents, value by value. */
export function documentChanges(
  before: WrittenDocument | undefined,
  after: WrittenDocument | undefined,
): DocumentChange[] {
  const found: DocumentChange[] = [];
  const walk = (old: unknown, now: unknown, path: readonly string[]): void => {
    if (Object.is(old, now)) return;
    if (isObject(old) && isObject(now) && Array.isArray(old) === Array.isArray(now)) {
      for (const key of new Set([...Object.keys(old), ...Object.keys(now)]))
        walk(old[key], now[key], [...path, key]);
      return;
    }
    const change = old === undefined ? "added" : now === undefined ? "removed" : "changed";
    found.push({ path: path.join("."), change });
  };
  if (before && after) walk(before, after, []);
  return found;
}

/**
 * Secrets that are written out where one is stored: whether it is the same is told to nobody, or whoever may write
 * documents could guess until it is.
 */
export const secretChanges = (
  before: Sealed = {},
  written: readonly string[] = [],
): DocumentChange[] =>
  written
    .filter((path) => before[path])
    .map((path) => ({ path: `spec.${path}`, change: "changed", secret: true }));
