import { type AzureDevopsSpec, checkSpecs } from "@mainstay/contract";
import { RE2JS } from "re2js";
import type { Value } from "@mainstay/scripting";
import { readableAddress } from "#platform/outbound/http/address.ts";
import { askJson, below } from "#platform/outbound/http/ask-json.ts";
import { asList, asObject, asPlain, asText } from "#platform/outbound/http/read-json.ts";
import { readConnection } from "#platform/outbound/http/read-request.ts";
import { attemptHttp, WrongSpec } from "../attempt-http.ts";
import { type CheckInput, checkType, failed, inMs, passed } from "../check-type.ts";

const apiVersion = "7.1";
const cloud = "https://dev.azure.com";
/** Pipelines of one page, and pages that are read. */
const pageSize = 1000;
const mostPages = 10;
/** Pipelines whose runs are looked at. */
const mostPipelines = 20;
/** Runs of one pipeline of which the branch is looked at. */
const mostRuns = 20;

type Ask = (path: string, query?: [string, string][]) => ReturnType<typeof askJson>;
interface Pipeline {
  id: string;
  name: string;
}
interface Run {
  id: string;
  name: string;
  pipeline: string;
  result: string;
  branch: string;
  variables: Record<string, string>;
  createdDate: string;
  finishedDate: string;
  durationMs: number;
  url: string;
}

const organizationOf = ({ organization, username }: AzureDevopsSpec) =>
  organization || username?.value || "";

function asker({ spec, signal, connector }: CheckInput<AzureDevopsSpec>): Ask {
  const token = spec.personalAccessToken?.value || spec.password?.value;
  if (!token) throw new WrongSpec("Azure DevOps needs a personalAccessToken");
  const organization = organizationOf(spec);
  if (!organization) throw new WrongSpec("Azure DevOps needs an organization");
  const connection = readConnection({ url: spec.url ?? cloud });
  const parts = [organization, spec.project].map(encodeURIComponent).join("/");
  return (path, query = []) =>
    askJson(
      {
        ...connection,
        url: below(connection.url, `/${parts}/_apis/pipelines${path}`, [
          ["api-version", apiVersion],
          ...query,
        ]),
        auth: { kind: "basic", username: "", password: token },
        // To a page to sign in.
        maxRedirects: 0,
      },
      { signal, connector, what: "Azure DevOps" },
    );
}

/** Whether a name is meant; what is no regular expression is a name. */
function isMeant(wanted: string): (name: string) => boolean {
  try {
    const pattern = RE2JS.compile(wanted);
    return (name) => name === wanted || pattern.matcher(name).find();
  } catch {
    return (name) => name === wanted;
  }
}

async function findPipelines(ask: Ask, wanted: string): Promise<Pipeline[]> {
  const isWanted = isMeant(wanted);
  const found: Pipeline[] = [];
  let token: string | undefined;
  for (let page = 0; page < mostPages; page += 1) {
    const { json, headers } = await ask("", [
      ["$top", String(pageSize)],
      ...(token === undefined ? [] : [["continuationToken", token] as [string, string]]),
    ]);
    const { value } = asObject(json);
    if (!Array.isArray(value)) throw new Error("what answered is no Azure DevOps");
    for (const one of value) {
      const { id, name } = asObject(one);
      if (typeof name === "string" && isWanted(name)) found.push({ id: String(id), name });
    }
    token = headers["x-ms-continuationtoken"];
    if (token === undefined) return found;
  }
  throw new Error(`there are more than ${mostPages * pageSize} pipelines, which are not all read`);
}

