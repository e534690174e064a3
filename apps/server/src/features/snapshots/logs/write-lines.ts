import type { LogLine } from "@mainstay/contract";
import type { Ctx } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";
import { withTurns } from "#platform/with-turns.ts";
import { eachLogPage } from "#features/logs/index.ts";
import type { SnapshotRange } from "../range.ts";
import { hideInJson } from "../writing/hide-named.ts";
import type { FileLimits, FileTally } from "../writing/part-files.ts";
import type { AskedLines } from "./find-selectors.ts";

interface LineFormat {
  head: string;
  line: (line: LogLine) => string;
  between: string;
  end: string;
}

/** How lines are written, by the ending of their file. */
export const lineFormats = {
  log: {
    head: "",
    line: ({ timestamp, level, message }) =>
      `${timestamp}${level ? ` ${level.toUpperCase()}` : ""} ${message}\n`,
    between: "",
    end: "",
  },
  json: { head: "[", line: (line) => `\n${JSON.stringify(line)}`, between: ",", end: "\n]\n" },
} as const satisfies Record<string, LineFormat>;

export type LineFormatName = keyof typeof lineFormats;

export interface LinesFile {
  lines: AskedLines;
  range: SnapshotRange;
  format: LineFormatName;
  limits: FileLimits & { lines: number };
  /** What is left for all files of lines together: bytes are taken from it, and it ends at a moment (epoch ms). */
  room: { bytes: number; endsAt: number };
  tally: FileTally;
  signal: AbortSignal;
  spent: (ms: number) => void;
}

/**
 * One file of lines, the newest first, page by page. What cannot be had is told beside the file and fails nothing: lines
 * are somewhere else, and the rest of the snapshot is worth having without them.
 */
export async function* writeLines(ctx: Ctx, file: LinesFile): AsyncGenerator<string> {
  const { lines, range, limits, room, tally, signal } = file;
  const format: LineFormat = lineFormats[file.format];
  const { componentId: id, selector: name } = lines;
  const pages = eachLogPage(ctx.with({ signal }), {
    id,
    ...(name !== undefined && { name }),
    start: range.start.toISOString(),
    end: range.end.toISOString(),
  });
  const next = async () => {
    const begun = performance.now();
    try {
      return await pages.next();
    } finally {
      file.spent(performance.now() - begun);
    }
  };
  yield format.head;
  let bytes = 0;
  try {
    for (;;) {
      signal.throwIfAborted();
      if (Date.now() >= room.endsAt) {
        tally.notices.add(
          "Reading the lines of this snapshot took too long: the rest is not read.",
        );
        break;
      }
      const page = await next();
      if (page.done) break;
      const { results, notices = [], sources = [] } = page.value;
      for (const notice of notices) tally.notices.add(notice);
      for (const { name: source, error } of sources)
        if (error !== undefined) tally.notices.add(`${source}: ${error}`);
      let pieces = "";
      let isFull = false;
      for (const line of await withTurns(results, (one) => hideInJson(one) as LogLine)) {
        isFull = tally.rows >= limits.lines || bytes > limits.bytes || room.bytes <= 0;
        if (isFull) break;
        const text = format.line(line);
        pieces += tally.rows === 0 ? text : format.between + text;
        bytes += Buffer.byteLength(text);
        room.bytes -= Buffer.byteLength(text);
        tally.rows += 1;
        const { timestamp, level, message } = line;
        if (tally.first.length < limits.shown) tally.first.push({ timestamp, level, message });
      }
      yield pieces;
      if (!isFull) continue;
      tally.notices.add(`It ends after ${tally.rows} lines; there are more.`);
      break;
    }
  } catch (error) {
    if (signal.aborted || !(error instanceof AppError)) throw error;
    tally.notices.add(`Not all lines could be read: ${error.message}`);
  }
  yield format.end;
}
