import { afterEach, describe, expect, onTestFinished, test } from "vitest";
import { parseLogSearch } from "@mainstay/contract";
import { freePort } from "@mainstay/testkit/servers/index.ts";
import { RE2JS } from "re2js";
import {
  type AwsAsked,
  broken,
  refuse,
  serveAws,
} from "#platform/outbound/aws/testing/aws-server.ts";
import { closeAll, serve } from "#platform/outbound/testing/serve.ts";
import { type AskOptions, askBackend, asked, specOf, startsOf } from "../testing/ask-backend.ts";
import { cloudwatch } from "./cloudwatch.ts";
import { insightsQuery } from "./insights.ts";

/**
 * A stand-in for CloudWatch Logs, written from its public documentation: it verifies signatures, runs queries side by
 * side until they are asked for, and reads the part of Logs Insights that is sent.
 */

afterEach(closeAll);

const key = { accessKey: "AKIDREADER", secretKey: "sesame-secret" };
const lent = { accessKey: "ASIALENT", secretKey: "lent-secret", sessionToken: "lent-token" };

interface Event {
  ms: number;
  stream: string;
  message: string;
}
const start = Date.parse("2026-06-15T10:00:00Z");
/** 1,000 lines, five of each moment, of which two say the same. */
const events: Event[] = Array.from({ length: 1000 }, (_, n) => ({
  ms: start + Math.floor(n / 5) * 1003,
  stream: n % 2 === 0 ? "shop/1" : "db/1",
  message:
    n === 77
      ? 'a "Needle" a/b (1)'
      : n % 10 === 0
        ? JSON.stringify({ level: "error", msg: `line ${n}`, order: `o-${n}` })
        : n % 5 > 2
          ? "the same"
          : `INFO line ${n}`,
}));

const pattern = (text: string) => RE2JS.compile(text.replaceAll(String.raw`\/`, "/"));
function holds(event: Event, condition: string): boolean {
  const time = /^toMillis\(@timestamp\) >= (\d+) and toMillis\(@timestamp\) < (\d+)$/.exec(
    condition,
  );
  if (time) return event.ms >= Number(time[1]) && event.ms < Number(time[2]);
  const like = /^(@message|@logStream) (not )?like \/(.*)\/$/s.exec(condition);
  if (like) {
    const text = like[1] === "@message" ? event.message : event.stream;
    return pattern(like[3]!).matcher(text).find() !== (like[2] !== undefined);
  }
  const one = /^@logStream (not )?in (\[.*\])$/.exec(condition);
  if (one) return (JSON.parse(one[2]!) as string[]).includes(event.stream) !== Boolean(one[1]);
  throw new Error(condition);
}

const written = (ms: number) => new Date(ms).toISOString().replace("T", " ").slice(0, -1);

function run({ queryString, startTime, endTime }: Record<string, unknown>, all: Event[]) {
  let found = all.filter(
    ({ ms }) => ms >= Number(startTime) * 1000 && ms <= Number(endTime) * 1000 + 999,
  );
  let slots: { from: number; step: number } | undefined;
  for (const command of String(queryString).split("\n| ")) {
    const [, name = "", rest = ""] = /^(\w+) (.*)$/s.exec(command)!;
    if (name === "filter") found = found.filter((event) => holds(event, rest));
    else if (name === "sort") {
      const sign = rest === "@timestamp desc" ? -1 : 1;
      found = found.toSorted((one, other) => sign * (one.ms - other.ms));
    } else if (name === "limit") found = found.slice(0, Number(rest));
    else if (name === "stats") {
      const counts = new Map<number, number>();
      for (const { ms } of found) {
        const slot = Math.floor((ms - slots!.from) / slots!.step);
        counts.set(slot, (counts.get(slot) ?? 0) + 1);
      }
      return [...counts].map(([slot, n]) => [
        { field: "slot", value: String(slot) },
        { field: "lines", value: String(n) },
      ]);
    } else if (name === "fields") {
      const floor = /^floor\(\(toMillis\(@timestamp\) - (\d+)\) \/ (\d+)\) as slot$/.exec(rest);
      if (floor) slots = { from: Number(floor[1]), step: Number(floor[2]) };
    } else throw new Error(command);
  }
  return found.map(({ ms, stream, message }, place) => [
    { field: "@timestamp", value: written(ms) },
    { field: "@message", value: message },
    { field: "@logStream", value: stream },
    { field: "@ptr", value: `pointer-${place}` },
  ]);
}

