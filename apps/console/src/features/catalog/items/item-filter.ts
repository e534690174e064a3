import type { TriStateFilter } from "@mainstay/ui/filters/tri-state-filter.ts";
import {
  eq,
  holds,
  isNotNull,
  isNull,
  noneOf,
  not,
  oneOf,
  type Query,
  type Where,
} from "#lib/db.ts";
import { type CatalogView, splitLabel } from "./catalog-view.ts";

/** Which items are meant: what of the address finds them, and what the reader prefers. */
export type ItemFilter = Pick<
  CatalogView,
  "configType" | "search" | "labels" | "status" | "health"
> & { hideDeleted: boolean };

type Alternatives = readonly Where<"configs">[];

const chosen = (filter: TriStateFilter, state: 1 | -1): string[] =>
  [...filter].flatMap(([value, is]) => (is === state ? [value] : []));

/** What is excluded is not what has nothing there. */
function ofColumn(column: "status" | "health", filter: TriStateFilter): Alternatives[] {
  const wanted = chosen(filter, 1);
  const unwanted = chosen(filter, -1);
  return [
    ...(wanted.length > 0 ? [[{ [column]: oneOf(wanted) }]] : []),
    ...(unwanted.length > 0 ? [[{ [column]: noneOf(unwanted) }, { [column]: isNull }]] : []),
  ];
}

/** The compiler knows no columns inside of a column. */
const inside = (column: string, condition: unknown) =>
  ({ [column]: condition }) as Where<"configs">;

/** By its labels. Tags are labels too, and have an index by which they are found. */
function ofLabels(filter: TriStateFilter, tagKeys: ReadonlySet<string>): Alternatives[] {
  const byKey = Map.groupBy(filter, ([id]) => splitLabel(id).key);
  return Array.from(byKey, ([key, states]): Alternatives[] => {
    const isTag = tagKeys.has(key);
    const column = `${isTag ? "tags" : "labels"}->>${JSON.stringify(key)}`;
    const one = (value: string): Where<"configs"> =>
      value === ""
        ? inside(column, isNull)
        : isTag
          ? { tags: holds({ [key]: value }) }
          : inside(column, eq(value));
    const values = (state: 1 | -1) =>
      states.flatMap(([id, is]) => (is === state ? [splitLabel(id).value] : []));
    const wanted = values(1);
    return [
      ...(wanted.length > 0 ? [wanted.map(one)] : []),
      ...values(-1).map((value) =>
        value === ""
          ? [inside(column, isNotNull)]
          : [inside(column, not(eq(value))), inside(column, isNull)],
      ),
    ];
  }).flat();
}

/** C1, in conditions; what is typed is the language of docs/search.md. */
export function findItems(
  { configType, search, labels, status, health, hideDeleted }: ItemFilter,
  tagKeys: ReadonlySet<string>,
): Pick<Query<"configs">, "where" | "search" | "anyOfEach"> {
  return {
    where: {
      ...(configType !== undefined && { type: eq(configType) }),
      ...(hideDeleted && { deleted_at: isNull }),
    },
    search: search.trim(),
    anyOfEach: [
      ...ofColumn("status", status),
      ...ofColumn("health", health),
      ...ofLabels(labels, tagKeys),
    ],
  };
}

/** As the summary takes it: `a,!b`, each value escaped. */
export const asMatchList = (filter: TriStateFilter): string =>
  Array.from(
    filter,
    ([value, state]) =>
      `${state === -1 ? "!" : ""}${encodeURIComponent(value).replaceAll(/[*!]/g, (sign) => (sign === "*" ? "%2A" : "%21"))}`,
  ).join();
