import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { HealthGraph } from "@mainstay/contract/health.ts";
import type { Rows } from "@mainstay/contract/rows.ts";
import { formatRange, type TimeRange } from "@mainstay/ui/time-range/time-range.ts";
import { get } from "#lib/api.ts";
import { columns, db, embedding, eq, gt, gte, lt, lte, type Query } from "#lib/db.ts";
import { orderOf, type PagedView, rangeOf } from "#lib/paged-view.ts";
import { historyStart, rangeParams } from "../check/health-range.ts";

/** H2. */
export type CheckRowDetail = Pick<Rows["checks"], "id" | "canary_id" | "name" | "type"> &
  Partial<Omit<Rows["checks"], "labels" | "spec">> & {
    labels?: Record<string, string> | null;
    spec?: { severity?: string; artifacts?: readonly unknown[] } | null;
    canaries?: Pick<Rows["canaries"], "id" | "name" | "source"> | null;
    agents?: { id: string; name: string } | null;
  };

/** One row of H4. */
export type CheckRun = Pick<Rows["check_statuses"], "time"> & {
  duration: number;
  status: boolean;
} & Partial<Pick<Rows["check_statuses"], "message" | "error">>;

/** A file that a run left. */
export type RunFile = Pick<
  Rows["artifacts"],
  "id" | "check_time" | "path" | "filename" | "size" | "checksum" | "created_at" | "expires_at"
>;
/** By the time of the run, as its row says it. */
export type FilesOfRuns = ReadonlyMap<string, readonly RunFile[]>;

export interface HistoryFilter extends PagedView<"time" | "duration"> {
  range: TimeRange;
  status: "all" | "healthy" | "unhealthy";
  leastDurationMs: number | undefined;
}

const runsOf = (checkId: string, filter: HistoryFilter): Query<"check_statuses", CheckRun> => {
  const { from, to } = historyStart(filter.range, Date.now());
  const { leastDurationMs } = filter;
  return {
    where: {
      check_id: eq(checkId),
      time: [gt(from), ...(to ? [lt(to)] : [])],
      status: { all: undefined, healthy: eq(1), unhealthy: eq(0) }[filter.status],
      duration: leastDurationMs === undefined ? undefined : gte(leastDurationMs),
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

  graph: (checkId: string, range: TimeRange) =>
    queryOptions({
      queryKey: ["health", "graph", checkId, formatRange(range)],
      queryFn: ({ signal }) =>
        get<HealthGraph>(
          `/api/canary/api/graph?${new URLSearchParams({ check: checkId, count: String(graphPoints), ...rangeParams(range, Date.now()) })}`,
          { signal },
        ),
      placeholderData: keepPreviousData,
      meta: { tables: ["checks"], rows: () => ({ checks: [checkId] }) },
    }),

  history: (checkId: string, filter: HistoryFilter) =>
    queryOptions({
      queryKey: ["health", "history", checkId, { ...filter, range: formatRange(filter.range) }],
      queryFn: ({ signal }) =>
        db.page("check_statuses", { ...runsOf(checkId, filter), ...rangeOf(filter) }, { signal }),
      staleTime: historyStaleMs,
      placeholderData: keepPreviousData,
      meta: { tables: ["checks"], rows: () => ({ checks: [checkId] }) },
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

  /** H5. */
  canarySpec: (canaryId: string) =>
    queryOptions({
      queryKey: ["health", "canary-spec", canaryId],
      queryFn: ({ signal }) =>
        db.first(
          "canaries",
          {
            select: embedding<{ name: string; spec: Record<string, unknown> }>("name,spec"),
            where: { id: eq(canaryId) },
          },
          { signal },
        ),
      meta: { tables: ["canaries"], rows: () => ({ canaries: [canaryId] }) },
    }),
};
