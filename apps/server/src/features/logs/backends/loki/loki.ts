import { createHash } from "node:crypto";
import { type LineLevel, lineLevelOf, type LogBucket, type LokiBackend } from "@mainstay/contract";
import type { Ctx } from "#platform/context.ts";
import { ApiRefusal, below } from "#platform/outbound/http/ask-json.ts";
import { askPatiently, Patience } from "#platform/outbound/http/ask-patiently.ts";
import { openConnection } from "#platform/outbound/http/open-connection.ts";
import { asList, asObject, asPlain } from "#platform/outbound/http/read-json.ts";
import { addTo, bucketStart, countByReading, sorted } from "../count-by-reading.ts";
import { levelIn, lineOf } from "../line-of.ts";
import { parseLine } from "../lines/parse-line.ts";
import type { LinesPageQuestion, LinesQuestion, LogBackend } from "../log-backend.ts";
import { matchLines } from "../match-lines.ts";
import { nanosOf } from "../nanos.ts";
import { outbound } from "../outbound.ts";
import { type FoundLine, pageByTime } from "../page-by-time.ts";
import { logqlOf } from "./logql.ts";

/** Lines that Loki gives at once unless it is set up otherwise (`max_entries_limit_per_query`). */
const atOnce = 5000;
const mostBody = 64 * 1024 * 1024;
/** How long is waited for a Loki that is busy. */
const patienceMs = 5000;

type Asked = Pick<LinesQuestion, "labels" | "search">;

const queryOf = (spec: LokiBackend, { labels, search }: Asked) =>
  logqlOf(spec.query, { labels, terms: search.terms, level: spec.level });

async function ask(
  ctx: Ctx,
  spec: LokiBackend,
  parameters: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, unknown>>> {
  const options = { signal: ctx.signal, connector: ctx.service(outbound) };
  const { url, headers, ...connection } = await openConnection(spec, options);
  const { json } = await askPatiently(
    {
      ...connection,
      url: below(url, "/loki/api/v1/query_range", Object.entries(parameters)),
      headers: { ...headers, ...(spec.tenant && { "x-scope-orgid": spec.tenant }) },
      mostBody,
    },
    { ...options, what: "Loki", patience: new Patience(patienceMs) },
  ).catch((error: unknown) => {
    if (error instanceof ApiRefusal && error.code === 400 && error.reason !== undefined)
      throw new Error(`Loki cannot read the query ${parameters.query}: ${error.reason}`);
    throw error;
  });
  const { data } = asObject(json);
  const found = asObject(data);
  if (!Array.isArray(found.result)) throw new Error("what answered is no Loki");
  return found;
}

function linesOf(
  data: Readonly<Record<string, unknown>>,
  spec: LokiBackend,
  now: Date,
): FoundLine[] {
  return asList(data.result).flatMap((one) => {
    const { stream, values } = asObject(one);
    const ofStream = asObject(stream) as Record<string, string>;
    return asList(values).flatMap((entry): FoundLine[] => {
      const [time, text, more] = asList(entry);
      if (!/^\d{1,20}$/.test(asPlain(time)) || typeof text !== "string") return [];
      const nanos = BigInt(asPlain(time));
      const { structuredMetadata } = asObject(more);
      const labels = { ...ofStream, ...(asObject(structuredMetadata) as Record<string, string>) };
      const digest = createHash("sha1")
        .update(JSON.stringify([ofStream, text]))
        .digest("base64url");
      const level = levelIn(labels, spec.level) ?? parseLine(text, { now }).level;
      const line = lineOf({
        id: `${nanos}-${digest.slice(0, 16)}`,
        nanos,
        message: text,
        labels,
        level,
      });
      return [{ line, nanos, message: text }];
    });
  });
}

const read = (ctx: Ctx, spec: LokiBackend, question: LinesPageQuestion) => {
  const { query, left, leftLabels } = queryOf(spec, question);
  const isMeant = matchLines(left, leftLabels);
  const { direction } = question;
  const sign = direction === "backward" ? -1 : 1;
  return pageByTime({
    question,
    signal: ctx.signal,
    atOnce,
    isMeant: ({ line, message }) => isMeant({ ...line, message }),
    readSpan: async ({ from, to, isToIncluded, limit }) => {
      // Its end is not included.
      const end = isToIncluded ? to + 1n : to;
      const data = await ask(ctx, spec, {
        query,
        start: String(from),
        end: String(end),
        limit: String(limit),
        direction,
      });
      const lines = linesOf(data, spec, ctx.clock.now());
      return lines.toSorted((one, other) =>
        one.nanos === other.nanos ? 0 : one.nanos < other.nanos ? -sign : sign,
      );
    },
  });
};

async function count(
  ctx: Ctx,
  spec: LokiBackend,
  question: LinesQuestion & { step: number },
): Promise<{ buckets: LogBucket[]; notices?: string[] }> {
  const { query, left, leftLabels } = queryOf(spec, question);
  if (left.length > 0 || Object.keys(leftLabels).length > 0)
    return countByReading(question, (page) => read(ctx, spec, page));
  const { from, to, step } = question;
  const level = spec.level ?? "detected_level";
  const buckets = new Map<number, LogBucket>();
  /** Bars of a length, from one to the last that ends by then. A value counts what came before it, its own moment included. */
  const add = async (start: number, length: number, end: number): Promise<void> => {
    if (start + length > end) return;
    const text = `${length}ms`;
    const data = await ask(ctx, spec, {
      query: `sum by (${level}) (count_over_time(${query} [${text}]))`,
      start: String(nanosOf(new Date(start + length - 1))),
      end: String(nanosOf(new Date(end - 1))),
      step: text,
    });
    for (const one of asList(data.result)) {
      const { metric, values } = asObject(one);
      const found: LineLevel | undefined = lineLevelOf(asPlain(asObject(metric)[level]));
      for (const pair of asList(values)) {
        const [seconds, number] = asList(pair);
        const at = Math.round(Number(seconds) * 1000) + 1 - length;
        const value = Number(number);
        if (Number.isFinite(at) && value > 0)
          addTo(buckets, { at, step, level: found ?? "none", count: value });
      }
    }
  };
  // Bars begin on whole steps, and the range may not: of the first and the last no more than what is within it.
  const first = Math.min(bucketStart(+from + step - 1, step), +to);
  const last = Math.max(bucketStart(+to, step), first);
  await Promise.all([
    add(+from, first - +from || step, first),
    add(first, step, last),
    add(last, +to - last || step, +to),
  ]);
  return { buckets: sorted(buckets) };
}

/** Loki, which is asked in LogQL. */
export const loki: LogBackend<LokiBackend> = { type: "loki", read, count };
