import type { AzureDevopsScraper, ChangeSeverity } from "@mainstay/contract";
import { asList, asObject, asPlain, asText } from "#platform/outbound/http/read-json.ts";
import { optional } from "../../scraping/extract-item.ts";
import type { Found, ItemReference } from "../../scraping/scraped.ts";
import { pick, timeOf } from "../api/scraped-api.ts";
import {
  type DevOps,
  idOf,
  organizationId,
  organizationType,
  pipelineType,
  releaseType,
  repositoryType,
  type Row,
} from "./devops-api.ts";

/** Entries of one look, newest first, and of one page. */
const most = 20_000;
const pageSize = 1000;
/** Entries come to the log late. */
const lateMs = 15 * 60_000;

/**
 * What was done to the organization and what is in it, since the log was read last or as far back as the document says;
 * returns until when it was read. Of what is no item it is a change of the organization.
 */
export async function* readAuditLog(
  spec: AzureDevopsScraper,
  {
    devops,
    since,
    now,
    before,
  }: { devops: DevOps; since: Date; now: Date; before: string | undefined },
): AsyncGenerator<Found, string> {
  const readTo = Date.parse(before ?? "");
  const from = Math.max(+since, Number.isNaN(readTo) ? 0 : readTo - lateMs);
  const query: [string, string][] = [
    ["startTime", new Date(from).toISOString()],
    ["endTime", now.toISOString()],
    ["batchSize", String(pageSize)],
    ["skipAggregation", "true"],
  ];
  const excluded = spec.auditLog?.exclusions ?? [];
  let count = 0;
  let token: string | undefined;
  do {
    const answer = await devops.one("audit/auditlog", {
      query: token === undefined ? query : [...query, ["continuationToken", token]],
      host: "auditservice",
      version: "7.1-preview.1",
    });
    const { decoratedAuditLogEntries: entries, hasMore, continuationToken } = answer;
    for (const entry of asList(entries).map(asObject)) {
      count += 1;
      const action = asPlain(entry.actionId);
      if (action === "" || excluded.some((prefix) => action.startsWith(prefix))) continue;
      yield { kind: "change", change: changeOf(devops, action, entry) };
    }
    const next = hasMore === true ? asText(continuationToken) : undefined;
    if (next !== undefined && next === token)
      throw new Error("Azure DevOps gives the same page of the audit log again and again.");
    token = next;
  } while (token !== undefined && count < most);
  if (token !== undefined)
    yield {
      kind: "notice",
      message: `The audit log has more than ${most} entries since ${new Date(from).toISOString()}; the newest are changes.`,
    };
  return now.toISOString();
}

const severityOf = (entry: Row): ChangeSeverity =>
  asPlain(entry.category).toLowerCase() === "remove"
    ? "high"
    : ["Security", "Token"].includes(asPlain(entry.area))
      ? "medium"
      : "info";

const changeOf = (devops: DevOps, action: string, entry: Row) => ({
  item: subjectOf(devops, entry),
  externalChangeId: asPlain(entry.id),
  changeType: action,
  severity: severityOf(entry),
  source: "AzureDevops/AuditLog",
  ...optional("summary", asText(entry.details)),
  details: pick(entry, [
    "area",
    "category",
    "categoryDisplayName",
    "scopeDisplayName",
    "projectName",
    "ipAddress",
    "userAgent",
    "correlationId",
    "data",
  ]),
  ...optional("createdAt", timeOf(entry.timestamp)),
  ...optional("createdBy", asText(entry.actorUPN) ?? asText(entry.actorDisplayName)),
  // That something of it was deleted is not its end.
  action: "keep" as const,
});

/** What an entry is about, by what the areas of the log say of it. */
function subjectOf({ organization }: DevOps, entry: Row): ItemReference {
  const data = asObject(entry.data);
  const project = asText(entry.projectName) ?? asText(data.ProjectNameFromToken);
  const within = project === undefined ? undefined : { organization, name: project };
  const area = asPlain(entry.area);
  const pipeline = asPlain(data.PipelineId);
  if (within && pipeline !== "" && area === "Pipelines")
    return { externalId: idOf(within, "pipeline", pipeline), type: pipelineType };
  if (within && pipeline !== "" && area === "Release")
    return { externalId: idOf(within, "release", pipeline), type: releaseType };
  const repository = asText(data.RepoId) ?? asText(data.RepositoryIdFromToken);
  if (within && repository !== undefined && ["Git", "Policy", "Permissions"].includes(area))
    return { externalId: idOf(within, "repository", repository), type: repositoryType };
  return { externalId: organizationId(organization), type: organizationType };
}
