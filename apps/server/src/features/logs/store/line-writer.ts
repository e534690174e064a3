import { setTimeout as pause } from "node:timers/promises";
import sql from "sql-template-tag";
import { makePartition } from "#platform/db/partitions.ts";
import { AppError } from "#platform/errors.ts";
import { defineService, type ServiceParts } from "#platform/service.ts";
import { RefusedLine, type SaidLine, storeLine, type StoredLine } from "./incoming-line.ts";
import { writeLines } from "./write-lines.ts";

/** What became of the lines of one request. */
export interface Written {
  accepted: number;
  /** Places in what was handed over, from 0, and why each was not kept. */
  refused: { at: number; why: string }[];
  /** Lines of which something was cut. */
  cut: number;
}

export interface LineWriter {
  /**
   * Resolves when the lines are written. @throws tooMany when the writer is behind or the store is full, unavailable
   * while the database is away: nothing of what was handed over is kept then
   */
  write(lines: readonly SaidLine[]): Promise<Written>;
  /** For who cannot wait: what does not fit, or cannot be written, is dropped. @returns whether it was taken */
  offer(line: SaidLine): boolean;
  /** Lines that were offered and are lost. */
  readonly lost: number;
  /** Writes what was offered. */
  stop(): Promise<void>;
}

/** Lines of one statement. */
const batch = 5_000;
/** Characters of the messages of one statement. */
const batchCharacters = 4 * 1024 * 1024;
/** What waits at most, in lines and in characters. */
const most = { lines: 100_000, characters: 64 * 1024 * 1024 };
/** Offered lines that wait at most. */
const mostOffered = 5_000;
/** What is offered within this time is written together. */
const togetherMs = 500;
/** How old the answer to "is there room?" may be. */
const roomMs = 10_000;
const dayMicros = 86_400_000_000;
const day = 86_400_000;

/** PostgreSQL's code for a row that is none of the partition it came to; the table has no other rules for rows. */
const dayHasChanged = "23514";
/** A day is made and dropped once; on a busy machine five in a row have met another one each. */
const mostTurns = 20;

/** As much as one statement writes. */
function* portionsOf(lines: readonly StoredLine[]): Generator<readonly StoredLine[]> {
  for (let at = 0; at < lines.length;) {
    const begun = at;
    for (let size = 0; at < lines.length && at - begun < batch && size < batchCharacters; at += 1)
      size += lines[at]!.message.length;
    yield lines.slice(begun, at);
  }
}

const behind = (message: string, seconds: number) =>
  new AppError("tooMany", message, { retryAfter: seconds });

/** One writer for a program: writes a statement at a time, so that what comes meanwhile goes together. */
export const lineWriter = defineService("line writer", createLineWriter);

