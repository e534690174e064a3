import {
  type ElasticsearchBackend,
  lineLevels,
  type LogBucket,
  type OpensearchBackend,
} from "@mainstay/contract";
import { ScriptError } from "@mainstay/scripting";
import { catalogEvaluator } from "#features/catalog/index.ts";
import type { Ctx } from "#platform/context.ts";
import { ApiRefusal, below } from "#platform/outbound/http/ask-json.ts";
import { askPatiently, Patience } from "#platform/outbound/http/ask-patiently.ts";
import { openConnection } from "#platform/outbound/http/open-connection.ts";
import { asList, asObject, asPlain, readJson } from "#platform/outbound/http/read-json.ts";
import { mistakeOf } from "#platform/scripts/evaluate-script.ts";
import { addTo, countByReading, sorted } from "../count-by-reading.ts";
import { flatten, levelFields, levelIn, lineOf } from "../line-of.ts";
import type { LinesPage, LinesPageQuestion, LinesQuestion } from "../log-backend.ts";
import { matchLines } from "../match-lines.ts";
import { printNanos, readEpoch, readNanos } from "../nanos.ts";
import { outbound } from "../outbound.ts";
import { type FoundLine, pageByTime } from "../page-by-time.ts";
import { isOfLevel, searchQuery, type SearchFields } from "./search-query.ts";

/** Lines that are given at once (`index.max_result_window` is 10,000 unless it is set). */
const atOnce = 1000;
const mostBody = 64 * 1024 * 1024;
const patienceMs = 5000;

export type SearchBackend = OpensearchBackend &
  Partial<Pick<ElasticsearchBackend, "cloud_id" | "api_key">>;

const fieldsOf = ({ fields = {} }: SearchBackend): SearchFields => ({
  timestamp: fields.timestamp ?? "@timestamp",
  message: fields.message ?? "message",
  levels: fields.level === undefined ? levelFields : [fields.level],
});

/** Where a deployment of Elastic Cloud is: `name:` and the base64 of its host and the names of its parts. */
function addressOf({ cloud_id: cloudId, url }: SearchBackend): string | undefined {
  const id = cloudId?.value;
  if (url !== undefined || id === undefined) return url;
  const [host, part] = Buffer.from(id.slice(id.indexOf(":") + 1), "base64")
    .toString("utf8")
    .split("$");
  if (!host || !part || !/^[\w.:-]+$/.test(host) || !/^[\w-]+$/.test(part))
    throw new Error("cloud_id: this is no id of a deployment");
  const [name, port] = host.split(":");
  return `https://${part}.${name}${port === undefined ? "" : `:${port}`}`;
}

type Answer = Readonly<Record<string, unknown>>;

async function ask(
  ctx: Ctx,
  spec: SearchBackend,
  { what, body }: { what: string; body: object },
): Promise<Answer> {
  const options = { signal: ctx.signal, connector: ctx.service(outbound) };
  const { url, headers, ...connection } = await openConnection(
    { ...spec, url: addressOf(spec) },
    options,
  );
  const index = spec.index ? `/${encodeURIComponent(spec.index).replaceAll("%2C", ",")}` : "";
  const key = spec.api_key?.value;
  const { json } = await askPatiently(
    {
      ...connection,
      url: below(url, `${index}/_search`, [["ignore_unavailable", "true"]]),
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...headers,
        ...(key && { authorization: `ApiKey ${key}` }),
      },
      body: JSON.stringify(body),
      mostBody,
    },
    { ...options, what, patience: new Patience(patienceMs) },
  ).catch((error: unknown) => {
    if (error instanceof ApiRefusal && error.code === 400 && error.reason !== undefined)
      throw new Error(`${what} cannot read the query: ${error.reason}`);
    throw error;
  });
  const answer = asObject(json);
  if (typeof answer.hits !== "object") throw new Error(`what answered is no ${what}`);
  return answer;
}

/** A part of an index that could not be searched leaves its lines out of an answer that is well otherwise. */
function missingIn({ _shards: shards, timed_out: isLate }: Answer, what: string): string[] {
  const { failed, total, failures } = asObject(shards);
  const why = asPlain(asObject(asObject(asList(failures)[0]).reason).reason);
  return [
    ...(typeof failed === "number" && failed > 0
      ? [`${what} left out ${failed} of ${asPlain(total)} shards${why && `: ${why}`}`]
      : []),
    ...(isLate === true ? [`${what} ended the search before it was whole.`] : []),
  ];
}

/** The query of the document: of a whole search its `query`. It was a Go template once, whose values are those of a question. */
async function ownQuery(
  ctx: Ctx,
  { query = "" }: SearchBackend,
  { type = "", externalId = "", labels, from, to }: LinesQuestion,
): Promise<object | undefined> {
  let text = query.trim();
  if (text.includes("{{")) {
    try {
      const context = {
        Id: externalId,
        Type: type,
        Labels: { ...labels },
        Start: from.toISOString(),
        End: to.toISOString(),
        // It asks for pages, which is done otherwise.
        Page: "",
        Limit: "",
        Query: "",
      };
      ({ text } = await ctx
        .service(catalogEvaluator)
        .evaluate({ language: "gotemplate", script: text, context }));
    } catch (error) {
      if (error instanceof ScriptError)
        throw new Error(mistakeOf("query", error).message, { cause: error });
      throw error;
    }
  }
  if (text.trim() === "") return undefined;
  const found = readJson(text);
  if (typeof found !== "object" || found === null) throw new Error("query: this is not JSON");
  const { query: inner } = asObject(found);
  if (inner !== undefined) return asObject(inner);
  // A search that says no query, but where to go on or how to sort.
  return "sort" in found || "search_after" in found || "size" in found ? undefined : found;
}

