import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { Rows } from "@mainstay/contract/rows.ts";
import { ApiError } from "#lib/api-error.ts";
import { pageRows } from "#lib/db.ts";

/**
 * One change of one row. Of an update only what has changed is in `before` and `after`. PostgreSQL does not know of a
 * view's columns that they are never empty; of these it is so.
 */
export type AuditEntry = Rows["audit_log"] &
  Pick<Rows["audit_entries"], "row_name"> & {
    before: Record<string, unknown> | null;
    after: Record<string, unknown> | null;
  };

export interface AuditView {
  /** Part of the actor's name, the table's or the row's. */
  query: string;
  verb: string;
  pageIndex: number;
  pageSize: number;
}

/** What a text must not mean in a filter: separators are quoted, wildcards stand for themselves. */
const quoted = (text: string) => `"*${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}*"`;

export const auditQuery = ({ query, verb, pageIndex, pageSize }: AuditView) =>
  queryOptions({
    queryKey: ["audit", { query, verb, pageIndex, pageSize }],
    queryFn: async ({ signal }) => {
      const search = new URLSearchParams({
        order: "created_at.desc,id.desc",
        limit: String(pageSize),
        offset: String(pageIndex * pageSize),
      });
      if (verb !== "") search.set("verb", `eq.${verb}`);
      const text = query.trim();
      if (text !== "")
        search.set(
          "or",
          `(${["actor_name", "table_name", "row_id", "row_name"].map((column) => `${column}.ilike.${quoted(text)}`).join(",")})`,
        );
      const ask = () => pageRows<AuditEntry>(`audit_entries?${search.toString()}`, { signal });
      try {
        return await ask();
      } catch (error) {
        if (!(error instanceof ApiError) || error.status !== 416) throw error;
        // Beyond the last page; how many there are is told at the first.
        search.set("offset", "0");
        search.set("limit", "1");
        return { rows: [], total: (await ask()).total };
      }
    },
    placeholderData: keepPreviousData,
    staleTime: 0,
    meta: { tables: ["audit_entries"] },
  });