export function createLineWriter({ db, clock, config }: ServiceParts): LineWriter {
  const keptMs = Math.ceil(config.logRetention / day) * day;
  let waiting: { lines: readonly StoredLine[]; done(error?: unknown): void }[] = [];
  let waitingLines = 0;
  let waitingCharacters = 0;
  let writing: Promise<void> | undefined;
  let offered: SaidLine[] = [];
  let offering: Promise<void> | undefined;
  let lost = 0;
  const stopping = new AbortController();
  const knownDays = new Set<number>();
  let room = { isFull: false, lookedAt: Number.NEGATIVE_INFINITY };

  const charactersOf = (lines: readonly StoredLine[]) =>
    lines.reduce((sum, { message }) => sum + message.length, 0);

  async function requireRoom(): Promise<void> {
    if (performance.now() - room.lookedAt > roomMs) {
      room = { isFull: await isFull(), lookedAt: performance.now() };
    }
    if (room.isFull)
      throw behind(
        "The log store is full, and what it holds is of today: give it more room with LOG_STORE, or send fewer lines.",
        60,
      );
  }

  async function isFull(): Promise<boolean> {
    const row = await db.first<{ bytes: number }>(sql`
      select coalesce(sum(pg_total_relation_size(inhrelid)), 0)::int8 as bytes from pg_inherits where inhparent = 'log_lines'::regclass`);
    return (row?.bytes ?? 0) > config.logStore;
  }

  /** Lines of the last days have a partition of their own, too, though it is made when they come. */
  async function makeDays(lines: readonly StoredLine[]): Promise<void> {
    for (const number of new Set(lines.map(({ micros }) => Math.floor(micros / dayMicros)))) {
      if (knownDays.has(number)) continue;
      await makePartition(
        db,
        { table: "log_lines" },
        new Date(number * day).toISOString().slice(0, 10),
      );
      knownDays.add(number);
    }
  }

  function takeBatch() {
    const taken: typeof waiting = [];
    let lines = 0;
    let characters = 0;
    while (waiting.length > 0) {
      const [next] = waiting;
      const more = charactersOf(next!.lines);
      if (
        taken.length > 0 &&
        (lines + next!.lines.length > batch || characters + more > batchCharacters)
      )
        break;
      taken.push(waiting.shift()!);
      lines += next!.lines.length;
      characters += more;
    }
    return taken;
  }

  /** All of a request, or nothing of it, in however many statements. */
  async function put(lines: readonly StoredLine[], turn = 1): Promise<void> {
    try {
      await makeDays(lines);
      await db.transaction(
        async (tx) => {
          for (const portion of portionsOf(lines)) await writeLines(tx, portion);
        },
        { asyncCommit: true },
      );
    } catch (error) {
      // A day was made, or dropped, after it was decided where a line goes.
      if ((error as { code?: string }).code !== dayHasChanged || turn === mostTurns) throw error;
      knownDays.clear();
      await put(lines, turn + 1);
    }
  }

  async function drain(): Promise<void> {
    while (waiting.length > 0) {
      const taken = takeBatch();
      const lines = taken.flatMap((entry) => entry.lines);
      try {
        await put(lines);
        for (const { done } of taken) done();
      } catch (error) {
        for (const { done } of taken) done(error);
      } finally {
        waitingLines -= lines.length;
        waitingCharacters -= charactersOf(lines);
      }
    }
  }

  function store(lines: readonly StoredLine[]): Promise<void> {
    return new Promise((resolve, reject) => {
      waiting.push({ lines, done: (error) => (error === undefined ? resolve() : reject(error)) });
      waitingLines += lines.length;
      waitingCharacters += charactersOf(lines);
      writing ??= drain().finally(() => {
        writing = undefined;
      });
    });
  }

  async function write(said: readonly SaidLine[]): Promise<Written> {
    await requireRoom();
    const refused: Written["refused"] = [];
    const lines: StoredLine[] = [];
    let cut = 0;
    const now = clock.now();
    for (const [at, line] of said.entries())
      try {
        const { wasCut, ...stored } = storeLine(line, { now, keptMs });
        lines.push(stored);
        if (wasCut) cut += 1;
      } catch (error) {
        if (!(error instanceof RefusedLine)) throw error;
        refused.push({ at, why: error.message });
      }
    if (
      waitingLines + lines.length > most.lines ||
      waitingCharacters + charactersOf(lines) > most.characters
    )
      throw behind("The log store is behind with writing. Send this again in a moment.", 2);
    if (lines.length > 0) await store(lines);
    return { accepted: lines.length, refused, cut };
  }

  async function writeOffered(): Promise<void> {
    while (offered.length > 0) {
      await pause(togetherMs, undefined, { signal: stopping.signal, ref: false }).catch(
        () => undefined,
      );
      const lines = offered;
      offered = [];
      // Told by its count alone: a word in the log about what cannot be logged would come here again.
      await write(lines).catch(() => {
        lost += lines.length;
      });
    }
  }

  return {
    write,
    offer(line) {
      if (offered.length >= mostOffered || stopping.signal.aborted) {
        lost += 1;
        return false;
      }
      offered.push(line);
      offering ??= writeOffered().finally(() => {
        offering = undefined;
      });
      return true;
    },
    get lost() {
      return lost;
    },
    async stop() {
      stopping.abort();
      await offering;
      await writing;
    },
  };
}
