import type { AzureScraper } from "@mainstay/contract";
import { ApiRefusal } from "#platform/outbound/http/ask-json.ts";
import { asList, asObject, asText } from "#platform/outbound/http/read-json.ts";
import type { Found, ItemReference, ScrapedItem } from "../../scraping/scraped.ts";
import { type ScrapeInput, scraperType } from "../scraper-type.ts";
import { readActivityLog } from "./activity-log.ts";
import { advisorSource, advisorVersion, insightOf } from "./advisor.ts";
import { directoryParts, SelectorMistake } from "./entra.ts";
import { openGraph } from "./graph-api.ts";
import { groupKind, type Kind, kinds, otherIncludes, typeOf } from "./kinds.ts";
import { allRows, type ManagementApi, openManagement, type Row } from "./management-api.ts";
import { itemOf, powerOf, type Subscription, subscriptionItem } from "./resource-item.ts";

interface Scan {
  api: ManagementApi;
  subscription: Subscription;
  /** What was found, by id. */
  seen: Set<string>;
  /** Types that were read to their end, and those of which something could not be read. */
  done: Set<string>;
  failed: Set<string>;
}

async function* scrape(input: ScrapeInput<AzureScraper>): AsyncIterable<Found> {
  const { spec, now } = input;
  const api = openManagement(input);
  const given = new Set(spec.include?.map((name) => name.toLowerCase()));
  const isMeant = (include: string) => given.size === 0 || given.has(include.toLowerCase());
  yield* unknownIncludes(spec);
  // Who may not see the subscription sees nothing of it.
  const path = `/subscriptions/${encodeURIComponent(spec.subscriptionID)}`;
  const row = await api.one(path, "2022-12-01");
  const subscription: Subscription = {
    id: (asText(row.id) ?? path).toLowerCase(),
    subscriptionId: spec.subscriptionID,
    name: asText(row.displayName) ?? spec.subscriptionID,
  };
  const scan: Scan = {
    api,
    subscription,
    seen: new Set(),
    done: new Set(),
    failed: new Set(),
  };
  yield found(subscriptionItem(subscription, row), scan);
  if (isMeant(groupKind.include))
    yield* guarded(groupKind, scan, readKind(groupKind, `${path}/resourcegroups`, scan));
  for (const kind of kinds)
    if (isMeant(kind.include) && kind.within === undefined)
      yield* guarded(kind, scan, readKind(kind, `${path}/providers/${kind.type}`, scan));
  if (isMeant("advisor"))
    yield* attempt({ type: "Azure::Advisor", source: advisorSource }, readAdvisor(path, scan));
  if (isMeant("activityLogs"))
    yield* attempt(
      { type: "Azure::ActivityLog" },
      readLog(path, scan, { now, excluded: spec.exclusions?.activityLogs }),
    );
  if (spec.entra && isMeant("entra")) {
    const tenant = asText(row.tenantId) ?? spec.tenantID ?? "";
    const directory = { graph: openGraph(input, api), entra: spec.entra, tenant, now };
    for (const part of directoryParts(directory)) yield* attempt(part, part.read());
  }
  const waited = api.patience.notice("Azure");
  if (waited !== undefined) yield { kind: "notice", message: waited };
}

function* unknownIncludes({ include = [] }: AzureScraper): Iterable<Found> {
  const known = [
    ...new Set([...otherIncludes, groupKind.include, ...kinds.map((one) => one.include)]),
  ];
  for (const name of include)
    if (!known.some((one) => one.toLowerCase() === name.toLowerCase()))
      yield {
        kind: "notice",
        message: `include: there is no ${name}; there are ${known.toSorted().join(", ")}.`,
      };
}

function found(item: ScrapedItem, { seen }: Scan): Found {
  seen.add(item.externalId);
  return { kind: "item", item };
}

/** Nobody has anything of a service that nobody has registered for. */
const isUnregistered = ({ code, reason = "" }: ApiRefusal) =>
  (code === 409 || code === 404) && /not registered|InvalidResourceNamespace/i.test(reason);

