import { afterEach, describe, expect, test } from "vitest";
import { parseLogSearch } from "@mainstay/contract";
import { RE2JS } from "re2js";
import { closeAll, serve } from "#platform/outbound/testing/serve.ts";
import { type AskOptions, askBackend, asked, specOf, startsOf } from "../testing/ask-backend.ts";
import { itSurvivesAnyServer } from "../testing/hostile-server.ts";
import { logqlOf } from "./logql.ts";
import { loki } from "./loki.ts";

/** A stand-in for Loki's query_range, written from its public documentation: it reads the part of LogQL that is sent. */

afterEach(closeAll);

const start = BigInt(Date.parse("2026-06-15T10:00:00Z")) * 1_000_000n;
interface Entry {
  labels: Record<string, string>;
  nanos: bigint;
  text: string;
}
/** 1,000 lines, five of them of each moment. */
const entries: Entry[] = Array.from({ length: 1000 }, (_, n) => ({
  labels: { app: n % 2 === 0 ? "shop" : "db", level: n % 10 === 0 ? "error" : "info" },
  nanos: start + BigInt(Math.floor(n / 5)) * 1_000_000_007n,
  text: n === 77 ? 'a "Needle" (1)' : `line ${n}`,
}));

const matcher = /^(\w+)\s*(=~|!~|!=|=)\s*"((?:[^"\\]|\\.)*)"$/;
function holds(entry: Entry, condition: string): boolean {
  const [, name = "", operator, quoted] = matcher.exec(condition.trim())!;
  const value = JSON.parse(`"${quoted}"`) as string;
  const own = entry.labels[name] ?? "";
  if (operator === "=" || operator === "!=") return (own === value) === (operator === "=");
  return RE2JS.compile(value).matches(own) === (operator === "=~");
}
function select(query: string): Entry[] {
  const [, inside = "", rest = ""] = /^\{([^}]*)\}\s*(.*)$/s.exec(query)!;
  const stages = [...rest.matchAll(/(\|~|!~|\|)\s*((?:\w+\s*(?:=~|!~|=)\s*)?"(?:[^"\\]|\\.)*")/g)];
  return entries.filter(
    (entry) =>
      inside.split(/,\s*(?=\w+\s*[=!])/).every((one) => holds(entry, one)) &&
      stages.every(([, operator, condition = ""]) =>
        operator === "|"
          ? holds(entry, condition)
          : RE2JS.compile(JSON.parse(condition) as string)
              .matcher(entry.text)
              .find() ===
            (operator === "|~"),
      ),
  );
}

async function startLoki({ user }: { user?: string } = {}) {
  const seen: URLSearchParams[] = [];
  let busy = 0;
  const { url } = await serve((request, response) => {
    const end = (code: number, body: unknown, headers = {}) =>
      response
        .writeHead(code, { "content-type": "application/json", ...headers })
        .end(JSON.stringify(body));
    const { pathname, searchParams } = new URL(request.url ?? "", "http://loki");
    if (user && request.headers.authorization !== `Basic ${Buffer.from(user).toString("base64")}`)
      return end(401, { message: "no credentials" });
    if (busy > 0) {
      busy -= 1;
      return end(429, { message: "slow down" }, { "retry-after": "0" });
    }
    if (pathname !== "/loki/api/v1/query_range") return end(404, {});
    seen.push(searchParams);
    const query = searchParams.get("query") ?? "";
    const counted = /^sum by \((\w+)\) \(count_over_time\((.*) \[(\d+)ms\]\)\)$/s.exec(query);
    const [from, to] = [BigInt(searchParams.get("start")!), BigInt(searchParams.get("end")!)];
    if (counted) {
      const [, label = "", inner = "", step = ""] = counted;
      const stepNanos = BigInt(step) * 1_000_000n;
      const series = new Map<string, Map<bigint, number>>();
      for (const entry of select(inner))
        for (let at = from; at <= to; at += stepNanos)
          if (entry.nanos > at - stepNanos && entry.nanos <= at) {
            const value = entry.labels[label] ?? "";
            const points = series.get(value) ?? new Map<bigint, number>();
            points.set(at, (points.get(at) ?? 0) + 1);
            series.set(value, points);
          }
      const result = [...series].map(([value, points]) => ({
        metric: value === "" ? {} : { [label]: value },
        values: [...points].map(([at, n]) => [Number(at / 1_000_000n) / 1000, String(n)]),
      }));
      return end(200, { status: "success", data: { resultType: "matrix", result } });
    }
    if (query.includes("| broken")) {
      response.writeHead(400, { "content-type": "text/plain" });
      return response.end("parse error at line 1, col 9: syntax error");
    }
    const isBack = searchParams.get("direction") === "backward";
    const found = select(query)
      .filter(({ nanos }) => nanos >= from && nanos < to)
      .toSorted((a, b) => (a.nanos < b.nanos ? -1 : a.nanos > b.nanos ? 1 : 0) * (isBack ? -1 : 1))
      .slice(0, Number(searchParams.get("limit")));
    const streams = new Map<string, [string, string][]>();
    for (const { labels, nanos, text } of found) {
      const key = JSON.stringify(labels);
      streams.set(key, [...(streams.get(key) ?? []), [String(nanos), text]]);
    }
    const result = [...streams].map(([key, values]) => ({
      stream: JSON.parse(key) as object,
      values,
    }));
    return end(200, { status: "success", data: { resultType: "streams", result } });
  });
  return { url, seen, beBusy: (times: number) => (busy = times) };
}

const all = '{app=~".+"}';

