import {
  type AzureDevopsScraper,
  type ChangeSeverity,
  formatDuration,
  type Health,
  parseDuration,
} from "@mainstay/contract";
import { ApiRefusal, below, type JsonAnswer } from "#platform/outbound/http/ask-json.ts";
import { askPatiently, Patience } from "#platform/outbound/http/ask-patiently.ts";
import { asList, asObject, asPlain, asText } from "#platform/outbound/http/read-json.ts";
import { readConnection } from "#platform/outbound/http/read-request.ts";
import type { Json, JsonObject } from "../../changes/json-patch.ts";
import { optional } from "../../scraping/extract-item.ts";
import type { Found, ScrapedChange, ScrapedItem, Untold } from "../../scraping/scraped.ts";
import { meantBy, pascal, pick, timeOf, withoutNulls } from "../api/scraped-api.ts";
import { type ScrapeInput, scraperType } from "../scraper-type.ts";

const cloud = "https://dev.azure.com";
const pipelineType = "AzureDevops::Pipeline";
/** Servers of 2022 and the cloud know it. */
const apiVersion = "7.0";
const pageSize = { projects: 100, definitions: 200, builds: 500 };
const most = { projects: 5000, definitions: 10_000, builds: 20_000 };
/** Pipelines that are asked for by their ids; of more all runs of the project are read. */
const mostAsked = 50;
const defaultMaxAge = "7d";

type Row = Readonly<Record<string, unknown>>;

interface DevOps {
  organization: string;
  /** All rows of a list, or its first ones where there are more. */
  rows(
    project: string | undefined,
    path: string,
    options: { query: [string, string][]; size: number; most: number },
  ): Promise<{ rows: Row[]; isCut: boolean }>;
  patience: Patience;
}

function openDevOps({ spec, signal, connector }: ScrapeInput<AzureDevopsScraper>): DevOps {
  const token = spec.personalAccessToken?.value;
  const { organization } = spec;
  if (!token)
    throw new Error("Azure DevOps needs a personalAccessToken, or a connection with one.");
  if (!organization) throw new Error("Azure DevOps needs an organization.");
  const connection = readConnection({ url: spec.url ?? cloud });
  const patience = new Patience();
  const ask = async (path: string, query: [string, string][]): Promise<JsonAnswer> => {
    try {
      return await askPatiently(
        {
          ...connection,
          url: below(connection.url, path, [["api-version", apiVersion], ...query]),
          auth: { kind: "basic", username: "", password: token },
          // To a page to sign in.
          maxRedirects: 0,
        },
        { signal, connector, what: "Azure DevOps", patience },
      );
    } catch (error) {
      if (error instanceof ApiRefusal && error.code === 302)
        throw new ApiRefusal(
          "Azure DevOps did not accept the credentials: it leads to a page to sign in (302).",
          302,
        );
      throw error;
    }
  };
  return {
    organization,
    async rows(project, path, { query, size, most: enough }) {
      const parts = [organization, ...(project === undefined ? [] : [project])];
      const whole = `/${parts.map(encodeURIComponent).join("/")}/_apis/${path}`;
      const rows: Row[] = [];
      let next: string | undefined;
      do {
        const { json, headers } = await ask(whole, [
          ...query,
          ["$top", String(size)],
          ...(next === undefined ? [] : [["continuationToken", next] as [string, string]]),
        ]);
        const { value } = asObject(json);
        if (!Array.isArray(value)) throw new Error("What answered is no Azure DevOps.");
        rows.push(...value.map(asObject));
        const token = headers["x-ms-continuationtoken"];
        if (token !== undefined && token === next)
          throw new Error(`Azure DevOps gives the same page of ${path} again and again.`);
        next = token;
      } while (next !== undefined && rows.length < enough);
      return { rows: rows.slice(0, enough), isCut: next !== undefined || rows.length > enough };
    },
    patience,
  };
}

/** What a document may ask for and this version does not read. */
const unread = (spec: AzureDevopsScraper) =>
  (["releases", "repositories", "permissions", "auditLog"] as const).filter(
    (key) => spec[key] !== undefined,
  );

