import { setTimeout as pause } from "node:timers/promises";
import { type LogLine, logLimits, type LogTailEvents } from "@mainstay/contract";
import type { Ctx } from "#platform/context.ts";
import type { LinesQuestion } from "../backends/log-backend.ts";
import { askSource, tellSource } from "../searching/ask-source.ts";
import type { LogSource } from "../searching/log-source.ts";

/** How often a backend is asked that does not say how often it may be. */
const usualAskMs = 2_000;
/** How long after its moment a line may be found for the first time, where the backend does not say. */
export const usualLateMs = 30_000;
/** Pages that are read at one time. */
const mostPages = 5;
/** Below it nothing is read again at all. */
const leastAgainMs = 1_000;
/** Lines that are known to have been told. */
const mostTold = 20_000;

export interface Following {
  source: LogSource;
  question: LinesQuestion;
  /** Whether lines that were there before it began are told. */
  isPast: boolean;
  /** Resolves when there is room for more. `upTo` is the moment up to which all lines were told. */
  tellLines(lines: LogLine[], upTo: Date): Promise<void>;
  tellNotice(notice: LogTailEvents["notice"]): void;
}

/**
 * A backend's lines, by asking it again and again. It may find a line some time after the line's moment, so each time it
 * is asked for the moments shortly before the last line as well, and what was told is left out by its id. Where more
 * lines come than can be read twice, less is read again. A failure is told, and asking goes on.
 */
export async function followBackend(ctx: Ctx, following: Following): Promise<void> {
  const { source, question, isPast, tellLines, tellNotice } = following;
  const { lateMs = usualLateMs, askEveryMs = usualAskMs } = source;
  const begun = question.from.getTime();
  /** By id, the moment of what was told, or was there before. */
  const told = new Map<string, number>();
  /** Nothing before it is asked for: nobody knows any more what of it was told. */
  let floor = isPast ? begun : begun - lateMs;
  let newest = begun;
  let readAgainMs = lateMs;
  let isFirst = true;
  let failed: string | undefined;

  const isNew = ({ id, timestamp }: LogLine): boolean => {
    const moment = Date.parse(timestamp);
    if (told.has(id) || moment < floor) return false;
    told.set(id, moment);
    newest = Math.max(newest, moment);
    return isPast || !isFirst || moment >= begun;
  };
  /** What is older than any line that may still come late, and the oldest of what is too much. */
  const forget = () => {
    for (const [id, moment] of told) if (moment < newest - lateMs) told.delete(id);
    if (told.size <= mostTold) return;
    const byMoment = [...told].toSorted(([, one], [, other]) => one - other);
    for (const [id, moment] of byMoment.slice(0, told.size - mostTold)) {
      told.delete(id);
      floor = Math.max(floor, moment + 1);
    }
  };

  async function look(): Promise<void> {
    const asked = ctx.clock.now().getTime();
    const from = new Date(Math.max(floor, newest - readAgainMs));
    let cursor: string | undefined;
    for (let pages = 1; ; pages += 1) {
      const outcome = await askSource(ctx, source, (bounded) =>
        source.read(bounded, {
          ...question,
          from,
          direction: "forward",
          limit: logLimits.lines,
          ...(cursor !== undefined && { cursor }),
        }),
      );
      if ("error" in outcome) throw outcome.error;
      const { lines, next, notices } = outcome.answer;
      if (notices && isFirst && pages === 1) tellNotice({ notices });
      cursor = next;
      const fresh = lines.filter(isNew);
      const upTo = new Date(cursor === undefined ? Math.max(newest, asked) : newest);
      if (fresh.length > 0) await tellLines(fresh, upTo);
      if (cursor === undefined) {
        if (pages === 1) readAgainMs = Math.min(lateMs, Math.max(readAgainMs * 2, leastAgainMs));
        return;
      }
      if (pages === mostPages) {
        readAgainMs = readAgainMs < leastAgainMs ? 0 : Math.floor(readAgainMs / 2);
        return;
      }
    }
  }

  while (!ctx.signal.aborted) {
    try {
      await look();
      isFirst = false;
      failed = undefined;
    } catch (error) {
      if (ctx.signal.aborted) return;
      const message = error instanceof Error ? error.message : String(error);
      if (message !== failed) tellNotice({ notices: [], sources: [tellSource(source, message)] });
      failed = message;
    }
    forget();
    await pause(askEveryMs, undefined, { signal: ctx.signal }).catch(() => undefined);
  }
}
