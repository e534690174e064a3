import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import type {
  LogAnswer,
  LogContext,
  LogHistogram,
  LogLabels,
  LogLine,
  LogSources,
} from "@mainstay/contract/logs/log-answers.ts";
import type { TopologyAnswer } from "@mainstay/contract/topology-answers.ts";
import { ApiError } from "#lib/api-error.ts";
import { get, post } from "#lib/api.ts";
import { columns, db, eq } from "#lib/db.ts";
import {
  heldPages,
  type LinePage,
  pageLines,
  type PagePlace,
  placeBefore,
  placeBehind,
} from "./line-pages.ts";
import type { LogsQuestion } from "./logs-view.ts";

type Source = Pick<LogsQuestion, "id" | "name" | "backend">;

/** How many lines before and after one it is opened with. */
const aroundLines = 100;
/** Of the moments that a question says, one below which nothing is known: ends are without their own millisecond. */
const moreMs = 1;

const pageOf = ({
  results,
  next,
  reached,
  total,
  notices = [],
  sources = [],
}: LogAnswer): LinePage => ({
  lines: results,
  total,
  notices,
  sources,
  ...(next !== undefined && { next }),
  ...(reached !== undefined && { reached }),
});

/** Where a page lies, as the server is asked for it. */
function askedAt(place: PagePlace, question: LogsQuestion) {
  switch (place.kind) {
    case "cursor":
      return { direction: place.direction, cursor: place.cursor };
    case "moment": {
      const moment = Date.parse(place.timestamp);
      return place.direction === "backward"
        ? { direction: "backward", end: new Date(moment + moreMs).toISOString() }
        : {
            direction: "forward",
            start: new Date(moment).toISOString(),
            ...(question.end !== undefined && { end: question.end }),
          };
    }
    case "newest":
    case "around":
    case "live":
      return {};
  }
}

async function readAround(
  question: LogsQuestion,
  line: string,
  signal: AbortSignal,
): Promise<LinePage | undefined> {
  const { id, name, backend, query } = question;
  try {
    const context = await post<LogContext>(
      "/api/logs/context",
      { id, name, backend, query, line, before: aroundLines, after: aroundLines },
      { signal },
    );
    return {
      lines: [...context.after.toReversed(), context.line, ...context.before.toReversed()],
      notices: context.notices ?? [],
      sources: [],
    };
  } catch (error) {
    // The page that was asked for is there, without its line.
    if (error instanceof ApiError && (error.status === 404 || error.status === 400))
      return undefined;
    throw error;
  }
}

const gone = "The line that the address names is not there any more.";

async function readPage(
  question: LogsQuestion,
  place: PagePlace,
  signal: AbortSignal,
): Promise<LinePage> {
  if (place.kind === "around") {
    const around = await readAround(question, place.line, signal);
    if (around) return around;
    const newest = await readPage(question, { kind: "newest" }, signal);
    return { ...newest, notices: [gone, ...newest.notices] };
  }
  const body = { ...question, limit: pageLines, ...askedAt(place, question) };
  return pageOf(await post<LogAnswer>("/api/logs", body, { signal }));
}

const firstPlace = (line: string): PagePlace =>
  line === "" ? { kind: "newest" } : { kind: "around", line };

const isOf = (question: LogsQuestion): readonly unknown[] => [
  question.id ?? "",
  question.name ?? "",
  question.backend ?? "",
  question.query ?? "",
  question.start,
  question.end ?? "",
];

export const logQueries = {
  /** L3, from a line or the newest on, and further both ways; `attempt` tells one asking from another. */
  lines: (question: LogsQuestion, { line, attempt }: { line: string; attempt: number }) =>
    infiniteQueryOptions({
      queryKey: ["logs", "lines", ...isOf(question), line, attempt],
      queryFn: ({ pageParam, signal }) => readPage(question, pageParam, signal),
      initialPageParam: firstPlace(line),
      getNextPageParam: (page, _pages, place) => placeBehind(page, place),
      getPreviousPageParam: (page, _pages, place) => placeBefore(page, place),
      maxPages: heldPages,
      // Asked again they would be another answer: that is for who reads them to say.
      staleTime: Infinity,
      gcTime: 60_000,
      refetchOnReconnect: false,
      structuralSharing: false,
      meta: { speaksForItself: true },
    }),

  histogram: (question: LogsQuestion, { attempt, buckets }: { attempt: number; buckets: number }) =>
    queryOptions({
      queryKey: ["logs", "histogram", ...isOf(question), buckets, attempt],
      queryFn: ({ signal }) =>
        post<LogHistogram>("/api/logs/histogram", { ...question, buckets }, { signal }),
      staleTime: Infinity,
      gcTime: 60_000,
      placeholderData: (before) => before,
      meta: { speaksForItself: true },
    }),

  /** What is around a line, whatever was searched for. */
  context: (source: Source, line: LogLine, lines: number) =>
    queryOptions({
      queryKey: ["logs", "context", source, line.id, lines],
      queryFn: ({ signal }) =>
        post<LogContext>(
          "/api/logs/context",
          {
            ...source,
            ...(line.backend !== undefined && { backend: line.backend }),
            line: line.id,
            timestamp: line.timestamp,
            before: lines,
            after: lines,
          },
          { signal },
        ),
      placeholderData: (before) => before,
      meta: { speaksForItself: true },
    }),

  /** Labels of lines that came lately, for completion. */
  labels: (source: Source) =>
    queryOptions({
      queryKey: ["logs", "labels", source],
      queryFn: async ({ signal }) => {
        const asked = new URLSearchParams({ ...source });
        const answer = await get<LogLabels>(`/api/logs/labels?${asked}`, { signal });
        return answer.labels;
      },
      staleTime: 60_000,
      meta: { speaksForItself: true },
    }),

  sources: () =>
    queryOptions({
      queryKey: ["logs", "sources"],
      queryFn: async ({ signal }) =>
        (await get<LogSources>("/api/logs/sources", { signal })).sources,
      meta: { tables: ["logging_backends"] },
    }),

  /** L1 */
  components: () =>
    queryOptions({
      queryKey: ["logs", "components"],
      queryFn: ({ signal }) =>
        db.list(
          "components_with_logs",
          {
            select: columns("components_with_logs", "id", "name", "icon", "type"),
            order: ["name.asc"],
          },
          { signal },
        ),
      meta: { tables: ["topology"] },
    }),

  /** L4 */
  componentName: (id: string) =>
    queryOptions({
      queryKey: ["logs", "component-name", id],
      queryFn: ({ signal }) =>
        db.first(
          "component_names",
          { select: columns("component_names", "id", "name"), where: { id: eq(id) } },
          { signal },
        ),
      enabled: id !== "",
      meta: { tables: ["topology"] },
    }),

  /** L2: the names of a component's selectors. */
  selectors: (id: string) =>
    queryOptions({
      queryKey: ["logs", "selectors", id],
      queryFn: async ({ signal }) => {
        const answer = await get<Partial<TopologyAnswer> | null>(
          `/api/topology?id=${encodeURIComponent(id)}`,
          { signal },
        );
        return (answer?.components?.[0]?.logs ?? []).map(({ name }) => name);
      },
      enabled: id !== "",
      meta: { tables: ["topology"] },
    }),
};