async function* scrape(input: ScrapeInput<AzureDevopsScraper>): AsyncIterable<Found> {
  const { spec } = input;
  const devops = openDevOps(input);
  for (const key of unread(spec))
    yield { kind: "notice", message: `${key} of Azure DevOps is not read by this version.` };
  const { rows, isCut } = await devops.rows(undefined, "projects", {
    query: [["stateFilter", "wellFormed"]],
    size: pageSize.projects,
    most: most.projects,
  });
  if (isCut)
    yield {
      kind: "failure",
      message: `${devops.organization} has more than ${most.projects} projects; the first ones were read.`,
      ...untold({ organization: devops.organization }),
    };
  const isMeant = meantBy(spec.projects);
  const projects = rows
    .map(({ name }) => asPlain(name))
    .filter((name) => name !== "" && isMeant(name))
    .toSorted();
  if (projects.length === 0)
    yield {
      kind: "notice",
      message: `${devops.organization} has no project ${(spec.projects ?? []).join(", ")} that the token may read.`,
    };
  for (const project of projects)
    try {
      yield* scrapeProject(project, input, devops);
    } catch (error) {
      if (!(error instanceof ApiRefusal) || error.isBusy) throw error;
      yield {
        kind: "failure",
        type: pipelineType,
        message: `${project}: ${error.message}`,
        ...untold({ organization: devops.organization, project }),
      };
    }
  const waited = devops.patience.notice("Azure DevOps");
  if (waited !== undefined) yield { kind: "notice", message: waited };
}

/** Pipelines that may not all have been seen, by their tags. */
const untold = (tags: Record<string, string>): Untold => ({
  unseen: [{ type: pipelineType, tags }],
  unjudged: [],
});

interface Project {
  organization: string;
  name: string;
}

async function* scrapeProject(
  name: string,
  { spec, now }: ScrapeInput<AzureDevopsScraper>,
  devops: DevOps,
): AsyncIterable<Found> {
  const project: Project = { organization: devops.organization, name };
  const definitions = await devops.rows(name, "build/definitions", {
    query: [
      ["includeAllProperties", "true"],
      ["includeLatestBuilds", "true"],
      ["queryOrder", "definitionNameAscending"],
    ],
    size: pageSize.definitions,
    most: most.definitions,
  });
  const isMeant = meantBy(spec.pipelines);
  const meant = definitions.rows.filter((one) => isMeant(asPlain(one.name)));
  for (const definition of meant) yield { kind: "item", item: itemOf(project, definition) };
  if (definitions.isCut)
    yield {
      kind: "failure",
      type: pipelineType,
      message: `${name} has more than ${most.definitions} pipelines; the first ones were read.`,
      ...untold({ organization: devops.organization, project: name }),
    };
  if (meant.length === 0) return;
  const ids = new Set(meant.map(({ id }) => asPlain(id)));
  const since = new Date(now.getTime() - parseDuration(spec.maxAge ?? defaultMaxAge));
  const builds = await devops.rows(name, "build/builds", {
    query: [
      ["queryOrder", "queueTimeDescending"],
      ["minTime", since.toISOString()],
      ...(ids.size <= mostAsked ? [["definitions", [...ids].join(",")] as [string, string]] : []),
    ],
    size: pageSize.builds,
    most: most.builds,
  });
  if (builds.isCut)
    yield {
      kind: "notice",
      type: pipelineType,
      message: `${name} has more than ${most.builds} runs since ${since.toISOString()}; the newest were read.`,
    };
  for (const build of builds.rows)
    if (ids.has(asPlain(asObject(build.definition).id)))
      yield { kind: "change", change: changeOf(project, build) };
}

const idOf = ({ organization, name }: Project, pipeline: unknown) =>
  `azuredevops://${organization}/${name}/pipeline/${asPlain(pipeline)}`;

const healths: Readonly<Record<string, Health>> = {
  succeeded: "healthy",
  partiallySucceeded: "warning",
  failed: "unhealthy",
};
const severities: Readonly<Record<string, ChangeSeverity>> = {
  failed: "high",
  partiallySucceeded: "medium",
  canceled: "low",
};

/** What a pipeline is set to; nothing that a run changes. */
const settings = [
  "id",
  "name",
  "path",
  "type",
  "quality",
  "queueStatus",
  "revision",
  "createdDate",
  "description",
  "process",
  "triggers",
  "tags",
  "variableGroups",
  "jobAuthorizationScope",
  "jobTimeoutInMinutes",
  "jobCancelTimeoutInMinutes",
  "retentionRules",
];

function configOf(definition: Row): Json {
  const repository = pick(asObject(definition.repository), [
    "id",
    "type",
    "name",
    "url",
    "defaultBranch",
    "clean",
    "checkoutSubmodules",
  ]);
  const queue = pick(asObject(definition.queue), ["id", "name"]);
  const author = nameOf(definition.authoredBy);
  const variables = variablesOf(definition.variables);
  return withoutNulls({
    ...pick(definition, settings),
    ...(Object.keys(repository).length > 0 && { repository }),
    ...(Object.keys(queue).length > 0 && { queue }),
    ...(Object.keys(variables).length > 0 && { variables }),
    ...optional("authoredBy", author),
  });
}

