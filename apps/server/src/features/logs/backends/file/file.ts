import type { FileBackend } from "@mainstay/contract";
import { z } from "zod";
import type { Ctx } from "#platform/context.ts";
import {
  localSeekable,
  remoteSeekable,
  type SeekableFiles,
} from "#platform/outbound/files/seekable-files.ts";
import { printCursor, readCursor } from "../cursors.ts";
import { lineOf } from "../line-of.ts";
import { zoneOffset } from "../lines/parse-line.ts";
import type { LinesPage, LinesPageQuestion, LogBackend } from "../log-backend.ts";
import { machineOf } from "../machine.ts";
import { matchLines } from "../match-lines.ts";
import { outbound } from "../outbound.ts";
import { type Budget, openLineFile } from "./line-file.ts";
import { type FileRecord, openTimed, readRecords, type TimedFile } from "./read-records.ts";

/** Files that are read for one question: those that were written last. */
const mostFiles = 100;
/** Bytes that are read for one question, of this machine and over SSH. */
const mostBytes = { here: 128 * 1024 * 1024, there: 32 * 1024 * 1024 };

/** The last record that was looked at. */
const position = z.object({
  nanos: z.string().regex(/^-?\d{1,20}$/),
  path: z.string().max(4096),
  at: z.int().min(0),
});

interface Place {
  nanos: bigint;
  path: string;
  at: number;
}

/** By time, and those of one moment by their file and their place in it. */
const compare = (one: Place, other: Place): number =>
  one.nanos === other.nanos
    ? one.path === other.path
      ? one.at - other.at
      : one.path < other.path
        ? -1
        : 1
    : one.nanos < other.nanos
      ? -1
      : 1;

async function read(ctx: Ctx, spec: FileBackend, question: LinesPageQuestion): Promise<LinesPage> {
  const { signal } = ctx;
  const target = machineOf(spec);
  const connector = ctx.service(outbound);
  const files = target ? await remoteSeekable(target, { signal, connector }) : localSeekable();
  const budget: Budget = { left: target ? mostBytes.there : mostBytes.here };
  const whole = budget.left;
  const notices = new Set<string>();
  const opened: TimedFile[] = [];
  try {
    for (const { name } of await findFiles(files, spec, question, { signal, notices }))
      await open(name);
    const page = await readPage(opened, question, { signal, isOver: () => budget.left <= 0 });
    if (budget.left <= 0)
      notices.add(
        `Of the files ${Math.round(whole / 1024 / 1024)} MB were read, which is as much as one question may; what is further away was not looked at.`,
      );
    return { ...page, ...(notices.size > 0 && { notices: [...notices] }) };
  } finally {
    for (const { lines } of opened) lines.close();
    files.close();
  }

  async function open(path: string): Promise<void> {
    try {
      const file = await files.open(path);
      const { modified } = file;
      const options = {
        format: spec.format,
        fields: spec.fields as never,
        offsetMs: zoneOffset(spec.timezone),
        now: ctx.clock.now(),
      };
      const lines = await openLineFile(file, path, budget).catch((error: unknown) => {
        file.close();
        throw error;
      });
      opened.push(await openTimed(path, lines, { modified, options }));
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof Error)) throw error;
      // One file that may not be read takes nothing from the others.
      notices.add(`${error.message.slice(0, 1).toUpperCase()}${error.message.slice(1)}.`);
    }
  }
}

/** The files that can hold lines of the range, those that were written last first. */
async function findFiles(
  files: SeekableFiles,
  { path: patterns }: FileBackend,
  { from, labels }: LinesPageQuestion,
  { signal, notices }: { signal: AbortSignal; notices: Set<string> },
): Promise<{ name: string; modified: Date }[]> {
  const found = new Map<string, { name: string; modified: Date }>();
  for (const pattern of patterns)
    for await (const file of files.find(pattern, { signal, note: (text) => notices.add(text) }))
      if (labels.filename === undefined || labels.filename === file.name)
        found.set(file.name, file);
  if (found.size === 0 && labels.filename === undefined)
    notices.add(`There is no file at ${patterns.join(", ").slice(0, 500)} (${files.place}).`);
  const young = [...found.values()]
    .filter(({ modified }) => modified >= from)
    .toSorted((one, other) => +other.modified - +one.modified);
  if (young.length > mostFiles)
    notices.add(`Of ${young.length} files the ${mostFiles} that were written last were read.`);
  return young.slice(0, mostFiles);
}

/** Merges what the files have by time, until there is enough. */
async function readPage(
  files: readonly TimedFile[],
  { search, labels, from, to, limit, direction, cursor }: LinesPageQuestion,
  { signal, isOver }: { signal: AbortSignal; isOver: () => boolean },
): Promise<LinesPage> {
  const said = readCursor(cursor, position);
  const after = said && { ...said, nanos: BigInt(said.nanos) };
  const sign = direction === "forward" ? 1 : -1;
  const isBehind = (record: FileRecord): boolean =>
    after === undefined ||
    // Lines of one file may be a little out of order: there the place decides.
    (record.path === after.path
      ? (record.at - after.at) * sign > 0
      : compare(record, after) * sign > 0);
  const isMeant = matchLines(search.terms, labels);
  const sources: { next: FileRecord; rest: AsyncGenerator<FileRecord> }[] = [];
  const advance = async (rest: AsyncGenerator<FileRecord>): Promise<FileRecord | undefined> => {
    for (;;) {
      signal.throwIfAborted();
      const { value, done } = await rest.next();
      if (done) return undefined;
      if (isBehind(value)) return value;
    }
  };
  for (const file of files) {
    const rest = readRecords(file, { from, to, direction, after });
    const next = await advance(rest);
    if (next) sources.push({ next, rest });
  }
  const lines: LinesPage["lines"] = [];
  let last: FileRecord | undefined;
  while (sources.length > 0 && lines.length < limit) {
    const first = sources.reduce((best, one) =>
      compare(one.next, best.next) * sign < 0 ? one : best,
    );
    const record = first.next;
    const { nanos, path, at, message, level } = record;
    last = record;
    const line = lineOf({
      id: `${path}@${at}`,
      nanos,
      message,
      labels: { filename: path, ...record.labels },
      level,
    });
    // Of a long message the whole is searched.
    if (isMeant({ ...line, message })) lines.push(line);
    const next = await advance(first.rest);
    if (next) first.next = next;
    else sources.splice(sources.indexOf(first), 1);
  }
  const isMore = sources.length > 0 || isOver();
  return {
    lines,
    ...(isMore &&
      last && {
        next: printCursor({ nanos: String(last.nanos), path: last.path, at: last.at }),
      }),
  };
}

/** Lines of files, of this machine or of another one. */
export const file: LogBackend<FileBackend> = { type: "file", read };
