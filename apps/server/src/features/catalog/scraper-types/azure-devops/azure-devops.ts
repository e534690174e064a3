import {
  type AzureDevopsScraper,
  type ChangeSeverity,
  formatDuration,
  type Health,
  parseDuration,
} from "@mainstay/contract";
import { z } from "zod";
import { ApiRefusal } from "#platform/outbound/http/ask-json.ts";
import {
  asList,
  asObject,
  asPlain,
  asText,
  asWebAddress,
} from "#platform/outbound/http/read-json.ts";
import type { Json, JsonObject } from "../../changes/json-patch.ts";
import { optional } from "../../scraping/extract-item.ts";
import type { Found, ScrapedChange, ScrapedItem, Untold } from "../../scraping/scraped.ts";
import { meantBy, pascal, pick, timeOf, withoutNulls } from "../api/scraped-api.ts";
import { type ScrapeInput, scraperType } from "../scraper-type.ts";
import { readAuditLog } from "./audit-log.ts";
import {
  type DevOps,
  groupType,
  idOf,
  nameOf,
  openDevOps,
  organizationId,
  organizationType,
  pipelineType,
  type Project,
  releaseType,
  repositoryType,
  type Row,
  untold,
  userType,
} from "./devops-api.ts";
import { Permissions } from "./permissions.ts";
import { readReleases } from "./releases.ts";
import { readRepositories } from "./repositories.ts";
import type { Noun } from "./security.ts";

const pageSize = { projects: 100, definitions: 200, builds: 500 };
const most = { projects: 5000, definitions: 10_000, builds: 20_000 };
/** Pipelines that are asked for by their ids; of more all runs of the project are read. */
const mostAsked = 50;
const defaultMaxAge = "7d";

/** Until when the audit log was read, and what is kept of who may do what. */
const positionShape = z.object({
  audit: z.string().optional(),
  permissions: z.unknown().optional(),
});

async function* scrape(input: ScrapeInput<AzureDevopsScraper>): AsyncIterable<Found> {
  const { spec, now, signal } = input;
  const devops = openDevOps(input);
  const { organization } = devops;
  const stood = positionShape.safeParse(input.stood).data ?? {};
  const permissions = spec.permissions?.enabled
    ? new Permissions(spec.permissions, { devops, now, signal, stood: stood.permissions })
    : undefined;
  if (permissions) yield* permissions.mistakes();
  const { rows, isCut } = await devops.rows(undefined, "projects", {
    query: [["stateFilter", "wellFormed"]],
    size: pageSize.projects,
    most: most.projects,
  });
  if (isCut)
    yield {
      kind: "failure",
      message: `${organization} has more than ${most.projects} projects; the first ones were read.`,
      unseen: [pipelineType, releaseType, repositoryType, userType, groupType].flatMap(
        (type) => untold(type, { organization }).unseen ?? [],
      ),
      unjudged: [],
    };
  const isMeant = meantBy(spec.projects);
  const projects = rows
    .map(({ id, name }): Project => ({ organization, name: asPlain(name), id: asPlain(id) }))
    .filter(({ name }) => name !== "" && isMeant(name))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
  if (projects.length === 0)
    yield {
      kind: "notice",
      message: `${organization} has no project ${(spec.projects ?? []).join(", ")} that the token may read.`,
    };
  const since = new Date(now.getTime() - parseDuration(spec.maxAge ?? defaultMaxAge));
  const parts = { devops, since, permissions };
  for (const project of projects) {
    const { name } = project;
    const read = async function* (noun: Noun, type: string, all: AsyncGenerator<Found>) {
      const untoldNow = { type, message: name, ...untold(type, project) };
      if (yield* attempt(untoldNow, all)) permissions?.missed(project, noun);
    };
    yield* read("pipeline", pipelineType, readPipelines(project, spec, parts));
    if (spec.releases?.length)
      yield* read("release", releaseType, readReleases(project, spec, parts));
    if (spec.repositories?.length)
      yield* read("repository", repositoryType, readRepositories(project, spec, parts));
  }
  if (permissions) yield* permissions.people();
  let { audit } = stood;
  if (spec.auditLog?.enabled) {
    yield { kind: "item", item: organizationItem(organization) };
    const log = async function* () {
      audit = yield* readAuditLog(spec, { devops, since, now, before: audit });
    };
    yield* attempt({ message: "audit log", unseen: [], unjudged: [] }, log());
  }
  const kept = permissions?.kept();
  if (permissions && kept === undefined)
    yield {
      kind: "notice",
      message:
        "Who may do what is too much to be kept: it is read each time, whatever rateLimit says.",
    };
  if (audit !== undefined || kept !== undefined)
    yield {
      kind: "position",
      position: { ...optional("audit", audit), ...optional("permissions", kept) },
    };
  const waited = devops.patience.notice("Azure DevOps");
  if (waited !== undefined) yield { kind: "notice", message: waited };
}

