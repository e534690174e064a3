import type { LogLine } from "@mainstay/contract/logs/log-answers.ts";

/** A line as it is shown, which may stand for others. */
export interface ShownLine {
  /** The newest of them. */
  line: LogLine;
  /** How many lines in a row say the same. */
  count: number;
  /** The oldest of them. */
  oldest: LogLine;
}

const saysTheSame = (one: LogLine, other: LogLine): boolean =>
  one.message === other.message && one.level === other.level && one.length === other.length;

/** Lines as they are shown: each by itself, or those in a row that say the same as one. */
export function groupLines(lines: readonly LogLine[], dedupe: boolean): ShownLine[] {
  const shown: ShownLine[] = [];
  for (const line of lines) {
    const last = shown.at(-1);
    if (dedupe && last && saysTheSame(last.line, line)) {
      last.count += 1;
      last.oldest = line;
    } else shown.push({ line, count: 1, oldest: line });
  }
  return shown;
}
