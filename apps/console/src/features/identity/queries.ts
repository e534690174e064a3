import { queryOptions } from "@tanstack/react-query";
import { listOtherSessions, readOwnSession } from "./front/calls.ts";

export const sessionQueries = {
  all: ["sessions"] as const,
  /** One's own sessions, the one in use first. */
  list: queryOptions({
    queryKey: ["sessions", "list"],
    queryFn: async ({ signal }) => {
      const [own, others] = await Promise.all([readOwnSession(signal), listOtherSessions(signal)]);
      return { own, others: others.filter((session) => session.id !== own.id) };
    },
    // Somebody who looks for a stranger's session wants to see what is true now.
    staleTime: 0,
  }),
};
