import type { Health } from "@mainstay/contract";
import { asList, asObject, asPlain, asText } from "#platform/outbound/http/read-json.ts";
import type { Json, JsonObject } from "../../changes/json-patch.ts";
import { isObject } from "../../changes/json-patch.ts";
import { optional } from "../../scraping/extract-item.ts";
import type { ItemReference, Relation, ScrapedItem } from "../../scraping/scraped.ts";
import { timeOf } from "../api/scraped-api.ts";
import {
  groupKind,
  groupOf,
  type Kind,
  rankOf,
  resourceOf,
  subscriptionType,
  typeOf,
} from "./kinds.ts";
import type { Row } from "./management-api.ts";

export interface Subscription {
  /** In small letters, as all ids are here. */
  id: string;
  subscriptionId: string;
  name: string;
}

/** What changes by itself, and what may be a secret where somebody's API forgets to leave it out. */
const leftOut = new Set([
  "etag",
  "earliestrestoredate",
  "instanceview",
  "adminpassword",
  "administratorloginpassword",
  "customdata",
  "userdata",
  "sharedkey",
]);

function configOf(value: Json): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map(configOf);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]) =>
      inner === null || leftOut.has(key.toLowerCase()) ? [] : [[key, configOf(inner)]],
    ),
  );
}

interface State {
  status: string | undefined;
  health: Health;
  ready: boolean;
}

/** States of one kind or another, as they are written most often. */
const healths: Readonly<Record<string, Health>> = {
  succeeded: "healthy",
  running: "healthy",
  online: "healthy",
  ready: "healthy",
  available: "healthy",
  enabled: "healthy",
  failed: "unhealthy",
  offline: "unhealthy",
  unavailable: "unhealthy",
  inaccessible: "unhealthy",
  suspect: "unhealthy",
  disabled: "unhealthy",
  degraded: "warning",
  canceled: "warning",
  warned: "warning",
  pastdue: "warning",
  checkingendpoints: "unknown",
};
/** Whatever is on its way to something else. */
const moving =
  /^(creating|updating|deleting|starting|stopping|deallocating|scaling|upgrading|restoring|accepted|provisioning)/i;

const stateOf = (status: string | undefined): State => ({
  status,
  health: (status && healths[status.toLowerCase()]) || "unknown",
  ready: status !== undefined && !moving.test(status),
});

/** How a resource is by what its kind says of it, and by how the last change of it went where that went wrong. */
function stateOfResource({ word }: Kind, properties: Row, power: string | undefined): State {
  const provisioning = asText(properties.provisioningState);
  if (
    provisioning !== undefined &&
    (moving.test(provisioning) || /^(failed|canceled)/i.test(provisioning))
  )
    return stateOf(provisioning);
  switch (word) {
    case "VirtualMachine":
    case "ScaleSetMachine":
      return stateOf(power ?? provisioning);
    case "KubernetesCluster":
      return stateOf(asText(asObject(properties.powerState).code) ?? provisioning);
    case "AppService":
    case "PostgresServer":
    case "MysqlServer":
    case "SqlServer":
      return stateOf(asText(properties.state) ?? provisioning);
    case "Database":
      return stateOf(asText(properties.status) ?? provisioning);
    case "StorageAccount":
      return stateOf(asText(properties.statusOfPrimary) ?? provisioning);
    case "TrafficManagerProfile":
      return stateOf(asText(properties.profileMonitorStatus) ?? provisioning);
    default:
      return stateOf(provisioning);
  }
}

/** `PowerState/deallocated`, in the view of what runs: `Deallocated`. */
export function powerOf(resource: Row): string | undefined {
  const codes = asList(asObject(asObject(resource.properties).instanceView).statuses)
    .map((one) => asPlain(asObject(one).code))
    .filter((code) => code.startsWith("PowerState/"));
  const word = codes[0]?.slice("PowerState/".length);
  return word && word[0]!.toUpperCase() + word.slice(1);
}

const created = (properties: Row, systemData: Row) =>
  ["timeCreated", "creationTime", "creationDate", "createdTime"]
    .map((key) => timeOf(properties[key]))
    .find((time) => time !== undefined) ?? timeOf(systemData.createdAt);

