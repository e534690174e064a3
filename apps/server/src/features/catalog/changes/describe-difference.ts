import { createTwoFilesPatch } from "diff";
import {
  isObject,
  type Json,
  mergePatchBetween,
  type Operation,
  patchBetween,
} from "./json-patch.ts";

/** How an item differs from what it was. */
export interface Difference {
  /** RFC 7396, from what it was to what it is; nothing for texts. */
  patches: Json | null;
  /** Unified, over the JSON with its keys in order; nothing where that would be too long. */
  diff: string | null;
  /** Which of its values are others: `spec.replicas, status.phase and 3 more`. */
  summary: string;
  /** RFC 6902, back to what it was. */
  back: Operation[];
}

export interface DiffLimits {
  /** Lines that differ, and how long they are looked for; what is more is told by its patches alone. */
  edits: number;
  longestMs: number;
  /** Characters of either text. */
  compared: number;
}
/** Of a scrape, in which many items wait for each other. */
const ofScrapes: DiffLimits = { edits: 1000, longestMs: 300, compared: 2_000_000 };
/** Of what somebody has asked for and waits for. */
export const whenAsked: DiffLimits = { edits: 5000, longestMs: 3000, compared: 32_000_000 };
/** Characters of a diff. */
const mostCharacters = 262_144;
const mostNamed = 10;

/** `undefined` where nothing differs. */
export function describeDifference(
  before: Json,
  after: Json,
  limits = ofScrapes,
): Difference | undefined {
  const forth = patchBetween(before, after);
  if (forth.length === 0) return undefined;
  return {
    patches: isObject(before) && isObject(after) ? mergePatchBetween(before, after) : null,
    diff: unifiedDiff(before, after, limits),
    summary: summarise(forth),
    back: patchBetween(after, before),
  };
}

/** With its keys in order, so that their order is no difference. */
export const textOf = (value: Json): string =>
  typeof value === "string" ? value : JSON.stringify(sorted(value), undefined, 2);

function sorted(value: Json): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map(sorted);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .toSorted()
      .map((key) => [key, sorted(value[key]!)]),
  );
}

function unifiedDiff(before: Json, after: Json, limits: DiffLimits): string | null {
  // Without spaces it is shorter: what is too long even so is not written out at all.
  const isLong = (value: Json) => JSON.stringify(value).length > limits.compared;
  if (isLong(before) || isLong(after)) return null;
  const texts = [textOf(before), textOf(after)] as const;
  if (texts.some((text) => text.length > limits.compared)) return null;
  const made = createTwoFilesPatch("before", "after", ...texts, "", "", {
    context: 3,
    maxEditLength: limits.edits,
    timeout: limits.longestMs,
  });
  if (made === undefined || made.length > mostCharacters) return null;
  // The lines before the names say nothing.
  return made.slice(made.indexOf("--- "));
}

function summarise(steps: readonly Operation[]): string {
  const places = [
    ...new Set(
      steps.map(
        ({ path }) =>
          path.slice(1).replaceAll("/", ".").replaceAll("~1", "/").replaceAll("~0", "~") ||
          "everything",
      ),
    ),
  ];
  const named = places.slice(0, mostNamed).join(", ");
  return places.length > mostNamed ? `${named} and ${places.length - mostNamed} more` : named;
}
