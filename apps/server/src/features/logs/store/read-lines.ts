import { setImmediate as turn } from "node:timers/promises";
import { lineLevels, type LogLine } from "@mainstay/contract";
import sql, { empty, raw, type Sql } from "sql-template-tag";
import type { Ctx } from "#platform/context.ts";
import { hasTakenTooLong } from "#platform/db/took-too-long.ts";
import type { LinesPage, LinesPageQuestion } from "../backends/log-backend.ts";
import { type Conditions, conditionsOf } from "./conditions.ts";
import { matchLines } from "../backends/match-lines.ts";
import {
  type LinePosition,
  printPosition,
  readPosition,
  timeOf,
  timestampOf,
} from "./line-position.ts";

/*
 * Lines are found in the order in which they are shown, from one end of the range, in stretches:
 *
 * - first the nearest 20,000 as they stand: what is common is found there;
 * - what was not common, and has words or labels that an index knows, then day by day by that index, however the
 *   database's statistics are; warnings by their own;
 * - anything else in stretches that grow, for as long as the budget of time lasts, each so long that it takes a second.
 *
 * Where the time ends the answer has what was found, says how far it has looked, and goes on from there when it is asked
 * for the next page. With lines in hand it ends earlier.
 */

export interface ReadLimits {
  /** Lines of the first stretch. */
  stretch: number;
  /** Milliseconds of one answer. */
  budgetMs: number;
  /** Milliseconds after which an answer that has a line is given. */
  enoughMs: number;
  /** Milliseconds of those that finding by an index may take, before the lines are looked at in their order. */
  indexMs: number;
}

const usual: ReadLimits = { stretch: 20_000, budgetMs: 8_000, enoughMs: 3_000, indexMs: 4_000 };
const longestStretch = 640_000;
const shortestStretch = 1_000;
/** How long a stretch is meant to take. */
const stretchMs = 1_000;
/** Lines that RE2 looks at in one go. */
const portion = 1_000;
/** How long it looks before anything else of the server has its turn. */
const turnMs = 20;
/** Characters of the messages of an answer; the page ends there. */
const mostCharacters = 8 * 1024 * 1024;
const dayMicros = 86_400_000_000;
const leastMs = 50;

export interface Row {
  micros: number;
  nanos: number;
  id: number;
  level: number | null;
  length: number | null;
  message: string;
  labels: Record<string, string>;
}

/** A place between lines: `id` and `nanos` are left out where it is a moment. */
type Edge = { micros: number } | LinePosition;

export const columns = sql`(extract(epoch from time) * 1000000)::int8 as micros, nanos, id, level, length, message, labels`;

export const lineOf = (row: Row): LogLine => {
  const level = row.level === null ? undefined : lineLevels[row.level];
  return {
    id: printPosition(row),
    timestamp: timestampOf(row),
    message: row.message,
    labels: row.labels,
    ...(level && { level }),
    ...(row.length !== null && { length: row.length }),
  };
};

class TimeUp extends Error {}

export async function readLines(
  ctx: Pick<Ctx, "db" | "signal">,
  question: LinesPageQuestion,
  limits: Partial<ReadLimits> = {},
): Promise<LinesPage> {
  return new Search(ctx, question, { ...usual, ...limits }).run();
}

class Search {
  readonly #ctx: Pick<Ctx, "db" | "signal">;
  readonly #question: LinesPageQuestion;
  readonly #limits: ReadLimits;
  readonly #conditions: Conditions;
  readonly #isBackward: boolean;
  readonly #begun = performance.now();
  readonly #found: Row[] = [];
  #characters = 0;
  /** Up to here everything was looked at. */
  #edge: Edge;

