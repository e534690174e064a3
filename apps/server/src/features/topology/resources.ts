import type { ResourceDeclaration } from "#platform/resource.ts";

export const component: ResourceDeclaration = {
  kind: "components",
  table: "components",
  read: "topologies",
  namespace: "components.namespace",
  search: {
    as: "components",
    fields: {
      id: "id",
      name: "text",
      agent_id: "agent",
      created_at: "date",
      updated_at: "date",
      deleted_at: "date",
      namespace: "text",
      topology_id: "id",
      parent_id: "id",
      external_id: "text",
      type: "text",
      status: "text",
      health: "health",
      owner: "text",
      topology_type: "text",
      lifecycle: "text",
      summary: "json",
    },
    aliases: { component_type: "type" },
    icon: "components.icon",
    maps: ["labels"],
    hasProperties: true,
    hasFieldSelector: true,
    scope: { column: "topology_id", called: "topology" },
  },
};

export const topologyResource: ResourceDeclaration = {
  kind: "topology",
  table: "topologies",
  read: "topologies",
  namespace: "topologies.namespace",
  search: {
    as: "topologies",
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
    icon: "topologies.spec ->> 'icon'",
    maps: ["labels"],
  },
};
