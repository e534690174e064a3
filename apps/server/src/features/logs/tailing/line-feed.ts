import type { LogLine } from "@mainstay/contract";
import sql, { join } from "sql-template-tag";
import type { Ctx } from "#platform/context.ts";
import type { Listener } from "#platform/events/listener.ts";
import { columns, lineOf, type Row } from "../store/read-lines.ts";
import { LINES_CHANNEL } from "../store/write-lines.ts";
import { type Gap, lookBack, openGaps } from "./open-numbers.ts";

/** A line as it came, with its number: the order of arrival. */
export interface FedLine {
  number: number;
  line: LogLine;
}
export interface Portion {
  lines: readonly FedLine[];
  /** Lines that came as well, and are not here. */
  skipped: number;
  /** Up to this number nothing is still to come. */
  upTo: number;
}

/** Lines that came to the store, on whichever server; read once for all that listen. */
export interface LineFeed {
  /** Resolves when what comes from now on is heard. */
  listen(): Promise<void>;
  /** @returns what ends it */
  subscribe(hear: (portion: Portion) => void): () => void;
  /** The number up to which nothing is still to come; lines behind it are heard by whoever has subscribed. */
  now(): Promise<number>;
}

/** Lines that are read of one announcement, and bytes of them: of more the newest. */
const most = { lines: 2_000, bytes: 4 * 1024 * 1024 };
/** Announcements that wait to be read; older ones are told as skipped. */
const mostWaiting = 50;
/** Numbers that are known to have been told: what servers write at the same time is numbered in turns. */
const mostKnown = 20_000;

/** How long a gap is kept open: longer than anybody writes. */
const mostOpenMs = 60_000;

const lowest = ([gap]: readonly Gap[], last: number): number => (gap ? gap.first - 1 : last);

export function createLineFeed({ ctx, listener }: { ctx: Ctx; listener: Listener }): LineFeed {
  const hearers = new Set<(portion: Portion) => void>();
  const known = new Set<number>();
  const waiting: Gap[] = [];
  let skipped = 0;
  /** Up to this number everything was read, or told as skipped. */
  let newest = 0;
  /** Numbers up to the newest that others are still writing, and since when they are known as such. */
  let gaps: (Gap & { since: number })[] = [];
  let isBehind = false;
  let reading: Promise<void> | undefined;
  let listening: Promise<unknown> | undefined;

  const tell = (portion: Portion) => {
    if (portion.lines.length === 0 && portion.skipped === 0) return;
    for (const hear of hearers) hear(portion);
  };

  /** What came of these numbers, and of those that were still being written, in the order of arrival. */
  function rowsOf({ first, last }: Gap, late: readonly Gap[]): Promise<Row[]> {
    const numbers = join(
      [{ first, last }, ...late].map((one) => sql`id between ${one.first} and ${one.last}`),
      " or ",
    );
    return ctx.db.rows<Row>(sql`
      select micros, nanos, id, level, length, message, labels from (
        select ${columns}, sum(octet_length(message) + pg_column_size(labels)) over (order by id desc) as bytes, row_number() over (order by id desc) as place
          from (select * from log_lines where ${numbers} order by id desc limit ${most.lines}) newest) weighed
       where bytes <= ${most.bytes} or place = 1 order by id`);
  }

  async function read(): Promise<void> {
    for (;;) {
      const next = waiting.shift();
      if (!next) return;
      try {
        // Before the lines: what is filled in between is read below, or was read before, and told.
        const open = await gapsUpTo(next);
        const rows = await rowsOf(next, gaps);
        const left = await countBefore(
          next,
          rows.find(({ id }) => id >= next.first),
        );
        gaps = open;
        const came = rows.filter(({ id }) => !known.has(id));
        for (const { id } of came) known.add(id);
        for (const id of known) {
          if (known.size <= mostKnown) break;
          known.delete(id);
        }
        newest = Math.max(newest, next.last);
        const told = {
          lines: came.map((row) => ({ number: row.id, line: lineOf(row) })),
          skipped: skipped + left,
          upTo: lowest(gaps, newest),
        };
        skipped = 0;
        tell(told);
      } catch (error) {
        fail(error);
      }
    }
  }

  /** Those that stay open for long were rolled back; nobody waits for them for ever. */
  async function gapsUpTo({ first, last }: Gap): Promise<typeof gaps> {
    const behind = gaps[0] ? gaps[0].first - 1 : newest > 0 ? newest : first - 1;
    const now = performance.now();
    const known = new Map(gaps.map((one) => [one.last, one.since]));
    const found = await openGaps(ctx.db, { behind, upTo: Math.max(newest, last) });
    return found
      .map((one) => ({ ...one, since: known.get(one.last) ?? now }))
      .filter(({ since }) => now - since < mostOpenMs);
  }

  /** What could not be read is read with what comes next, or when the database is heard again. */
  function fail(error: unknown): void {
    isBehind = true;
    ctx.log.warn({ err: error }, "lines that came could not be read for those who follow them");
  }

  /** Lines of these numbers that are older than the oldest that was read: there was no room for them. */
  async function countBefore({ first, last }: Gap, oldest: Row | undefined): Promise<number> {
    if (!oldest || oldest.id === first || last - first < 1) return 0;
    const row = await ctx.db.first<{ lines: number }>(sql`
      select count(*) as lines from log_lines where id >= ${first} and id < ${oldest.id}`);
    return row?.lines ?? 0;
  }

  async function lastNumber(): Promise<number> {
    const row = await ctx.db.first<{ last: number | null }>(
      sql`select max(id) as last from log_lines`,
    );
    return row?.last ?? 0;
  }

  /** Where hearing begins. */
  async function lookAround(): Promise<void> {
    const last = await lastNumber();
    const since = performance.now();
    const open = await openGaps(ctx.db, { behind: last - lookBack, upTo: last });
    if (last < newest) return;
    newest = last;
    gaps = open.map((one) => ({ ...one, since }));
  }

  /** The connection that hears was lost: whatever came meanwhile. */
  async function catchUp(): Promise<void> {
    const first = newest + 1;
    const last = await lastNumber();
    if (last >= first) take({ first, last });
  }

  function take(numbers: Gap): void {
    waiting.push(numbers);
    while (waiting.length > mostWaiting) {
      const { first, last } = waiting.shift()!;
      skipped += last - first + 1;
    }
    reading ??= read().finally(() => {
      reading = undefined;
    });
  }

  function hear(payload: string | undefined): void {
    if (hearers.size === 0) return;
    if (payload === undefined) {
      catchUp().catch(fail);
      return;
    }
    const found = /^(\d+)-(\d+)$/.exec(payload);
    if (!found) return;
    const [first, last] = [Number(found[1]), Number(found[2])];
    take({ first: isBehind ? Math.min(first, newest + 1) : first, last });
    isBehind = false;
  }

  return {
    async listen() {
      listening ??= listener.on(LINES_CHANNEL, hear);
      try {
        await listening;
      } catch (error) {
        listening = undefined;
        throw error;
      }
      // While nobody was here nothing was heard.
      if (hearers.size === 0) await lookAround();
    },
    subscribe(hearer) {
      hearers.add(hearer);
      return () => hearers.delete(hearer);
    },
    async now() {
      const last = await lastNumber();
      return lowest(await openGaps(ctx.db, { behind: last - lookBack, upTo: last }), last);
    },
  };
}
