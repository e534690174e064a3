import type { ResourceDeclaration } from "#platform/resource.ts";

export const loggingBackend: ResourceDeclaration = {
  kind: "logging_backend",
  table: "logging_backends",
  read: "logging_backends",
  namespace: "logging_backends.namespace",
  search: {
    as: "logging_backends",
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
    maps: ["labels"],
  },
};
