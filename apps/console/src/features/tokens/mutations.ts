import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { CreatedAccessToken, NewAccessToken } from "@mainstay/contract/tokens.ts";
import { post, request } from "#lib/api.ts";
import { tokensKey } from "./queries.ts";

export function useTokenChanges() {
  const client = useQueryClient();
  const onSuccess = () => client.invalidateQueries({ queryKey: tokensKey });
  return {
    create: useMutation({
      meta: { speaksForItself: true },
      mutationFn: (token: NewAccessToken) => post<CreatedAccessToken>("/api/auth/tokens", token),
      onSuccess,
    }),
    revoke: useMutation({
      mutationFn: ({ id }: { id: string }) =>
        request(`/api/auth/tokens/${encodeURIComponent(id)}`, { method: "DELETE" }),
      onSuccess,
    }),
  };
}
