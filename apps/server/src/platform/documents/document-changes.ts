import type { DocumentChange, WrittenDocument } from "@mainstay/contract";
import { stringify } from "yaml";
import type { Sealed } from "../sealing/sealed.ts";

/** A document as people read it. */
export const toYaml = (document: unknown): string =>
  stringify(document, { lineWidth: 120, aliasDuplicateObjects: false });

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

/** Secrets that were there before and are others now; that is all that may be told of them. */
export const secretChanges = (before: Sealed = {}, after: Sealed = {}): DocumentChange[] =>
  Object.keys(after)
    .filter((path) => before[path] && JSON.stringify(before[path]) !== JSON.stringify(after[path]))
    .map((path) => ({ path: `spec.${path}`, change: "changed", secret: true }));
