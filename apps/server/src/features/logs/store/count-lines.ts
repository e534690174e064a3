import { lineLevels, type LogBucket } from "@mainstay/contract";
import sql from "sql-template-tag";
import type { Ctx } from "#platform/context.ts";
import type { LinesQuestion } from "../backends/log-backend.ts";
import { conditionsOf } from "./conditions.ts";
import { readLines } from "./read-lines.ts";

const budgetMs = 8_000;
const dayMs = 86_400_000;
/** Lines that are counted one by one, where a pattern is none of PostgreSQL's. */
const mostRead = 50_000;

/** Counts by level and step, which begin on multiples of the step since 1970: by PostgreSQL where it can be asked, the newest day first. */
export async function countLines(
  ctx: Pick<Ctx, "db" | "signal">,
  question: LinesQuestion & { step: number },
): Promise<{ buckets: LogBucket[]; notices?: string[] }> {
  const { where, rest } = conditionsOf(question);
  if (rest.length > 0) return countRead(ctx, question);
  const begun = performance.now();
  const { from, to, step } = question;
  const buckets = new Map<number, LogBucket>();
  let end = to.getTime();
  while (end > from.getTime()) {
    ctx.signal.throwIfAborted();
    const start = Math.max(from.getTime(), Math.floor((end - 1) / dayMs) * dayMs);
    const leftMs = budgetMs - (performance.now() - begun);
    try {
      if (leftMs < 1) throw Object.assign(new Error("out of time"), { code: "57014" });
      const rows = await ctx.db.transaction(
        (tx) =>
          tx.rows<{ bucket: number; level: number | null; count: number }>(sql`
            select ((extract(epoch from date_bin(${step} * interval '1 millisecond', time, 'epoch'::timestamptz)) * 1000)::int8) as bucket,
                   level, count(*) as count
              from log_lines
             where time >= ${new Date(start)}::timestamptz and time < ${new Date(end)}::timestamptz${where}
             group by 1, 2`),
        {
          settings: {
            statement_timeout: String(Math.ceil(leftMs)),
            plan_cache_mode: "force_custom_plan",
          },
        },
      );
      for (const { bucket, level, count } of rows) add(buckets, bucket, level, count);
    } catch (error) {
      if ((error as { code?: string }).code !== "57014") throw error;
      return {
        buckets: inOrder(buckets),
        notices: [
          `Lines were counted back to ${new Date(end).toISOString()} in the time that there is.`,
        ],
      };
    }
    end = start;
  }
  return { buckets: inOrder(buckets) };
}

async function countRead(
  ctx: Pick<Ctx, "db" | "signal">,
  question: LinesQuestion & { step: number },
): Promise<{ buckets: LogBucket[]; notices?: string[] }> {
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
  const notices = page.notices ?? [];
  const last = page.lines.at(-1);
  if (page.next !== undefined && notices.length === 0 && last)
    notices.push(
      `Lines were counted back to ${last.timestamp}: a pattern that is slow to look for.`,
    );
  return { buckets: inOrder(buckets), ...(notices.length > 0 && { notices }) };
}

function add(buckets: Map<number, LogBucket>, start: number, level: number | null, count: number) {
  const bucket = buckets.get(start) ?? { start: new Date(start).toISOString(), counts: {} };
  buckets.set(start, bucket);
  const name = level === null ? "none" : (lineLevels[level] ?? "none");
  bucket.counts[name] = (bucket.counts[name] ?? 0) + count;
}

const inOrder = (buckets: Map<number, LogBucket>): LogBucket[] =>
  [...buckets].toSorted(([one], [other]) => one - other).map(([, bucket]) => bucket);
