import { queryOptions } from "@tanstack/react-query";
import type { AccessToken } from "@mainstay/contract/tokens.ts";
import { get } from "#lib/api.ts";

export const tokensKey = ["tokens"] as const;

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
    meta: {
      tables: ["access_tokens", "people_roles"],
      rows: (tokens) => ({
        people_roles: (tokens as AccessToken[]).map(({ person }) => person.id),
      }),
    },
  });
