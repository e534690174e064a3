import { type LogAnswer, type LogLine, logLimits } from "@mainstay/contract";
import type { Ctx } from "#platform/context.ts";
import type { AppError } from "#platform/errors.ts";
import type { LinesPage, LinesQuestion } from "../backends/log-backend.ts";
import { type Answered, askSource, failureOfAll, tellSource } from "./ask-source.ts";
import type { LogSource } from "./log-source.ts";
import { type PageCursor, printCursor, readCursor, type SourcePosition } from "./page-cursor.ts";
import { resolveQuestion, type SaidQuestion } from "./resolve-question.ts";

export interface SaidPage extends SaidQuestion {
  limit?: number | undefined;
  direction?: "backward" | "forward" | undefined;
  cursor?: string | undefined;
}

/** Labels that say of whom lines are are never theirs to choose: the permission of who asks is looked at. */
export async function readLogs(ctx: Ctx, said: SaidPage): Promise<LogAnswer> {
  ctx.require("logging_backends", "read");
  const { sources, question } = await resolveQuestion(ctx, said);
  const { limit = logLimits.usualLines, direction = "backward" } = said;
  if (said.cursor === undefined)
    return readPage(ctx, { sources, question, limit, direction, positions: undefined });
  const cursor: PageCursor = readCursor(said.cursor, question, direction);
  const { from, to, sources: positions } = cursor;
  return readPage(ctx, {
    sources,
    question: { ...question, from, to },
    limit,
    direction,
    positions,
  });
}

interface PageParts {
  sources: readonly LogSource[];
  question: LinesQuestion;
  limit: number;
  direction: "backward" | "forward";
  /** Where the page before ended. */
  positions: readonly SourcePosition[] | undefined;
}

/** What a backend has told, and is still to be told. */
interface Part {
  source: LogSource;
  position: SourcePosition;
  page: LinesPage;
  /** Lines of the page that are not told yet. */
  lines: LogLine[];
}

export async function readPage(ctx: Ctx, parts: PageParts): Promise<LogAnswer> {
  const { sources, question, limit, direction, positions } = parts;
  const known = new Map(positions?.map((position) => [position.id, position]));
  const over = [...known.values()].filter(({ isOver }) => isOver);
  const asked = sources.filter(({ id }) => (positions ? known.get(id)?.isOver === false : true));
  const empty = question.from >= question.to;
  const outcomes: Answered<LinesPage>[] = empty
    ? []
    : await Promise.all(
        asked.map((source) =>
          askSource(ctx, source, (bounded) => {
            const { cursor } = known.get(source.id) ?? {};
            return source.read(bounded, {
              ...question,
              limit,
              direction,
              ...(cursor !== undefined && { cursor }),
            });
          }),
        ),
      );
  const failed = outcomes.filter(
    (one): one is { source: LogSource; error: AppError } => "error" in one,
  );
  if (failed.length > 0 && failed.length === outcomes.length) throw failureOfAll(failed);
  const answered: Part[] = outcomes.flatMap((one) => {
    if ("error" in one) return [];
    const position = known.get(one.source.id) ?? { id: one.source.id };
    return [
      {
        source: one.source,
        position,
        page: one.answer,
        lines: untold(one.answer, position, direction),
      },
    ];
  });
  const reached = reachedOf(answered, direction);
  const results = merge(answered, { limit, direction, reached });
  const next: SourcePosition[] = [
    ...over,
    ...failed.map(({ source, error }) => ({
      id: source.id,
      isOver: true,
      error: error.message.slice(0, 500),
    })),
    ...answered.map((part) => positionAfter(part)),
  ];
  const notices = answered.flatMap(({ source, page }) =>
    (page.notices ?? []).map((notice) =>
      sources.length > 1 ? `${source.name}: ${notice}` : notice,
    ),
  );
  const totals = answered.map(({ page }) => page.total);
  const isCounted =
    positions === undefined && failed.length === 0 && totals.every((total) => total !== undefined);
  const errors = new Map(next.map(({ id, error }) => [id, error]));
  return {
    total: isCounted ? totals.reduce((sum, total) => sum + (total ?? 0), 0) : results.length,
    results,
    ...(next.some(({ isOver }) => !isOver) && { next: printCursor(question, direction, next) }),
    ...(reached !== undefined && { reached }),
    ...(notices.length > 0 && { notices }),
    sources: sources.map((source) => tellSource(source, errors.get(source.id))),
  };
}

/** Of a page that was told in part before, what is behind it. */
function untold(
  { lines }: LinesPage,
  { told }: SourcePosition,
  direction: "backward" | "forward",
): LogLine[] {
  if (!told) return [...lines];
  const at = lines.findIndex(({ id }) => id === told.id);
  if (at >= 0) return lines.slice(at + 1);
  // It is gone, or moved to another page: then by its moment.
  const key = sortKey(told.timestamp);
  return lines.filter(({ timestamp }) =>
    direction === "backward" ? sortKey(timestamp) < key : sortKey(timestamp) > key,
  );
}

/** How far all have looked that had too little time: what others have beyond it is told with what is found there. */
function reachedOf(parts: readonly Part[], direction: "backward" | "forward"): string | undefined {
  const moments = parts
    .flatMap(({ page }) => (page.reached === undefined ? [] : [page.reached]))
    .toSorted((one, other) => (sortKey(one) < sortKey(other) ? -1 : 1));
  return direction === "backward" ? moments.at(-1) : moments[0];
}

function merge(
  parts: readonly Part[],
  {
    limit,
    direction,
    reached,
  }: { limit: number; direction: "backward" | "forward"; reached: string | undefined },
): LogLine[] {
  const end = reached === undefined ? undefined : sortKey(reached);
  const results: LogLine[] = [];
  while (results.length < limit) {
    let best: Part | undefined;
    let bestKey = "";
    for (const part of parts) {
      const [line] = part.lines;
      if (!line) {
        // Behind what it has told there is more of it, which may come before what others have.
        if (part.page.next !== undefined && part.page.lines.length > 0) return results;
        continue;
      }
      const key = sortKey(line.timestamp);
      if (!best || (direction === "backward" ? key > bestKey : key < bestKey)) {
        best = part;
        bestKey = key;
      }
    }
    if (!best) return results;
    if (end !== undefined && (direction === "backward" ? bestKey < end : bestKey > end))
      return results;
    const line = best.lines.shift()!;
    best.position = { ...best.position, told: { id: line.id, timestamp: line.timestamp } };
    results.push({ ...line, backend: best.source.id });
  }
  return results;
}

function positionAfter({ position, page, lines }: Part): SourcePosition {
  if (lines.length > 0) return { ...position, isOver: false };
  return page.next === undefined
    ? { id: position.id, isOver: true }
    : { id: position.id, cursor: page.next, isOver: false };
}

/** Moments compare as texts once they have the same digits. */
export const sortKey = (timestamp: string): string => {
  const [whole = "", fraction = ""] = timestamp.replace(/Z$/, "").split(".");
  return `${whole}.${fraction.padEnd(9, "0")}`;
};

/** All lines of a question, page by page, until who asks has enough. */
export async function* eachLogPage(
  ctx: Ctx,
  said: Omit<SaidPage, "cursor" | "limit">,
): AsyncGenerator<LogAnswer, void> {
  let cursor: string | undefined;
  do {
    const page: LogAnswer = await readLogs(ctx, { ...said, limit: logLimits.lines, cursor });
    yield page;
    cursor = page.next;
  } while (cursor !== undefined);
}