async function startCloudwatch({
  throttled = 0,
  full = 0,
  answer,
  all = events,
}: {
  throttled?: number;
  /** Queries that are refused because there are too many. */
  full?: number;
  answer?: (asked: AwsAsked) => object | string | undefined;
  all?: Event[];
} = {}) {
  const queries = new Map<string, { rows: object[]; polls: number }>();
  let left = full;
  const server = await serveAws({
    keys: [key, lent],
    throttled,
    answer(one) {
      const { service, action, parameters } = one;
      const own = answer?.(one);
      if (own !== undefined) return own;
      if (service === "sts" && parameters.RoleArn === "arn:aws:iam::1:role/logs")
        return `<AssumeRoleResponse><AssumeRoleResult><Credentials><AccessKeyId>${lent.accessKey}</AccessKeyId><SecretAccessKey>${lent.secretKey}</SecretAccessKey><SessionToken>${lent.sessionToken}</SessionToken></Credentials></AssumeRoleResult></AssumeRoleResponse>`;
      if (service !== "logs") return refuse("UnknownOperationException", service);
      if (action === "StartQuery") {
        if (left > 0) {
          left -= 1;
          return refuse(
            "LimitExceededException",
            "Account maximum query concurrency limit of [30] reached.",
          );
        }
        const [arn] = (parameters.logGroupIdentifiers ?? []) as string[];
        if (parameters.logGroupName !== "shop" && arn !== "arn:aws:logs:eu-1:1:log-group:shop")
          return refuse(
            "ResourceNotFoundException",
            "Log group 'other' does not exist for account ID '1'",
          );
        if (String(parameters.queryString).includes("brokn"))
          return refuse(
            "MalformedQueryException",
            "unexpected symbol found brokn at line 2 and position 9",
          );
        if (Number(parameters.endTime) < start / 1000 - 86_400 * 30)
          return refuse(
            "MalformedQueryException",
            "Query's end date and time is either before the log groups creation time or exceeds the log groups log retention settings",
          );
        const queryId = `query-${queries.size}`;
        queries.set(queryId, { rows: run(parameters, all), polls: 0 });
        return { queryId };
      }
      const query = queries.get(String(parameters.queryId));
      if (!query) return refuse("ResourceNotFoundException", "no such query");
      if (action === "StopQuery") return { success: true };
      query.polls += 1;
      return query.polls === 1
        ? { status: "Running", results: query.rows.slice(0, 1) }
        : { status: "Complete", results: query.rows, statistics: {} };
    },
  });
  onTestFinished(() => server.close());
  const spec = {
    endpoint: server.url,
    region: "eu-central-1",
    accessKey: { value: key.accessKey },
    secretKey: { value: key.secretKey },
    log_group: "shop",
  };
  return { server, spec };
}

const started = (asked: readonly AwsAsked[]) =>
  asked.flatMap(({ action, parameters }) =>
    action === "StartQuery" ? [String(parameters.queryString).split("\n| ")] : [],
  );

test("lines with what stands in them, the newest first or the oldest", async () => {
  const { spec } = await startCloudwatch();
  const { lines } = await askBackend(cloudwatch, spec, { limit: 1, direction: "forward" });
  expect(lines).toEqual([
    {
      id: expect.any(String) as string,
      timestamp: "2026-06-15T10:00:00.000Z",
      message: '{"level":"error","msg":"line 0","order":"o-0"}',
      level: "error",
      labels: { level: "error", order: "o-0", log_group: "shop", log_stream: "shop/1" },
    },
  ]);
  const back = await askBackend(cloudwatch, spec, { limit: 1 });
  expect(back.lines[0]!.timestamp).toBe("2026-06-15T10:03:19.597Z");
  // Nothing of the millisecond at the end.
  const { lines: cut } = await askBackend(cloudwatch, spec, {
    from: "2026-06-15T10:00:01.003Z",
    to: "2026-06-15T10:00:02.006Z",
  });
  expect(cut.map(({ timestamp }) => timestamp)).toEqual(Array(5).fill("2026-06-15T10:00:01.003Z"));
});

