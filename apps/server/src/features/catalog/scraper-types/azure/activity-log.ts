import type { ChangeSeverity } from "@mainstay/contract";
import { asObject, asPlain, asText } from "#platform/outbound/http/read-json.ts";
import { optional } from "../../scraping/extract-item.ts";
import type { ItemReference, ScrapedChange } from "../../scraping/scraped.ts";
import { meantBy, pick, timeOf } from "../api/scraped-api.ts";
import { resourceOf, typeOf } from "./kinds.ts";
import type { ManagementApi, Row } from "./management-api.ts";

const version = "2015-04-01";
const keptDays = 7;
const dayMs = 86_400_000;
/** No operation is told in parts that are further apart. */
const longestOperationMs = 3600_000;
const mostEvents = 50_000;
const fields = [
  "caller",
  "correlationId",
  "eventTimestamp",
  "httpRequest",
  "level",
  "operationName",
  "resourceId",
  "resourceGroupName",
  "status",
  "subStatus",
];

/** Something that was done, which the log tells in several events: that it began, and how it ended. */
interface Operation {
  events: { row: Row; at: Date }[];
  item: ItemReference;
}

export interface ActivityLog {
  changes: ScrapedChange[];
  /** What was deleted, and when. */
  deleted: { item: ItemReference; at: Date }[];
  isCut: boolean;
}

/** What was done in the last seven days, as changes of what it was done to. */
export async function readActivityLog(
  api: ManagementApi,
  path: string,
  { now, excluded }: { now: Date; excluded: readonly string[] | undefined },
): Promise<ActivityLog> {
  const since = new Date(now.getTime() - keptDays * dayMs);
  const from = new Date(since.getTime() - longestOperationMs).toISOString();
  const isExcluded = excluded?.length ? meantBy(excluded) : () => false;
  const operations = new Map<string, Operation>();
  let count = 0;
  const filter = `eventTimestamp ge '${from}' and eventTimestamp le '${now.toISOString()}'`;
  for await (const rows of api.pages(
    `${path}/providers/Microsoft.Insights/eventtypes/management/values`,
    version,
    [
      ["$filter", filter],
      ["$select", fields.join(",")],
    ],
  )) {
    for (const row of rows) {
      const name = asObject(row.operationName);
      const at = timeOf(row.eventTimestamp);
      const id = asText(row.resourceId)?.toLowerCase();
      if (!at || id === undefined) continue;
      const names = [asPlain(name.value), asPlain(name.localizedValue)].filter((one) => one !== "");
      if (isExcluded(...names)) continue;
      const resource = resourceOf(id);
      const item: ItemReference = resource
        ? { externalId: resource.id, type: typeOf(resource.kind) }
        : { externalId: id };
      const key = JSON.stringify([asPlain(row.correlationId), id, asPlain(name.value)]);
      const known = operations.get(key);
      if (known) known.events.push({ row, at });
      else operations.set(key, { events: [{ row, at }], item });
    }
    count += rows.length;
    if (count >= mostEvents) break;
  }
  const log: ActivityLog = { changes: [], deleted: [], isCut: count >= mostEvents };
  for (const { events, item } of operations.values()) {
    events.sort((one, other) => +one.at - +other.at);
    const [first] = events;
    // Of one that began before that, not all is there.
    if (+first!.at < +since) continue;
    const change = changeOf(events, item);
    log.changes.push(change);
    const last = events.findLast(({ row }) => statusOf(row) !== "");
    if (
      /\/delete$/i.test(change.changeType) &&
      asText(first!.row.resourceId)?.toLowerCase() === item.externalId &&
      last &&
      statusOf(last.row) === "Succeeded"
    )
      log.deleted.push({ item, at: last.at });
  }
  log.changes.sort((one, other) => +one.createdAt! - +other.createdAt!);
  return log;
}

const statusOf = (row: Row) => asPlain(asObject(row.status).value);

const severities: Readonly<Record<string, ChangeSeverity>> = {
  critical: "critical",
  error: "high",
  warning: "medium",
};
const order: readonly ChangeSeverity[] = ["critical", "high", "medium", "low", "info"];

function changeOf(events: Operation["events"], item: ItemReference): ScrapedChange {
  const { row, at } = events[0]!;
  const name = asObject(row.operationName);
  const worst = Math.min(
    ...events.map((one) =>
      order.indexOf(severities[asPlain(one.row.level).toLowerCase()] ?? "info"),
    ),
  );
  const ended = events.map((one) => statusOf(one.row)).findLast((status) => status !== "");
  const why = asText(asObject(events.at(-1)!.row.subStatus).localizedValue);
  const id = asPlain(row.resourceId);
  return {
    item,
    externalChangeId: [
      asPlain(row.correlationId),
      // Of what is in it, and of several operations of one request.
      ...(id.toLowerCase() === item.externalId ? [] : [id.split("/").slice(-2).join("/")]),
      asPlain(name.value),
    ]
      .join("/")
      .slice(0, 500),
    changeType: asText(name.value) ?? "Microsoft.Insights/unknown",
    severity: order[worst]!,
    source: "Azure::ActivityLog",
    summary: [asText(name.localizedValue) ?? asPlain(name.value), ended, why]
      .filter((text) => text !== undefined && text !== "")
      .join("; "),
    // What the first event says: how it goes on is the same operation.
    details: {
      ...pick(row, ["caller", "correlationId", "resourceId", "resourceGroupName"]),
      ...optional("clientIpAddress", asText(asObject(row.httpRequest).clientIpAddress)),
      ...optional("method", asText(asObject(row.httpRequest).method)),
    },
    createdAt: at,
    ...optional("createdBy", asText(row.caller)),
    // Whether it is there is seen by looking.
    action: "keep",
  };
}