  constructor(ctx: Pick<Ctx, "db" | "signal">, question: LinesPageQuestion, limits: ReadLimits) {
    this.#ctx = ctx;
    this.#question = question;
    this.#limits = limits;
    this.#conditions = conditionsOf(question);
    this.#isBackward = question.direction === "backward";
    const { from, to, cursor } = question;
    this.#edge =
      cursor === undefined
        ? { micros: (this.#isBackward ? to : from).getTime() * 1000 }
        : readPosition(cursor);
  }

  async run(): Promise<LinesPage> {
    try {
      if (!(await this.#narrow())) return { lines: [], total: 0 };
      await this.#look();
    } catch (error) {
      if (!(error instanceof TimeUp)) throw error;
      return this.#cutShort();
    }
    const lines = this.#found.map(lineOf);
    if (this.#isFull()) return { lines, next: lines.at(-1)!.id };
    return this.#question.cursor === undefined ? { lines, total: lines.length } : { lines };
  }

  /** Where an end is beyond what there is, there is nothing to be looked at there. */
  async #narrow(): Promise<boolean> {
    const { by, ofLevels } = this.#conditions;
    const micros = (moment: Sql) => sql`(extract(epoch from ${moment}) * 1000000)::int8`;
    const statement =
      ofLevels && by === "looking"
        ? // Levels that few lines have: between the minutes that are counted as having any.
          sql`select ${micros(raw("min(minute)"))} as first, ${micros(raw("max(minute) + interval '1 minute'"))} - 1 as last
                from log_counts where ${ofLevels}`
        : sql`select ${micros(raw("min(time)"))} as first, ${micros(raw("max(time)"))} as last from log_lines`;
    const ends = await this.#ask(
      (tx) => tx.first<{ first: number | null; last: number | null }>(statement),
      this.#leftMs(),
    );
    if (!ends || ends.first === null || ends.last === null) return false;
    this.#from = Math.max(this.#question.from.getTime() * 1000, ends.first);
    this.#to = Math.min(this.#question.to.getTime() * 1000, ends.last + 1);
    if (this.#isBackward && this.#edge.micros > this.#to) this.#edge = { micros: this.#to };
    if (!this.#isBackward && this.#edge.micros < this.#from) this.#edge = { micros: this.#from };
    return this.#from < this.#to;
  }

  #from = 0;
  #to = 0;

  async #look(): Promise<void> {
    const { by } = this.#conditions;
    let lines = this.#limits.stretch;
    let begun = performance.now();
    if (!(await this.#stretch(lines)) || this.#isFull()) return;
    let perLine = (performance.now() - begun) / lines;
    if (by !== "looking" && (await this.#byIndex(by))) return;
    for (;;) {
      this.#endWithEnough();
      // What does not end in time was looked at for nothing.
      const fit = Math.min(stretchMs, this.#leftMs() * 0.8) / perLine;
      lines = Math.floor(Math.min(fit, lines * 4, longestStretch));
      if (lines < Math.min(shortestStretch, this.#limits.stretch)) throw new TimeUp();
      begun = performance.now();
      if (!(await this.#stretch(lines)) || this.#isFull()) return;
      perLine = (performance.now() - begun) / lines;
    }
  }

  /** Whoever waits has something to look at meanwhile. */
  #endWithEnough(): void {
    if (this.#found.length > 0 && performance.now() - this.#begun > this.#limits.enoughMs)
      throw new TimeUp();
  }

  /** Looks at the next so many lines. @returns whether there are any behind them */
  async #stretch(lines: number): Promise<boolean> {
    const last = await this.#ask(
      (tx) =>
        tx.first<LinePosition>(sql`
          select (extract(epoch from time) * 1000000)::int8 as micros, nanos, id from log_lines
           where ${this.#between(undefined)} ${this.#order()} offset ${lines - 1} limit 1`),
      this.#leftMs(),
      inOrder,
    );
    await this.#find(last, () => this.#leftMs(), inOrder);
    if (!this.#isFull() && last) this.#edge = last;
    return last !== undefined;
  }

  /** What there is up to an end, as far as there is room in the page. */
  #find(end: Edge | undefined, leftMs: () => number, settings: Settings): Promise<void> {
    return this.#conditions.rest.length > 0
      ? this.#sift(end, leftMs, settings)
      : this.#collect(end, leftMs(), settings);
  }

  /** By PostgreSQL. */
  async #collect(end: Edge | undefined, timeoutMs: number, settings: Settings): Promise<void> {
    const rows = await this.#ask(
      (tx) =>
        tx.rows<Row>(sql`
          select ${columns} from log_lines
           where ${this.#between(end)}${this.#conditions.where} ${this.#order()} limit ${this.#question.limit - this.#found.length}`),
      timeoutMs,
      settings,
    );
    this.#keep(rows);
  }

  /** The same where a pattern is none of PostgreSQL's. */
  async #sift(end: Edge | undefined, leftMs: () => number, settings: Settings): Promise<void> {
    const matches = matchLines(this.#conditions.rest);
    for (;;) {
      const rows = await this.#ask(
        (tx) =>
          tx.rows<Row>(sql`
            select ${columns} from log_lines
             where ${this.#between(end)}${this.#conditions.where} ${this.#order()} limit ${portion}`),
        leftMs(),
        settings,
      );
      let begun = performance.now();
      for (const row of rows) {
        if (performance.now() - begun > turnMs) {
          await turn();
          leftMs();
          begun = performance.now();
        }
        if (matches({ message: row.message, labels: row.labels })) this.#keep([row]);
        this.#edge = row;
        if (this.#isFull()) return;
      }
      if (rows.length < portion) return;
    }
  }

  /** Day by day, the nearest first. @returns false where that took too long, and looking goes on from where it came to */
  async #byIndex(by: "index" | "warnings"): Promise<boolean> {
    const until = performance.now() + this.#limits.indexMs;
    const leftMs = () => {
      const left = Math.min(until - performance.now(), this.#leftMs());
      if (left < leastMs) throw new TimeUp();
      return left;
    };
    const settings = by === "index" ? byWords : byWarnings;
    try {
      while (!this.#isFull()) {
        const { micros } = this.#edge;
        const day = Math.floor((this.#isBackward ? micros - 1 : micros) / dayMicros);
        const end = (this.#isBackward ? day : day + 1) * dayMicros;
        const isLast = this.#isBackward ? end <= this.#from : end >= this.#to;
        await this.#find(isLast ? undefined : { micros: end }, leftMs, settings);
        if (isLast) return true;
        if (this.#isFull()) return true;
        this.#edge = { micros: end };
        this.#endWithEnough();
      }
      return true;
    } catch (error) {
      if (error instanceof TimeUp && this.#found.length === 0 && this.#budgetMs() > leastMs)
        return false;
      throw error;
    }
  }

  #keep(rows: readonly Row[]): void {
    for (const row of rows) {
      if (this.#isFull()) return;
      this.#found.push(row);
      this.#characters += row.message.length;
    }
  }

  #isFull(): boolean {
    return (
      this.#found.length >= this.#question.limit ||
      (this.#characters > mostCharacters && this.#found.length > 0)
    );
  }

  #cutShort(): LinesPage {
    const lines = this.#found.map(lineOf);
    // Behind the lines that were found where these end, otherwise where the looking ended.
    const last = this.#found.at(-1);
    const edge = last && this.#isBeyond(last, this.#edge) ? last : this.#edge;
    const next = printPosition({ nanos: 0, id: 0, ...edge });
    return { lines, next, reached: timestampOf({ nanos: 0, ...edge }) };
  }

  #isBeyond(line: LinePosition, edge: Edge): boolean {
    const order = compare(line, { nanos: 0, id: 0, ...edge });
    return this.#isBackward ? order < 0 : order > 0;
  }

  /** From the edge on, within the range, up to an end. */
  #between(end: Edge | undefined): Sql {
    const { micros } = this.#edge;
    const edge = "id" in this.#edge ? this.#edge : undefined;
    const near = this.#isBackward
      ? sql`time <${edge ? raw("=") : empty} ${timeOf(micros)}::timestamptz and time >= ${timeOf(this.#from)}::timestamptz`
      : sql`time >= ${timeOf(micros)}::timestamptz and time < ${timeOf(this.#to)}::timestamptz`;
    const beyond = edge
      ? sql` and (time, nanos, id) ${raw(this.#isBackward ? "<" : ">")} (${timeOf(micros)}::timestamptz, ${edge.nanos}::int2, ${edge.id}::int8)`
      : empty;
    if (!end) return sql`${near}${beyond}`;
    const far =
      "id" in end
        ? sql` and (time, nanos, id) ${raw(this.#isBackward ? ">=" : "<=")} (${timeOf(end.micros)}::timestamptz, ${end.nanos}::int2, ${end.id}::int8)`
        : sql` and time ${raw(this.#isBackward ? ">=" : "<")} ${timeOf(end.micros)}::timestamptz`;
    return sql`${near}${beyond}${far}`;
  }

  #order(): Sql {
    return this.#isBackward
      ? sql`order by time desc, nanos desc, id desc`
      : sql`order by time, nanos, id`;
  }

  #budgetMs(): number {
    return this.#limits.budgetMs - (performance.now() - this.#begun);
  }

  #leftMs(): number {
    this.#ctx.signal.throwIfAborted();
    const left = this.#budgetMs();
    if (left < 1) throw new TimeUp();
    return left;
  }

  async #ask<T>(
    ask: (tx: Parameters<Parameters<Ctx["db"]["transaction"]>[0]>[0]) => Promise<T>,
    timeoutMs: number,
    settings: Settings = {},
  ): Promise<T> {
    try {
      return await this.#ctx.db.transaction(ask, {
        signal: this.#ctx.signal,
        settings: {
          statement_timeout: String(Math.max(1, Math.ceil(timeoutMs))),
          plan_cache_mode: "force_custom_plan",
          ...settings,
        },
      });
    } catch (error) {
      if (hasTakenTooLong(error)) throw new TimeUp();
      throw error;
    }
  }
}

type Settings = Readonly<Record<string, string>>;
const inOrder: Settings = { enable_seqscan: "off", enable_bitmapscan: "off", enable_sort: "off" };
const byWords: Settings = { enable_seqscan: "off", enable_indexscan: "off" };
const byWarnings: Settings = { enable_seqscan: "off" };

const compare = (one: LinePosition, other: LinePosition): number =>
  one.micros - other.micros || one.nanos - other.nanos || one.id - other.id;