const momentOf = (value: unknown): bigint | undefined => {
  const text = asPlain(value);
  return readNanos(text) ?? readEpoch(text);
};

function lineIn(hit: unknown, spec: SearchBackend, fields: SearchFields): FoundLine | undefined {
  const { _index: index, _id: id, _source: source, fields: printed } = asObject(hit);
  const flat = flatten(asObject(source));
  const nanos =
    momentOf(asList(asObject(printed)[fields.timestamp])[0]) ?? momentOf(flat[fields.timestamp]);
  if (nanos === undefined) return undefined;
  const message = flat[fields.message] ?? JSON.stringify(source);
  const left = [fields.timestamp, fields.message, ...(spec.fields?.exclusions ?? [])];
  const labels = Object.fromEntries(
    Object.entries(flat).filter(
      ([name]) => !left.some((one) => name === one || name.startsWith(`${one}.`)),
    ),
  );
  const level = levelIn(flat, spec.fields?.level);
  const line = lineOf({ id: `${asPlain(index)}/${asPlain(id)}`, nanos, message, labels, level });
  return { line, nanos, message };
}

const bounds = (from: bigint, to: bigint, isToIncluded: boolean) => ({
  gte: printNanos(from),
  [isToIncluded ? "lte" : "lt"]: printNanos(to),
  format: "strict_date_optional_time_nanos",
});

export async function readSearch(
  ctx: Ctx,
  spec: SearchBackend,
  question: LinesPageQuestion,
  what: string,
): Promise<LinesPage> {
  const fields = fieldsOf(spec);
  const { timestamp } = fields;
  const { filter, mustNot, left, notices } = searchQuery(
    { terms: question.search.terms, labels: question.labels },
    fields,
    what,
  );
  const own = await ownQuery(ctx, spec, question);
  const isMeant = matchLines(left);
  let total: number | undefined;
  const page = await pageByTime({
    question,
    signal: ctx.signal,
    atOnce,
    isMeant: ({ line, message }) => isMeant({ ...line, message }),
    async readSpan({ from, to, isToIncluded, limit }) {
      const order = question.direction === "backward" ? "desc" : "asc";
      const answer = await ask(ctx, spec, {
        what,
        body: {
          size: limit,
          track_total_hits: 10_000,
          sort: [{ [timestamp]: { order, unmapped_type: "date" } }],
          // Values by which it sorts are numbers of another unit in every index, and OpenSearch prints none of them.
          docvalue_fields: [{ field: timestamp, format: "strict_date_optional_time_nanos" }],
          query: {
            bool: {
              filter: [
                { range: { [timestamp]: bounds(from, to, isToIncluded) } },
                ...(own ? [own] : []),
                ...filter,
              ],
              ...(mustNot.length > 0 && { must_not: mustNot }),
            },
          },
        },
      });
      for (const one of missingIn(answer, what)) if (!notices.includes(one)) notices.push(one);
      const { hits, total: found } = asObject(answer.hits);
      const { value, relation } = asObject(found);
      if (typeof value === "number" && relation === "eq" && left.length === 0) total ??= value;
      return asList(hits).flatMap((hit) => lineIn(hit, spec, fields) ?? []);
    },
  });
  const told = [...notices, ...(page.notices ?? [])];
  return {
    ...page,
    ...(total !== undefined && question.cursor === undefined && { total }),
    ...(told.length > 0 && { notices: told }),
  };
}

export async function countSearch(
  ctx: Ctx,
  spec: SearchBackend,
  question: LinesQuestion & { step: number },
  what: string,
): Promise<{ buckets: LogBucket[]; notices?: string[] }> {
  const fields = fieldsOf(spec);
  const { search, labels, from, to, step } = question;
  const { filter, mustNot, left, notices } = searchQuery(
    { terms: search.terms, labels },
    fields,
    what,
  );
  const byReading = () => countByReading(question, (page) => readSearch(ctx, spec, page, what));
  if (left.length > 0) return byReading();
  const own = await ownQuery(ctx, spec, question);
  const nanos = (date: Date) => BigInt(date.getTime()) * 1_000_000n;
  const answer = await ask(ctx, spec, {
    what,
    body: {
      size: 0,
      query: {
        bool: {
          filter: [
            { range: { [fields.timestamp]: bounds(nanos(from), nanos(to), false) } },
            ...(own ? [own] : []),
            ...filter,
          ],
          ...(mustNot.length > 0 && { must_not: mustNot }),
        },
      },
      aggs: {
        times: {
          date_histogram: {
            field: fields.timestamp,
            fixed_interval: `${step}ms`,
            min_doc_count: 1,
          },
          // Words of a text cannot be counted, and of several indices each may have its level elsewhere.
          aggs: {
            levels: {
              filters: {
                filters: Object.fromEntries(
                  lineLevels.map((level) => [level, isOfLevel(fields.levels, [level])]),
                ),
              },
            },
          },
        },
      },
    },
  });
  notices.push(...missingIn(answer, what));
  const buckets = new Map<number, LogBucket>();
  for (const one of asList(asObject(asObject(answer.aggregations).times).buckets)) {
    const { key, doc_count: count, levels } = asObject(one);
    const at = Number(key);
    let rest = Number(count);
    if (!Number.isFinite(at) || !Number.isFinite(rest)) continue;
    const counted = asObject(asObject(levels).buckets);
    for (const level of lineLevels) {
      const { doc_count: n } = asObject(counted[level]);
      if (typeof n !== "number" || n === 0) continue;
      addTo(buckets, { at, step, level, count: n });
      rest -= n;
    }
    if (rest > 0) addTo(buckets, { at, step, level: "none", count: rest });
  }
  return { buckets: sorted(buckets), ...(notices.length > 0 && { notices }) };
}
