import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { Rows } from "@mainstay/contract/rows.ts";
import { contains, db, eq } from "#lib/db.ts";

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

export const auditQuery = ({ query, verb, pageIndex, pageSize }: AuditView) =>
  queryOptions({
    queryKey: ["audit", { query, verb, pageIndex, pageSize }],
    queryFn: ({ signal }) => {
      const text = query.trim();
      const part = contains(text);
      return db.page<"audit_entries", AuditEntry>(
        "audit_entries",
        {
          where: { verb: verb === "" ? undefined : eq(verb) },
          ...(text !== "" && {
            anyOf: [
              { actor_name: part },
              { table_name: part },
              { row_id: part },
              { row_name: part },
            ],
          }),
          order: ["created_at.desc", "id.desc"],
          limit: pageSize,
          offset: pageIndex * pageSize,
        },
        { signal },
      );
    },
    placeholderData: keepPreviousData,
    staleTime: 0,
    meta: { tables: ["audit_entries"] },
  });
