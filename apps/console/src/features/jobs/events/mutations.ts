import { useMutation, useQueryClient } from "@tanstack/react-query";
import { post } from "#lib/api.ts";
import { deliveriesKey } from "./queries.ts";

/** Which parked deliveries: these, or all of a handler. */
export type Retried = { ids: readonly number[] } | { handler: string };

export function useRetryDeliveries() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (which: Retried) => post<{ retried: number }>("/api/event-deliveries/retry", which),
    // Also what was refused may have been because of what is not shown yet.
    onSettled: () => client.invalidateQueries({ queryKey: deliveriesKey }),
  });
}
