import { checkSpecs, type PrometheusSpec } from "@mainstay/contract";
import { readableAddress } from "#platform/outbound/http/address.ts";
import { ApiRefusal, askJson, below, type JsonAnswer } from "#platform/outbound/http/ask-json.ts";
import { asList, asObject, asText } from "#platform/outbound/http/read-json.ts";
import { openConnection } from "#platform/outbound/http/open-connection.ts";
import { attemptHttp, WrongSpec } from "../attempt-http.ts";
import { type CheckInput, checkType, failed, inMs, passed } from "../check-type.ts";

/** One series of the answer: its labels, and the value under a name of its own. */
interface Row {
  labels: Record<string, string>;
  value: number;
}

/** Codes of servers that take queries in the address alone. */
const wantsGet = new Set([405, 501]);

async function query({ spec, signal, connector }: CheckInput<PrometheusSpec>): Promise<JsonAnswer> {
  const connection = await openConnection(spec, { signal, connector });
  const { url } = connection;
  const options = { signal, connector, what: "Prometheus" };
  const path = "/api/v1/query";
  const form = { "content-type": "application/x-www-form-urlencoded", ...connection.headers };
  const body = new URLSearchParams({ query: spec.query }).toString();
  const posted = { ...connection, url: below(url, path), method: "POST", headers: form, body };
  try {
    return await askJson(posted, options);
  } catch (error) {
    if (!(error instanceof ApiRefusal)) throw error;
    if (wantsGet.has(error.code))
      return askJson({ ...connection, url: below(url, path, [["query", spec.query]]) }, options);
    if (error.code === 400 && error.reason !== undefined)
      throw new WrongSpec(`Prometheus cannot read the query: ${error.reason}`);
    throw error;
  }
}

function readRows(json: unknown): Row[] {
  const { status, data } = asObject(json);
  const { resultType, result } = asObject(data);
  if (status !== "success" || typeof resultType !== "string")
    throw new Error("what answered is no Prometheus");
  if (resultType !== "vector") {
    const hint = resultType === "scalar" ? "; vector(...) makes one of it" : "";
    throw new WrongSpec(
      `the query gives a ${resultType.slice(0, 40)}, and a vector is wanted${hint}`,
    );
  }
  return asList(result).map((series) => {
    const { metric, value } = asObject(series);
    const labels = Object.entries(asObject(metric)).map(([name, text]) => [name, String(text)]);
    const text = asText(asList(value)[1]);
    return {
      labels: Object.fromEntries(labels) as Record<string, string>,
      value: text === "+Inf" ? Infinity : text === "-Inf" ? -Infinity : Number(text),
    };
  });
}

/** As scripts see it: the labels beside the value. */
const flat = ({ labels, value }: Row) => ({ ...labels, value });
/** JSON knows no infinity. */
const shown = (row: Row) => ({
  ...row.labels,
  value: Number.isFinite(row.value) ? row.value : String(row.value),
});

/** Rows that are kept and shown. */
const mostShown = 100;

export const prometheus = checkType<PrometheusSpec>({
  type: "prometheus",
  spec: checkSpecs.prometheus,
  network: true,
  endpoint: (spec) => readableAddress(spec.url ?? spec.connection ?? spec.host ?? ""),
  run(input) {
    const { spec } = input;
    return attemptHttp(input, async () => {
      if (spec.host) throw new WrongSpec('"host" is no longer read: write the address as url');
      const { json, elapsedMs } = await query(input);
      const rows = readRows(json);
      const [first] = rows;
      const labels: Record<string, string> = first?.labels ?? {};
      const warnings = asList(asObject(json).warnings).slice(0, 10);
      const outcome = {
        durationMs: elapsedMs,
        details: {
          results: rows.slice(0, mostShown).map(shown),
          count: rows.length,
          ...(warnings.length > 0 && { warnings }),
        },
        data: () => ({
          results: rows.map(flat),
          count: rows.length,
          // Scripts may name them though there are none.
          firstResult: first ? flat(first) : {},
          value: first?.value ?? null,
        }),
        labels,
      };
      if (rows.length === 0 && spec.markFailOnEmpty)
        return failed("the query found nothing", outcome);
      const found = rows.length === 1 ? `value ${String(first?.value)}` : `${rows.length} results`;
      return passed(`${found} in ${inMs(elapsedMs)}`, outcome);
    });
  },
});
