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
  /** `gap`: what lies there is not known. */
  kind: "same" | "added" | "removed" | "changed" | "gap";
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
/** Of one line, words that differ; of all lines together, how long they are looked for. */
const mostWords = 400;
const mostWordsMs = 1_000;

const linesOf = (text: string): string[] =>
  text === "" ? [] : text.replace(/\r?\n$/, "").split(/\r?\n/);

/** What differs within two lines, on each side; nothing is marked when hardly anything is alike. */
function changedExtents(
  before: string,
  after: string,
  timeout: number,
): { before: Extent[]; after: Extent[] } {
  const found: { before: Extent[]; after: Extent[] } = { before: [], after: [] };
  if (before.length > longestComparedLine || after.length > longestComparedLine) return found;
  if (timeout <= 0) return found;
  let [atBefore, atAfter, alike] = [0, 0, 0];
  const words = diffWordsWithSpace(before, after, { maxEditLength: mostWords, timeout });
  for (const { value, added, removed } of words ?? []) {
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

/** Puts rows together, and counts the lines of both sides. */
function startRows() {
  const rows: DiffRow[] = [];
  let [old, young, added, removed] = [0, 0, 0, 0];
  let leftMs = mostWordsMs;
  const marksOf = (before: string, after: string) => {
    const begun = performance.now();
    const marks = changedExtents(before, after, leftMs);
    leftMs -= performance.now() - begun;
    return marks;
  };
  const beforeSide = (text: string, changed: readonly Extent[] = []): DiffSide => {
    old += 1;
    return { number: old, text, changed };
  };
  const afterSide = (text: string, changed: readonly Extent[] = []): DiffSide => {
    young += 1;
    return { number: young, text, changed };
  };
  return {
    same(before: string, after: string) {
      rows.push({ kind: "same", before: beforeSide(before), after: afterSide(after) });
    },
    /** Lines that went, then lines that came: as pairs as far as they go. */
    replace(gone: readonly string[], come: readonly string[]) {
      removed += gone.length;
      added += come.length;
      for (let index = 0; index < Math.max(gone.length, come.length); index += 1) {
        const [before, after] = [gone[index], come[index]];
        if (before !== undefined && after !== undefined) {
          const marks = marksOf(before, after);
          rows.push({
            kind: "changed",
            before: beforeSide(before, marks.before),
            after: afterSide(after, marks.after),
          });
        } else if (before !== undefined)
          rows.push({ kind: "removed", before: beforeSide(before), after: null });
        else if (after !== undefined)
          rows.push({ kind: "added", before: null, after: afterSide(after) });
      }
    },
    /** Goes on at other lines, counted from 1; what lies between is not known. */
    skipTo(before: number, after: number) {
      if (before - 1 <= old && after - 1 <= young) return;
      rows.push({ kind: "gap", before: null, after: null });
      [old, young] = [before - 1, after - 1];
    },
    finish: (isGivenUp: boolean): DiffRows => ({ rows, added, removed, isGivenUp }),
  };
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
  const made = startRows();
  if (!changes) {
    made.replace(old, []);
    made.replace([], young);
    return made.finish(true);
  }
  let [atOld, atYoung] = [0, 0];
  let waiting: string[] = [];
  for (const { removed, added, count } of changes) {
    if (removed) waiting = [...waiting, ...old.slice(atOld, (atOld += count))];
    else if (added) {
      made.replace(waiting, young.slice(atYoung, (atYoung += count)));
      waiting = [];
    } else {
      made.replace(waiting, []);
      waiting = [];
      for (let index = 0; index < count; index += 1)
        made.same(old[atOld++] ?? "", young[atYoung++] ?? "");
    }
  }
  made.replace(waiting, []);
  return made.finish(false);
}

/** The rows of a unified diff: its hunks, with the numbers that they say. */
export function patchRows(patch: string): DiffRows {
  const made = startRows();
  let gone: string[] = [];
  let come: string[] = [];
  const settle = () => {
    made.replace(gone, come);
    [gone, come] = [[], []];
  };
  let isInHunk = false;
  for (const line of linesOf(patch)) {
    const hunk = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line);
    if (hunk) {
      settle();
      // Of no lines it says the one before.
      made.skipTo(
        Number(hunk[1]) + (hunk[2] === "0" ? 1 : 0),
        Number(hunk[3]) + (hunk[4] === "0" ? 1 : 0),
      );
      isInHunk = true;
    } else if (!isInHunk) {
      // Some leave out where the lines stand.
      isInHunk = line.startsWith("+++ ");
    } else if (line.startsWith("-")) gone.push(line.slice(1));
    else if (line.startsWith("+")) come.push(line.slice(1));
    // "\ No newline at end of file" is no line.
    else if (!line.startsWith("\\")) {
      settle();
      made.same(line.slice(1), line.slice(1));
    }
  }
  settle();
  return made.finish(false);
}

/** Rows that are shown, or a stretch of rows that are the same on both sides and folded away. */
export type DiffPart =
  | { kind: "rows"; start: number; rows: readonly DiffRow[] }
  | { kind: "folded"; start: number; count: number }
  | { kind: "gap"; start: number };

const context = 3;
/** Folding fewer rows than these would hide more than it saves. */
const leastFolded = 4;

/** Folds away what is the same, except some rows around what is not; `open` are starts of stretches that stay. */
export function foldRows(rows: readonly DiffRow[], open: ReadonlySet<number>): DiffPart[] {
  const parts: DiffPart[] = [];
  let start = 0;
  while (start < rows.length) {
    if (rows[start]?.kind === "gap") {
      parts.push({ kind: "gap", start });
      start += 1;
      continue;
    }
    const isSame = rows[start]?.kind === "same";
    let end = start;
    while (
      end < rows.length &&
      rows[end]?.kind !== "gap" &&
      (rows[end]?.kind === "same") === isSame
    )
      end += 1;
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
