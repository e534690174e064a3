import { createHash } from "node:crypto";
import type { LogLine } from "@mainstay/contract";
import { z } from "zod";
import { printCursor, readCursor } from "./cursors.ts";
import type { LinesPage, LinesPageQuestion } from "./log-backend.ts";
import { nanosOf } from "./nanos.ts";

/** A line as a program gave it: its moment, and the whole of its message. */
export interface FoundLine {
  line: LogLine;
  nanos: bigint;
  message: string;
}

/** A part of the range that a program is asked for. */
export interface TimeSpan {
  /** Including it. */
  from: bigint;
  to: bigint;
  /** Whether lines of the very last moment are meant as well. */
  isToIncluded: boolean;
  limit: number;
}

interface PageOptions {
  question: LinesPageQuestion;
  signal: AbortSignal;
  /** Lines of a span in the direction that was asked, no more than its limit; fewer only where there are no more. */
  readSpan(span: TimeSpan): Promise<FoundLine[]>;
  /** What the program could not be asked; everything is meant when absent. */
  isMeant?: ((line: FoundLine) => boolean) | undefined;
  /** Lines that the program gives at once. */
  atOnce?: number;
}

/** Lines that are looked through for one page. */
const mostLooked = 20_000;
/** Lines of one moment, across which a page may end. */
const mostAtEdge = 200;

/** The last moment of a page, and which of its lines were told. */
const position = z.object({
  nanos: z.string().regex(/^-?\d{1,20}$/),
  told: z.array(z.string().max(16)).max(mostAtEdge),
});

const shortOf = (id: string) => createHash("sha1").update(id).digest("base64url").slice(0, 8);

/**
 * Pages of a program that can be asked for no more than a range of time: each begins at the last moment of the one
 * before, and leaves out the lines that were told of it.
 */
export async function pageByTime({
  question,
  signal,
  readSpan,
  isMeant = () => true,
  atOnce = 1000,
}: PageOptions): Promise<LinesPage> {
  const { limit, direction, from, to } = question;
  const isBack = direction === "backward";
  const said = readCursor(question.cursor, position);
  let edge = said && { nanos: BigInt(said.nanos), told: new Set(said.told) };
  const lines: LogLine[] = [];
  let isFiltered = false;
  for (let looked = 0; ;) {
    signal.throwIfAborted();
    const asked = Math.min(
      atOnce,
      Math.max(isFiltered ? atOnce : limit, 1) + (edge?.told.size ?? 0) + 1,
    );
    const found = await readSpan({
      from: !isBack && edge ? edge.nanos : nanosOf(from),
      to: isBack && edge ? edge.nanos : nanosOf(to),
      isToIncluded: isBack && edge !== undefined,
      limit: asked,
    });
    const before = edge;
    for (const one of found) {
      const short = shortOf(one.line.id);
      if (edge?.nanos === one.nanos) {
        if (edge.told.has(short)) continue;
        edge.told.add(short);
      } else edge = { nanos: one.nanos, told: new Set([short]) };
      looked += 1;
      if (!isMeant(one)) {
        isFiltered = true;
        continue;
      }
      lines.push(one.line);
      if (lines.length >= limit) return { lines, next: printed(edge) };
    }
    if (found.length < asked) return { lines };
    if (
      edge &&
      (edge.told.size >= Math.min(atOnce - 1, mostAtEdge) ||
        (edge.nanos === before?.nanos && looked === 0))
    )
      edge = { nanos: isBack ? edge.nanos - 1n : edge.nanos + 1n, told: new Set() };
    if (looked >= mostLooked && edge)
      return {
        lines,
        notices: [
          `${mostLooked} lines were looked through; what is further away was not. The next page goes on there.`,
        ],
        next: printed(edge),
      };
  }
}

const printed = ({ nanos, told }: { nanos: bigint; told: ReadonlySet<string> }): string =>
  printCursor({ nanos: String(nanos), told: [...told].slice(0, mostAtEdge) });