const branchOf = (run: Readonly<Record<string, unknown>>): string => {
  const self = asObject(asObject(asObject(run.resources).repositories).self);
  return (asText(self.refName) ?? "").replace(/^refs\/(heads|tags)\//, "");
};

function readRun(pipeline: Pipeline, json: unknown): Run {
  const run = asObject(json);
  const created = asText(run.createdDate) ?? "";
  const finished = asText(run.finishedDate) ?? "";
  const variables = Object.entries(asObject(run.variables)).map(([name, one]) => [
    name,
    asPlain(asObject(one).value),
  ]);
  return {
    id: String(run.id),
    name: asText(run.name) ?? String(run.id),
    pipeline: pipeline.name,
    result: asText(run.result) ?? "unknown",
    branch: branchOf(run),
    variables: Object.fromEntries(variables) as Record<string, string>,
    createdDate: created,
    finishedDate: finished,
    durationMs: Math.max(0, Date.parse(finished) - Date.parse(created)) || 0,
    url: asText(asObject(asObject(asObject(run._links).web)).href) ?? "",
  };
}

/** The last completed run that has the variables and one of the branches. */
async function lastRun(
  ask: Ask,
  pipeline: Pipeline,
  spec: AzureDevopsSpec,
): Promise<Run | undefined> {
  const { json } = await ask(`/${encodeURIComponent(pipeline.id)}/runs`);
  const completed = asList(asObject(json).value)
    .map(asObject)
    .filter(({ state }) => state === "completed")
    .toSorted((a, b) => Date.parse(String(b.finishedDate)) - Date.parse(String(a.finishedDate)))
    .slice(0, mostRuns);
  for (const { id } of completed) {
    // A list says neither branch nor variables for certain.
    const whole = await ask(
      `/${encodeURIComponent(pipeline.id)}/runs/${encodeURIComponent(String(id))}`,
    );
    const run = readRun(pipeline, whole.json);
    const hasVariables = Object.entries(spec.variables ?? {}).every(
      ([name, value]) => run.variables[name] === value,
    );
    const branches = spec.branch ?? [];
    const isOnBranch =
      branches.length === 0 ||
      branches.some((branch) => [run.branch, run.branch.split("/").at(-1)].includes(branch));
    if (hasVariables && isOnBranch) return run;
  }
  return undefined;
}

/** What is wrong with a run. */
function fault({ pipeline, name, result, durationMs }: Run, most: number | undefined) {
  const which = `run ${name} of ${pipeline}`;
  if (result !== "succeeded") return `${which} ended with ${result.slice(0, 100)}`;
  if (most !== undefined && durationMs > most)
    return `${which} took ${inMs(durationMs)}, at most ${most} ms wanted`;
  return undefined;
}

export const azureDevops = checkType<AzureDevopsSpec>({
  type: "azureDevops",
  spec: checkSpecs.azureDevops,
  network: true,
  endpoint: (spec) =>
    readableAddress(
      below(
        new URL(cloud),
        `/${encodeURIComponent(organizationOf(spec))}/${encodeURIComponent(spec.project)}`,
      ).href,
    ),
  run: (input) =>
    attemptHttp(input, async () => {
      const { spec } = input;
      const started = performance.now();
      const ask = asker(input);
      const pipelines = await findPipelines(ask, spec.pipeline);
      if (pipelines.length === 0)
        return failed(`no pipeline of ${spec.project} is called ${spec.pipeline.slice(0, 200)}`);
      if (pipelines.length > mostPipelines)
        throw new WrongSpec(
          `${pipelines.length} pipelines match, at most ${mostPipelines} are looked at: narrow the name`,
        );
      const runs: Run[] = [];
      for (const pipeline of pipelines) {
        const run = await lastRun(ask, pipeline, spec);
        if (run) runs.push(run);
      }
      const results = runs as unknown as Value;
      const outcome = {
        durationMs: performance.now() - started,
        details: { runs },
        data: () => ({ results }),
      };
      const faults = runs
        .map((run) => fault(run, spec.thresholdMillis))
        .filter((one) => one !== undefined);
      if (faults.length > 0)
        return failed(faults.join("; "), { ...outcome, isDefaultVerdict: true });
      if (runs.length === 0)
        return passed("no completed run has these variables and branches", outcome);
      return passed(
        runs.map(({ name, pipeline }) => `run ${name} of ${pipeline} succeeded`).join("; "),
        outcome,
      );
    }),
});
