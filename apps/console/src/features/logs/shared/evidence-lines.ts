import type { LogLine } from "@mainstay/contract/logs/log-answers.ts";

/** How many lines before and after each chosen one are kept with it. */
const contextLines = 3;

/** Chosen lines as evidence keeps them. */
export interface EvidenceLines {
  /** In order of time: the chosen lines with those around them, each once. */
  lines: LogLine[];
  /** The chosen ones, by their place in `lines`, counted from 0. */
  selected_lines: Record<string, LogLine>;
}

/** What is attached of the lines that are shown, of which some are chosen. `shown` is the newest first. */
export function evidenceOf(
  shown: readonly LogLine[],
  selected: ReadonlySet<string>,
): EvidenceLines {
  const places = new Set<number>();
  shown.forEach(({ id }, place) => {
    if (!selected.has(id)) return;
    const first = Math.max(0, place - contextLines);
    const last = Math.min(shown.length - 1, place + contextLines);
    for (let at = first; at <= last; at += 1) places.add(at);
  });
  const lines = [...places].toSorted((one, other) => other - one).map((place) => shown[place]!);
  return {
    lines,
    selected_lines: Object.fromEntries(
      lines.flatMap((line, place) => (selected.has(line.id) ? [[String(place), line]] : [])),
    ),
  };
}

/** A choice of lines after one of them was pressed: with Shift, all from the last pressed one to it. */
export function afterChoice(
  shown: readonly { id: string }[],
  selected: readonly string[],
  choice: { id: string; last: string | undefined; withShift: boolean },
): string[] {
  const { id, last, withShift } = choice;
  const [from, to] = [last, id].map((one) => shown.findIndex((line) => line.id === one));
  if (withShift && from !== undefined && to !== undefined && from >= 0 && to >= 0) {
    const between = shown.slice(Math.min(from, to), Math.max(from, to) + 1).map((line) => line.id);
    return [...new Set([...selected, ...between])];
  }
  return selected.includes(id) ? selected.filter((one) => one !== id) : [...selected, id];
}
