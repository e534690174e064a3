import { createHash } from "node:crypto";
import { z } from "zod";
import { invalid } from "#platform/errors.ts";
import type { LinesQuestion } from "../backends/log-backend.ts";

/**
 * Where an answer over several backends ended: for each the cursor of the page that was in hand, and the last of its
 * lines that was told. A page is asked for again where it was told in part, because only backends know what is behind a
 * line of theirs.
 */
export interface SourcePosition {
  id: string;
  /** The backend's own. */
  cursor?: string | undefined;
  /** The last line of that page that was told: its id and its moment. */
  told?: { id: string; timestamp: string } | undefined;
  /** It has no more, or has failed. */
  isOver?: boolean | undefined;
  error?: string | undefined;
}

const position = z.object({
  id: z.string(),
  cursor: z.string().optional(),
  told: z.object({ id: z.string(), timestamp: z.string().max(40) }).optional(),
  isOver: z.boolean().optional(),
  error: z.string().optional(),
});
const cursor = z.object({
  of: z.string(),
  from: z.int(),
  to: z.int(),
  sources: z.array(position).max(50),
});

/** What a cursor goes on with; `now` stays what it was on the first page. */
export interface PageCursor {
  from: Date;
  to: Date;
  sources: SourcePosition[];
}

const digestOf = ({ search, labels }: LinesQuestion, direction: string): string =>
  createHash("sha256")
    .update(
      JSON.stringify([
        search.terms,
        Object.entries(labels).toSorted(([one], [other]) => (one < other ? -1 : 1)),
        direction,
      ]),
    )
    .digest("base64url")
    .slice(0, 16);

export const printCursor = (
  question: LinesQuestion,
  direction: string,
  sources: SourcePosition[],
): string =>
  Buffer.from(
    JSON.stringify({
      of: digestOf(question, direction),
      from: question.from.getTime(),
      to: question.to.getTime(),
      sources,
    }),
  ).toString("base64url");

/** @throws invalid for what was not printed here, or for another question */
export function readCursor(text: string, question: LinesQuestion, direction: string): PageCursor {
  let read: z.output<typeof cursor> | undefined;
  try {
    read = cursor.safeParse(JSON.parse(Buffer.from(text, "base64url").toString())).data;
  } catch {
    read = undefined;
  }
  if (!read) throw invalid("This is no cursor of an answer.");
  if (read.of !== digestOf(question, direction))
    throw invalid("The cursor belongs to another question.");
  const [from, to] = [new Date(read.from), new Date(read.to)];
  if (Number.isNaN(from.getTime()) || Number.isNaN(to.getTime()))
    throw invalid("This is no cursor of an answer.");
  return { from, to, sources: read.sources };
}
