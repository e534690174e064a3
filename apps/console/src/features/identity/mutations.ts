import { useMutation, useQueryClient } from "@tanstack/react-query";
import { toastDone } from "@mainstay/ui/toasts.ts";
import { revokeOtherSessions, revokeSession } from "./front/calls.ts";
import { sessionQueries } from "./queries.ts";

/** Ends one session, or without an id all but one's own. */
export function useRevokeSession() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (sessionId: string | null) =>
      sessionId === null ? revokeOtherSessions() : revokeSession(sessionId),
    onSuccess: (_answer, sessionId) =>
      toastDone(sessionId === null ? "Signed out everywhere else" : "Signed out there"),
    onSettled: () => client.invalidateQueries({ queryKey: sessionQueries.all }),
  });
}
