import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { Rows } from "@mainstay/contract/rows.ts";
import type { Column } from "@mainstay/ui/data-table/column.ts";
import { contains, db, embedding, isNotNull, isNull, type Query, type TableName } from "../db.ts";
import { orderOf, type PagedView, rangeOf } from "../paged-view.ts";

type ListedColumn =
  | "id"
  | "name"
  | "source"
  | "created_at"
  | "updated_at"
  | "created_by"
  | "deleted_at";
type JobColumn = "job_name" | "job_status" | "job_details" | "job_last_failed";
type With<Column extends string> = {
  [Table in TableName]: Column extends keyof Rows[Table] ? Table : never;
}[TableName];
/** What can be listed. */
export type ListedTable = With<ListedColumn>;
/** The views in which rows of a kind stand with the last of their jobs: `canaries_with_status`. */
export type StatusView = With<ListedColumn | JobColumn>;

/** A row of such a view, or of a table. What not every kind has may be missing. */
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
  job_name?: string | null;
  job_status?: string | null;
  job_details?: unknown;
  job_hostname?: string | null;
  job_duration_millis?: number | null;
  job_time_start?: string | null;
  job_last_failed?: string | null;
}

/** How a kind is listed (document 3, "Generic settings list"). */
export interface ListedKind<Row extends ListedResource = ListedResource> {
  /** The wire's name of one. */
  kind: string;
  /** Where its rows stand with the last of their jobs. A kind without one has no jobs, and is read from its table. */
  view?: StatusView;
  /** The table whose changes are followed. */
  table: ListedTable;
  /** What its rows do not have, or its list does not show. */
  without: readonly ("namespace" | "schedule" | "labels")[];
  /** Columns that the reader finds in the menu of columns: what its own ones leave no room for. */
  startsHidden?: readonly ("labels" | "updated_at" | "created_by")[];
  /** Rows of several tables embed nothing: who made one stands in columns beside it. */
  creatorIs?: "in columns";
  /** When one ran last; of most kinds its last job tells. */
  lastRun?: "last_runtime";
  /** What its mark is drawn of, where the rows have no icon of their own: the type of a scraper. */
  iconOf?: (row: Row) => string | undefined;
  /** What only its list shows: columns after the name, what is read for them, and the tables that it comes from. */
  own?: {
    columns: readonly Column<Row>[];
    select?: string;
    tables?: readonly TableName[];
    /** What is searched besides names: rows of other tables, that are embedded as `found` with those alone that match. */
    search?: {
      select: string;
      /** Of the embedded rows: `found.people.name`. */
      column: string;
      placeholder: string;
    };
  };
}

/** What only jobs tell. */
const jobKeys: readonly string[] = ["job_status", "job_time_start", "job_last_failed"];

/** Whether the list of a kind shows a column. */
export const shows =
  <Row extends ListedResource>({ without, view }: ListedKind<Row>) =>
  (column: string): boolean =>
    !(without as readonly string[]).includes(column) &&
    (view !== undefined || !jobKeys.includes(column));

export const sortKeysOf = <Row extends ListedResource>(of: ListedKind<Row>) =>
  (
    [
      "name",
      "source",
      "namespace",
      "schedule",
      "job_status",
      of.lastRun ?? "job_time_start",
      "job_last_failed",
      "created_at",
      "updated_at",
    ] as const
  ).filter(shows(of));
export type ResourceSortKey = ReturnType<typeof sortKeysOf>[number];
export type ResourceView = PagedView<ResourceSortKey>;

/** The views are alike in what is asked of them here; the compiler is told of one. */
type AnyView = "canaries_with_status";
const rowsOf = <Row extends ListedResource>({ view, table }: ListedKind<Row>) =>
  (view ?? table) as AnyView;

function found<Row extends ListedResource>(
  { without, own, creatorIs }: ListedKind<Row>,
  view: ResourceView,
): Query<AnyView, Row> {
  const text = view.query.trim();
  const part = contains(text);
  const search = text === "" ? undefined : own?.search;
  const read = [creatorIs ? "*" : "*,created_by(id,name,avatar)", own?.select, search?.select];
  return {
    select: embedding<Row>(read.filter((one) => one !== undefined).join(",")),
    // Of what is embedded the compiler knows no names.
    where: { deleted_at: isNull, ...(search && { [search.column]: part }) },
    ...(text !== "" && {
      anyOf: [
        { name: part },
        ...(without.includes("namespace") ? [] : [{ namespace: part }]),
        ...(search ? [{ found: isNotNull } as object] : []),
      ],
    }),
    order: orderOf(view, ["created_at.desc", "id.desc"]),
  };
}

/** As a row of `integrations_with_status` tells who made it. */
interface ToldCreator {
  created_by: unknown;
  creator_name?: string | null;
  creator_avatar?: string | null;
}

/** The rows, each with who made it as every other list has it. */
const withCreators = <Row extends ListedResource>(
  { creatorIs }: ListedKind<Row>,
  rows: readonly Row[],
): Row[] =>
  creatorIs === undefined
    ? [...rows]
    : rows.map((row) => {
        const { created_by: id, creator_name, creator_avatar } = row as ToldCreator;
        const creator =
          typeof id === "string"
            ? { id, name: creator_name ?? "", avatar: creator_avatar ?? null }
            : null;
        return { ...row, created_by: creator };
      });

/** Of jobs nobody announces how they end. */
const refetchMs = 15_000;

export const resourceQueries = {
  /** X1, in pages instead of the first hundred. */
  page: <Row extends ListedResource>(of: ListedKind<Row>, view: ResourceView) =>
    queryOptions({
      queryKey: ["resources", of.kind, view],
      queryFn: async ({ signal }) => {
        const query = { ...found(of, view), ...rangeOf(view) };
        const page = await db.page<AnyView, Row>(rowsOf(of), query, { signal });
        return { ...page, rows: withCreators(of, page.rows) };
      },
      placeholderData: keepPreviousData,
      staleTime: 0,
      refetchInterval: of.view !== undefined && refetchMs,
      meta: { tables: [of.table, ...(of.own?.tables ?? [])] },
    }),
  all: async <Row extends ListedResource>(of: ListedKind<Row>, view: ResourceView, limit: number) =>
    withCreators(of, await db.list<AnyView, Row>(rowsOf(of), { ...found(of, view), limit })),
};
