import { type LogBucket, type LogHistogram, lineLevels, logLimits } from "@mainstay/contract";
import type { Ctx } from "#platform/context.ts";
import type { AppError } from "#platform/errors.ts";
import { addTo } from "../backends/count-by-reading.ts";
import type { CountedLines, LinesQuestion } from "../backends/log-backend.ts";
import { askSource, failureOfAll, tellSource } from "./ask-source.ts";
import type { LogSource } from "./log-source.ts";
import { sortKey } from "./read-logs.ts";
import { resolveQuestion, type SaidQuestion } from "./resolve-question.ts";

const usualBuckets = 60;
/** Pages that are read of a backend that does not count by itself. */
const mostPages = 5;

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
/** Lengths that people read off an axis. */
const steps = [
  ...[0.001, 0.01, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30].map((n) => n * second),
  ...[1, 2, 5, 10, 15, 30].map((n) => n * minute),
  ...[1, 2, 3, 6, 12, 24].map((n) => n * hour),
];

export function stepOf(rangeMs: number, buckets: number): number {
  const least = rangeMs / buckets;
  return steps.find((step) => step >= least) ?? Math.ceil(least / (24 * hour)) * 24 * hour;
}

export async function countLogs(
  ctx: Ctx,
  said: SaidQuestion & { buckets?: number | undefined },
): Promise<LogHistogram> {
  ctx.require("logging_backends", "read");
  const { sources, question } = await resolveQuestion(ctx, said);
  const range = Math.max(question.to.getTime() - question.from.getTime(), 0);
  // The first and the last may be begun: one bucket more than the range has lengths of.
  const step = stepOf(range, Math.max((said.buckets ?? usualBuckets) - 1, 1));
  const told = {
    step,
    start: question.from.toISOString(),
    end: question.to.toISOString(),
  };
  if (range === 0) return { ...told, buckets: [], sources: sources.map((one) => tellSource(one)) };
  const outcomes = await Promise.all(
    sources.map((source) =>
      askSource(ctx, source, (bounded) => count(bounded, source, { ...question, step })),
    ),
  );
  const failed = outcomes.filter(
    (one): one is { source: LogSource; error: AppError } => "error" in one,
  );
  if (failed.length > 0 && failed.length === outcomes.length) throw failureOfAll(failed);
  const buckets = new Map<string, LogBucket>();
  const notices: string[] = [];
  let reached: string | undefined;
  for (const outcome of outcomes) {
    if ("error" in outcome) continue;
    for (const { start: at, counts } of outcome.answer.buckets) {
      const bucket = buckets.get(at) ?? { start: at, counts: {} };
      buckets.set(at, bucket);
      for (const level of [...lineLevels, "none"] as const)
        if (counts[level]) bucket.counts[level] = (bucket.counts[level] ?? 0) + counts[level];
    }
    const { reached: ofThis } = outcome.answer;
    if (ofThis !== undefined && (reached === undefined || sortKey(ofThis) > sortKey(reached)))
      reached = ofThis;
    for (const notice of outcome.answer.notices ?? [])
      notices.push(sources.length > 1 ? `${outcome.source.name}: ${notice}` : notice);
  }
  const errors = new Map(failed.map(({ source, error }) => [source.id, error.message]));
  return {
    ...told,
    buckets: [...buckets.values()].toSorted((one, other) => (one.start < other.start ? -1 : 1)),
    ...(reached !== undefined && { reached }),
    ...(notices.length > 0 && { notices }),
    sources: sources.map((source) => tellSource(source, errors.get(source.id))),
  };
}

async function count(
  ctx: Ctx,
  source: LogSource,
  question: LinesQuestion & { step: number },
): Promise<CountedLines> {
  if (source.count) return source.count(ctx, question);
  const { step } = question;
  const buckets = new Map<number, LogBucket>();
  const notices = new Set<string>();
  let cursor: string | undefined;
  let last: string | undefined;
  for (let pages = 0; pages < mostPages; pages++) {
    const page = await source.read(ctx, {
      ...question,
      limit: logLimits.lines,
      direction: "backward",
      ...(cursor !== undefined && { cursor }),
    });
    for (const { timestamp, level = "none" } of page.lines) {
      last = timestamp;
      addTo(buckets, { at: Date.parse(timestamp), step, level, count: 1 });
    }
    for (const notice of page.notices ?? []) notices.add(notice);
    cursor = page.next;
    if (cursor === undefined) break;
  }
  if (cursor !== undefined)
    notices.add(
      `The newest ${mostPages * logLimits.lines} lines are counted${last ? `, back to ${last}` : ""}.`,
    );
  return { buckets: [...buckets.values()], ...(notices.size > 0 && { notices: [...notices] }) };
}
