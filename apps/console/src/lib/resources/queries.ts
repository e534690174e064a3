import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { Rows } from "@mainstay/contract/rows.ts";
import type { Column } from "@mainstay/ui/data-table/column.ts";
import { contains, db, embedding, isNull, type Query, type TableName } from "../db.ts";
import { orderOf, type PagedView, rangeOf } from "../paged-view.ts";

type StatusColumn =
  | "id"
  | "name"
  | "source"
  | "created_at"
  | "updated_at"
  | "job_name"
  | "job_status"
  | "job_details"
  | "job_last_failed";
/** The views in which rows of a kind stand with the last of their jobs: `canaries_with_status`. */
export type StatusView = {
  [Table in TableName]: StatusColumn extends keyof Rows[Table] ? Table : never;
}[TableName];

/** A row of such a view. What not every kind has may be missing. */
export interface ListedResource {
  id: string;
  name: string;
  icon?: string | null;
  namespace?: string | null;
  schedule?: string | null;
  labels?: Readonly<Record<string, string>> | null;
  source: string | null;
  created_at: string | null;
  updated_at: string | null;
  created_by: { id: string; name: string; avatar: string | null } | null;
  last_runtime?: string | null;
  agent?: { id: string | null; name: string | null } | null;
  job_name: string | null;
  job_status: string | null;
  job_details: unknown;
  job_hostname: string | null;
  job_duration_millis: number | null;
  job_time_start: string | null;
  job_last_failed: string | null;
}

/** How a kind is listed (document 3, "Generic settings list"). */
export interface ListedKind<Row extends ListedResource = ListedResource> {
  /** The wire's name of one. */
  kind: string;
  view: StatusView;
  /** The table whose changes are followed. */
  table: TableName;
  /** What its rows do not have, or its list does not show. */
  without: readonly ("namespace" | "schedule" | "labels")[];
  /** When one ran last; of most kinds its last job tells. */
  lastRun?: "last_runtime";
  /** What only its list shows: columns after the name, what is read for them, and the tables that it comes from. */
  own?: {
    columns: readonly Column<Row>[];
    select: string;
    tables: readonly TableName[];
  };
}

export const sortKeysOf = <Row extends ListedResource>({ without, lastRun }: ListedKind<Row>) =>
  (
    [
      "name",
      "source",
      "namespace",
      "schedule",
      "job_status",
      lastRun ?? "job_time_start",
      "job_last_failed",
      "created_at",
      "updated_at",
    ] as const
  ).filter((key) => !(without as readonly string[]).includes(key));
export type ResourceSortKey = ReturnType<typeof sortKeysOf>[number];
export type ResourceView = PagedView<ResourceSortKey>;

/** The views are alike in what is asked of them here; the compiler is told of one. */
type AnyView = "canaries_with_status";

function found<Row extends ListedResource>(
  { without, own }: ListedKind<Row>,
  view: ResourceView,
): Query<AnyView, Row> {
  const text = view.query.trim();
  const part = contains(text);
  return {
    select: embedding<Row>(["*,created_by(id,name,avatar)", own?.select].filter(Boolean).join(",")),
    where: { deleted_at: isNull },
    ...(text !== "" && {
      anyOf: without.includes("namespace")
        ? [{ name: part }]
        : [{ name: part }, { namespace: part }],
    }),
    order: orderOf(view, ["created_at.desc", "id.desc"]),
  };
}

/** Of jobs nobody announces how they end. */
const refetchMs = 15_000;

export const resourceQueries = {
  /** X1, in pages instead of the first hundred. */
  page: <Row extends ListedResource>(of: ListedKind<Row>, view: ResourceView) =>
    queryOptions({
      queryKey: ["resources", of.view, view],
      queryFn: ({ signal }) =>
        db.page<AnyView, Row>(
          of.view as AnyView,
          { ...found(of, view), ...rangeOf(view) },
          { signal },
        ),
      placeholderData: keepPreviousData,
      staleTime: 0,
      refetchInterval: refetchMs,
      meta: { tables: [of.table, ...(of.own?.tables ?? [])] },
    }),
  all: <Row extends ListedResource>(of: ListedKind<Row>, view: ResourceView, limit: number) =>
    db.list<AnyView, Row>(of.view as AnyView, { ...found(of, view), limit }),
};
