import { useMutation, useQueryClient } from "@tanstack/react-query";
import { post } from "#lib/api.ts";
import { runQueries } from "./queries.ts";

const address = (id: string) => `/api/topology/${encodeURIComponent(id)}`;

/** Has a topology looked up as soon as a worker is free; tells which run was its last before. */
export function useRunTopology(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async () => {
      const last = await client.fetchQuery(runQueries.last(id));
      await post(`${address(id)}/run`, {});
      return { before: last?.id };
    },
  });
}

/** Ends the run that is going on; nothing of it is saved. */
export const useAbortTopology = (id: string) =>
  useMutation({ mutationFn: () => post(`${address(id)}/abort`, {}) });
