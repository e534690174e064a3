import { createEvaluator } from "@mainstay/scripting";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { closeAll, serve } from "#platform/outbound/testing/serve.ts";
import { bodyOf } from "#platform/outbound/testing/sign-in-servers.ts";
import { type AskOptions, askBackend, asked, specOf, startsOf } from "../testing/ask-backend.ts";
import { itSurvivesAnyServer } from "../testing/hostile-server.ts";
import { elasticsearch, opensearch } from "./elasticsearch.ts";

/**
 * A stand-in written from the public documentation of the search API: ranges, terms, phrases of whole words, bool, sort,
 * and histograms of dates by terms. No field has a `.keyword` beside it, as of data streams.
 */

const evaluator = createEvaluator();
afterAll(() => evaluator.close());
afterEach(closeAll);

const start = Date.parse("2026-06-15T10:00:00Z");
interface Doc {
  "@timestamp": string;
  message: string;
  log: { level: string };
  app: string;
  host: { name: string };
  status: number;
  /** Another field of a level, after the first. */
  loglevel: string;
}
/** 600 documents, three of each second. */
const docs: Doc[] = Array.from({ length: 600 }, (_, n) => ({
  "@timestamp": new Date(start + Math.floor(n / 3) * 1000).toISOString(),
  message: n === 77 ? "Payment failed: no money" : `request ${n} done`,
  log: { level: n % 10 === 0 ? "ERROR" : "info" },
  app: n % 2 === 0 ? "shop" : "db",
  host: { name: "web-1" },
  status: 200 + (n % 2),
  loglevel: "fatal",
}));

type Clause = Record<string, never>;
const valueOf = (doc: Doc, field: string): string => {
  const found = field
    .split(".")
    .reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], doc);
  return typeof found === "string" || typeof found === "number" ? String(found) : "";
};
/** Terms of a number have to be some. */
const numeric = (field: string, value: string) => {
  if (field === "status" && !/^\d+$/.test(value))
    throw new Error(`failed to create query: For input string: "${value}"`);
  return value;
};
const words = (text: string) => ` ${text.toLowerCase().match(/\w+/g)?.join(" ") ?? ""} `;
function holds(doc: Doc, clause: Clause): boolean {
  const [[kind, body]] = Object.entries(clause) as unknown as [[string, Clause]];
  const [[field, value]] = Object.entries(body) as unknown as [[string, never]];
  switch (kind) {
    case "range": {
      const { gte, lt, lte } = value as { gte: string; lt?: string; lte?: string };
      const at = Date.parse(doc["@timestamp"]);
      return (
        at >= Date.parse(gte) &&
        (lt === undefined || at < Date.parse(lt)) &&
        (lte === undefined || at <= Date.parse(lte))
      );
    }
    case "terms":
      return (value as string[]).map((one) => numeric(field, one)).includes(valueOf(doc, field));
    case "match": {
      const { query, lenient } = value as { query: string; lenient: boolean };
      return valueOf(doc, field) === (lenient ? query : numeric(field, query));
    }
    case "simple_query_string": {
      const { query, fields } = body as unknown as { query: string; fields: string[] };
      return fields.some((one) => query.split("|").includes(valueOf(doc, one)));
    }
    case "match_phrase":
      return words(valueOf(doc, field)).includes(words(value));
    case "exists":
      return valueOf(doc, value) !== "";
    case "match_all":
      return true;
    case "bool": {
      const {
        filter = [],
        must_not: not = [],
        should,
      } = body as unknown as Partial<Record<"filter" | "must_not" | "should", Clause[]>>;
      return (
        filter.every((one) => holds(doc, one)) &&
        !not.some((one) => holds(doc, one)) &&
        (should === undefined || should.some((one) => holds(doc, one)))
      );
    }
    default:
      throw new Error(`unknown query [${kind}]`);
  }
}

