import type { LogLine } from "@mainstay/contract";
import sql from "sql-template-tag";
import type { Ctx } from "#platform/context.ts";
import type { Listener } from "#platform/events/listener.ts";
import { columns, lineOf, type Row } from "../store/read-lines.ts";
import { LINES_CHANNEL } from "../store/write-lines.ts";

/** A line as it came, with its number: the order of arrival. */
export interface FedLine {
  number: number;
  line: LogLine;
}
export interface Portion {
  lines: readonly FedLine[];
  /** Lines that came as well, and are not here. */
  skipped: number;
  /** The last number that was looked at. */
  last: number;
}

/** Lines that came to the store, on whichever server; read once for all that listen. */
export interface LineFeed {
  /** Resolves when what comes from now on is heard. */
  listen(): Promise<void>;
  /** @returns what ends it */
  subscribe(hear: (portion: Portion) => void): () => void;
  /** The number of the last line that is there; those behind it are heard by whoever has subscribed. */
  now(): Promise<number>;
}

/** Lines that are read of one announcement, and bytes of them: of more the newest. */
const most = { lines: 2_000, bytes: 4 * 1024 * 1024 };
/** Announcements that wait to be read; older ones are told as skipped. */
const mostWaiting = 50;
/** Numbers that are known to have been told: what servers write at the same time is numbered in turns. */
const mostKnown = 20_000;

interface Numbers {
  first: number;
  last: number;
}

export function createLineFeed({ ctx, listener }: { ctx: Ctx; listener: Listener }): LineFeed {
  const hearers = new Set<(portion: Portion) => void>();
  const known = new Set<number>();
  const waiting: Numbers[] = [];
  let skipped = 0;
  /** Up to this number everything was read, or told as skipped. */
  let newest = 0;
  let isBehind = false;
  let reading: Promise<void> | undefined;
  let listening: Promise<unknown> | undefined;

  const tell = (portion: Portion) => {
    if (portion.lines.length === 0 && portion.skipped === 0) return;
    for (const hear of hearers) hear(portion);
  };

  /** What came of these numbers, in the order of arrival; those that another server is still writing come later. */
  function rowsOf({ first, last }: Numbers): Promise<Row[]> {
    return ctx.db.rows<Row>(sql`
      select micros, nanos, id, level, length, message, labels from (
        select ${columns}, sum(octet_length(message) + pg_column_size(labels)) over (order by id desc) as bytes, row_number() over (order by id desc) as place
          from (select * from log_lines where id between ${first} and ${last} order by id desc limit ${most.lines}) newest) weighed
       where bytes <= ${most.bytes} or place = 1 order by id`);
  }

  async function read(): Promise<void> {
    for (;;) {
      const next = waiting.shift();
      if (!next) return;
      try {
        const rows = await rowsOf(next);
        const left = await countBefore(next, rows[0]);
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
          last: next.last,
        };
        skipped = 0;
        tell(told);
      } catch (error) {
        fail(error);
      }
    }
  }

  /** What could not be read is read with what comes next, or when the database is heard again. */
  function fail(error: unknown): void {
    isBehind = true;
    ctx.log.warn({ err: error }, "lines that came could not be read for those who follow them");
  }

  /** Lines of these numbers that are older than the oldest that was read: there was no room for them. */
  async function countBefore({ first, last }: Numbers, oldest: Row | undefined): Promise<number> {
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

  /** The connection that hears was lost: whatever came meanwhile. */
  async function catchUp(): Promise<void> {
    const first = newest + 1;
    const last = await lastNumber();
    if (last >= first) take({ first, last });
  }

  function take(numbers: Numbers): void {
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
    },
    subscribe(hearer) {
      hearers.add(hearer);
      return () => hearers.delete(hearer);
    },
    async now() {
      const last = await lastNumber();
      newest = Math.max(newest, last);
      return last;
    },
  };
}
