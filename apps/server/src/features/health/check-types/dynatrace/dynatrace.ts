import { checkSpecs, type DynatraceSpec } from "@mainstay/contract";
import type { Value } from "@mainstay/scripting";
import { readableAddress } from "#platform/outbound/http/address.ts";
import { askJson, below } from "#platform/outbound/http/ask-json.ts";
import { asList, asObject, asText } from "#platform/outbound/http/read-json.ts";
import { readConnection } from "#platform/outbound/http/read-request.ts";
import { attemptHttp, WrongSpec } from "../attempt-http.ts";
import { type CheckInput, checkType, inMs, passed } from "../check-type.ts";

/** Pages that are read; the server decides how many problems are on one. */
const mostPages = 20;
/** Problems that are kept and shown. */
const mostShown = 100;

const addressOf = ({ url, host, scheme, connection }: DynatraceSpec): string => {
  if (url) return url;
  if (host)
    return /^https?:\/\//i.test(host) ? host : `${scheme?.toLowerCase() ?? "https"}://${host}`;
  return connection ?? "";
};

function readProblem(json: unknown) {
  const problem = asObject(json);
  const evidence = asObject(problem.evidenceDetails);
  return {
    title: asText(problem.title) ?? "",
    status: asText(problem.status) ?? "",
    impactLevel: asText(problem.impactLevel) ?? "",
    severity: asText(problem.severityLevel) ?? "",
    impactedEntities: asList(problem.impactedEntities),
    affectedEntities: asList(problem.affectedEntities),
    labels: asList(problem.entityTags),
    entityTags: asList(problem.entityTags),
    totalEvidences: typeof evidence.totalCount === "number" ? evidence.totalCount : 0,
    evidences: asList(evidence.details),
  };
}

async function readProblems({ spec, signal, connector }: CheckInput<DynatraceSpec>) {
  const key = spec.apiKey?.value || spec.password?.value;
  if (!key) throw new WrongSpec("Dynatrace needs an apiKey");
  const connection = readConnection({ url: addressOf(spec) });
  const found = [];
  let elapsedMs = 0;
  let next: string | undefined;
  let total = 0;
  for (let page = 0; page < mostPages; page += 1) {
    const query: [string, string][] = [
      ["fields", "evidenceDetails"],
      ...(next === undefined ? [] : [["nextPageKey", next] as [string, string]]),
    ];
    const answer = await askJson(
      {
        ...connection,
        url: below(connection.url, "/api/v2/problems", query),
        headers: { authorization: `Api-Token ${key}` },
      },
      { signal, connector, what: "Dynatrace" },
    );
    elapsedMs += answer.elapsedMs;
    const { problems, totalCount, nextPageKey } = asObject(answer.json);
    if (!Array.isArray(problems)) throw new Error("what answered is no Dynatrace");
    found.push(...problems.map(readProblem));
    total = typeof totalCount === "number" ? Math.max(totalCount, found.length) : found.length;
    next = asText(nextPageKey);
    if (next === undefined) break;
  }
  return { problems: found, total, elapsedMs };
}

export const dynatrace = checkType<DynatraceSpec>({
  type: "dynatrace",
  spec: checkSpecs.dynatrace,
  network: true,
  endpoint: (spec) => readableAddress(addressOf(spec)),
  run: (input) =>
    attemptHttp(input, async () => {
      const { problems, total, elapsedMs } = await readProblems(input);
      const open = problems.filter(({ status }) => status === "OPEN").length;
      const cut = problems.length < total ? `, of which ${problems.length} were read` : "";
      return passed(`${total} problems${cut}, ${open} open, in ${inMs(elapsedMs)}`, {
        durationMs: elapsedMs,
        details: { problems: problems.slice(0, mostShown), count: total, open },
        data: () => ({ results: problems as unknown as Value }),
      });
    }),
});