async function startSearch(authorization?: string, shards: object = { total: 1, failed: 0 }) {
  const seen: { url: string; body: Record<string, never> }[] = [];
  const { url } = await serve((request, response) => {
    void bodyOf(request).then((text) => {
      const end = (code: number, json: unknown) =>
        response.writeHead(code, { "content-type": "application/json" }).end(JSON.stringify(json));
      const refuse = (code: number, reason: string) =>
        end(code, {
          error: { root_cause: [{ type: "x", reason }], type: "x", reason: "all shards failed" },
          status: code,
        });
      if (authorization && request.headers.authorization !== authorization)
        return refuse(401, "unable to authenticate");
      const body = JSON.parse(text) as Record<string, never>;
      seen.push({ url: request.url ?? "", body });
      const {
        query,
        size,
        sort,
        docvalue_fields: printed = [],
        aggs,
      } = body as unknown as {
        query: Clause;
        size: number;
        sort?: [Record<string, { order: string; format?: string }>];
        docvalue_fields?: { field: string; format: string }[];
        aggs?: {
          times: {
            date_histogram: { fixed_interval: string };
            aggs: { levels: { filters: { filters: Record<string, Clause> } } };
          };
        };
      };
      // Elasticsearch has it since 7.13, OpenSearch 2.19 has not.
      if (sort?.some((one) => Object.values(one).some(({ format }) => format !== undefined)))
        return refuse(400, "[1:97] [field_sort] unknown field [format]");
      let found: Doc[];
      try {
        found = docs.filter((doc) => holds(doc, query));
      } catch (error) {
        return refuse(400, (error as Error).message);
      }
      if (aggs) {
        const { date_histogram: histogram, aggs: inner } = aggs.times;
        const step = Number.parseInt(histogram.fixed_interval);
        const keyOf = (doc: Doc) => Math.floor(Date.parse(doc["@timestamp"]) / step) * step;
        const buckets = [...Map.groupBy(found, keyOf)].map(([key, of]) => ({
          key,
          doc_count: of.length,
          levels: {
            buckets: Object.fromEntries(
              Object.entries(inner.levels.filters.filters).map(([level, clause]) => [
                level,
                { doc_count: of.filter((doc) => holds(doc, clause)).length },
              ]),
            ),
          },
        }));
        return end(200, {
          _shards: shards,
          hits: { hits: [] },
          aggregations: { times: { buckets } },
        });
      }
      const sign = sort?.[0]["@timestamp"]?.order === "desc" ? -1 : 1;
      const sorted = found.toSorted(
        (a, b) => (Date.parse(a["@timestamp"]) - Date.parse(b["@timestamp"])) * sign,
      );
      return end(200, {
        _shards: shards,
        hits: {
          total: { value: found.length, relation: "eq" },
          hits: sorted.slice(0, size).map((doc) => ({
            _index: "logs",
            _id: String(docs.indexOf(doc)),
            _source: doc,
            // Milliseconds, or nanoseconds of an index that has them.
            sort: [Date.parse(doc["@timestamp"])],
            ...(printed.length > 0 && {
              fields: { [printed[0]!.field]: [`${doc["@timestamp"].slice(0, -1)}000123Z`] },
            }),
          })),
        },
      });
    });
  });
  return { url, seen };
}

