import { topologyOrders } from "@mainstay/contract/topology-answers.ts";
import {
  formatTriStateFilter,
  noFilter,
  parseTriStateFilter,
  type TriStateFilter,
} from "@mainstay/ui/filters/tri-state-filter.ts";
import type { GraphLook } from "@mainstay/ui/graph-view/graph.ts";
import { graphLookCodec } from "#lib/graph-look.ts";
import type { UrlCodec } from "#lib/url-state.ts";

/** By what cards are sorted, in the wire's words: one of `topologyOrders`, or `field:` and the name of a property. */
export interface TopologySort {
  by: string;
  isDescending: boolean;
}

/** What fails comes first. */
export const usualSort: TopologySort = { by: "status", isDescending: true };

const longestField = 200;

export const isSortKey = (text: string): boolean =>
  topologyOrders.some((order) => order === text) ||
  (text.startsWith("field:") && text.length > "field:".length && text.length <= longestField);

/** What of the topology is shown, as its address says it. */
export interface TopologyView extends GraphLook {
  /** As a graph, and not as cards. */
  isGraph: boolean;
  /** Called Health on the page; the wire has the components' own words for it. */
  status: TriStateFilter;
  type: TriStateFilter;
  team: TriStateFilter;
  /** `key=value`. The wire cannot exclude any: `withoutLabels` does. */
  labels: TriStateFilter;
  agent: TriStateFilter;
  /** The reader's own where the address says nothing. */
  sort: TopologySort | undefined;
  /** The one panel of the sidebar that is open; nothing for none. */
  panel: string;
  /** The moment that is shown, by the server's clock; `now` while one is looked for, nothing while none is. */
  at: number | "now" | undefined;
  span: Span;
  /** On a phone the sidebar lies over the page. */
  showsDetails: boolean;
}

/** How much of the past the slider shows. */
export const spans = ["30d", "7d", "1d", "1h"] as const;
export type Span = (typeof spans)[number];
const usualSpan: Span = "30d";

function parseMoment(text: string | undefined): TopologyView["at"] {
  if (text === "now") return "now";
  const time = Date.parse(text ?? "");
  return Number.isNaN(time) ? undefined : time;
}
const formatMoment = (at: TopologyView["at"]): string | undefined =>
  typeof at === "number" ? new Date(at).toISOString() : at;

const usualPanel = "details";
const noPanel = "none";

/** Other clients write `All` for no filter. */
const parseFilter = (text: string | undefined): TriStateFilter =>
  text?.toLowerCase() === "all" ? noFilter : parseTriStateFilter(text);

function parseSort(by: string | undefined, order: string | undefined): TopologySort | undefined {
  if (by === undefined || !isSortKey(by)) return undefined;
  return { by, isDescending: order === "desc" };
}

export const topologyCodec: UrlCodec<TopologyView> = {
  parse: (raw) => ({
    ...graphLookCodec.parse(raw),
    isGraph: raw["view"] === "graph",
    status: parseFilter(raw["status"]),
    type: parseFilter(raw["type"]),
    team: parseFilter(raw["team"]),
    labels: parseFilter(raw["labels"]),
    agent: parseFilter(raw["agent_id"]),
    sort: parseSort(raw["sortBy"], raw["sortOrder"]),
    panel: raw["panel"] === noPanel ? "" : (raw["panel"] ?? usualPanel),
    at: parseMoment(raw["at"]),
    span: spans.find((span) => span === raw["span"]) ?? usualSpan,
    showsDetails: raw["details"] === "true",
  }),
  format: (view) => ({
    ...graphLookCodec.format(view),
    view: view.isGraph ? "graph" : undefined,
    status: formatTriStateFilter(view.status),
    type: formatTriStateFilter(view.type),
    team: formatTriStateFilter(view.team),
    labels: formatTriStateFilter(view.labels),
    agent_id: formatTriStateFilter(view.agent),
    sortBy: view.sort?.by,
    sortOrder: view.sort && (view.sort.isDescending ? "desc" : "asc"),
    panel: view.panel === usualPanel ? undefined : view.panel || noPanel,
    at: formatMoment(view.at),
    span: view.span === usualSpan ? undefined : view.span,
    details: view.showsDetails ? "true" : undefined,
  }),
};

export const unfiltered = {
  status: noFilter,
  type: noFilter,
  team: noFilter,
  labels: noFilter,
  agent: noFilter,
} as const satisfies Partial<TopologyView>;

/** One text for all filters. */
export const formatFilters = (view: TopologyView): string =>
  [view.status, view.type, view.team, view.labels, view.agent]
    .map((filter) => formatTriStateFilter(filter) ?? "")
    .join("&");

/** The moment of the past that is shown; nothing while it is now. */
export const pastMoment = ({ at }: Pick<TopologyView, "at">): number | undefined =>
  typeof at === "number" ? at : undefined;

export const filterCount = (view: TopologyView): number =>
  view.status.size + view.type.size + view.team.size + view.labels.size + view.agent.size;

/** What is asked of the server. */
export interface TopologyQuestion extends Partial<
  Pick<TopologyView, "status" | "type" | "team" | "labels" | "agent">
> {
  id?: string | undefined;
  sort: TopologySort;
  withHidden: boolean;
  /** Levels of the answer, that of the top included; of `everything` all of them, one beside the other, told in brief. */
  depth: number | "everything";
}

/** Commas separate, `*` and `!` mean something: values are escaped. */
const listed = (filter: TriStateFilter | undefined): string | undefined =>
  filter && filter.size > 0
    ? [...filter]
        .map(
          ([value, state]) =>
            `${state === -1 ? "!" : ""}${encodeURIComponent(value).replaceAll("*", "%2A").replaceAll("!", "%21")}`,
        )
        .join()
    : undefined;

/** As `GET /api/topology` reads it. Of what is of a type everything counts, however deep it stands. */
export function wireQuery(question: TopologyQuestion): URLSearchParams {
  const { id, status, type, team, labels, agent, sort, withHidden, depth } = question;
  const isBrief = depth === "everything";
  const isFlat = isBrief || (type !== undefined && type.size > 0);
  const query = {
    id,
    status: listed(status),
    type: listed(type),
    team: listed(team),
    labels: labels && [...labels].flatMap(([pair, state]) => (state === 1 ? pair : [])).join(),
    agent_id: listed(agent),
    sortBy: sort.by,
    sortOrder: sort.isDescending ? "desc" : "asc",
    flatten: isFlat ? "true" : undefined,
    brief: isBrief ? "true" : undefined,
    hidden: withHidden ? undefined : "false",
    // A flat answer has all levels.
    depth: isFlat ? undefined : String(depth),
  };
  const asked = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value) asked.set(name, value);
  return asked;
}

/** Those that carry none of the labels that are excluded. */
export function withoutLabels<Component extends { labels?: Readonly<Record<string, string>> }>(
  components: readonly Component[],
  labels: TriStateFilter,
): readonly Component[] {
  const unwanted = [...labels].flatMap(([pair, state]) => (state === -1 ? pair : []));
  if (unwanted.length === 0) return components;
  return components.filter((component) =>
    Object.entries(component.labels ?? {}).every(
      ([key, value]) => !unwanted.includes(`${key}=${value}`),
    ),
  );
}
