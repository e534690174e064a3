import {
  formatTriStateFilter,
  noFilter,
  parseTriStateFilter,
  type TriStateFilter,
} from "@mainstay/ui/filters/tri-state-filter.ts";
import type { GraphLook } from "@mainstay/ui/graph-view/graph.ts";
import { graphLookCodec } from "#lib/graph-look.ts";
import type { UrlCodec } from "#lib/url-state.ts";

/** So many items are read at first, and so many when more are asked for. */
export const reaches = [2_000, 20_000] as const;

/** What of the relationships of an item is shown, as the address says it. */
export interface RelationshipsView extends GraphLook {
  outgoing: boolean;
  incoming: boolean;
  /** Not only parents and children. */
  soft: boolean;
  isGraph: boolean;
  configTypes: TriStateFilter;
  /** `key=value`, as of tags. */
  labels: TriStateFilter;
  tags: TriStateFilter;
  relationship: TriStateFilter;
  status: TriStateFilter;
  health: TriStateFilter;
  sortBy: string;
  sortDesc: boolean;
  /** So many items are read at most. */
  reach: number;
}

/** Other clients write `A__B` for `A::B`. */
const parseTypes = (text: string | undefined): TriStateFilter =>
  new Map(
    [...parseTriStateFilter(text)].map(([type, state]) => [type.replaceAll("__", "::"), state]),
  );

export const relationshipsCodec: UrlCodec<RelationshipsView> = {
  parse: (raw) => ({
    outgoing: raw["outgoing"] !== "false",
    incoming: raw["incoming"] === "true",
    soft: raw["relation"] === "soft",
    isGraph: raw["view"]?.toLowerCase() === "graph",
    configTypes: parseTypes(raw["configTypes"]),
    labels: parseTriStateFilter(raw["labels"]),
    tags: parseTriStateFilter(raw["tag"]),
    relationship: parseTriStateFilter(raw["relationship"]),
    status: parseTriStateFilter(raw["status"]),
    health: parseTriStateFilter(raw["health"]),
    sortBy: raw["sortBy"] ?? "",
    sortDesc: raw["sortOrder"] === "desc",
    ...graphLookCodec.parse(raw),
    reach: reaches.find((reach) => String(reach) === raw["reach"]) ?? reaches[0],
  }),
  format: (view) => ({
    outgoing: view.outgoing ? undefined : "false",
    incoming: view.incoming ? "true" : undefined,
    relation: view.soft ? "soft" : undefined,
    view: view.isGraph ? "graph" : undefined,
    configTypes: formatTriStateFilter(view.configTypes),
    labels: formatTriStateFilter(view.labels),
    tag: formatTriStateFilter(view.tags),
    relationship: formatTriStateFilter(view.relationship),
    status: formatTriStateFilter(view.status),
    health: formatTriStateFilter(view.health),
    sortBy: view.sortBy === "" ? undefined : view.sortBy,
    sortOrder: view.sortBy === "" ? undefined : view.sortDesc ? "desc" : "asc",
    ...graphLookCodec.format(view),
    reach: view.reach === reaches[0] ? undefined : String(view.reach),
  }),
};

export const unfiltered = {
  configTypes: noFilter,
  labels: noFilter,
  tags: noFilter,
  relationship: noFilter,
  status: noFilter,
  health: noFilter,
} as const satisfies Partial<RelationshipsView>;

export const isFiltered = (view: RelationshipsView): boolean =>
  view.configTypes.size +
    view.labels.size +
    view.tags.size +
    view.relationship.size +
    view.status.size +
    view.health.size >
  0;