describe.each([
  ["Elasticsearch", elasticsearch],
  ["OpenSearch", opensearch],
] as const)("%s", (what, backend) => {
  const ask = (spec: object, options?: AskOptions) =>
    askBackend(backend as typeof elasticsearch, spec, { ...options, evaluator });

  test("documents are lines with level and labels", async () => {
    const { url, seen } = await startSearch();
    const page = await ask(
      { address: url, index: "logs-*,other", fields: { exclusions: ["host"] } },
      { limit: 1 },
    );
    expect(page).toEqual({
      lines: [
        {
          id: "logs/597",
          timestamp: "2026-06-15T10:03:19.000000123Z",
          message: "request 597 done",
          labels: { app: "db", "log.level": "info", status: "201", loglevel: "fatal" },
          level: "info",
        },
      ],
      next: expect.any(String) as string,
      total: 600,
    });
    expect(seen[0]!.url).toBe("/logs-*,other/_search?ignore_unavailable=true");
  });

  test.each(["backward", "forward"] as const)(
    "pages %s lead through all once",
    async (direction) => {
      const { url } = await startSearch();
      const ids: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await ask(
          { address: url },
          { direction, limit: 70, ...(cursor && { cursor }) },
        );
        ids.push(...page.lines.map(({ id }) => id));
        cursor = page.next;
      } while (cursor !== undefined);
      expect([ids.length, new Set(ids).size]).toEqual([600, 600]);
    },
  );

  test("a search is asked in its own words; what it cannot do is said or done here", async () => {
    const { url } = await startSearch();
    const found = async (query: string, options: AskOptions = {}) => {
      const { lines, notices } = await ask({ address: url }, { query, limit: 2, ...options });
      return [lines.map(({ message }) => message), notices];
    };
    const words_ = [`${what} looks for whole words, not for parts of them.`];
    expect(await found('"payment failed"')).toEqual([["Payment failed: no money"], words_]);
    expect(await found("paym")).toEqual([[], words_]);
    expect(await found("level>=error app=shop")).toEqual([
      ["request 590 done", "request 580 done"],
      undefined,
    ]);
    expect(await found("-level=info", { limit: 1 })).toEqual([["request 590 done"], undefined]);
    expect(await found('missing="" host.name=web-1', { limit: 1 })).toEqual([
      ["request 597 done"],
      undefined,
    ]);
    expect(await found('message=~"money$"')).toEqual([["Payment failed: no money"], undefined]);
    expect(await found("", { labels: { app: "shop" }, limit: 1 })).toEqual([
      ["request 598 done"],
      undefined,
    ]);
  });

  test("counts are those of the program, by level", async () => {
    const { url } = await startSearch();
    const { ctx, question } = asked({ from: "2026-06-15T10:00:00Z", to: "2026-06-15T10:04:00Z" });
    const count = (backend as typeof elasticsearch).count!;
    const spec = specOf(backend as typeof elasticsearch, { address: url });
    const { buckets } = await count(ctx, spec, { ...question, step: 60_000 });
    expect(buckets).toEqual(
      [0, 1, 2, 3].map((n) => ({
        start: new Date(start + n * 60_000).toISOString(),
        counts: n === 3 ? { error: 6, info: 54 } : { error: 18, info: 162 },
      })),
    );
    const later = { ...question, from: new Date(+question.from + 30_000), step: 60_000 };
    expect(startsOf((await count(ctx, spec, later)).buckets)).toEqual([
      "10:00",
      "10:01",
      "10:02",
      "10:03",
    ]);
  });

  test("a number is asked for as one, and says no level", async () => {
    const { url } = await startSearch();
    const ids = async (query: string, spec = {}) =>
      (await ask({ address: url, ...spec }, { query, limit: 2 })).lines.map(({ id }) => id);
    expect(await ids("status=201")).toEqual(["logs/597", "logs/599"]);
    expect(await ids("status=none")).toEqual([]);
    expect(await ids("level>=error", { fields: { level: "status" } })).toEqual([]);
  });

  test("what could not be searched is told", async () => {
    const { url } = await startSearch(undefined, {
      total: 3,
      failed: 1,
      failures: [{ index: "logs", reason: { type: "x", reason: "No mapping found" } }],
    });
    const notices = [`${what} left out 1 of 3 shards: No mapping found`];
    expect((await ask({ address: url }, { limit: 2 })).notices).toEqual(notices);
    const { ctx, question } = asked({});
    const spec = specOf(backend as typeof elasticsearch, { address: url });
    const counted = await (backend as typeof elasticsearch).count!(ctx, spec, {
      ...question,
      step: 60_000,
    });
    expect(counted.notices).toEqual(notices);
  });

  test("the query of a document counts beside the search, as a template of older ones too", async () => {
    const { url } = await startSearch();
    const query = `{ {{if .Page}}"search_after": {{ .Page }},{{end}} "sort": [], "query": {"terms": {"app": ["{{ .Labels.app }}"]}} }`;
    const { lines } = await ask({ address: url, query }, { labels: { app: "db" }, limit: 1 });
    expect(lines[0]!.labels.app).toBe("db");
    await expect(ask({ address: url, query: "{" })).rejects.toThrow("query: this is not JSON");
    await expect(ask({ address: url, query: "{{ .a" })).rejects.toThrow("query");
    await expect(ask({ address: url, query: '{"query":{"no":{"a":1}}}' })).rejects.toThrow(
      `${what} cannot read the query: unknown query [no]`,
    );
  });

  test("who asks", async () => {
    const basic = `Basic ${Buffer.from("elastic:secret").toString("base64")}`;
    const { url } = await startSearch(basic);
    expect(
      (
        await ask(
          { address: url, username: "elastic", password: { value: "secret" } },
          { limit: 1 },
        )
      ).lines,
    ).toHaveLength(1);
    await expect(ask({ address: url, username: "elastic", password: "other" })).rejects.toThrow(
      `${what} did not accept the credentials (401)`,
    );
  });

  describe("a server that is none", () => {
    itSurvivesAnyServer((url, options) => ask({ address: url }, options));
  });
});

test("keys and deployments of Elastic Cloud", async () => {
  const { url } = await startSearch("ApiKey c2VjcmV0");
  expect(
    (
      await askBackend(
        elasticsearch,
        { address: url, api_key: { value: "c2VjcmV0" } },
        { limit: 1 },
      )
    ).lines,
  ).toHaveLength(1);
  const id = `shop:${Buffer.from("localhost.invalid:9243$abc$def").toString("base64")}`;
  await expect(askBackend(elasticsearch, { cloud_id: id })).rejects.toThrow(
    "abc.localhost.invalid",
  );
  await expect(askBackend(elasticsearch, { cloud_id: "nonsense" })).rejects.toThrow(
    "no id of a deployment",
  );
});