test.each(["backward", "forward"] as const)(
  "pages %s lead through all lines once, also those of one moment that say the same",
  async (direction) => {
    const { spec } = await startCloudwatch();
    const ids: string[] = [];
    let cursor: string | undefined;
    do {
      const options: AskOptions = { direction, limit: 133, ...(cursor && { cursor }) };
      const page = await askBackend(cloudwatch, spec, options);
      ids.push(...page.lines.map(({ id }) => id));
      cursor = page.next;
    } while (cursor !== undefined);
    expect([ids.length, new Set(ids).size]).toEqual([1000, 1000]);
  },
  30_000,
);

test("a search is asked in Logs Insights, and what cannot be asked is looked for here", async () => {
  const { server, spec } = await startCloudwatch();
  const found = async (query: string, more: object = {}, options: AskOptions = {}) =>
    (await askBackend(cloudwatch, { ...spec, ...more }, { query, limit: 3, ...options })).lines.map(
      ({ message, labels }) => labels.order ?? message,
    );
  expect(await found('"needle" a/b "(1)"')).toEqual(['a "Needle" a/b (1)']);
  expect(started(server.asked).at(-1)).toEqual([
    expect.stringMatching(/^filter toMillis\(@timestamp\) >= \d{13} and/),
    "filter @message like /(?i)needle/",
    String.raw`filter @message like /(?i)a\/b/`,
    String.raw`filter @message like /(?i)\(1\)/`,
    "fields @timestamp, @message, @logStream",
    "sort @timestamp desc",
    "limit 4",
  ]);
  expect(await found("level=error")).toEqual(["o-990", "o-980", "o-970"]);
  expect(await found("level>=warn -order=o-990")).toEqual(["o-980", "o-970", "o-960"]);
  expect(await found("order=o-500,o-510")).toEqual(["o-510", "o-500"]);
  expect(started(server.asked).at(-1)).toContain("filter @message like /o-500|o-510/");
  expect(await found('order=~"^o-9[12]0$"')).toEqual(["o-920", "o-910"]);
  expect(await found('message=~"^INFO line 9[0-9]$"')).toEqual([
    "INFO line 95",
    "INFO line 96",
    "INFO line 97",
  ]);
  expect(await found("log_stream=db/1 -INFO -same -{")).toEqual(['a "Needle" a/b (1)']);
  expect(await found("order=o-0", { streamPrefix: "db" })).toEqual([]);
  expect(await found("order=o-0", { streamPrefix: "shop" })).toEqual(["o-0"]);
  expect(await found("", {}, { labels: { order: "o-20" } })).toEqual(["o-20"]);
  const before = server.asked.length;
  expect(await found("", {}, { labels: { log_group: "other" } })).toEqual([]);
  expect(server.asked).toHaveLength(before);
});

test("what is asked in Logs Insights", () => {
  const of = (query: string, own?: string, streamPrefix?: string) =>
    insightsQuery({ query: own, streamPrefix }, { terms: parseLogSearch(query).terms, labels: {} });
  // A document of others: what orders and shows gives way.
  expect(
    of(
      "x",
      'fields @timestamp, @message\n# all\n| filter @message like /a|b\\/c/ and s = "|" | parse @message /(?<u>|)/ | SORT @timestamp desc | limit 20',
    ).commands,
  ).toEqual([
    "fields @timestamp, @message",
    String.raw`filter @message like /a|b\/c/ and s = "|"`,
    "parse @message /(?<u>|)/",
    "filter @message like /(?i)x/",
  ]);
  expect(of("", "fields a / b | filter c / d > 1").commands).toEqual([
    "fields a / b",
    "filter c / d > 1",
  ]);
  expect(() => of("", "stats count(*) by bin(5m)")).toThrow('not with "stats"');
  expect(of('message=~"a/b"', undefined, "web/[1]").commands).toEqual([
    String.raw`filter @logStream like /^web\/\[1\]/`,
    String.raw`filter @message like /a\/b/`,
  ]);
  // Patterns that not every dialect reads alike, and labels that a query may have made up.
  for (const query of ['message=~"\\pL"', 'message=~"(?P<a>b)"', 'message=~"[[:alpha:]]"', "a=é"])
    expect(of(query)).toMatchObject({ commands: [], left: [expect.anything()] });
  expect(of("level=error a=b", "fields concat(x, y) as a").commands).toHaveLength(1);
});

