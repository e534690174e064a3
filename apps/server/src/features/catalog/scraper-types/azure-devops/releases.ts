import type { AzureDevopsScraper, ChangeSeverity, Health } from "@mainstay/contract";
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

const pageSize = 100;
const most = { definitions: 10_000, releases: 5000 };

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
  { devops, since }: { devops: DevOps; since: Date },
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
  const byDefinition = Map.groupBy(releases.rows, (one) =>
    asPlain(asObject(one.releaseDefinition).id),
  );
  for (const definition of meant) {
    const own = byDefinition.get(asPlain(definition.id)) ?? [];
    yield { kind: "item", item: itemOf(project, definition, own[0]) };
    for (const release of own)
      for (const stage of asList(release.environments).map(asObject)) {
        const change = changeOf(project, { definition, release, stage });
        if (change) yield { kind: "change", change };
      }
  }
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
  { definition, release, stage }: { definition: Row; release: Row; stage: Row },
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
    ...optional("createdAt", timeOf(release.createdOn)),
    ...optional("createdBy", nameOf(release.createdBy)),
    // A release that is called off deletes nothing.
    action: "keep",
  };
}
