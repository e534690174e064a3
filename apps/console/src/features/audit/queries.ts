import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { Rows } from "@mainstay/contract/rows.ts";
import { contains, db, eq, type Query } from "#lib/db.ts";
import { listOf } from "#lib/live-list.ts";
import type { UrlCodec } from "#lib/url-state.ts";
import { orderOf, pagedCodec, rangeOf } from "#lib/paged-view.ts";

/**
 * One change of one row. Of an update only what has changed is in `before` and `after`. PostgreSQL does not know of a
 * view's columns that they are never empty; of these it is so.
 */
export type AuditEntry = Rows["audit_log"] &
  Pick<Rows["audit_entries"], "row_name" | "resource_type" | "resource_id" | "resource_name"> & {
    before: Record<string, unknown> | null;
    after: Record<string, unknown> | null;
  };

export const auditVerbs = ["insert", "update", "delete", "dry_run", "run"] as const;

const listCodec = pagedCodec({
  sortKeys: ["created_at", "actor_name", "table_name"] as const,
  filters: { verb: auditVerbs },
});
export type AuditView = ReturnType<typeof listCodec.parse> & {
  /** Whose history it is; of everything when empty. */
  resourceType: string;
  resourceId: string;
};
export const auditCodec: UrlCodec<AuditView> = {
  parse: (raw) => ({
    ...listCodec.parse(raw),
    resourceType: raw["resource_type"] ?? "",
    resourceId: raw["resource_id"] ?? "",
  }),
  format: ({ resourceType, resourceId, ...view }) => ({
    ...listCodec.format(view),
    resource_type: resourceType || undefined,
    resource_id: resourceId || undefined,
  }),
};

const found = (view: AuditView): Query<"audit_entries", AuditEntry> => {
  const text = view.query.trim();
  const part = contains(text);
  return {
    where: {
      verb: view.verb === "" ? undefined : eq(view.verb),
      resource_type: view.resourceType === "" ? undefined : eq(view.resourceType),
      resource_id: view.resourceId === "" ? undefined : eq(view.resourceId),
    },
    ...(text !== "" && {
      anyOf: [{ actor_name: part }, { table_name: part }, { row_id: part }, { row_name: part }],
    }),
    order: orderOf(view, ["created_at.desc", "id.desc"]),
  };
};

export const auditQueries = {
  page: (view: AuditView) => {
    const query = { ...found(view), ...rangeOf(view) };
    return queryOptions({
      queryKey: ["audit", view],
      queryFn: ({ signal }) => db.page("audit_entries", query, { signal }),
      placeholderData: keepPreviousData,
      staleTime: 0,
      meta: { tables: ["audit_entries"], list: listOf("audit_entries", query) },
    });
  },
  all: (view: AuditView, limit: number) => db.list("audit_entries", { ...found(view), limit }),
};