/** What cannot be read of one type takes nothing from the others; `types` are those of its items, `source` that of its insights. */
async function* attempt(
  { type, types = [], source }: { type: string; types?: readonly string[]; source?: string },
  all: AsyncIterable<Found>,
): AsyncIterable<Found> {
  try {
    yield* all;
  } catch (error) {
    if (error instanceof ApiRefusal) {
      // Credentials that are not accepted are no other type's either.
      if (error.code === 401) throw error;
      if (isUnregistered(error)) return;
    } else if (!(error instanceof SelectorMistake)) throw error;
    yield {
      kind: "failure",
      type,
      unseen: types.map((one) => ({ type: one })),
      unjudged: source === undefined ? [] : [source],
      message: `${type.replace("Azure::", "")}: ${error.message}`,
    };
  }
}

async function* guarded(
  kind: Kind,
  { done, failed }: Scan,
  all: AsyncIterable<Found>,
): AsyncIterable<Found> {
  const type = typeOf(kind);
  // What is listed below its resources was not seen either.
  const types = [kind, ...kinds.filter(({ within }) => within === kind.type)].map(typeOf);
  for await (const one of attempt({ type, types }, all)) {
    if (one.kind === "failure" && one.type !== undefined) failed.add(one.type);
    yield one;
  }
  done.add(type);
}

async function* readKind(kind: Kind, path: string, scan: Scan): AsyncIterable<Found> {
  const { api, subscription } = scan;
  // How machines run stands in a list of its own.
  const power =
    kind.word === "VirtualMachine" ? await readPower(kind, path, scan) : new Map<string, string>();
  for await (const rows of api.pages(path, kind.version))
    for (const row of rows) {
      const id = asText(row.id)?.toLowerCase() ?? "";
      const item = itemOf(kind, row, { subscription, power: power.get(id) });
      if (!item) continue;
      yield found(item, scan);
      const parent: ItemReference = { externalId: item.externalId, type: item.type };
      for (const inner of kinds.filter(({ within }) => within === kind.type))
        yield* guarded(inner, scan, readWithin(inner, row, parent, scan));
    }
}

/** What stands in a resource, or is listed below it. */
async function* readWithin(
  kind: Kind,
  holder: Row,
  parent: ItemReference,
  scan: Scan,
): AsyncIterable<Found> {
  const { api, subscription } = scan;
  const name = kind.type.split("/").at(-1)!;
  const rows = kind.isNested
    ? asList(asObject(holder.properties)[name]).map(asObject)
    : await allRows(api.pages(`${asText(holder.id)}/${name}`, kind.version, kind.query));
  for (const row of rows) {
    const item = itemOf(kind, row, { subscription, parent });
    if (item) yield found(item, scan);
  }
}

async function readPower(kind: Kind, path: string, { api }: Scan): Promise<Map<string, string>> {
  const states = new Map<string, string>();
  for await (const rows of api.pages(path, kind.version, [["statusOnly", "true"]]))
    for (const row of rows) {
      const power = powerOf(row);
      const id = asText(row.id)?.toLowerCase();
      if (id !== undefined && power !== undefined) states.set(id, power);
    }
  return states;
}

async function* readAdvisor(path: string, { api }: Scan): AsyncIterable<Found> {
  const all = api.pages(`${path}/providers/Microsoft.Advisor/recommendations`, advisorVersion);
  for await (const rows of all)
    for (const row of rows) {
      const insight = insightOf(row);
      if (insight) yield { kind: "insight", insight };
    }
}

async function* readLog(
  path: string,
  { api, seen, done, failed }: Scan,
  options: { now: Date; excluded: readonly string[] | undefined },
): AsyncIterable<Found> {
  const { changes, deleted, isCut } = await readActivityLog(api, path, options);
  for (const change of changes) yield { kind: "change", change };
  // What was made again since then is there.
  for (const { item, at } of deleted)
    if (
      item.type !== undefined &&
      done.has(item.type) &&
      !failed.has(item.type) &&
      !seen.has(item.externalId)
    )
      yield { kind: "gone", item, at };
  if (isCut)
    yield {
      kind: "notice",
      type: "Azure::ActivityLog",
      message:
        "The activity log of seven days is longer than what is read of it; leave out operations with exclusions.activityLogs.",
    };
}

/** Resources of Azure, with advice as insights and the activity log as changes. */
export const azureScraper = scraperType<AzureScraper>({ type: "azure", scrape });
