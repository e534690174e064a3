import { lineLevels, type LogBucket } from "@mainstay/contract";
import sql, { raw, type Sql } from "sql-template-tag";
import type { Ctx } from "#platform/context.ts";
import { hasTakenTooLong } from "#platform/db/took-too-long.ts";
import type { CountedLines, LinesQuestion } from "../backends/log-backend.ts";
import { conditionsOf } from "./conditions.ts";
import { readLines } from "./read-lines.ts";

const budgetMs = 8_000;
const minuteMs = 60_000;
const dayMs = 86_400_000;
/** Lines that are counted one by one, where a pattern is none of PostgreSQL's. */
const mostRead = 50_000;
/** Lines that are looked at in one go, where no index says which. */
const mostLooked = 300_000;

interface Counted {
  bucket: number;
  level: number | null;
  count: number;
}
type Counting = LinesQuestion & { step: number };

/** Counts by level and step, which begin on multiples of the step since 1970: by PostgreSQL where it can be asked, the newest first. */
export async function countLines(
  ctx: Pick<Ctx, "db" | "signal">,
  question: Counting,
): Promise<CountedLines> {
  const { where, rest, by } = conditionsOf(question);
  if (rest.length > 0) return countRead(ctx, question);
  const { from, to, step, search, labels } = question;
  const begun = performance.now();
  const buckets = new Map<number, LogBucket>();
  const ask: Ask = async <Row extends object>(statement: Sql) => {
    const leftMs = budgetMs - (performance.now() - begun);
    if (leftMs < 1) throw new TimeUp();
    try {
      return await ctx.db.transaction((tx) => tx.rows<Row>(statement), {
        signal: ctx.signal,
        settings: {
          statement_timeout: String(Math.ceil(leftMs)),
          plan_cache_mode: "force_custom_plan",
        },
      });
    } catch (error) {
      throw hasTakenTooLong(error) ? new TimeUp() : error;
    }
  };
  const count = async (statement: Sql): Promise<void> => {
    for (const { bucket, level, count: lines } of await ask<Counted>(statement))
      add(buckets, bucket, level, lines);
  };
  const isOfLevels =
    Object.keys(labels).length === 0 && search.terms.every(({ kind }) => kind === "level");
  let end = to;
  try {
    if (isOfLevels && step % minuteMs === 0) await count(keptCounts({ from, to, step, where }));
    else
      for (const window of await windowsOf(ask, { from, to, isWhole: by !== "looking" })) {
        await count(sql`${countedRows({ ...window, step, where })} group by 1, 2`);
        end = window.from;
      }
  } catch (error) {
    if (!(error instanceof TimeUp)) throw error;
    return { buckets: inOrder(buckets), reached: end.toISOString() };
  }
  return { buckets: inOrder(buckets) };
}

class TimeUp extends Error {}

/** @throws TimeUp when no time is left */
type Ask = <Row extends object>(statement: Sql) => Promise<Row[]>;

interface Window {
  from: Date;
  to: Date;
}
const bucketOf = (column: Sql, step: number) =>
  sql`((extract(epoch from date_bin(${step} * interval '1 millisecond', ${column}, 'epoch'::timestamptz)) * 1000)::int8) as bucket`;

const countedRows = ({ from, to, step, where }: Window & { step: number; where: Sql }) => sql`
  select ${bucketOf(raw("time"), step)}, level, count(*) as count from log_lines
   where time >= ${from}::timestamptz and time < ${to}::timestamptz${where}`;

/** Of whole minutes as they were counted when lines came; of the rest by looking. Of a day that was dropped nothing counts. */
function keptCounts({ from, to, step, where }: Window & { step: number; where: Sql }): Sql {
  const first = new Date(Math.ceil(from.getTime() / minuteMs) * minuteMs);
  const last = new Date(Math.floor(to.getTime() / minuteMs) * minuteMs);
  if (first >= last) return sql`${countedRows({ from, to, step, where })} group by 1, 2`;
  return sql`
    select ${bucketOf(raw("minute"), step)}, level, sum(lines)::int8 as count from log_counts
     where minute >= ${first}::timestamptz and minute < ${last}::timestamptz${where}
       and minute >= (select date_bin('1 minute', min(time), 'epoch') from log_lines)
     group by 1, 2
    union all (${countedRows({ from, to: first, step, where })} group by 1, 2)
    union all (${countedRows({ from: last, to, step, where })} group by 1, 2)`;
}

/**
 * The range in parts, the newest first, which end on days and, where every line is looked at, after as many lines as are
 * looked at in a moment: what was counted when the time is over is told.
 */
async function windowsOf(
  ask: Ask,
  { from: asked, to, isWhole }: Window & { isWhole: boolean },
): Promise<Window[]> {
  const [oldest] = await ask<{ at: Date | null }>(sql`select min(minute) as at from log_counts`);
  if (!oldest?.at || oldest.at >= to) return [];
  const from = oldest.at > asked ? oldest.at : asked;
  const ends = isWhole
    ? []
    : await ask<{ at: Date }>(sql`
        select distinct on (nth) minute as at from (
          select minute, sum(sum(lines)) over (order by minute desc)::int8 / ${mostLooked}::int8 as nth
            from log_counts where minute >= ${from}::timestamptz and minute < ${to}::timestamptz group by 1) counted
         order by nth, minute desc`);
  const bounds = new Set(ends.map(({ at }) => at.getTime()));
  for (let day = Math.ceil(from.getTime() / dayMs) * dayMs; day < to.getTime(); day += dayMs)
    bounds.add(day);
  const windows: Window[] = [];
  let end = to.getTime();
  for (const start of [...bounds].toSorted((one, other) => other - one)) {
    if (start <= from.getTime() || start >= end) continue;
    windows.push({ from: new Date(start), to: new Date(end) });
    end = start;
  }
  if (end > from.getTime()) windows.push({ from, to: new Date(end) });
  return windows;
}

async function countRead(
  ctx: Pick<Ctx, "db" | "signal">,
  question: Counting,
): Promise<CountedLines> {
  const buckets = new Map<number, LogBucket>();
  const { step } = question;
  const page = await readLines(
    ctx,
    { ...question, limit: mostRead, direction: "backward" },
    { budgetMs },
  );
  for (const { timestamp, level } of page.lines) {
    const bucket = Math.floor(Date.parse(timestamp) / step) * step;
    add(buckets, bucket, level === undefined ? null : lineLevels.indexOf(level), 1);
  }
  const reached =
    page.reached ?? (page.next === undefined ? undefined : page.lines.at(-1)?.timestamp);
  return { buckets: inOrder(buckets), ...(reached !== undefined && { reached }) };
}

function add(buckets: Map<number, LogBucket>, start: number, level: number | null, count: number) {
  const bucket = buckets.get(start) ?? { start: new Date(start).toISOString(), counts: {} };
  buckets.set(start, bucket);
  const name = level === null ? "none" : (lineLevels[level] ?? "none");
  bucket.counts[name] = (bucket.counts[name] ?? 0) + count;
}

const inOrder = (buckets: Map<number, LogBucket>): LogBucket[] =>
  [...buckets].toSorted(([one], [other]) => one - other).map(([, bucket]) => bucket);
