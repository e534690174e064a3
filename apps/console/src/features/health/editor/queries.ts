import { queryOptions } from "@tanstack/react-query";
import type { ScriptTrial, ScriptTrialReply } from "@mainstay/contract/health.ts";
import type { Rows } from "@mainstay/contract/rows.ts";
import { post } from "#lib/api.ts";
import { columns, db, embedding, eq, isNull } from "#lib/db.ts";
import { listOf } from "#lib/live-list.ts";

type ContextCheck = Pick<Rows["checks"], "id" | "name" | "type" | "description" | "labels"> & {
  canary: Pick<Rows["canaries"], "id" | "name" | "namespace" | "labels"> | null;
};
type LastStatus = Pick<
  Rows["check_statuses"],
  "status" | "duration" | "message" | "error" | "details"
>;

/** Source: spec formats, section 5.3. */
function contextOf(check: ContextCheck, last: LastStatus): Record<string, unknown> {
  const { canary, ...own } = check;
  const { details } = last;
  const isMap = typeof details === "object" && details !== null && !Array.isArray(details);
  return {
    check: { ...own, description: own.description ?? "", labels: own.labels ?? {} },
    canary: canary && { ...canary, labels: canary.labels ?? {} },
    pass: last.status === true,
    duration: last.duration ?? 0,
    message: last.message ?? "",
    error: last.error ?? "",
    ...(isMap ? details : {}),
    results: (isMap ? (details as { results?: unknown }).results : undefined) ?? details ?? {},
  };
}

const allConnections = {
  select: columns("connections", "id", "name", "namespace", "type"),
  where: { deleted_at: isNull },
  order: ["name.asc"],
} as const;
/** Of checks that are being written. */
export const editorQueries = {
  /** What checks can be given to connect with. */
  connections: queryOptions({
    queryKey: ["health", "connections"],
    queryFn: ({ signal }) => db.list("connections", allConnections, { signal }),
    meta: { tables: ["connections"], list: listOf("connections", allConnections) },
  }),

  /** What scripts of a check are given: its last result; nothing where there is none. */
  lastContext: (of: { canaryId: string | undefined; checkType: string; checkName: string }) =>
    queryOptions({
      queryKey: ["health", "last-context", of],
      queryFn: async ({ signal }) => {
        const { canaryId, checkType, checkName } = of;
        if (canaryId === undefined) return null;
        const check = await db.first(
          "checks",
          {
            select: embedding<ContextCheck>(
              "id,name,type,description,labels,canary:canaries!checks_canary_id_fkey(id,name,namespace,labels)",
            ),
            where: { canary_id: eq(canaryId), type: eq(checkType), name: eq(checkName) },
          },
          { signal },
        );
        if (!check) return null;
        const last = await db.first(
          "check_statuses",
          {
            select: columns("check_statuses", "status", "duration", "message", "error", "details"),
            where: { check_id: eq(check.id) },
            order: ["time.desc"],
            limit: 1,
          },
          { signal },
        );
        return last && { checkId: check.id, context: contextOf(check, last) };
      },
      meta: { tables: ["checks"], speaksForItself: true },
      staleTime: 0,
    }),

  /** A script with a context, evaluated by the server; nothing is stored. */
  evaluated: (asked: ScriptTrial) =>
    queryOptions({
      queryKey: ["health", "evaluated", asked],
      queryFn: ({ signal }) => post<ScriptTrialReply>("/api/canary/script", asked, { signal }),
      gcTime: 0,
      retry: false,
      meta: { speaksForItself: true },
    }),
};
