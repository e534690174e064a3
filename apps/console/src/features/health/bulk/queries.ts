import { queryOptions } from "@tanstack/react-query";
import { columns, db, oneOf } from "#lib/db.ts";
import type { CanaryFacts } from "./plan-bulk.ts";

/** Ids in one address. */
const atOnce = 100;

export const bulkQueries = {
  /** What of canaries decides whether they can be changed; those that are gone are not among them. */
  canaries: (ids: readonly string[]) =>
    queryOptions({
      queryKey: ["health", "bulk-canaries", ids],
      queryFn: async ({ signal }): Promise<ReadonlyMap<string, CanaryFacts>> => {
        const found = new Map<string, CanaryFacts>();
        for (let at = 0; at < ids.length; at += atOnce) {
          const rows = await db.list(
            "canaries",
            {
              select: columns("canaries", "id", "source", "agent_id", "deleted_at"),
              where: { id: oneOf(ids.slice(at, at + atOnce)) },
            },
            { signal },
          );
          for (const row of rows) if (row.deleted_at === null) found.set(row.id, row);
        }
        return found;
      },
      staleTime: 0,
      meta: { tables: ["canaries"] },
    }),
};
