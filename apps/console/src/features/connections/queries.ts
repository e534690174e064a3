import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { ApiError } from "#lib/api-error.ts";
import { get } from "#lib/api.ts";
import { contains, db, embedding, eq, isNull, type Query } from "#lib/db.ts";
import { listOf } from "#lib/live-list.ts";
import { orderOf, pagedCodec, rangeOf } from "#lib/paged-view.ts";
import type { ConnectionContent } from "./connection-form.ts";
import { typeLabels } from "./type-labels.ts";

interface Maker {
  id: string;
  name: string;
  avatar: string | null;
}

/** What the list shows of one. */
export interface ListedConnection {
  id: string;
  name: string;
  namespace: string;
  type: string;
  source: string | null;
  created_by: Maker | null;
  created_at: string | null;
  updated_at: string | null;
}

/** One with all that its form shows; a placeholder stands for what is secret. */
export type Connection = ListedConnection & ConnectionContent;

/** Where a connection is used. */
export interface ConnectionUse {
  /** As resources are called on the wire: `canary`. */
  kind: string;
  id: string;
  name: string;
  namespace: string;
  /** What of it names the connection. */
  place?: string;
}

export const connectionsKey = ["connections"] as const;

export const connectionsCodec = pagedCodec({
  sortKeys: ["name", "type", "namespace", "created_at", "updated_at"] as const,
  filters: { type: Object.keys(typeLabels) },
});
export type ConnectionsView = ReturnType<typeof connectionsCodec.parse>;

/** Which dialog is open: of a stored connection, or of a new one and its type. */
export interface OpenConnection {
  id: string | undefined;
  add: string | undefined;
}
export const openCodec = {
  parse: (raw: Record<string, string | undefined>): OpenConnection => ({
    id: raw["id"],
    add: raw["add"],
  }),
  format: ({ id, add }: OpenConnection) => ({ id, add }),
};
/** `add` while no type is picked. */
export const anyType = "true";

const maker = "created_by(id,name,avatar)";
const listed = embedding<ListedConnection>(
  `id,name,namespace,type,source,created_at,updated_at,${maker}`,
);
const whole = embedding<Connection>(`*,${maker}`);

const found = (view: ConnectionsView): Query<"connections", ListedConnection> => {
  const text = view.query.trim();
  const part = contains(text);
  return {
    select: listed,
    where: { deleted_at: isNull, type: view.type === "" ? undefined : eq(view.type) },
    ...(text !== "" && { anyOf: [{ name: part }, { namespace: part }, { type: part }] }),
    order: orderOf(view, ["created_at.desc", "id.asc"]),
  };
};

export const connectionQueries = {
  page: (view: ConnectionsView) => {
    const query = { ...found(view), ...rangeOf(view) };
    return queryOptions({
      queryKey: [...connectionsKey, "page", view],
      queryFn: ({ signal }) => db.page("connections", query, { signal }),
      placeholderData: keepPreviousData,
      staleTime: 0,
      meta: { tables: ["connections"], list: listOf("connections", query) },
    });
  },
  all: (view: ConnectionsView, limit: number) => db.list("connections", { ...found(view), limit }),
  /** Nothing where there is none. */
  one: (id: string) =>
    queryOptions({
      queryKey: [...connectionsKey, "one", id],
      queryFn: async ({ signal }) => {
        try {
          const where = { deleted_at: isNull, id: eq(id) };
          return await db.first("connections", { select: whole, where }, { signal });
        } catch (error) {
          // What is no id is no connection's.
          if (error instanceof ApiError && error.status === 400) return null;
          throw error;
        }
      },
      staleTime: 0,
      meta: { tables: ["connections"], rows: () => ({ connections: [id] }) },
    }),
  /** And the keys of secrets that went with the server's key. */
  uses: (id: string) =>
    queryOptions({
      queryKey: [...connectionsKey, "uses", id],
      queryFn: ({ signal }) =>
        get<{ uses: ConnectionUse[]; lost?: string[] }>(
          `/api/connection/${encodeURIComponent(id)}/uses`,
          { signal },
        ),
      staleTime: 0,
      meta: { speaksForItself: true },
    }),
};