/** The server says nothing of secret ones; whatever it says of them is left out. */
const variablesOf = (value: unknown): JsonObject =>
  Object.fromEntries(
    Object.entries(asObject(value)).map(([name, one]) => [
      name,
      asObject(one).isSecret === true
        ? { isSecret: true }
        : pick(asObject(one), ["value", "allowOverride"]),
    ]),
  );

const nameOf = (identity: unknown): string | undefined =>
  asText(asObject(identity).uniqueName) ?? asText(asObject(identity).displayName);

function itemOf(project: Project, definition: Row): ScrapedItem {
  const last = asObject(definition.latestCompletedBuild);
  const result = asPlain(last.result);
  const queue = asPlain(definition.queueStatus);
  const isOff = queue === "disabled" || queue === "paused";
  const page = asText(asObject(asObject(definition._links).web).href);
  const folder = asText(definition.path)?.replaceAll("\\", "/");
  return {
    externalId: idOf(project, definition.id),
    aliases: [],
    type: pipelineType,
    configClass: "Deployment",
    name: asPlain(definition.name),
    config: configOf(definition),
    ...optional("status", pascal(isOff ? queue : result) || undefined),
    health: isOff ? "unknown" : (healths[result] ?? "unknown"),
    ready: result !== "",
    labels: { ...(folder && folder !== "/" && { folder }) },
    tags: { organization: project.organization, project: project.name },
    properties: page
      ? [{ name: "Pipeline", links: [{ type: "url", url: page, text: "Azure DevOps" }] }]
      : [],
    ...optional("createdAt", timeOf(definition.createdDate)),
    parents: [],
    relations: [],
  };
}

/** Source: the reference's words for what a run has come to. */
const changeTypes: Readonly<Record<string, string>> = { canceled: "Cancelled" };

function changeOf(project: Project, build: Row): ScrapedChange {
  const pipeline = asPlain(asObject(build.definition).id);
  const status = asPlain(build.status);
  const result = status === "completed" ? asPlain(build.result) : "";
  const began = timeOf(build.startTime);
  const ended = timeOf(build.finishTime);
  const took =
    result !== "" && began && ended && +ended >= +began
      ? `took ${formatDuration(Math.round((+ended - +began) / 1000) * 1000)}`
      : undefined;
  const branch = asText(build.sourceBranch)?.replace(/^refs\/(heads|tags)\//, "");
  const number = asText(build.buildNumber) ?? asPlain(build.id);
  const message = asText(asObject(build.triggerInfo)["ci.message"]);
  const mistakes = asList(build.validationResults)
    .map(asObject)
    .filter((one) => one.result === "error")
    .map((one) => asPlain(one.message));
  return {
    item: { externalId: idOf(project, pipeline), type: pipelineType },
    externalChangeId: `${project.organization}/${project.name}/${pipeline}/${asPlain(build.id)}`,
    changeType:
      changeTypes[result] ??
      (result !== "" ? pascal(result) : status === "cancelling" ? "Cancelling" : "InProgress"),
    severity: severities[result] ?? "info",
    source: `AzureDevops/pipeline/${idOf(project, pipeline)}`,
    summary: [
      branch === undefined ? number : `${number} (${branch})`,
      message?.split("\n")[0],
      took,
      ...mistakes.slice(0, 3),
    ]
      .filter((text) => text !== undefined && text !== "")
      .join("; "),
    // What stays the same while it runs: a run that ends is no other run.
    details: {
      ...pick(build, ["id", "buildNumber", "reason", "sourceBranch", "sourceVersion"]),
      ...optional("requestedFor", nameOf(build.requestedFor)),
      ...optional("requestedBy", nameOf(build.requestedBy)),
      ...optional("message", message),
      ...optional("url", asText(asObject(asObject(build._links).web).href)),
      project: project.name,
    },
    ...optional("createdAt", timeOf(build.queueTime) ?? began),
    ...optional("createdBy", nameOf(build.requestedFor) ?? nameOf(build.requestedBy)),
  };
}

/** Pipelines of Azure DevOps, with their runs as changes. */
export const azureDevopsScraper = scraperType<AzureDevopsScraper>({
  type: "azureDevops",
  scrape,
});
