import type { changeDirections } from "@mainstay/contract/catalog-answers.ts";
import type { TriStateFilter } from "@mainstay/ui/filters/tri-state-filter.ts";
import { resolveRange, type TimeRange } from "@mainstay/ui/time-range/time-range.ts";
import type { ChangesView } from "./view.ts";

/** What is asked for: the body of `/api/catalog/changes` without its page. What is not set is left out. */
export interface ChangeSearchBody {
  id?: string;
  config_type?: string;
  type?: string;
  severity?: string;
  search?: string;
  source?: string;
  created_by?: string;
  tags?: string;
  from?: string;
  to?: string;
  recursive: (typeof changeDirections)[number];
  depth?: number;
  include_deleted_configs: boolean;
}

/** Of one item, or of everything. */
export interface ChangesOf {
  itemId?: string | undefined;
  hidesDeleted: boolean;
}

/** How far from an item its relatives are looked for. */
const depth = 5;

/** A value as one item of a filter: nothing in it is a sign of the filter's own. */
const asItem = (value: string) =>
  encodeURIComponent(value).replaceAll("*", "%2A").replaceAll("!", "%21");

/** `a,!b`, as filters are sent. */
export function listText(filter: TriStateFilter): string | undefined {
  if (filter.size === 0) return undefined;
  return [...filter]
    .map(([value, state]) => `${state === -1 ? "!" : ""}${asItem(value)}`)
    .join(",");
}

/** `k in (a,b),k notin (c)`, as label selectors are written. */
export function selectorText(filter: TriStateFilter): string | undefined {
  if (filter.size === 0) return undefined;
  const keys = new Map<string, { wanted: string[]; unwanted: string[] }>();
  for (const [pair, state] of filter) {
    const at = pair.indexOf("=");
    const key = at < 0 ? pair : pair.slice(0, at);
    const values = keys.get(key) ?? { wanted: [], unwanted: [] };
    keys.set(key, values);
    values[state === 1 ? "wanted" : "unwanted"].push(at < 0 ? "" : pair.slice(at + 1));
  }
  const conditions = [...keys].flatMap(([key, { wanted, unwanted }]) => [
    ...(wanted.length === 0
      ? []
      : [wanted.length === 1 ? `${key}=${wanted[0]}` : `${key} in (${wanted.join()})`]),
    ...(unwanted.length === 0
      ? []
      : [unwanted.length === 1 ? `${key}!=${unwanted[0]}` : `${key} notin (${unwanted.join()})`]),
  ]);
  return conditions.join(",");
}

/** Whether a label selector can say this key or value: it has no quotes. */
export const isSelectable = (text: string): boolean => /^[^\s,=!<>()]*$/.test(text);

const hasRounding = (text: string) => text.includes("/");
/** A month is `M` to the server, and `mo` to people. */
const asSent = (text: string) => text.replaceAll(/(\d)mo/g, "$1M");

/**
 * The range as the server is asked for it: from now on as it was chosen, so that the server's own now counts. Days and
 * weeks are the reader's, whose day begins elsewhere than the server's: of those the moments are sent.
 */
export function rangeText(range: TimeRange, now: number): { from: string; to: string } | undefined {
  if (range.kind === "relative" && !hasRounding(range.from) && !hasRounding(range.to))
    return { from: asSent(range.from), to: asSent(range.to) };
  const ends = resolveRange(range, now);
  return (
    ends && { from: new Date(ends.from).toISOString(), to: new Date(ends.to + 1).toISOString() }
  );
}

export const endsNow = (range: TimeRange): boolean =>
  range.kind === "relative" && range.to === "now";

function directionOf({ downstream, upstream }: ChangesView) {
  if (downstream && upstream) return "all";
  return downstream ? "downstream" : upstream ? "upstream" : "none";
}

export function bodyOf(
  view: ChangesView,
  { itemId, hidesDeleted }: ChangesOf,
  now: number,
): ChangeSearchBody {
  const recursive = itemId === undefined ? "none" : directionOf(view);
  const text = view.query.trim();
  const sent = {
    id: itemId ?? (view.ids || undefined),
    config_type: listText(view.configTypes),
    type: listText(view.changeTypes),
    severity: view.severity || undefined,
    search: text || undefined,
    source: listText(view.sources),
    created_by: listText(view.authors),
    tags: selectorText(view.tags),
    ...rangeText(view.timeRange, now),
    recursive,
    depth: recursive === "none" ? undefined : depth,
    include_deleted_configs: !hidesDeleted,
  } as const;
  return Object.fromEntries(
    Object.entries(sent).filter(([, value]) => value !== undefined),
  ) as unknown as ChangeSearchBody;
}
