import { queryOptions } from "@tanstack/react-query";
import type { SecurityReply } from "@mainstay/contract/security.ts";
import { get } from "#lib/api.ts";

/** What weakens the server, the serious first. */
export const securityQuery = queryOptions({
  queryKey: ["security"],
  queryFn: async ({ signal }) => (await get<SecurityReply>("/api/security", { signal })).facts,
  staleTime: 0,
  meta: { tables: ["people_roles", "people", "access_tokens"] },
});