/** What may not be read takes nothing from the rest. Whether it was refused. */
async function* attempt(
  { message, ...untoldThen }: { message: string; type?: string } & Required<Untold>,
  all: AsyncGenerator<Found>,
): AsyncGenerator<Found, boolean> {
  try {
    yield* all;
    return false;
  } catch (error) {
    if (!(error instanceof ApiRefusal) || error.isBusy) throw error;
    yield { kind: "failure", message: `${message}: ${error.message}`, ...untoldThen };
    return true;
  }
}

/** What the audit log is about where it is about nothing else. */
const organizationItem = (organization: string): ScrapedItem => ({
  externalId: organizationId(organization),
  aliases: [],
  type: organizationType,
  configClass: "Organization",
  name: organization,
  config: { name: organization },
  health: "healthy",
  labels: {},
  tags: { organization },
  properties: [],
  parents: [],
  relations: [],
});

async function* readPipelines(
  project: Project,
  spec: AzureDevopsScraper,
  {
    devops,
    since,
    permissions,
  }: { devops: DevOps; since: Date; permissions: Permissions | undefined },
): AsyncGenerator<Found> {
  const { name } = project;
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
  const hasRepositories = Boolean(spec.repositories?.length);
  const items = meant.map((definition) => ({
    item: itemOf(project, definition, hasRepositories),
    secured: { id: asPlain(definition.id), folder: asText(definition.path) },
  }));
  if (permissions) yield* permissions.of(project, "pipeline", items);
  else for (const { item } of items) yield { kind: "item", item };
  if (definitions.isCut)
    yield {
      kind: "failure",
      type: pipelineType,
      message: `${name} has more than ${most.definitions} pipelines; the first ones were read.`,
      ...untold(pipelineType, project),
    };
  if (meant.length === 0) return;
  const ids = new Set(meant.map(({ id }) => asPlain(id)));
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

function itemOf(project: Project, definition: Row, hasRepositories: boolean): ScrapedItem {
  const last = asObject(definition.latestCompletedBuild);
  const repository = asObject(definition.repository);
  const result = asPlain(last.result);
  const queue = asPlain(definition.queueStatus);
  const isOff = queue === "disabled" || queue === "paused";
  const page = asWebAddress(asObject(asObject(definition._links).web).href);
  const folder = asText(definition.path)?.replaceAll("\\", "/");
  return {
    externalId: idOf(project, "pipeline", definition.id),
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
    relations:
      hasRepositories && repository.type === "TfsGit" && asPlain(repository.id) !== ""
        ? [
            {
              to: {
                externalId: idOf(project, "repository", repository.id),
                type: repositoryType,
              },
              relation: "RepositoryPipeline",
              isIncoming: true,
            },
          ]
        : [],
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
    item: { externalId: idOf(project, "pipeline", pipeline), type: pipelineType },
    externalChangeId: `${project.organization}/${project.name}/${pipeline}/${asPlain(build.id)}`,
    changeType:
      changeTypes[result] ??
      (result !== "" ? pascal(result) : status === "cancelling" ? "Cancelling" : "InProgress"),
    severity: severities[result] ?? "info",
    source: `AzureDevops/pipeline/${idOf(project, "pipeline", pipeline)}`,
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
      ...optional("url", asWebAddress(asObject(asObject(build._links).web).href)),
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
  untold: {
    unseen: [pipelineType, releaseType, repositoryType, organizationType, userType, groupType].map(
      (type) => ({ type }),
    ),
    unjudged: [],
  },
});
