import type { ResourceDeclaration } from "#platform/resource.ts";

/** Neither address nor user name is searched: the one may name a customer, the other is half of a login. */
export const connection: ResourceDeclaration = {
  kind: "connection",
  table: "connections",
  read: "connections",
  namespace: "connections.namespace",
  search: {
    as: "connections",
    fields: {
      id: "id",
      name: "text",
      namespace: "text",
      type: "text",
      created_at: "date",
      updated_at: "date",
      deleted_at: "date",
    },
    icon: "connections.type",
    maps: ["labels"],
  },
};
