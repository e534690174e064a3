import type { CloudwatchBackend, LogBucket } from "@mainstay/contract";
import type { Ctx } from "#platform/context.ts";
import { awsAccess } from "#platform/outbound/aws/aws-access.ts";
import {
  type AwsAccess,
  awsClient,
  type AwsClient,
  AwsRefusal,
} from "#platform/outbound/aws/aws-client.ts";
import { pause } from "#platform/outbound/aws/pause.ts";
import { Patience } from "#platform/outbound/http/ask-patiently.ts";
import { asList, asObject, asPlain, asText } from "#platform/outbound/http/read-json.ts";
import { addTo, bucketStart, countByReading, sorted } from "../count-by-reading.ts";
import { lineIds } from "../line-ids.ts";
import { levelIn, lineOf } from "../line-of.ts";
import { parseLine } from "../lines/parse-line.ts";
import type { LinesPage, LinesPageQuestion, LinesQuestion, LogBackend } from "../log-backend.ts";
import { matchLines } from "../match-lines.ts";
import { nanosOf, readNanos } from "../nanos.ts";
import { outbound } from "../outbound.ts";
import { type FoundLine, pageByTime } from "../page-by-time.ts";
import { groupLabel, insightsQuery, streamLabel } from "./insights.ts";

/** Lines of one query; CloudWatch gives 10,000 at most. */
const atOnce = 5000;
const mostBody = 64 * 1024 * 1024;
/** How long is waited for a place among the queries of an account, of which there are few. */
const patienceMs = 5000;
const firstPauseMs = 100;
const longestPauseMs = 1000;
const stopMs = 5000;

const service = { name: "logs" };
const targetOf = (action: string) => `Logs_20140328.${action}`;
const nanosPerMs = 1_000_000n;
const ceilMs = (nanos: bigint) => (nanos + nanosPerMs - 1n) / nanosPerMs;

interface Opened {
  access: AwsAccess;
  client: AwsClient;
  patience: Patience;
}

async function open(ctx: Ctx, spec: CloudwatchBackend): Promise<Opened> {
  const access = awsAccess(spec);
  if (typeof access === "string") throw new Error(access);
  const connector = ctx.service(outbound);
  const client = await awsClient(access, { signal: ctx.signal, connector, mostBody });
  return { access, client, patience: new Patience(patienceMs) };
}

/** Which lines of the time that is asked for, to the millisecond: CloudWatch itself takes whole seconds, both included. */
interface Span {
  fromMs: bigint;
  /** Not including it. */
  toMs: bigint;
}

/** What it says of times in which the group was not there yet, or whose lines are gone. */
const isBeforeAll = (error: unknown) =>
  error instanceof AwsRefusal && /log groups? (?:creation|log retention)/i.test(error.message);

/** The rows of a query; it is stopped when nobody waits for it any more. */
async function ask(
  ctx: Ctx,
  spec: CloudwatchBackend,
  { access, client, patience }: Opened,
  { commands, span: { fromMs, toMs } }: { commands: readonly string[]; span: Span },
): Promise<Record<string, string>[]> {
  const group = spec.log_group;
  const input = {
    ...(group.startsWith("arn:")
      ? { logGroupIdentifiers: [group.replace(/:\*$/, "")] }
      : { logGroupName: group }),
    startTime: Number(fromMs / 1000n),
    endTime: Number((toMs + 999n) / 1000n),
    queryString: [
      `filter toMillis(@timestamp) >= ${fromMs} and toMillis(@timestamp) < ${toMs}`,
      ...commands,
    ].join("\n| "),
  };
  const start = async (): Promise<unknown> => {
    for (let pauseMs = firstPauseMs; ; pauseMs *= 2) {
      try {
        return (await client.json(service, targetOf("StartQuery"), input)).queryId;
      } catch (error) {
        const isFull = error instanceof AwsRefusal && error.code === "LimitExceededException";
        if (!isFull || !(await patience.wait(pauseMs, ctx.signal))) throw error;
      }
    }
  };
  let queryId: unknown;
  try {
    queryId = await start();
  } catch (error) {
    if (isBeforeAll(error)) return [];
    throw error;
  }
  if (asText(queryId) === undefined) throw new Error("what answered is no CloudWatch Logs");
  try {
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      const answer = await client.json(service, targetOf("GetQueryResults"), { queryId });
      const status = asPlain(answer.status);
      if (status === "Complete") return rowsOf(answer.results);
      if (!["Scheduled", "Running", "Unknown"].includes(status))
        throw new Error(
          status === ""
            ? "what answered is no CloudWatch Logs"
            : `CloudWatch did not come to the end of the query: ${status}`,
        );
      await pause(pauseMs, ctx.signal);
    }
  } catch (error) {
    if (ctx.signal.aborted) stop(ctx, access, queryId);
    throw error;
  }
}