test("lines with all digits of their moment, the newest first or the oldest", async () => {
  const { url } = await startLoki();
  const { lines } = await askBackend(loki, { url, query: all }, { limit: 2, direction: "forward" });
  expect(lines).toEqual([
    expect.objectContaining({
      timestamp: "2026-06-15T10:00:00.000Z",
      message: "line 0",
      level: "error",
      labels: { app: "shop", level: "error" },
    }),
    expect.objectContaining({ message: expect.stringMatching(/^line [1-4]$/) as string }),
  ]);
  const back = await askBackend(loki, { url, query: all }, { limit: 1 });
  expect(back.lines[0]!.timestamp).toBe("2026-06-15T10:03:19.000001393Z");
});

test.each(["backward", "forward"] as const)(
  "pages %s lead through all lines once, also of one moment",
  async (direction) => {
    const { url } = await startLoki();
    const ids: string[] = [];
    let cursor: string | undefined;
    do {
      const options: AskOptions = { direction, limit: 33, ...(cursor && { cursor }) };
      const page = await askBackend(loki, { url, query: all }, options);
      ids.push(...page.lines.map(({ id }) => id));
      cursor = page.next;
    } while (cursor !== undefined);
    expect([ids.length, new Set(ids).size]).toEqual([1000, 1000]);
  },
);

test("a search is asked in LogQL, and what Loki cannot be asked is looked for here", async () => {
  const { url, seen } = await startLoki();
  const found = async (query: string, more: object = {}, options: AskOptions = {}) =>
    (
      await askBackend(loki, { url, query: all, ...more }, { query, limit: 3, ...options })
    ).lines.map(({ message }) => message);
  expect(await found('"needle" (1)')).toEqual(['a "Needle" (1)']);
  expect(seen.at(-1)!.get("query")).toBe(String.raw`{app=~".+"} |~ "(?i)needle" |~ "(?i)\\(1\\)"`);
  expect(await found("app=shop level=error", { level: "level" }, { limit: 1 })).toEqual([
    "line 990",
  ]);
  expect(await found("level>=error", {}, { limit: 1 })).toEqual(["line 990"]);
  expect(await found("", {}, { labels: { app: "db" }, limit: 1 })).toEqual([
    expect.stringMatching(/^line 99[579]$/),
  ]);
  expect(await found('message=~"^line 9[0-9]$" -line', {})).toEqual([]);
  expect(await found("a.b=c")).toEqual([]);
  expect(await found(String.raw`app=~"\Qsho"`, {}, { limit: 1 })).toEqual([
    expect.stringMatching(/^line 99[68]$/),
  ]);
});

test("what is asked in LogQL", () => {
  const of = (query: string, own?: string, labels = {}) =>
    logqlOf(own, { labels, terms: parseLogSearch(query).terms, level: "level" }).query;
  expect(of('app=a,b -x app=~"c"', '{a="}", b=`"`} | json', { d: 'e"' })).toBe(
    String.raw`{a="}", b=` +
      '`"`' +
      String.raw`, d="e\""} | json | app=~"(?:a|b)" !~ "(?i)x" | app=~"(?s:.*)(?:c)(?s:.*)"`,
  );
  expect(of("level=error", '{a="b",}')).toContain('| level=~"(?i)(?:error|err|severe)"');
  expect(() => of("x")).toThrow("which streams are meant");
  expect(() => of("x", '{a="b"')).toThrow("has no end");
});

test("counts are Loki's, by level", async () => {
  const { url } = await startLoki();
  const { ctx, question } = asked({ from: "2026-06-15T10:00:00Z", to: "2026-06-15T10:04:00Z" });
  const spec = specOf(loki, { url, query: all, level: "level" });
  const { buckets } = await loki.count!(ctx, spec, {
    ...question,
    from: new Date(+question.from - 1),
    step: 60_000,
  });
  const sum = buckets.reduce((n, { counts }) => n + (counts.error ?? 0) + (counts.info ?? 0), 0);
  expect([sum, buckets[0]!.counts]).toEqual([1000, { error: 30, info: 270 }]);
  const later = { ...question, from: new Date(+question.from + 30_000), step: 60_000 };
  const told = await loki.count!(ctx, spec, later);
  expect(startsOf(told.buckets)).toEqual(["10:00", "10:01", "10:02", "10:03"]);
  // A range that begins and ends within a step: as many as there are lines.
  const within = { ...later, to: new Date(+question.from + 130_000), limit: 1000 };
  const [page, { buckets: bars }] = await Promise.all([
    loki.read(ctx, spec, within),
    loki.count!(ctx, spec, within),
  ]);
  const counted = bars.reduce((n, { counts }) => n + (counts.error ?? 0) + (counts.info ?? 0), 0);
  expect([counted, startsOf(bars)]).toEqual([page.lines.length, ["10:00", "10:01", "10:02"]]);
  expect(counted).toBeGreaterThan(400);
});

test("who asks, throttling, and queries that Loki refuses", async () => {
  const server = await startLoki({ user: "ann:secret" });
  const spec = { url: server.url, query: all, username: "ann", password: "secret" };
  server.beBusy(2);
  expect((await askBackend(loki, spec, { limit: 1 })).lines).toHaveLength(1);
  await expect(askBackend(loki, { ...spec, password: "other" })).rejects.toThrow(
    "did not accept the credentials (401)",
  );
  await expect(askBackend(loki, { ...spec, query: `${all} | broken` })).rejects.toThrow(
    'Loki cannot read the query {app=~".+"} | broken: parse error at line 1',
  );
  await expect(askBackend(loki, spec, { cursor: "made-up" })).rejects.toThrow("no cursor");
});

describe("a server that is none", () => {
  itSurvivesAnyServer((url, options) => askBackend(loki, { url, query: all }, options));
});
