import { type LineLevel, lineLevels } from "@mainstay/contract/logs/line-level.ts";
import type { LogTerm } from "@mainstay/contract/logs/log-search.ts";
import { parseLogSearch } from "@mainstay/contract/logs/parse-log-search.ts";
import { printLogSearch, printLogTerm } from "@mainstay/contract/logs/print-log-search.ts";

/** Searches are changed by their terms; what cannot be read stays as it is, and its mistake is shown. */

/** A level, or that a line says none. */
export type LevelName = LineLevel | "none";
export const levelNames: readonly LevelName[] = ["none", ...lineLevels];

const keyOf = (term: LogTerm): string => printLogTerm({ ...term, isNot: false });

const changed = (query: string, change: (terms: readonly LogTerm[]) => LogTerm[]): string => {
  const search = parseLogSearch(query);
  return printLogSearch({ ...search, terms: change(search.terms) });
};

/** Adds a term, takes it away where it is already, and turns it around where its opposite is. */
export const toggleTerm = (query: string, term: LogTerm): string =>
  changed(query, (terms) => {
    const others = terms.filter((one) => keyOf(one) !== keyOf(term));
    const isThere = terms.some((one) => keyOf(one) === keyOf(term) && one.isNot === term.isNot);
    return isThere ? others : [...others, term];
  });

/** Whether a search has a term, or its opposite. */
export function stateOfTerm(query: string, term: LogTerm): "has" | "excludes" | "neither" {
  const found = parseLogSearch(query).terms.find((one) => keyOf(one) === keyOf(term));
  if (!found) return "neither";
  return found.isNot ? "excludes" : "has";
}

/** The levels whose lines a search lets through. */
export const levelsOf = (query: string): ReadonlySet<LevelName> =>
  new Set(
    levelNames.filter((level) =>
      parseLogSearch(query).terms.every(
        (term) =>
          term.kind !== "level" || (level !== "none" && term.levels.includes(level)) !== term.isNot,
      ),
    ),
  );

/** The search with just these levels let through. */
const withLevels = (query: string, shown: ReadonlySet<LevelName>): string =>
  changed(query, (terms) => {
    const others = terms.filter(({ kind }) => kind !== "level");
    const hidden = lineLevels.filter((level) => !shown.has(level));
    const kept = lineLevels.filter((level) => shown.has(level));
    // Nothing that is left to see is no choice: all of it is shown again.
    if (shown.size === 0) return others;
    // Only what leaves levels out lets those lines through that say none.
    if (shown.has("none"))
      return hidden.length === 0
        ? others
        : [...others, { kind: "level", levels: hidden, isNot: true }];
    return [...others, { kind: "level", levels: kept, isNot: false }];
  });

/** Shows a level's lines or leaves them out; `only` leaves out all others, or shows them again. */
export function toggleLevel(query: string, level: LevelName, { only = false } = {}): string {
  const shown = levelsOf(query);
  if (only) {
    const isAlone = shown.size === 1 && shown.has(level);
    return withLevels(query, new Set(isAlone ? levelNames : [level]));
  }
  const next = new Set(shown);
  if (!next.delete(level)) next.add(level);
  return withLevels(query, next);
}
