import sql from "sql-template-tag";
import { byIds, byOwners, type SnapshotPart } from "./part.ts";

export const checks: SnapshotPart = {
  file: "checks",
  title: "Checks",
  read: "canaries",
  columns: [
    "id",
    "name",
    "type",
    "status",
    "message",
    "namespace",
    "description",
    "labels",
    "owner",
    "severity",
    "canary_id",
    "agent_id",
    "last_runtime",
    "last_transition_time",
    "created_at",
    "deleted_at",
  ],
  shown: ["name", "type", "status", "message", "last_transition_time"],
  rows: (source) =>
    byIds(source, {
      ids: source.scope.checkIds,
      portion: 500,
      // What is overdue is unknown to every reader.
      select: (ids) => sql`
        select k.id, k.name, k.type, case when k.result_due < now() then 'unknown' else k.status end as status,
               case when k.result_due < now() then 'Its result is overdue.' else
                 left(coalesce(t.held, t.untried, nullif(t.error, ''), t.message), 10000) end as message,
               k.namespace, k.description, k.labels, k.owner, k.severity, k.canary_id, k.agent_id, k.last_runtime,
               k.last_transition_time, k.created_at, k.deleted_at
          from checks k left join check_totals t on t.check_id = k.id
         where k.id = any (${[...ids]}::uuid[])`,
    }),
};

export const results: SnapshotPart = {
  file: "check_statuses",
  title: "Results of checks",
  read: "canaries",
  columns: ["check_id", "check_name", "time", "status", "duration", "message", "error"],
  shown: ["check_name", "time", "status", "duration", "message", "error"],
  rows: (source) =>
    byOwners(source, {
      owners: source.scope.checkIds,
      owner: "check",
      most: 50_000,
      portion: 1_000,
      matching: sql`from check_statuses s where s.check_id = owner.id
                     and s.time >= ${source.range.start} and s.time < ${source.range.end}`,
      columns: sql`s.check_id, (select k.name from checks k where k.id = s.check_id) as check_name, s.time,
                   case s.status when true then 'passed' when false then 'failed' else 'untried' end as status,
                   s.duration, left(s.message, 10000) as message, left(s.error, 10000) as error`,
      time: sql`s.time`,
    }),
};
