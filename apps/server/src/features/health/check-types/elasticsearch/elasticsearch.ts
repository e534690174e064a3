import { checkSpecs, type SearchSpec } from "@mainstay/contract";
import type { Value } from "@mainstay/scripting";
import { readableAddress } from "#platform/outbound/http/address.ts";
import { ApiRefusal, askJson, below } from "#platform/outbound/http/ask-json.ts";
import { asList, asObject, asPlain, readJson } from "#platform/outbound/http/read-json.ts";
import { openConnection } from "#platform/outbound/http/open-connection.ts";
import { attemptHttp, WrongSpec } from "../attempt-http.ts";
import {
  type CheckInput,
  type CheckOutcome,
  checkType,
  failed,
  inMs,
  passed,
} from "../check-type.ts";

/** A search counts so far, unless it is told how far. */
const countedByItself = 10_000;

/** How many documents an answer says were found, or at least were; old servers write the number alone. */
function countOf(json: unknown): { count: number; isMore: boolean } {
  const { total } = asObject(asObject(json).hits);
  const { value: count, relation } = typeof total === "object" ? asObject(total) : { value: total };
  if (typeof count !== "number")
    throw new Error("the answer does not say how much was found (hits.total)");
  return { count, isMore: relation === "gte" };
}

/** Parts of an index that could not be searched, of an answer that is well otherwise. */
function leftOutOf(json: unknown): string {
  const { failed: count, total, failures } = asObject(asObject(json)._shards);
  if (typeof count !== "number" || count === 0) return "";
  const why = asPlain(asObject(asObject(asList(failures)[0]).reason).reason);
  return `${count} of ${asPlain(total)} shards${why && `: ${why}`}`;
}

const saysHowFar = (query: string) => "track_total_hits" in asObject(readJson(query));

const documents = (count: number) => `${count} document${count === 1 ? "" : "s"}`;

/** A search, in both families: they speak the same here. */
export function search(what: string, input: CheckInput<SearchSpec>): Promise<CheckOutcome> {
  const { spec, signal, connector } = input;
  return attemptHttp(input, async () => {
    const connection = await openConnection(spec, { signal, connector });
    const query = spec.query?.trim() ?? "";
    const wanted = spec.results ?? 0;
    if (query !== "" && readJson(query) === undefined) throw new WrongSpec("the query is not JSON");
    const index = spec.index ? `/${encodeURIComponent(spec.index).replaceAll("%2C", ",")}` : "";
    const { json, elapsedMs } = await askJson(
      {
        ...connection,
        url: below(
          connection.url,
          `${index}/_search`,
          wanted < countedByItself || saysHowFar(query)
            ? []
            : [["track_total_hits", String(wanted + 1)]],
        ),
        method: "POST",
        headers: { "content-type": "application/json", ...connection.headers },
        ...(query !== "" && { body: query }),
      },
      { signal, connector, what },
    ).catch((error: unknown) => {
      if (error instanceof ApiRefusal && error.code === 400 && error.reason !== undefined)
        throw new WrongSpec(`${what} cannot read the query: ${error.reason}`);
      throw error;
    });
    const { count, isMore } = countOf(json);
    const outcome = {
      durationMs: elapsedMs,
      details: asObject(json),
      data: () => ({ results: json as Value }),
    };
    const verdict = { ...outcome, isDefaultVerdict: true };
    if (asObject(json).timed_out === true)
      return failed(`${what} ended the search before it was whole`, verdict);
    const leftOut = leftOutOf(json);
    if (leftOut !== "") return failed(`${what} left out ${leftOut}`, verdict);
    const found = `found ${isMore ? "at least " : ""}${documents(count)}`;
    if (count !== wanted || isMore) return failed(`${found}, wanted ${wanted}`, verdict);
    return passed(`${found} in ${inMs(elapsedMs)}`, outcome);
  });
}

export const elasticsearch = checkType<SearchSpec>({
  type: "elasticsearch",
  spec: checkSpecs.elasticsearch,
  network: true,
  endpoint: (spec) => readableAddress(spec.url ?? spec.connection ?? ""),
  run: (input) => search("Elasticsearch", input),
});
