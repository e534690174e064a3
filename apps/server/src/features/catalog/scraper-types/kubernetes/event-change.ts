import { type KubernetesScraper, parseDuration } from "@mainstay/contract";
import { number, text, time } from "@mainstay/scripting/functions/kubernetes-fields.ts";
import type { Value } from "@mainstay/scripting";
import type { KubernetesObject } from "#platform/kubernetes/list-objects.ts";
import { isUuid } from "../../scraping/extract-item.ts";
import type { ScrapedChange } from "../../scraping/scraped.ts";
import { aliasOf, clusterId } from "./object-names.ts";
import { annotations, type Names, namesIn, type Wanted } from "./wanted.ts";

/** What an object says of its own changes, by its uid. */
export type Quiet = Map<string, { types: string; severities: string }>;

/** Whoever owns an object writes its annotations, and a cluster takes a quarter of a megabyte of them. */
const longestPatterns = 2_000;

/** Remembers an object that wants some of its changes left out. */
export function noteQuiet(quiet: Quiet, { metadata }: KubernetesObject): void {
  const said = (annotation: string) =>
    (metadata.annotations?.[annotation] ?? "").slice(0, longestPatterns);
  const types = said(annotations.ignoreChanges);
  const severities = said(annotations.ignoreSeverities);
  if (metadata.uid && (types || severities)) quiet.set(metadata.uid, { types, severities });
}

export interface EventParts {
  cluster: string;
  wanted: Wanted;
  quiet: Quiet;
  now: Date;
}

const listed = (patterns: string): Names =>
  namesIn(patterns.split(",").filter((one) => one.trim() !== ""));

/** The object that an event is about. */
export function aboutOf(event: KubernetesObject) {
  const said = (field: string) => text(event as Value, "involvedObject", field);
  return {
    apiVersion: said("apiVersion"),
    kind: said("kind"),
    namespace: said("namespace"),
    name: said("name"),
    uid: said("uid"),
  };
}

/** A reader of events: each is a change of the object that it is about, or nothing that is wanted. */
export function eventReader(
  { event = {}, since, namespace }: KubernetesScraper,
  { cluster, wanted, quiet, now }: EventParts,
): (event: KubernetesObject) => ScrapedChange | undefined {
  const { exclusions = {}, severityKeywords = {} } = event;
  const isExcluded = {
    name: namesIn(exclusions.name),
    namespace: namesIn(exclusions.namespace),
    reason: namesIn(exclusions.reason),
  };
  const words = (list: readonly string[] | undefined) =>
    (list ?? []).map((word) => word.trim().toLowerCase()).filter(Boolean);
  const [high, medium] = [words(severityKeywords.error), words(severityKeywords.warn)];
  const from = since === undefined ? undefined : now.getTime() - parseDuration(since);

  function severityOf(reason: string, type: string): ScrapedChange["severity"] {
    const lower = reason.toLowerCase();
    if (high.some((word) => lower.includes(word))) return "high";
    if (medium.some((word) => lower.includes(word))) return "medium";
    return type === "Warning" ? "medium" : "info";
  }

  return (object) => {
    const value = object as Value;
    const { apiVersion, uid, ...about } = aboutOf(object);
    const reason = text(value, "reason");
    const at = timeOf(value);
    if (!reason || !about.kind || at === undefined) return undefined;
    if (from !== undefined && at < from) return undefined;
    if (namespace && about.namespace !== namespace) return undefined;
    if (
      !wanted.mayHold({ apiVersion, ...about }) ||
      isExcluded.name(about.name) ||
      isExcluded.namespace(about.namespace) ||
      isExcluded.reason(reason)
    )
      return undefined;
    const severity = severityOf(reason, text(value, "type"));
    const own = quiet.get(uid);
    if (own && (listed(own.types)(reason) || listed(own.severities)(severity!))) return undefined;
    const component =
      text(value, "source", "component") || text(value, "reportingComponent") || "unknown";
    const host = text(value, "source", "host") || text(value, "reportingInstance");
    const id = object.metadata.uid;
    return {
      // Nodes are named in the place of their uid by whoever runs on them.
      item: {
        externalId: isUuid(uid) ? uid : about.name ? aliasOf(cluster, about) : clusterId(cluster),
      },
      ...(id && { externalChangeId: id }),
      changeType: reason,
      severity,
      source: `kubernetes/${component}`,
      summary: text(value, "message"),
      createdAt: new Date(at),
      count: Math.max(1, number(value, "series", "count") ?? number(value, "count") ?? 1),
      details: {
        reason,
        type: text(value, "type"),
        message: text(value, "message"),
        involvedObject: about,
        source: { component, ...(host && { host }) },
        firstTimestamp: text(value, "firstTimestamp") || text(value, "eventTime"),
      },
      // Whether it is there is seen by looking.
      action: "keep",
    };
  };
}

/** When it happened last. */
const timeOf = (event: Value): number | undefined =>
  time(event, "series", "lastObservedTime") ??
  time(event, "lastTimestamp") ??
  time(event, "eventTime") ??
  time(event, "firstTimestamp") ??
  time(event, "metadata", "creationTimestamp");
