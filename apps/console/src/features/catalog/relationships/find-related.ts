import { hardRelation } from "@mainstay/contract/catalog.ts";
import type { TriStateFilter } from "@mainstay/ui/filters/tri-state-filter.ts";
import type { RelatedItem } from "./queries.ts";
import type { RelationshipsView } from "./relationships-view.ts";

export type RelatedFilter = Pick<
  RelationshipsView,
  "configTypes" | "labels" | "tags" | "relationship" | "status" | "health"
>;

/** A tie between two items that are both here. */
export interface Tie {
  from: string;
  to: string;
  /** What its scraper calls it, or `hard`. */
  names: readonly string[];
}

export interface Related {
  /** Items that are looked for, the nearest first, without the one that they hang on. */
  found: readonly RelatedItem[];
  /** Those, the one that they hang on, and what leads from one to the other. */
  items: readonly RelatedItem[];
  /** Of `items`, those that only lead there. */
  faint: ReadonlySet<string>;
  ties: readonly Tie[];
}

/** Included are those of which one is, and of which none is excluded. */
function passes(filter: TriStateFilter, values: readonly string[]): boolean {
  if (filter.size === 0) return true;
  if (values.some((value) => filter.get(value) === -1)) return false;
  return (
    values.some((value) => filter.get(value) === 1) || ![...filter.values()].some((is) => is === 1)
  );
}

export const pairId = (key: string, value: string): string => `${key}=${value}`;
const pairIds = (pairs: Readonly<Record<string, string>> | null): string[] =>
  Object.entries(pairs ?? {}).map(([key, value]) => pairId(key, value));

/** Each key by itself: `app=web` and `tier=front` must both be so. */
function passesPairs(filter: TriStateFilter, pairs: Readonly<Record<string, string>> | null) {
  if (filter.size === 0) return true;
  const values = pairIds(pairs);
  const byKey = Map.groupBy(filter, ([id]) => id.split("=")[0]);
  return [...byKey.values()].every((states) => passes(new Map(states), values));
}

export const healthOf = ({ health }: Pick<RelatedItem, "health">): string => health ?? "unknown";

const isMeant = (filter: RelatedFilter, item: RelatedItem): boolean =>
  passes(filter.configTypes, [item.type]) &&
  passes(filter.status, item.status === null ? [] : [item.status]) &&
  passes(filter.health, [healthOf(item)]) &&
  passesPairs(filter.tags, item.tags) &&
  passesPairs(filter.labels, item.labels);

/** What is looked for of everything that hangs on an item, and the ways there. */
export function findRelated(
  rows: readonly RelatedItem[],
  rootId: string,
  filter: RelatedFilter,
): Related {
  const byId = new Map(rows.map((row) => [row.id, row]));
  const ties = rows.flatMap(({ id: from, related_ids: targets, relations }) =>
    (targets ?? []).flatMap((to): Tie[] => {
      const names = relations?.[to] ?? [];
      if (!byId.has(to) || !passes(filter.relationship, names)) return [];
      return [{ from, to, names }];
    }),
  );
  const before = waysFrom(rootId, ties);
  // By names of ties: what no tie of these names leads to is not meant.
  const isReached = (id: string) => filter.relationship.size === 0 || before.has(id);
  const found = rows.filter(
    (row) => row.id !== rootId && isReached(row.id) && isMeant(filter, row),
  );
  const kept = new Set([rootId, ...found.map(({ id }) => id)]);
  const faint = new Set<string>();
  for (const { id } of found) {
    for (let at = before.get(id); at !== undefined && !kept.has(at); at = before.get(at)) {
      kept.add(at);
      faint.add(at);
    }
  }
  return {
    found,
    items: rows.filter(({ id }) => kept.has(id)),
    faint,
    ties: ties.filter(({ from, to }) => kept.has(from) && kept.has(to)),
  };
}

/** The shortest way to every item, whichever way its ties lead: what stands before it. */
function waysFrom(rootId: string, ties: readonly Tie[]): Map<string, string | undefined> {
  const neighbours = new Map<string, string[]>();
  const meet = (one: string, other: string) => {
    const known = neighbours.get(one);
    if (known) known.push(other);
    else neighbours.set(one, [other]);
  };
  for (const { from, to } of ties) {
    meet(from, to);
    meet(to, from);
  }
  const before = new Map<string, string | undefined>([[rootId, undefined]]);
  for (const [id] of before)
    for (const other of neighbours.get(id) ?? []) if (!before.has(other)) before.set(other, id);
  return before;
}

export const relationLabel = (name: string): string => (name === hardRelation ? "parent" : name);

/** What can be chosen of everything that hangs on an item: what there is, and what is chosen already. */
export function optionsOf(rows: readonly RelatedItem[], filter: RelatedFilter) {
  const sorted = (values: Iterable<string>, chosen: TriStateFilter) =>
    [...new Set([...values, ...chosen.keys()])].toSorted();
  const all = (values: (row: RelatedItem) => readonly string[]) => rows.flatMap(values);
  return {
    configTypes: sorted(
      all(({ type }) => [type]),
      filter.configTypes,
    ),
    status: sorted(
      all(({ status }) => (status === null ? [] : [status])),
      filter.status,
    ),
    health: sorted(
      all((row) => [healthOf(row)]),
      filter.health,
    ),
    tags: sorted(
      all(({ tags }) => pairIds(tags)),
      filter.tags,
    ),
    labels: sorted(
      all(({ labels }) => pairIds(labels)),
      filter.labels,
    ),
    relationship: sorted(
      all(({ relations }) => Object.values(relations ?? {}).flat()),
      filter.relationship,
    ),
  };
}