export interface Place {
  subscription: Subscription;
  /** The resource that it stands in. */
  parent?: ItemReference;
  /** Of a machine. */
  power?: string | undefined;
}

/** Nothing of what has no id, or is listed where it does not belong. */
export function itemOf(kind: Kind, resource: Row, place: Place): ScrapedItem | undefined {
  const given = asText(resource.id);
  if (given === undefined || resourceOf(given)?.kind !== kind) return undefined;
  const id = given.toLowerCase();
  const properties = asObject(resource.properties);
  const { status, health, ready } = stateOfResource(
    kind,
    properties,
    place.power ?? powerOf(resource),
  );
  const { subscription, parent } = place;
  const group = kind === groupKind ? undefined : groupOf(id);
  const location = asText(resource.location);
  const labels = Object.fromEntries(
    Object.entries(asObject(resource.tags)).map(([key, value]) => [key, asPlain(value)]),
  );
  const sku = asText(asObject(resource.sku).name);
  const computer =
    kind.word === "ScaleSetMachine"
      ? asText(asObject(properties.osProfile).computerName)
      : undefined;
  return {
    externalId: id,
    // As a cluster calls the machine that it runs on.
    aliases: computer === undefined ? [] : [computer],
    type: typeOf(kind),
    configClass: kind.configClass ?? kind.word,
    name: asText(resource.name) ?? given.split("/").at(-1)!,
    config: configOf(resource as JsonObject),
    ...optional("status", status),
    health,
    ready,
    labels: { ...labels, ...(location && { location }) },
    tags: {
      subscriptionID: subscription.subscriptionId,
      subscriptionName: subscription.name,
      ...(group && { resourceGroup: group.split("/").at(-1)! }),
    },
    properties: [
      {
        name: "URL",
        links: [{ type: "url", text: "Azure", url: `https://portal.azure.com/#resource${given}` }],
      },
      ...(sku ? [{ name: "SKU", text: sku }] : []),
    ],
    ...optional("createdAt", created(properties, asObject(resource.systemData))),
    parents: [
      ...(parent ? [parent] : []),
      ...(group ? [{ externalId: group, type: typeOf(groupKind) }] : []),
      { externalId: subscription.id, type: subscriptionType },
    ],
    relations: relationsOf(kind, id, resource as JsonObject, subscription),
  };
}

const mostRelations = 1000;

/** What it uses: whatever it names by an id, of a kind that is read and comes after its own. */
function relationsOf(
  kind: Kind,
  own: string,
  resource: JsonObject,
  { id: subscription }: Subscription,
): Relation[] {
  const found = new Map<string, Relation>();
  const relate = (id: string) => {
    const other = resourceOf(id);
    if (!other || other.id === own || own.startsWith(`${other.id}/`)) return;
    if (rankOf(other.kind) <= rankOf(kind) || found.size >= mostRelations) return;
    // A subnet is its network's; who is in the subnet is not told of the network again.
    found.set(other.id, {
      to: { externalId: other.id, type: typeOf(other.kind) },
      relation: `${kind.word}${other.kind.word}`,
    });
  };
  const walk = (value: Json): void => {
    if (typeof value === "string") {
      if (/^\/subscriptions\//i.test(value)) relate(value);
    } else if (Array.isArray(value)) for (const inner of value as readonly Json[]) walk(inner);
    else if (isObject(value)) for (const inner of Object.values(value)) walk(inner);
  };
  const { id: _id, tags: _tags, ...rest } = resource;
  walk(rest);
  // Where a cluster keeps its machines stands there by name alone.
  const nodes = asText(asObject(resource.properties).nodeResourceGroup);
  if (nodes !== undefined) relate(`${subscription}/resourcegroups/${nodes}`);
  return [...found.values()];
}

export function subscriptionItem(subscription: Subscription, row: Row): ScrapedItem {
  const { status, health, ready } = stateOf(asText(row.state));
  return {
    externalId: subscription.id,
    aliases: [subscription.subscriptionId],
    type: subscriptionType,
    configClass: "Subscription",
    name: subscription.name,
    config: configOf(row as JsonObject),
    ...optional("status", status),
    health,
    ready,
    labels: {},
    tags: { subscriptionID: subscription.subscriptionId, subscriptionName: subscription.name },
    properties: [],
    parents: [],
    relations: [],
  };
}