/** Nobody waits for the answer: a query that goes on costs its owner money, and ends by itself when this fails. */
function stop(ctx: Ctx, access: AwsAccess, queryId: unknown): void {
  const options = { signal: AbortSignal.timeout(stopMs), connector: ctx.service(outbound) };
  awsClient(access, options)
    .then((client) => client.json(service, targetOf("StopQuery"), { queryId }))
    .catch(() => undefined);
}

const rowsOf = (results: unknown): Record<string, string>[] =>
  asList(results).map((row) =>
    Object.fromEntries(
      asList(row).map((cell) => {
        const { field, value } = asObject(cell);
        return [asPlain(field), asPlain(value)];
      }),
    ),
  );

function linesOf(
  rows: readonly Record<string, string>[],
  spec: CloudwatchBackend,
  now: Date,
): FoundLine[] {
  const idOf = lineIds();
  return rows.flatMap((row): FoundLine[] => {
    const { "@timestamp": time = "", "@message": text = "", "@logStream": stream = "" } = row;
    const nanos = readNanos(time);
    if (nanos === undefined) return [];
    const message = text.replace(/\r?\n$/, "");
    const parsed = parseLine(message, { now });
    const own = Object.fromEntries(Object.entries(row).filter(([name]) => !name.startsWith("@")));
    const labels = {
      ...parsed.labels,
      ...own,
      [groupLabel]: spec.log_group,
      ...(stream !== "" && { [streamLabel]: stream }),
    };
    const level = levelIn(own) ?? parsed.level;
    const id = idOf(nanos, [stream, text]);
    return [{ line: lineOf({ id, nanos, message, labels, level }), nanos, message }];
  });
}

/** Whether the group is another one than the one that is asked for. */
const isElsewhere = ({ log_group: own }: CloudwatchBackend, { labels }: LinesQuestion) =>
  Object.hasOwn(labels, groupLabel) && labels[groupLabel] !== own;

async function read(
  ctx: Ctx,
  spec: CloudwatchBackend,
  question: LinesPageQuestion,
): Promise<LinesPage> {
  if (isElsewhere(spec, question)) return { lines: [] };
  const { labels, direction } = question;
  const { commands, left } = insightsQuery(spec, { terms: question.search.terms, labels });
  const isMeant = matchLines(left);
  const opened = await open(ctx, spec);
  return pageByTime({
    question,
    signal: ctx.signal,
    atOnce,
    isMeant: ({ line, message }) => isMeant({ ...line, message }),
    async readSpan({ from, to, isToIncluded, limit }) {
      const rows = await ask(ctx, spec, opened, {
        span: { fromMs: ceilMs(from), toMs: isToIncluded ? to / nanosPerMs + 1n : ceilMs(to) },
        commands: [
          ...commands,
          "fields @timestamp, @message, @logStream",
          `sort @timestamp ${direction === "backward" ? "desc" : "asc"}`,
          `limit ${limit}`,
        ],
      });
      return linesOf(rows, spec, ctx.clock.now());
    },
  });
}

/** Levels are read from lines, the newest first; of what is older than those CloudWatch counts how many there are. */
async function count(
  ctx: Ctx,
  spec: CloudwatchBackend,
  question: LinesQuestion & { step: number },
): Promise<{ buckets: LogBucket[]; notices?: string[] }> {
  let isWhole = true;
  const byReading = await countByReading(question, async (page) => {
    const found = await read(ctx, spec, page);
    isWhole = found.next === undefined;
    return found;
  });
  const { search, labels, from, to, step } = question;
  const { commands, left } = insightsQuery(spec, { terms: search.terms, labels });
  if (isWhole || left.length > 0) return byReading;
  const origin = bucketStart(+from, step);
  const rows = await ask(ctx, spec, await open(ctx, spec), {
    span: { fromMs: ceilMs(nanosOf(from)), toMs: ceilMs(nanosOf(to)) },
    commands: [
      ...commands,
      `fields floor((toMillis(@timestamp) - ${origin}) / ${step}) as slot`,
      "stats count(*) as lines by slot",
    ],
  });
  const buckets = new Map(byReading.buckets.map((one) => [Date.parse(one.start), one]));
  let known = 0;
  for (const { slot = "", lines = "" } of rows) {
    const at = origin + Number(slot) * step;
    const told = Object.values(buckets.get(at)?.counts ?? {}).reduce((sum, n) => sum + n, 0);
    known += told;
    const rest = Number(lines) - told;
    if (slot !== "" && rest > 0) addTo(buckets, { at, step, level: "none", count: rest });
  }
  return { buckets: sorted(buckets), notices: [`Levels are told of the newest ${known} lines.`] };
}

/** CloudWatch Logs, which is asked in the language of Logs Insights. */
export const cloudwatch: LogBackend<CloudwatchBackend> = {
  type: "cloudwatch",
  askEveryMs: 10_000,
  lateMs: 60_000,
  read,
  count,
};
