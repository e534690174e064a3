import type { AzureDevopsScraper, ChangeSeverity, Health } from "@mainstay/contract";
import { ApiRefusal } from "#platform/outbound/http/ask-json.ts";
import {
  asList,
  asObject,
  asPlain,
  asText,
  asWebAddress,
} from "#platform/outbound/http/read-json.ts";
import type { JsonObject } from "../../changes/json-patch.ts";
import { optional } from "../../scraping/extract-item.ts";
import type { Found, ScrapedChange, ScrapedItem } from "../../scraping/scraped.ts";
import { meantBy, pick, timeOf, withoutNulls } from "../api/scraped-api.ts";
import {
  type DevOps,
  idOf,
  nameOf,
  type Project,
  releaseType,
  type Row,
  untold,
} from "./devops-api.ts";
import type { Permissions } from "./permissions.ts";

const pageSize = 100;
const most = { definitions: 10_000, releases: 5000, deployments: 20_000 };
/** Releases that are asked for by their ids in one request: the ids stand in the address. */
const askedAtOnce = 100;

/** What has become of a release in one of its stages. */
const outcomes: Readonly<
  Record<string, { type: string; severity?: ChangeSeverity; health?: Health }>
> = {
  succeeded: { type: "Succeeded", health: "healthy" },
  partiallySucceeded: { type: "PartiallySucceeded", severity: "medium", health: "warning" },
  rejected: { type: "Failed", severity: "high", health: "unhealthy" },
  canceled: { type: "Cancelled", severity: "low" },
  inProgress: { type: "InProgress" },
  queued: { type: "InProgress" },
  scheduled: { type: "InProgress" },
};
const worst: readonly Health[] = ["unhealthy", "warning", "healthy"];

/** Release pipelines of a project, with what each release has done in each stage as changes. */
export async function* readReleases(
  project: Project,
  spec: AzureDevopsScraper,
  {
    devops,
    since,
    permissions,
  }: { devops: DevOps; since: Date; permissions: Permissions | undefined },
): AsyncGenerator<Found> {
  const definitions = await devops.rows(project.name, "release/definitions", {
    query: [["queryOrder", "nameAscending"]],
    size: pageSize,
    most: most.definitions,
    host: "vsrm",
  });
  const isMeant = meantBy(spec.releases);
  const meant = definitions.rows.filter((one) => isMeant(asPlain(one.name)));
  if (definitions.isCut)
    yield {
      kind: "failure",
      type: releaseType,
      message: `${project.name} has more than ${most.definitions} release pipelines; the first ones were read.`,
      ...untold(releaseType, project),
    };
  if (meant.length === 0) return;
  const releases = await devops.rows(project.name, "release/releases", {
    query: [
      ["$expand", "environments,approvals"],
      ["minCreatedTime", since.toISOString()],
      ["queryOrder", "descending"],
    ],
    size: pageSize,
    most: most.releases,
    host: "vsrm",
  });
  if (releases.isCut)
    yield {
      kind: "notice",
      type: releaseType,
      message: `${project.name} has more than ${most.releases} releases since ${since.toISOString()}; the newest were read.`,
    };
  const ids = new Set(meant.map(({ id }) => asPlain(id)));
  const started = yield* readDeployments(project, ids, { devops, since });
  const known = new Set(releases.rows.map(({ id }) => asPlain(id)));
  const older = yield* readOlder(project, started, { devops, known });
  const byDefinition = Map.groupBy([...releases.rows, ...older], (one) =>
    asPlain(asObject(one.releaseDefinition).id),
  );
  const ownOf = (definition: Row) => byDefinition.get(asPlain(definition.id)) ?? [];
  const items = meant.map((definition) => ({
    item: itemOf(project, definition, ownOf(definition)[0]),
    secured: { id: asPlain(definition.id), folder: asText(definition.path) },
  }));
  if (permissions) yield* permissions.of(project, "release", items);
  else for (const { item } of items) yield { kind: "item", item };
  for (const definition of meant)
    for (const release of ownOf(definition))
      for (const stage of asList(release.environments).map(asObject)) {
        const begun = started.get(asPlain(release.id))?.get(asPlain(stage.id));
        // Of an older one only what it has done lately.
        if (begun === undefined && !known.has(asPlain(release.id))) continue;
        const change = changeOf(project, { definition, release, stage, begun });
        if (change) yield { kind: "change", change };
      }
}

/** When stages were last begun, by release and stage. */
type Started = Map<string, Map<string, Date>>;

/**
 * What has been deployed lately, whenever its release was made: a release of last year that goes out today is news of
 * today. Who may not see it is told all the same what is known of the releases themselves. A server that breaks off is
 * another matter: what was told with its time before would be told with another, and counted again.
 */
async function* readDeployments(
  project: Project,
  definitions: ReadonlySet<string>,
  { devops, since }: { devops: DevOps; since: Date },
): AsyncGenerator<Found, Started> {
  const started: Started = new Map();
  try {
    const { rows, isCut } = await devops.rows(project.name, "release/deployments", {
      query: [
        ["minModifiedTime", since.toISOString()],
        ["queryOrder", "descending"],
      ],
      size: pageSize,
      most: most.deployments,
      host: "vsrm",
    });
    if (isCut)
      yield {
        kind: "notice",
        type: releaseType,
        message: `${project.name} has more than ${most.deployments} deployments since ${since.toISOString()}; the newest were read.`,
      };
    for (const row of rows) {
      const [release, stage] = [row.release, row.releaseEnvironment].map((one) =>
        asPlain(asObject(one).id),
      );
      const begun = timeOf(row.queuedOn) ?? timeOf(row.startedOn);
      const isMeant = definitions.has(asPlain(asObject(row.releaseDefinition).id));
      if (!isMeant || !release || !stage || !begun) continue;
      const stages = started.get(release) ?? new Map<string, Date>();
      const before = stages.get(stage);
      // The last of its attempts.
      if (before === undefined || before < begun) stages.set(stage, begun);
      started.set(release, stages);
    }
  } catch (error) {
    if (!(error instanceof ApiRefusal) || error.isBusy || error.code >= 500) throw error;
    yield {
      kind: "failure",
      type: releaseType,
      message: `${project.name}: deployments of older releases are not read: ${error.message}`,
      unseen: [],
      unjudged: [],
    };
  }
  return started;
}

