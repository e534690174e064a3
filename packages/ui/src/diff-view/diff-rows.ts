import { diffLines, diffWordsWithSpace } from "diff";
import type { Extent } from "../lines/spans.ts";

/** One side of a row: a line with its number (from 1) and what in it is new or gone. */
export interface DiffSide {
  number: number;
  text: string;
  changed: readonly Extent[];
}

/** A row of two texts side by side. A line that was changed stands opposite to what became of it. */
export interface DiffRow {
  kind: "same" | "added" | "removed" | "changed";
  before: DiffSide | null;
  after: DiffSide | null;
}

export interface DiffRows {
  rows: readonly DiffRow[];
  added: number;
  removed: number;
  /** The texts were too different, or too long, to be compared line by line. */
  isGivenUp: boolean;
}

const mostEdits = 5_000;
const mostMs = 1_000;
const longestComparedLine = 2_000;

const linesOf = (text: string): string[] =>
  text === "" ? [] : text.replace(/\r?\n$/, "").split(/\r?\n/);

/** What differs within two lines, on each side; nothing is marked when hardly anything is alike. */
function changedExtents(before: string, after: string): { before: Extent[]; after: Extent[] } {
  const found: { before: Extent[]; after: Extent[] } = { before: [], after: [] };
  if (before.length > longestComparedLine || after.length > longestComparedLine) return found;
  let [atBefore, atAfter, alike] = [0, 0, 0];
  for (const { value, added, removed } of diffWordsWithSpace(before, after)) {
    const size = value.length;
    if (added) found.after.push([atAfter, atAfter + size]);
    if (removed) found.before.push([atBefore, atBefore + size]);
    if (!added && !removed) alike += value.trim().length;
    if (!added) atBefore += size;
    if (!removed) atAfter += size;
  }
  const isAlike = alike * 4 >= Math.max(before.trim().length, after.trim().length);
  return isAlike ? found : { before: [], after: [] };
}

/** Two texts as rows. */
export function diffRows(before: string, after: string): DiffRows {
  // Ends of lines and a missing last one are no difference worth a red line.
  const [old, young] = [linesOf(before), linesOf(after)];
  const joined = (lines: string[]) => lines.map((line) => `${line}\n`).join("");
  const changes = diffLines(joined(old), joined(young), {
    maxEditLength: mostEdits,
    timeout: mostMs,
  });
  const rows: DiffRow[] = [];
  let [atOld, atYoung] = [0, 0];
  const beforeSide = (changed: readonly Extent[] = []): DiffSide => {
    const text = old[atOld] ?? "";
    atOld += 1;
    return { number: atOld, text, changed };
  };
  const afterSide = (changed: readonly Extent[] = []): DiffSide => {
    const text = young[atYoung] ?? "";
    atYoung += 1;
    return { number: atYoung, text, changed };
  };
  /** So many removed lines, then so many added ones: as pairs as far as they go. */
  const replace = (removed: number, added: number) => {
    for (let index = 0; index < Math.max(removed, added); index += 1) {
      if (index < removed && index < added) {
        const marks = changedExtents(old[atOld] ?? "", young[atYoung] ?? "");
        rows.push({
          kind: "changed",
          before: beforeSide(marks.before),
          after: afterSide(marks.after),
        });
      } else if (index < removed) rows.push({ kind: "removed", before: beforeSide(), after: null });
      else rows.push({ kind: "added", before: null, after: afterSide() });
    }
  };

  if (!changes) {
    replace(old.length, 0);
    replace(0, young.length);
    return { rows, added: young.length, removed: old.length, isGivenUp: true };
  }
  let [added, removed, waiting] = [0, 0, 0];
  for (const change of changes) {
    if (change.removed) {
      removed += change.count;
      waiting += change.count;
    } else if (change.added) {
      added += change.count;
      replace(waiting, change.count);
      waiting = 0;
    } else {
      replace(waiting, 0);
      waiting = 0;
      for (let index = 0; index < change.count; index += 1)
        rows.push({ kind: "same", before: beforeSide(), after: afterSide() });
    }
  }
  replace(waiting, 0);
  return { rows, added, removed, isGivenUp: false };
}

/** Rows that are shown, or a stretch of rows that are the same on both sides and folded away. */
export type DiffPart =
  | { kind: "rows"; start: number; rows: readonly DiffRow[] }
  | { kind: "folded"; start: number; count: number };

const context = 3;
/** Folding fewer rows than these would hide more than it saves. */
const leastFolded = 4;

/** Folds away what is the same, except some rows around what is not; `open` are starts of stretches that stay. */
export function foldRows(rows: readonly DiffRow[], open: ReadonlySet<number>): DiffPart[] {
  const parts: DiffPart[] = [];
  let start = 0;
  while (start < rows.length) {
    const isSame = rows[start]?.kind === "same";
    let end = start;
    while (end < rows.length && (rows[end]?.kind === "same") === isSame) end += 1;
    if (!isSame) parts.push({ kind: "rows", start, rows: rows.slice(start, end) });
    else {
      const from = start === 0 ? 0 : start + context;
      const to = end === rows.length ? end : end - context;
      if (to - from < leastFolded || open.has(from))
        parts.push({ kind: "rows", start, rows: rows.slice(start, end) });
      else {
        if (from > start) parts.push({ kind: "rows", start, rows: rows.slice(start, from) });
        parts.push({ kind: "folded", start: from, count: to - from });
        if (end > to) parts.push({ kind: "rows", start: to, rows: rows.slice(to, end) });
      }
    }
    start = end;
  }
  return parts;
}
