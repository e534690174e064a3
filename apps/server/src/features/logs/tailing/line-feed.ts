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
}

/** Lines that came to the store, on whichever server; read once for all that listen. */
export interface LineFeed {
  /** Resolves when what comes from now on is heard. */
  listen(): Promise<void>;
  /** @returns what ends it */
  subscribe(hear: (portion: Portion) => void): () => void;
}

/** Lines that are read of one announcement: of more the newest. */
const most = 2_000;
/** Announcements that wait to be read; older ones are told as skipped. */
const mostWaiting = 50;
/** Numbers that are known to have been told: what servers write at the same time is numbered in turns. */
const mostKnown = 20_000;

export function createLineFeed({ ctx, listener }: { ctx: Ctx; listener: Listener }): LineFeed {
  const hearers = new Set<(portion: Portion) => void>();
  const known = new Set<number>();
  let waiting: { first: number; last: number }[] = [];
  let skipped = 0;
  let newest = 0;
  let reading: Promise<void> | undefined;
  let listening: Promise<unknown> | undefined;

  const tell = (portion: Portion) => {
    if (portion.lines.length === 0 && portion.skipped === 0) return;
    for (const hear of hearers) hear(portion);
  };

  async function read(): Promise<void> {
    for (;;) {
      const next = waiting.shift();
      if (!next) return;
      try {
        const rows = await ctx.db.rows<Row>(sql`
          select ${columns} from log_lines where id between ${next.first} and ${next.last} order by id desc limit ${most}`);
        const came = rows.toReversed().filter(({ id }) => !known.has(id));
        for (const { id } of came) {
          known.add(id);
          newest = Math.max(newest, id);
        }
        for (const id of known) {
          if (known.size <= mostKnown) break;
          known.delete(id);
        }
        const left = rows.length < most ? 0 : Math.max(next.last - next.first + 1 - rows.length, 0);
        const told = {
          lines: came.map((row) => ({ number: row.id, line: lineOf(row) })),
          skipped: skipped + left,
        };
        skipped = 0;
        tell(told);
      } catch (error) {
        skipped += next.last - next.first + 1;
        ctx.log.warn({ err: error }, "lines that came could not be read for those who follow them");
      }
    }
  }

  function hear(payload: string | undefined): void {
    if (hearers.size === 0) return;
    const found = payload === undefined ? undefined : /^(\d+)-(\d+)$/.exec(payload);
    // The connection that hears was lost: whatever came meanwhile.
    if (!found && (payload !== undefined || newest === 0)) return;
    waiting.push(
      found
        ? { first: Number(found[1]), last: Number(found[2]) }
        : { first: newest + 1, last: Number.MAX_SAFE_INTEGER },
    );
    while (waiting.length > mostWaiting) {
      const { first, last } = waiting.shift()!;
      skipped += last - first + 1;
    }
    reading ??= read().finally(() => {
      reading = undefined;
    });
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
  };
}
