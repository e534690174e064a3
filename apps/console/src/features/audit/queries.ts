import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { Rows } from "@mainstay/contract/rows.ts";
import { get } from "#lib/api.ts";
import { contains, db, eq, gte, isTrue, lte, oneOf, type Query, type RowPage } from "#lib/db.ts";
import { listOf } from "#lib/live-list.ts";
import type { UrlCodec } from "#lib/url-state.ts";
import { orderOf, pagedCodec, rangeOf } from "#lib/paged-view.ts";

/**
 * One change of one row. Of an update only what has changed is in `before` and `after`. PostgreSQL does not know of a
 * view's columns that they are never empty; of these it is so.
 */
export type AuditChange = Rows["audit_log"] &
  Pick<Rows["audit_entries"], "row_name" | "resource_type" | "resource_id" | "resource_name"> & {
    before: Record<string, unknown> | null;
    after: Record<string, unknown> | null;
  };

/** What somebody did, by one of its rows. */
export type AuditEntry = AuditChange & {
  /** All rows of the act, this one among them. */
  changes: readonly AuditChange[];
};

export const auditVerbs = ["insert", "update", "delete", "dry_run", "run", "abort"] as const;

const listCodec = pagedCodec({
  sortKeys: ["created_at", "actor_name"] as const,
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

/** What is looked for may be in any of the rows of an act. */
const isOfRows = ({ query, verb, resourceType }: AuditView) =>
  query.trim() !== "" || verb !== "" || resourceType !== "";

/** The rows that decide which acts are listed. */
const found = (view: AuditView): Query<"audit_entries", AuditChange> => {
  const text = view.query.trim();
  const part = contains(text);
  return {
    where: {
      is_first: isOfRows(view) ? undefined : isTrue,
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

/** Acts of which one row is as asked, each with that row, and how many there are. */
function findActs(
  { query, verb, resourceType, resourceId, sortBy, sortDesc }: AuditView,
  { limit, offset = 0 }: { limit: number; offset?: number },
  signal?: AbortSignal,
): Promise<RowPage<AuditChange>> {
  const asked = new URLSearchParams({ limit: String(limit), offset: String(offset) });
  const words = { query: query.trim(), verb, resource_type: resourceType, resource_id: resourceId };
  for (const [name, value] of Object.entries(words)) if (value !== "") asked.set(name, value);
  if (sortBy !== undefined) {
    asked.set("sortBy", sortBy);
    asked.set("sortOrder", sortDesc ? "desc" : "asc");
  }
  return get(`/api/audit/acts?${asked.toString()}`, signal && { signal });
}

const actOf = ({ actor_id, request_id, created_at }: AuditChange) =>
  [actor_id, request_id, created_at].join(" ");

/** Acts of one question, at most: the address holds the ids of their requests. */
const mostActs = 100;
/** Rows of one answer: of an act that wrote more only these are told, and those of the acts behind it are asked for anew. */
const mostChanges = 1_000;

/** The acts of some rows, each once, with all of their rows. */
async function asActs(rows: readonly AuditChange[], signal?: AbortSignal): Promise<AuditEntry[]> {
  const firsts = Array.from(Map.groupBy(rows, actOf).values(), ([first]) => first!);
  const acts = new Map(firsts.map((row) => [actOf(row), [row]]));
  for (let start = 0; start < firsts.length; start += mostActs) {
    let some = firsts
      .slice(start, start + mostActs)
      .filter(({ request_id }) => request_id !== null);
    while (some.length > 0) {
      const times = some.map(({ created_at }) => created_at).toSorted();
      const found = await db.list<"audit_entries", AuditChange>(
        "audit_entries",
        {
          where: {
            request_id: oneOf([...new Set(some.flatMap(({ request_id }) => request_id ?? []))]),
            created_at: [gte(times[0]!), lte(times.at(-1)!)],
          },
          order: ["created_at.desc", "id.asc"],
          limit: mostChanges,
        },
        signal && { signal },
      );
      for (const row of found) {
        const act = acts.get(actOf(row));
        if (act && !act.some(({ id }) => id === row.id)) act.push(row);
      }
      const last = found.length < mostChanges ? undefined : found.at(-1)?.created_at;
      some = some.filter(({ created_at }) => last !== undefined && created_at < last);
    }
  }
  return firsts.map((row) => ({ ...row, changes: acts.get(actOf(row)) ?? [row] }));
}

export const auditQueries = {
  page: (view: AuditView) => {
    const query = { ...found(view), ...rangeOf(view) };
    return queryOptions({
      queryKey: ["audit", view],
      queryFn: async ({ signal }) => {
        const { rows, total } = await (isOfRows(view)
          ? findActs(view, rangeOf(view), signal)
          : db.page("audit_entries", query, { signal }));
        return { rows: await asActs(rows, signal), total };
      },
      placeholderData: keepPreviousData,
      staleTime: 0,
      meta: { tables: ["audit_entries"], list: listOf("audit_entries", query) },
    });
  },
  all: async (view: AuditView, limit: number) =>
    asActs(
      isOfRows(view)
        ? (await findActs(view, { limit })).rows
        : await db.list("audit_entries", { ...found(view), limit }),
    ),
};
