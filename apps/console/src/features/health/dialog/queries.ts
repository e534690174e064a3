import { keepPreviousData, type QueryClient, queryOptions } from "@tanstack/react-query";
import type { HealthGraph } from "@mainstay/contract/health.ts";
import type { Rows } from "@mainstay/contract/rows.ts";
import { formatRange, type TimeRange } from "@mainstay/ui/time-range/time-range.ts";
import { get } from "#lib/api.ts";
import { columns, db, embedding, eq, gte, isNull, lte, type Query } from "#lib/db.ts";
import { orderOf, rangeOf } from "#lib/paged-view.ts";
import { exactParams } from "../check/health-range.ts";
import { parseDurationFilter } from "./duration-filter.ts";
import type { HistoryView } from "./history-view.ts";

/** H2. */
export type CheckRowDetail = Pick<Rows["checks"], "id" | "canary_id" | "name" | "type"> &
  Partial<Omit<Rows["checks"], "labels" | "spec">> & {
    labels?: Record<string, string> | null;
    spec?: {
      severity?: string;
      artifacts?: readonly unknown[];
      thresholdMillis?: unknown;
    } | null;
    canaries?: Pick<Rows["canaries"], "id" | "name" | "source"> | null;
    agents?: { id: string; name: string } | null;
  };

/** One row of H4. */
export type CheckRun = Pick<Rows["check_statuses"], "time"> & {
  duration: number;
  /** Nothing when the target could not be tried. */
  status: boolean | null;
} & Partial<Pick<Rows["check_statuses"], "message" | "error">>;

/** A file that a run left. */
export type RunFile = Pick<
  Rows["artifacts"],
  "id" | "check_time" | "path" | "filename" | "size" | "checksum" | "created_at" | "expires_at"
>;
/** By the time of the run, as its row says it. */
export type FilesOfRuns = ReadonlyMap<string, readonly RunFile[]>;

export interface HistoryFilter extends HistoryView {
  /** The very range that the graph's numbers are of. */
  range: HealthGraph["range"];
}

/** What a list needs; the details of a run are large, and asked for when it is opened. */
const runColumns = columns("check_statuses", "time", "duration", "status", "message", "error");

const runsOf = (checkId: string, filter: HistoryFilter): Query<"check_statuses", CheckRun> => {
  const { range, status } = filter;
  const least = parseDurationFilter(filter.duration) ?? undefined;
  return {
    select: runColumns as NonNullable<Query<"check_statuses", CheckRun>["select"]>,
    where: {
      check_id: eq(checkId),
      time: [gte(range.start), lte(range.end)],
      status: { all: undefined, healthy: eq(1), unhealthy: eq(0), unknown: isNull }[status],
      duration: least === undefined ? undefined : gte(least),
    },
    order: orderOf(filter, ["time.desc"]),
  };
};

const fileColumns = columns(
  "artifacts",
  "id",
  "check_time",
  "path",
  "filename",
  "size",
  "checksum",
  "created_at",
  "expires_at",
);

const historyStaleMs = 10_000;
/** The server says when the state of a check changes; whether it has run again is asked. */
export const runAgainMs = 10_000;
const graphPoints = 300;
/** Up to so many runs each is a mark of its own. */
const singleRuns = 300;
/** A range that goes on moves also when nothing runs. */
const movesOnMs = 60_000;

interface Beside {
  client: QueryClient;
  /** What the list below shows; nothing where there is none. */
  history: HistoryView | undefined;
}

/** Of one check. */
export const checkQueries = {
  check: (checkId: string) =>
    queryOptions({
      queryKey: ["health", "check", checkId],
      queryFn: ({ signal }) =>
        db.first(
          "checks",
          {
            select: embedding<CheckRowDetail>(
              "*,canaries!checks_canary_id_fkey(id,name,source),agents!checks_agent_id_fkey(id,name)",
            ),
            where: { id: eq(checkId) },
          },
          { signal },
        ),
      meta: { tables: ["checks"], rows: () => ({ checks: [checkId] }) },
    }),

  /** What stands above the list; the list of the same range comes with it, so that they change together. */
  graph: (checkId: string, range: TimeRange, { client, history }: Beside) =>
    queryOptions({
      queryKey: ["health", "graph", checkId, formatRange(range)],
      queryFn: async ({ signal }) => {
        const graph = await get<HealthGraph>(
          `/api/canary/api/graph?${new URLSearchParams({ check: checkId, count: String(graphPoints), runs: String(singleRuns), ...exactParams(range, Date.now()) })}`,
          { signal },
        );
        if (history)
          await client.prefetchQuery(
            checkQueries.history(checkId, { ...history, range: graph.range }),
          );
        return graph;
      },
      placeholderData: keepPreviousData,
      refetchInterval: movesOnMs,
      meta: { tables: ["checks"], rows: () => ({ checks: [checkId] }) },
    }),

  history: (checkId: string, filter: HistoryFilter) =>
    queryOptions({
      queryKey: ["health", "history", checkId, filter],
      queryFn: ({ signal }) =>
        db.page("check_statuses", { ...runsOf(checkId, filter), ...rangeOf(filter) }, { signal }),
      staleTime: historyStaleMs,
      placeholderData: keepPreviousData,
      meta: { tables: ["checks"], rows: () => ({ checks: [checkId] }) },
    }),

  /** What one run left beside its message. */
  runDetails: (checkId: string, time: string) =>
    queryOptions({
      queryKey: ["health", "run-details", checkId, time],
      queryFn: ({ signal }) =>
        db.first(
          "check_statuses",
          {
            select: columns("check_statuses", "details"),
            where: { check_id: eq(checkId), time: eq(time) },
          },
          { signal },
        ),
      // A run does not change any more.
      staleTime: Number.POSITIVE_INFINITY,
      meta: { speaksForItself: true },
    }),
  /** The files of the runs that a page of the history shows. */
  filesOfRuns: (checkId: string, times: readonly string[]) => {
    const inOrder = times.toSorted();
    const [first = "", last = ""] = [inOrder[0], inOrder.at(-1)];
    return queryOptions({
      queryKey: ["health", "files", checkId, first, last],
      queryFn: async ({ signal }): Promise<FilesOfRuns> => {
        const rows = await db.list(
          "artifacts",
          {
            select: fileColumns,
            where: { check_id: eq(checkId), check_time: [gte(first), lte(last)] },
            order: ["check_time.desc", "path.asc"],
          },
          { signal },
        );
        return Map.groupBy(rows, (row) => row.check_time ?? "");
      },
      staleTime: historyStaleMs,
      placeholderData: keepPreviousData,
      meta: { tables: ["checks"], rows: () => ({ checks: [checkId] }), speaksForItself: true },
    });
  },

  /** What is exported of a history. */
  wholeHistory: (checkId: string, filter: HistoryFilter, limit: number) =>
    db.list("check_statuses", { ...runsOf(checkId, filter), limit }),
};
