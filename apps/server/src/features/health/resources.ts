import type { ResourceDeclaration } from "#platform/resource.ts";

export const canary: ResourceDeclaration = {
  kind: "canary",
  table: "canaries",
  read: "canaries",
  namespace: "canaries.namespace",
  search: {
    as: "canaries",
    fields: {
      id: "id",
      name: "text",
      agent_id: "agent",
      created_at: "date",
      updated_at: "date",
      deleted_at: "date",
      namespace: "text",
      source: "text",
      spec: "json",
    },
    icon: "canaries.spec ->> 'icon'",
    maps: ["labels"],
  },
};

export const check: ResourceDeclaration = {
  kind: "check",
  table: "checks",
  read: "canaries",
  namespace: "checks.namespace",
  search: {
    as: "checks",
    fields: {
      id: "id",
      name: "text",
      agent_id: "agent",
      created_at: "date",
      updated_at: "date",
      deleted_at: "date",
      namespace: "text",
      canary_id: "id",
      type: "text",
      status: "health",
      severity: "text",
      owner: "text",
      last_runtime: "date",
      last_transition_time: "date",
      spec: "json",
    },
    aliases: { health: "status", check_type: "type" },
    shown: { status: "case when checks.result_due < now() then 'unknown' else checks.status end" },
    icon: "checks.icon",
    maps: ["labels"],
    scope: { column: "canary_id", table: "canaries", called: "canary" },
  },
};
