import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { Rows } from "@mainstay/contract/rows.ts";
import type { TriStateFilter } from "@mainstay/ui/filters/tri-state-filter.ts";
import { resolveRange } from "@mainstay/ui/time-range/time-range.ts";
import {
  columns,
  db,
  eq,
  type Filter,
  gt,
  gte,
  isNull,
  lt,
  noneOf,
  oneOf,
  type Query,
} from "#lib/db.ts";
import { orderOf, rangeOf } from "#lib/paged-view.ts";
import { toServerTime } from "#lib/server-clock.ts";
import { type JobsView, runDurations } from "./view.ts";

/** One run of a job, or of a canary's checks those of an hour. PostgreSQL does not know what of a view is never empty. */
export type JobRun = Omit<Rows["job_histories"], "id" | "created_at" | "agent"> & {
  id: string;
  created_at: string;
  agent: { id: string | null; name: string | null } | null;
};

/** Of one resource, or of everything. */
export interface RunsOf {
  kind: string;
  id: string;
}

/** Nobody announces runs: they come many times a second. Where one is under way it is looked at more often. */
const refetchMs = { quiet: 15_000, running: 2_000 };

const valuesOf = (filter: TriStateFilter, state: 1 | -1) =>
  [...filter].flatMap(([value, has]) => (has === state ? [value] : []));

function conditions(filter: TriStateFilter): Filter[] {
  const [wanted, unwanted] = [valuesOf(filter, 1), valuesOf(filter, -1)];
  return [
    ...(wanted.length > 0 ? [oneOf(wanted)] : []),
    ...(unwanted.length > 0 ? [noneOf(unwanted)] : []),
  ];
}

export function found(
  view: JobsView,
  of: RunsOf | undefined,
  now: number,
): Query<"job_histories", JobRun> {
  const range = resolveRange(view.timeRange, now);
  const endsNow = view.timeRange.kind === "relative" && view.timeRange.to === "now";
  const atLeast = runDurations.find(([words]) => words === view.atLeast)?.[1];
  const wantedTypes = valuesOf(view.resourceTypes, 1);
  const unwantedTypes = valuesOf(view.resourceTypes, -1);
  return {
    where: {
      resource_type: of ? eq(of.kind) : wantedTypes.length > 0 ? oneOf(wantedTypes) : undefined,
      resource_id: of && eq(of.id),
      name: conditions(view.names),
      status: conditions(view.statuses),
      duration_millis: atLeast === undefined ? undefined : gte(atLeast),
      created_at: range && [
        gt(new Date(range.from).toISOString()),
        // What is written while the question is on its way belongs to it.
        ...(endsNow ? [] : [lt(new Date(range.to).toISOString())]),
      ],
    },
    // A job that is about no resource is of none of the types that are not wanted.
    ...(!of &&
      unwantedTypes.length > 0 && {
        anyOf: [{ resource_type: isNull }, { resource_type: noneOf(unwantedTypes) }],
      }),
    order: orderOf(view, ["created_at.desc", "id.desc"]),
  };
}

/** Of what is skipped the server would make whole rows with their names: far on, only the ids are paged. */
const farOn = 2_000;

async function loadPage(view: JobsView, of: RunsOf | undefined, signal: AbortSignal) {
  const query = { ...found(view, of, toServerTime(Date.now())), ...rangeOf(view) };
  if (query.offset < farOn) return db.page("job_histories", query, { signal });
  const { select: _, ...bare } = query;
  const { rows, total } = await db.page(
    "job_histories",
    { ...bare, select: columns("job_histories", "id") },
    { signal },
  );
  const ids = rows.flatMap(({ id }) => id ?? []);
  if (ids.length === 0) return { rows: [], total };
  const whole = await db.list<"job_histories", JobRun>(
    "job_histories",
    { where: { id: oneOf(ids) } },
    { signal },
  );
  const byId = new Map(whole.map((run) => [run.id, run]));
  // One that was cleaned up in between has left a gap, which is none for the reader.
  return { rows: ids.flatMap((id) => byId.get(id) ?? []), total };
}

export const jobsKey = ["job-history"] as const;

export const jobQueries = {
  page: (view: JobsView, of: RunsOf | undefined) => {
    const { job: _, ...shown } = view;
    return queryOptions({
      queryKey: [...jobsKey, "page", of, { ...shown, ...asLists(view) }],
      queryFn: ({ signal }) => loadPage(view, of, signal),
      placeholderData: keepPreviousData,
      staleTime: 0,
      refetchInterval: ({ state }) =>
        state.data?.rows.some(({ status }) => status === "RUNNING")
          ? refetchMs.running
          : refetchMs.quiet,
    });
  },
  all: (view: JobsView, of: RunsOf | undefined, limit: number) =>
    db.list("job_histories", { ...found(view, of, toServerTime(Date.now())), limit }),
  /** One that an address names and the page does not show. */
  one: (id: string) =>
    queryOptions({
      queryKey: [...jobsKey, "one", id],
      queryFn: ({ signal }) =>
        db.first<"job_histories", JobRun>("job_histories", { where: { id: eq(id) } }, { signal }),
      staleTime: 0,
    }),
  names: queryOptions({
    queryKey: [...jobsKey, "names"],
    queryFn: async ({ signal }) => {
      const rows = await db.list(
        "job_history_names",
        { select: columns("job_history_names", "name"), order: ["name.asc"] },
        { signal },
      );
      return rows.flatMap(({ name }) => name ?? []);
    },
  }),
};

/** Maps are no part of a key. */
const asLists = ({ names, resourceTypes, statuses }: JobsView) => ({
  names: [...names],
  resourceTypes: [...resourceTypes],
  statuses: [...statuses],
});
