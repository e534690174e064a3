import type { FoundChange } from "@mainstay/contract/catalog-answers.ts";
import { changeSeverities } from "@mainstay/contract/catalog.ts";

/** A row of the list: a change, or many that came close together. */
export interface ChangeLine {
  id: string;
  /** The newest of a burst. */
  change: FoundChange;
  /** All of a burst, newest first. */
  burst?: readonly FoundChange[];
  /** Whether they are shown below it. */
  isOpen?: boolean;
  isMember?: boolean;
}

interface Rule {
  keyOf: (change: FoundChange) => string;
  /** How far apart two of them may be. */
  gapMs: number;
  /** So many are worth a row of their own. */
  least: number;
}

/** The same happening again and again to one item; then the same happening to many items of a type at once. */
const rules: readonly Rule[] = [
  {
    keyOf: ({ config_id, change_type }) => `${config_id}\0${change_type ?? ""}`,
    gapMs: 10 * 60_000,
    least: 3,
  },
  {
    keyOf: ({ type, change_type, severity }) => `${type}\0${change_type ?? ""}\0${severity ?? ""}`,
    gapMs: 60_000,
    least: 4,
  },
];

export const asLines = (changes: readonly FoundChange[]): ChangeLine[] =>
  changes.map((change) => ({ id: change.id, change }));

/**
 * The lines of changes that stand in the order of their time, with those of a burst gathered at the place of the first
 * of them. A burst is called by its oldest change, which stays the same while others come.
 */
export function gatherBursts(changes: readonly FoundChange[]): ChangeLine[] {
  return rules.reduce<ChangeLine[]>((lines, rule) => gatherBy(lines, rule), asLines(changes));
}

function gatherBy(lines: readonly ChangeLine[], { keyOf, gapMs, least }: Rule): ChangeLine[] {
  const runs: ChangeLine[][] = [];
  const latest = new Map<string, ChangeLine[]>();
  for (const line of lines) {
    if (line.burst) {
      runs.push([line]);
      continue;
    }
    const key = keyOf(line.change);
    const run = latest.get(key);
    const before = run?.at(-1);
    const apart = before
      ? Math.abs(Date.parse(before.change.created_at) - Date.parse(line.change.created_at))
      : Number.POSITIVE_INFINITY;
    if (run && apart <= gapMs) run.push(line);
    else {
      const begun = [line];
      latest.set(key, begun);
      runs.push(begun);
    }
  }
  const places = new Map(lines.map((line, index) => [line, index]));
  return runs
    .flatMap((run) => {
      const [first] = run;
      if (!first || run.length < least) return run.map((line) => [line, line] as const);
      const burst = run.map(({ change }) => change);
      const oldest = burst.at(-1)!;
      return [[first, { id: `burst-${oldest.id}`, change: first.change, burst }] as const];
    })
    .toSorted(([one], [other]) => places.get(one)! - places.get(other)!)
    .map(([, line]) => line);
}

/** With the changes of those bursts that are open below them. */
export const opened = (lines: readonly ChangeLine[], open: readonly string[]): ChangeLine[] =>
  lines.flatMap((line) =>
    line.burst && open.includes(burstName(line))
      ? [
          { ...line, isOpen: true },
          ...line.burst.map((change) => ({
            id: change.id,
            change,
            isMember: true,
          })),
        ]
      : [line],
  );

/** How the address calls a burst. */
export const burstName = ({ id }: ChangeLine): string => id.replace(/^burst-/, "");

/** The worst of several severities. */
export function worstSeverity(changes: readonly FoundChange[]): string | null {
  const rank = ({ severity }: FoundChange) => {
    const place = changeSeverities.findIndex((one) => one === severity?.toLowerCase());
    return place < 0 ? changeSeverities.length : place;
  };
  return changes.toSorted((one, other) => rank(one) - rank(other))[0]?.severity ?? null;
}

/** How many items there are among the items of some changes. */
export const itemCount = (changes: readonly FoundChange[]): number =>
  new Set(changes.map(({ config_id }) => config_id)).size;
