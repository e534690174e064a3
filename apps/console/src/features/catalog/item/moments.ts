import type { ItemMoment, ItemMoments } from "@mainstay/contract/catalog-past.ts";
import type { LineRange } from "@mainstay/ui/lines/line-range.ts";
import { formatLineRange, parseLineRange } from "@mainstay/ui/lines/line-range.ts";
import type { UrlCodec } from "#lib/url-state.ts";

/** What of an item's past is shown, as the address says. */
export interface ConfigView {
  lines: LineRange | null;
  /** The moment, as ISO text; nothing for now. */
  at: string | undefined;
  /** What it is compared with: another moment, or now. */
  compareWith: string | undefined;
}

export const nowWord = "now";

const readTime = (text: string | undefined): string | undefined => {
  const time = Date.parse(text ?? "");
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
};

export const configCodec: UrlCodec<ConfigView> = {
  parse: (raw) => ({
    lines: parseLineRange(raw["lines"]),
    at: readTime(raw["at"]),
    compareWith: raw["with"] === nowWord ? nowWord : readTime(raw["with"]),
  }),
  format: ({ lines, at, compareWith }) => ({
    lines: formatLineRange(lines),
    at,
    with: compareWith,
  }),
};

/** Stretches of time in which an item was the same, the oldest first; the last one goes on. */
export interface Stretch {
  from: number;
  /** What began it; nothing for the first. */
  moment: ItemMoment | undefined;
}

export function stretchesOf({ since, moments, hasMore }: ItemMoments): readonly Stretch[] {
  const told = moments
    .toReversed()
    .map((moment): Stretch => ({ from: Date.parse(moment.at), moment }));
  // Of what is older than the oldest that is told nothing is known here.
  return hasMore ? told : [{ from: Date.parse(since), moment: undefined }, ...told];
}

/** Which stretch a moment lies in; the first for what is before all of them. */
export function stretchAt(stretches: readonly Stretch[], time: number): number {
  const found = stretches.findLastIndex(({ from }) => from <= time);
  return Math.max(0, found);
}

const stateWords: Readonly<Record<string, string>> = {
  name: "name",
  type: "type",
  health: "health",
  status: "status",
  description: "description",
  deleted_at: "came back",
};

/** What became another at a moment. */
export function momentWords({ moment }: Stretch): string {
  if (!moment) return "as it was first read";
  const states = moment.changed.map((column) => stateWords[column] ?? column);
  const said = moment.isConfig ? [moment.summary ?? "what is configured", ...states] : states;
  return said.join(", ");
}

/** Both ends of a comparison, the earlier first; nothing where they are one. */
export function comparedMoments(
  { at, compareWith }: Pick<ConfigView, "at" | "compareWith">,
  now: string,
): { from: string; to: string } | undefined {
  if (compareWith === undefined) return undefined;
  const one = at ?? now;
  const other = compareWith === nowWord ? now : compareWith;
  if (one === other) return undefined;
  return one < other ? { from: one, to: other } : { from: other, to: one };
}
