import { queryOptions } from "@tanstack/react-query";
import type { Latency, Uptime } from "@mainstay/contract/health.ts";
import { db, embedding, eq } from "#lib/db.ts";

/** A check that belongs to an item of the catalog. */
export interface ItemCheck {
  id: string;
  name: string;
  type: string;
  status: string | null;
  description: string | null;
  namespace: string | null;
  canary_name: string | null;
  severity: string | null;
  last_runtime: string | null;
  last_transition_time: string | null;
  uptime: Uptime | null;
  latency: Latency | null;
}

export const itemCheckQueries = {
  /** C18 */
  ofItem: (itemId: string) =>
    queryOptions({
      queryKey: ["health", "checks of item", itemId],
      queryFn: ({ signal }) =>
        db.list(
          "check_summary_for_config",
          {
            select: embedding<ItemCheck>(
              "id,name,type,status,description,namespace,canary_name,severity,last_runtime,last_transition_time,uptime,latency",
            ),
            where: { config_id: eq(itemId) },
            order: ["name.asc"],
          },
          { signal },
        ),
      meta: { tables: ["checks"] },
    }),
};