/** Releases that are older than what is listed and were deployed nevertheless, the newest first. */
async function* readOlder(
  project: Project,
  started: Started,
  { devops, known }: { devops: DevOps; known: ReadonlySet<string> },
): AsyncGenerator<Found, Row[]> {
  const missing = Array.from(started.keys())
    .filter((id) => !known.has(id))
    .toSorted((one, other) => Number(other) - Number(one));
  if (missing.length > most.releases)
    yield {
      kind: "notice",
      type: releaseType,
      message: `${project.name} has deployed more than ${most.releases} older releases; the newest were read.`,
    };
  const rows: Row[] = [];
  for (let at = 0; at < Math.min(missing.length, most.releases); at += askedAtOnce) {
    const ids = missing.slice(at, at + askedAtOnce);
    const answer = await devops.rows(project.name, "release/releases", {
      query: [
        ["$expand", "environments,approvals"],
        ["releaseIdFilter", ids.join(",")],
        ["queryOrder", "descending"],
      ],
      size: pageSize,
      most: askedAtOnce,
      host: "vsrm",
    });
    const asked = new Set(ids);
    rows.push(...answer.rows.filter(({ id }) => asked.has(asPlain(id))));
  }
  return rows;
}

function itemOf(project: Project, definition: Row, last: Row | undefined): ScrapedItem {
  const folder = asPlain(definition.path)
    .replaceAll("\\", "/")
    .replaceAll(/^\/|\/$/g, "");
  const isOff = definition.isDisabled === true;
  const stages = asList(last?.environments).map((one) => asPlain(asObject(one).status));
  const healths = stages.flatMap((status) => outcomes[status]?.health ?? []);
  const status = stages.find(
    (one) => outcomes[one]?.health === worst.find((health) => healths.includes(health)),
  );
  const page = asWebAddress(asObject(asObject(definition._links).web).href);
  return {
    externalId: idOf(project, "release", definition.id),
    aliases: [`${project.name}/release/${asPlain(definition.id)}`],
    type: releaseType,
    configClass: "Deployment",
    name: asPlain(definition.name),
    config: withoutNulls({
      ...pick(definition, [
        "id",
        "name",
        "path",
        "description",
        "revision",
        "source",
        "releaseNameFormat",
        "createdOn",
        "modifiedOn",
        "isDisabled",
      ]),
      ...optional("createdBy", nameOf(definition.createdBy)),
      ...optional("modifiedBy", nameOf(definition.modifiedBy)),
    }),
    ...optional("status", isOff ? "Disabled" : status && outcomes[status]?.type),
    health: isOff ? "unknown" : (worst.find((health) => healths.includes(health)) ?? "unknown"),
    labels: { ...(folder && { folder: `/${folder}` }) },
    tags: { organization: project.organization, project: project.name },
    properties: page
      ? [{ name: "Release", links: [{ type: "url", url: page, text: "Azure DevOps" }] }]
      : [],
    ...optional("createdAt", timeOf(definition.createdOn)),
    parents: [],
    relations: [],
  };
}

/** Those that people give; what goes by itself is none. */
const approvals = (value: unknown): JsonObject[] =>
  asList(value)
    .map(asObject)
    .filter((one) => one.isAutomated !== true && one.status !== "skipped")
    .map((one) => ({
      status: asPlain(one.status),
      ...optional("approver", nameOf(one.approver)),
      ...optional("approvedBy", nameOf(one.approvedBy)),
      ...optional("comments", asText(one.comments)),
    }));

/** Nothing of a stage that has not begun, or that waits for somebody. */
function changeOf(
  project: Project,
  {
    definition,
    release,
    stage,
    begun,
  }: { definition: Row; release: Row; stage: Row; begun: Date | undefined },
): ScrapedChange | undefined {
  const outcome = outcomes[asPlain(stage.status)];
  const before = approvals(stage.preDeployApprovals);
  const isWaiting = before.some(({ status }) => status === "pending");
  if (!outcome || (outcome.type === "InProgress" && isWaiting)) return undefined;
  const after = approvals(stage.postDeployApprovals);
  const id = [definition.id, release.id, stage.id].map(asPlain).join("/");
  return {
    item: { externalId: idOf(project, "release", definition.id), type: releaseType },
    externalChangeId: `${project.organization}/${project.name}/release/${id}`,
    changeType: outcome.type,
    severity: outcome.severity ?? "info",
    source: "AzureDevops/release",
    summary: `${asPlain(release.name)} / ${asPlain(stage.name)}`,
    details: {
      ...pick(release, ["id", "name", "reason", "description"]),
      stage: asPlain(stage.name),
      ...optional("url", asWebAddress(asObject(asObject(release._links).web).href)),
      ...(before.length > 0 && { preDeployApprovals: before }),
      ...(after.length > 0 && { postDeployApprovals: after }),
      project: project.name,
    },
    ...optional("createdAt", begun ?? timeOf(release.createdOn)),
    ...optional("createdBy", nameOf(release.createdBy)),
    // A release that is called off deletes nothing.
    action: "keep",
  };
}
