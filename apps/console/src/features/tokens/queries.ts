import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import type { AccessToken, CreatedAccessToken, NewAccessToken } from "@mainstay/contract/tokens.ts";
import { get, post, request } from "#lib/api.ts";

const tokensKey = ["tokens"] as const;

export const tokensQuery = (everybodys: boolean) =>
  queryOptions({
    queryKey: [...tokensKey, { everybodys }],
    queryFn: async ({ signal }) =>
      (
        await get<{ tokens: AccessToken[] }>(`/api/auth/tokens${everybodys ? "?all=true" : ""}`, {
          signal,
        })
      ).tokens,
    staleTime: 0,
    meta: { tables: ["access_tokens", "people_roles"] },
  });

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
