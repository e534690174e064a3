import { keepPreviousData, queryOptions, type QueryClient } from "@tanstack/react-query";
import type { HealthSummary } from "@mainstay/contract/health.ts";
import { formatRange, type TimeRange } from "@mainstay/ui/time-range/time-range.ts";
import { ApiError } from "#lib/api-error.ts";
import { request } from "#lib/api.ts";
import { columns, db, oneOf } from "#lib/db.ts";
import { rangeParams } from "./check/health-range.ts";

/** The summary and the tag by which the server can say that nothing changed. */
export interface TaggedSummary {
  url: string;
  tag: string | null;
  summary: HealthSummary;
}

const noAgent = "00000000-0000-0000-0000-000000000000";

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

/** Those of an open check are `checkQueries`, those of the editor `editorQueries`: each is fetched with its room. */
export const healthQueries = {
  /** H1. What was shown stays until the next answer, also while another range is asked for. */
  summary: (range: TimeRange, client: QueryClient) => {
    const queryKey = ["health", "summary", formatRange(range)];
    return queryOptions({
      queryKey,
      queryFn: ({ signal }) =>
        readSummary(
          `/api/canary/api/summary?${new URLSearchParams(rangeParams(range, Date.now()))}`,
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