test("levels of the newest lines are counted here, all lines by CloudWatch", async () => {
  const { spec } = await startCloudwatch();
  const { ctx, question } = asked({ from: "2026-06-15T10:00:00Z", to: "2026-06-15T10:04:00Z" });
  const count = (terms = question.search, all = spec) =>
    cloudwatch.count!(ctx, specOf(cloudwatch, all), { ...question, search: terms, step: 60_000 });
  const few = await count();
  const sum = (counts: object) =>
    Object.values(counts).reduce((n: number, one: number) => n + one, 0);
  expect([few.buckets.map(({ counts }) => sum(counts)), few.notices]).toEqual([
    [300, 300, 300, 100],
    undefined,
  ]);
  expect(few.buckets[0]!.counts.error).toBe(30);

  const all = Array.from({ length: 6000 }, (_, n) => ({
    ms: start + n * 30,
    stream: "a",
    message: `${n % 2 === 0 ? "ERROR" : "INFO"} ${n}`,
  }));
  const { spec: many } = await startCloudwatch({ all });
  const told = await count(question.search, many);
  expect(told.notices).toEqual(
    ["Only the newest 5000 lines were counted.", "Levels are told of the newest 5000 lines."].slice(
      1,
    ),
  );
  expect(told.buckets.map(({ counts }) => counts)).toEqual([
    { none: 1000, error: 500, info: 500 },
    { error: 1000, info: 1000 },
    { error: 1000, info: 1000 },
  ]);
  const later = { ...question, from: new Date(+question.from + 1_000), step: 60_000 };
  const begun = await cloudwatch.count!(ctx, specOf(cloudwatch, many), later);
  expect([startsOf(begun.buckets), begun.buckets[0]!.counts.none]).toEqual([
    ["10:00", "10:01", "10:02"],
    966,
  ]);
}, 30_000);

test("roles, ARNs, older spellings, and times of which a group has nothing", async () => {
  const { server, spec } = await startCloudwatch();
  const arn = "arn:aws:logs:eu-1:1:log-group:shop:*";
  const { lines } = await askBackend(
    cloudwatch,
    { ...spec, log_group: arn, assumeRole: "arn:aws:iam::1:role/logs" },
    { limit: 1 },
  );
  expect(lines).toHaveLength(1);
  expect(server.asked.map(({ action, who }) => `${action} ${who}`)).toEqual([
    "AssumeRole AKIDREADER",
    "StartQuery ASIALENT",
    "GetQueryResults ASIALENT",
    "GetQueryResults ASIALENT",
  ]);
  const auth = { region: "eu-west-1", access_key: key.accessKey, secret_key: key.secretKey };
  await askBackend(cloudwatch, { endpoint: server.url, auth, logGroup: "shop" }, { limit: 1 });
  expect(server.asked.at(-1)!.region).toBe("eu-west-1");
  expect(
    await askBackend(cloudwatch, spec, {
      from: "2020-01-01T00:00:00Z",
      to: "2020-01-02T00:00:00Z",
    }),
  ).toEqual({ lines: [] });
});

test("throttling, and too many queries at once", async () => {
  const { server, spec } = await startCloudwatch({ throttled: 2, full: 2 });
  expect((await askBackend(cloudwatch, spec, { limit: 1 })).lines).toHaveLength(1);
  expect(server.asked.filter(({ action }) => action === "StartQuery")).toHaveLength(3);
  const { spec: never } = await startCloudwatch({ throttled: 1000 });
  await expect(askBackend(cloudwatch, never)).rejects.toThrow(
    /refused: asked too often: ThrottlingException/,
  );
  const { spec: full } = await startCloudwatch({ full: 1000 });
  await expect(askBackend(cloudwatch, full)).rejects.toThrow(/concurrency limit of \[30\]/);
}, 30_000);

