import { keepPreviousData, queryOptions, type QueryClient } from "@tanstack/react-query";
import type {
  HealthGraph,
  HealthSummary,
  ScriptTrial,
  ScriptTrialReply,
} from "@mainstay/contract/health.ts";
import type { Rows } from "@mainstay/contract/rows.ts";
import { formatRange, type TimeRange } from "@mainstay/ui/time-range/time-range.ts";
import { ApiError } from "#lib/api-error.ts";
import { get, post, request } from "#lib/api.ts";
import { columns, db, embedding, eq, gt, gte, isNull, lt, oneOf, type Query } from "#lib/db.ts";
import { listOf } from "#lib/live-list.ts";
import { orderOf, type PagedView, rangeOf } from "#lib/paged-view.ts";
import { historyStart, rangeParams } from "./check/health-range.ts";

/** The summary and the tag by which the server can say that nothing changed. */
export interface TaggedSummary {
  url: string;
  tag: string | null;
  summary: HealthSummary;
}

type Named = { id: string; name: string };

/** H2. */
export type CheckRowDetail = Pick<Rows["checks"], "id" | "canary_id" | "name" | "type"> &
  Partial<Omit<Rows["checks"], "labels" | "spec">> & {
    labels?: Record<string, string> | null;
    spec?: { severity?: string } | null;
    canaries?: Pick<Rows["canaries"], "id" | "name" | "source"> | null;
    agents?: Named | null;
  };

/** One row of H4. */
export type CheckRun = Pick<Rows["check_statuses"], "time"> & {
  duration: number;
  status: boolean;
} & Partial<Pick<Rows["check_statuses"], "message" | "error">>;

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

type ContextCheck = Pick<Rows["checks"], "id" | "name" | "type" | "description" | "labels"> & {
  canary: Pick<Rows["canaries"], "id" | "name" | "namespace" | "labels"> | null;
};
type LastStatus = Pick<
  Rows["check_statuses"],
  "status" | "duration" | "message" | "error" | "details"
>;

/** Source: spec formats, section 5.3. */
function contextOf(check: ContextCheck, last: LastStatus): Record<string, unknown> {
  const { canary, ...own } = check;
  const { details } = last;
  const isMap = typeof details === "object" && details !== null && !Array.isArray(details);
  return {
    check: { ...own, description: own.description ?? "", labels: own.labels ?? {} },
    canary: canary && { ...canary, labels: canary.labels ?? {} },
    pass: last.status === true,
    duration: last.duration ?? 0,
    message: last.message ?? "",
    error: last.error ?? "",
    ...(isMap ? details : {}),
    results: (isMap ? (details as { results?: unknown }).results : undefined) ?? details ?? {},
  };
}

const allConnections = {
  select: columns("connections", "id", "name", "namespace", "type"),
  where: { deleted_at: isNull },
  order: ["name.asc"],
} as const;
const noAgent = "00000000-0000-0000-0000-000000000000";
const historyStaleMs = 10_000;
/** The server says when the state of a check changes; whether it has run again is asked. */
export const runAgainMs = 10_000;
const graphPoints = 300;

async function readSummary(
  url: string,
  known: TaggedSummary | undefined,
  signal: AbortSignal,
): Promise<TaggedSummary> {
  const tag = known?.url === url ? known.tag : null;
  const reply = await request(url, {
    signal,
    headers: tag === null ? {} : { "If-None-Match": tag },
  });
  if (reply.status === 304 && known) return known;
  const summary = reply.data as HealthSummary | null;
  if (!summary || typeof summary !== "object") {
    throw new ApiError("The server's health summary has no content.", {
      status: reply.status,
      request: url,
    });
  }
  // A server without checks leaves the list out.
  return {
    url,
    tag: reply.headers.get("etag"),
    summary: { ...summary, checks_summary: summary.checks_summary ?? [] },
  };
}

const search = (params: Record<string, string | undefined>): string => {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params))
    if (value !== undefined) query.set(name, value);
  return query.toString();
};

export const healthQueries = {
  /** H1. What was shown stays until the next answer, also while another range is asked for. */
  summary: (range: TimeRange, client: QueryClient) => {
    const queryKey = ["health", "summary", formatRange(range)];
    return queryOptions({
      queryKey,
      queryFn: ({ signal }) =>
        readSummary(
          `/api/canary/api/summary?${search(rangeParams(range, Date.now()))}`,
          client.getQueryData<TaggedSummary>(queryKey),
          signal,
        ),
      // Comparing ten thousand checks one by one costs more than drawing the few that are seen.
      structuralSharing: false,
      placeholderData: keepPreviousData,
      staleTime: 0,
      retry: false,
      meta: { tables: ["canaries", "checks"], speaksForItself: true },
    });
  },

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
          `/api/canary/api/graph?${search({ check: checkId, count: String(graphPoints), ...rangeParams(range, Date.now()) })}`,
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

  /** What checks can be given to connect with. */
  connections: queryOptions({
    queryKey: ["health", "connections"],
    queryFn: ({ signal }) => db.list("connections", allConnections, { signal }),
    meta: { tables: ["connections"], list: listOf("connections", allConnections) },
  }),

  /** What scripts of a check are given: its last result; nothing where there is none. */
  lastContext: (of: { canaryId: string | undefined; checkType: string; checkName: string }) =>
    queryOptions({
      queryKey: ["health", "last-context", of],
      queryFn: async ({ signal }) => {
        const { canaryId, checkType, checkName } = of;
        if (canaryId === undefined) return null;
        const check = await db.first(
          "checks",
          {
            select: embedding<ContextCheck>(
              "id,name,type,description,labels,canary:canaries!checks_canary_id_fkey(id,name,namespace,labels)",
            ),
            where: { canary_id: eq(canaryId), type: eq(checkType), name: eq(checkName) },
          },
          { signal },
        );
        if (!check) return null;
        const last = await db.first(
          "check_statuses",
          {
            select: columns("check_statuses", "status", "duration", "message", "error", "details"),
            where: { check_id: eq(check.id) },
            order: ["time.desc"],
            limit: 1,
          },
          { signal },
        );
        return last && { checkId: check.id, context: contextOf(check, last) };
      },
      meta: { tables: ["checks"], speaksForItself: true },
      staleTime: 0,
    }),

  /** A script with a context, evaluated by the server; nothing is stored. */
  evaluated: (asked: ScriptTrial) =>
    queryOptions({
      queryKey: ["health", "evaluated", asked],
      queryFn: ({ signal }) => post<ScriptTrialReply>("/api/canary/script", asked, { signal }),
      gcTime: 0,
      retry: false,
      meta: { speaksForItself: true },
    }),

  agentNames: (agentIds: readonly string[]) =>
    queryOptions({
      queryKey: ["health", "agent-names", agentIds],
      queryFn: async ({ signal }) => {
        const known = agentIds.filter((id) => id !== noAgent);
        if (known.length === 0) return new Map<string, string>();
        const rows = await db.list(
          "agents",
          { select: columns("agents", "id", "name", "description"), where: { id: oneOf(known) } },
          { signal },
        );
        return new Map(rows.map(({ id, name }) => [id, name]));
      },
    }),
};
