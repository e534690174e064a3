import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import type {
  ChangeTimeline,
  FoundChange,
  FoundChanges,
} from "@mainstay/contract/catalog-answers.ts";
import { post } from "#lib/api.ts";
import { columns, db, oneOf } from "#lib/db.ts";
import { toServerTime } from "#lib/server-clock.ts";
import { mustBeReadable } from "../search/must-be-readable.ts";
import { bodyOf, type ChangesOf, endsNow } from "./search-body.ts";
import type { ChangesView } from "./view.ts";

/** Nobody announces changes: they come many times a second. */
const refetchMs = 30_000;
/** The server's most. */
const mostRows = 1_000;
const spans = 120;

const path = "/api/catalog/changes";

async function ask(
  view: ChangesView,
  of: ChangesOf,
  range: { page: number; page_size: number },
  signal?: AbortSignal,
): Promise<FoundChange[]> {
  const { sortBy, sortDesc } = view;
  await mustBeReadable(view.query);
  const body = {
    ...bodyOf(view, of, toServerTime(Date.now())),
    ...range,
    // The strip counts them, too: rows of common words are there long before.
    total: false,
    sort_by: sortBy === undefined ? "-created_at" : `${sortDesc ? "-" : ""}${sortBy}`,
  };
  const { changes = [] } = await post<FoundChanges>(path, body, signal && { signal });
  return changes;
}

/** Maps are no part of a key, and what is opened is none of the question. */
function keyOf(view: ChangesView) {
  const { open: _, change: __, part: ___, ...asked } = view;
  return {
    ...asked,
    configTypes: [...view.configTypes],
    changeTypes: [...view.changeTypes],
    authors: [...view.authors],
    sources: [...view.sources],
    tags: [...view.tags],
  };
}

export const changesKey = ["config_changes"] as const;

export const changeQueries = {
  page: (view: ChangesView, of: ChangesOf) =>
    queryOptions({
      queryKey: [...changesKey, "page", of, keyOf(view)],
      queryFn: ({ signal }) =>
        ask(view, of, { page: view.pageIndex + 1, page_size: view.pageSize }, signal),
      placeholderData: keepPreviousData,
      staleTime: 0,
      refetchInterval: endsNow(view.timeRange) ? refetchMs : false,
    }),
  all: async (view: ChangesView, of: ChangesOf, limit: number): Promise<FoundChange[]> => {
    const rows: FoundChange[] = [];
    const size = Math.min(mostRows, limit);
    for (let page = 1; rows.length < limit; page += 1) {
      const found = await ask(view, of, { page, page_size: size });
      rows.push(...found);
      if (found.length < size) break;
    }
    return rows.slice(0, limit);
  },
  timeline: (view: ChangesView, of: ChangesOf) => {
    const { sortBy: _, sortDesc: __, pageIndex: ___, pageSize: ____, ...asked } = keyOf(view);
    return queryOptions({
      queryKey: [...changesKey, "timeline", of, asked],
      queryFn: async ({ signal }) => {
        await mustBeReadable(view.query);
        return post<ChangeTimeline>(
          `${path}/timeline`,
          { ...bodyOf(view, of, toServerTime(Date.now())), spans },
          { signal },
        );
      },
      placeholderData: keepPreviousData,
      staleTime: 0,
      refetchInterval: endsNow(view.timeRange) ? refetchMs : false,
    });
  },
  /** Who made some changes. */
  people: (ids: readonly string[]) =>
    queryOptions({
      queryKey: ["people", "named", [...ids]],
      queryFn: ({ signal }) =>
        db.list(
          "people",
          { select: columns("people", "id", "name", "avatar"), where: { id: oneOf(ids) } },
          { signal },
        ),
      enabled: ids.length > 0,
    }),
};