test("who is refused, and queries that CloudWatch cannot read", async () => {
  const { spec } = await startCloudwatch();
  const ask = (more: object) => askBackend(cloudwatch, { ...spec, ...more });
  await expect(ask({ secretKey: { value: "another-secret" } })).rejects.toThrow(
    /the secret key does not fit the access key/,
  );
  await expect(ask({ accessKey: { value: "AKIDNOBODY" } })).rejects.toThrow(/is not known/);
  await expect(ask({ accessKey: undefined })).rejects.toThrow(
    "accessKey and secretKey are missing",
  );
  await expect(ask({ region: undefined })).rejects.toThrow("the region is missing");
  await expect(ask({ log_group: "other" })).rejects.toThrow(/ResourceNotFoundException: Log group/);
  await expect(ask({ query: "filter brokn" })).rejects.toThrow(
    /MalformedQueryException: unexpected symbol/,
  );
  await expect(askBackend(cloudwatch, spec, { cursor: "made-up" })).rejects.toThrow("no cursor");
  const { spec: denied } = await startCloudwatch({
    answer: () => refuse("AccessDeniedException", "not authorized to perform: logs:StartQuery"),
  });
  await expect(askBackend(cloudwatch, denied)).rejects.toThrow(/not allowed: AccessDenied/);
});

test("a query that does not end is stopped when nobody waits for it", async () => {
  const stop = new AbortController();
  const stopped = Promise.withResolvers<string>();
  const { spec } = await startCloudwatch({
    answer({ action, parameters }) {
      if (action === "GetQueryResults") {
        stop.abort(new Error("the time is over"));
        return { status: "Running", results: [] };
      }
      if (action === "StopQuery") stopped.resolve(String(parameters.queryId));
      return undefined;
    },
  });
  await expect(askBackend(cloudwatch, spec, { signal: stop.signal })).rejects.toThrow(
    "the time is over",
  );
  expect(await stopped.promise).toBe("query-0");
});

describe("a server that is none", () => {
  test.each<[string, (asked: AwsAsked) => object | string | undefined, RegExp]>([
    ["a query that fails", (one) => on(one, { status: "Failed" }), /end of the query: Failed/],
    [
      "a query that times out",
      (one) => on(one, { status: "Timeout" }),
      /end of the query: Timeout/,
    ],
    ["an answer that breaks off", (one) => on(one, broken), /./],
    ["no query", () => ({ hello: ["world"] }), /what answered is no CloudWatch/],
    ["no state", (one) => on(one, { results: "x" }), /what answered is no CloudWatch/],
    ["an answer without rows", (one) => on(one, { status: "Complete", results: [7, [{}]] }), /^$/],
  ])("%s", async (_name, answer, message) => {
    const { spec } = await startCloudwatch({ answer });
    const asking = askBackend(cloudwatch, spec);
    if (message.test("")) expect(await asking).toEqual({ lines: [] });
    else await expect(asking).rejects.toThrow(message);
  });

  const on = ({ action }: AwsAsked, answer: object) =>
    action === "GetQueryResults" ? answer : undefined;

  const of = (endpoint: string) => ({
    endpoint,
    region: "eu-central-1",
    accessKey: key.accessKey,
    secretKey: key.secretKey,
    log_group: "shop",
  });
  test.each<[string, string | Buffer, number, RegExp]>([
    ["a page", "<html>welcome</html>", 200, /does not answer in JSON/],
    ["half a JSON", '{"queryId":"a', 200, /does not answer in JSON/],
    ["100 MB", Buffer.alloc(100 * 1_048_576, " "), 200, /answered more than 67108864 bytes/],
    ["a failure of its own", "boom", 500, /answered 500/],
    ["credentials that are wrong", "no", 403, /answered 403/],
    ["throttling that does not end", "", 429, /answered 429/],
  ])("%s", { timeout: 30_000 }, async (_name, body, code, message) => {
    const { url } = await serve((_request, response) => response.writeHead(code).end(body));
    await expect(askBackend(cloudwatch, of(url))).rejects.toThrow(message);
  });

  test("nobody there, and somebody who never answers", async () => {
    const nobody = of(`http://127.0.0.1:${await freePort()}`);
    await expect(askBackend(cloudwatch, nobody)).rejects.toThrow(/refused/);
    const { url } = await serve(() => undefined);
    const stop = new AbortController();
    const asking = askBackend(cloudwatch, of(url), { signal: stop.signal });
    stop.abort(new Error("the time is over"));
    await expect(asking).rejects.toThrow("the time is over");
  });
});
