import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import type {
  FoundResource,
  FoundResources,
  ResourceSelector,
} from "@mainstay/contract/resource-selector/resource-selector.ts";
import { post } from "#lib/api.ts";
import type { ComponentType } from "react";
import type { IconMark } from "@mainstay/ui/Icon.tsx";
import type { ConsoleFeature, PaletteAction, ResourceAction, ResourceKind } from "#lib/page.ts";
import { guessEntries, matchEntries } from "./match-entries.ts";
import {
  failingSelector,
  guessSelector,
  isQuery,
  mostShown,
  searchSelectors,
} from "./search-selectors.ts";

/** What was found of one kind, or why nothing could be. */
export type FoundOfKind =
  | { resources: readonly FoundResource[]; isPartial: boolean }
  | { failure: unknown };

export interface Found {
  text: string;
  byKind: Partial<Record<string, FoundOfKind>>;
}

/** What is fetched when the palette is opened for the first time. */
interface Parts {
  actions: readonly PaletteAction[];
  resourceActions: Readonly<Record<string, readonly ResourceAction[]>>;
  /** By kind and type. */
  marks: Readonly<Record<string, Readonly<Record<string, ComponentType<IconMark>>> | undefined>>;
}

export type FoundKind = Extract<ResourceKind, { to: unknown }> &
  Required<Pick<Extract<ResourceKind, { to: unknown }>, "search">>;

/** The kinds that can be searched. */
export const foundKinds = (features: readonly ConsoleFeature[]): FoundKind[] =>
  features.flatMap(({ resources = [] }) =>
    resources.filter((one): one is FoundKind => one.search !== undefined),
  );

export const paletteQueries = {
  /** What the features add, fetched once. */
  parts: (features: readonly ConsoleFeature[]) =>
    queryOptions({
      queryKey: ["palette", "parts"],
      queryFn: async (): Promise<Parts> => {
        const [parts, marks] = await Promise.all([
          Promise.all(features.flatMap(({ palette }) => (palette ? [palette()] : []))),
          Promise.all(
            foundKinds(features).map(
              async ({ kind, search }) => [kind, await search.loadMarks?.()] as const,
            ),
          ),
        ]);
        return {
          actions: parts.flatMap(({ actions = [] }) => actions),
          resourceActions: Object.assign({}, ...parts.map((part) => part.resourceActions ?? {})),
          marks: Object.fromEntries(marks),
        };
      },
      staleTime: Infinity,
      retry: false,
    }),

  /** PB5, once for each kind: what one of them makes of a query is no other's fault. */
  resources: (kinds: readonly FoundKind["search"][], text: string) =>
    queryOptions({
      queryKey: ["palette", "resources", kinds.map(({ as }) => as), text],
      queryFn: async ({ signal }): Promise<Found> => {
        const outcomes = await Promise.all(
          kinds.map(async (kind) => [kind.as, await findOfKind(kind, text, signal)] as const),
        );
        return { text, byKind: Object.fromEntries(outcomes) };
      },
      // What was found for the text before stays until the answer is there.
      placeholderData: keepPreviousData,
      staleTime: 0,
      gcTime: 0,
      retry: false,
    }),
};

async function findOfKind(
  { as, hasStatus }: FoundKind["search"],
  text: string,
  signal: AbortSignal,
): Promise<FoundOfKind> {
  const ask = async (selectors: readonly ResourceSelector[], limit: number) => {
    // The words of a query are anywhere, as in the box above the catalog; others have a way of their own.
    const body = { [as]: selectors, limit, ...(isQuery(text) && { words: "text" }) };
    return (await post<FoundResources>("/api/resources/search", body, { signal }))[as] ?? [];
  };
  const unwell = hasStatus === true ? failingSelector(text) : undefined;
  const failing = unwell ? [unwell] : [];
  const guess = isQuery(text) ? undefined : guessSelector(text);
  try {
    let resources = await ask(
      [...searchSelectors(text), ...failing],
      (2 + failing.length) * (mostShown + 1),
    );
    // Looking for letters takes longer than looking for words: only where these find nothing.
    if (resources.length === 0 && guess) resources = await ask([guess], guess.limit ?? mostShown);
    return {
      resources: closest(resources, text).slice(0, mostShown),
      isPartial: resources.length > mostShown,
    };
  } catch (failure) {
    if (signal.aborted) throw failure;
    return { failure };
  }
}

const isOrdered = (text: string) => /@order|(?:^|\s)sort\s*=/.test(text);
const failingFirst = (resources: readonly FoundResource[]) =>
  resources.toSorted((one, other) => Number(isFailing(other)) - Number(isFailing(one)));

/** What fails, then the closest. A query may have an order of its own, and finds more than names. */
function closest(resources: readonly FoundResource[], text: string): readonly FoundResource[] {
  if (isQuery(text)) return isOrdered(text) ? resources : failingFirst(resources);
  const near = stillMatching(resources, text);
  return [...near, ...resources.filter((resource) => !near.includes(resource))].toSorted(
    (one, other) => Number(isFailing(other)) - Number(isFailing(one)),
  );
}

/** Of what was found for another text, what may be shown for this one. */
export function stillMatching(resources: readonly FoundResource[], text: string): FoundResource[] {
  const entries = resources.map((resource) => ({
    label: resource.name,
    words: resource.namespace,
    resource,
  }));
  const found = matchEntries(entries, text);
  return (found.length > 0 ? found : guessEntries(entries, text))
    .map(({ resource }) => resource)
    .toSorted((one, other) => Number(isFailing(other)) - Number(isFailing(one)));
}

const isFailing = ({ status }: FoundResource) => status === "unhealthy";
