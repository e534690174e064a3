import { queryOptions } from "@tanstack/react-query";
import type { Rows } from "@mainstay/contract/rows.ts";
import { columns, db, eq } from "#lib/db.ts";

export type TopologyRun = Pick<Rows["job_histories"], "id" | "status" | "details">;

const select = columns("job_histories", "id", "status", "details");

/** Nobody announces how a run goes on, or that one begins by the clock. */
const askedMs = { whileRunning: 1_000, else: 5_000 };

export const isRunning = (run: TopologyRun | null | undefined): boolean =>
  run?.status?.toUpperCase() === "RUNNING";

export const runQueries = {
  /** The newest run of a topology; asked for more often while another one than `before` is waited for. */
  last: (id: string, before?: { id: string | null | undefined }) =>
    queryOptions({
      queryKey: ["topology", "runs", id, "last"],
      queryFn: async ({ signal }): Promise<TopologyRun | null> =>
        db.first(
          "job_histories",
          {
            select,
            where: { resource_type: eq("topology"), resource_id: eq(id), name: eq("Topology") },
            order: ["created_at.desc", "id.desc"],
            limit: 1,
          },
          { signal },
        ),
      staleTime: 0,
      refetchInterval: ({ state }) =>
        isRunning(state.data) || (before && state.data?.id === before.id)
          ? askedMs.whileRunning
          : askedMs.else,
      meta: { speaksForItself: true },
    }),
};
