import sql from "sql-template-tag";
import { byIds, type SnapshotPart } from "./part.ts";

export const components: SnapshotPart = {
  file: "components",
  title: "Components",
  read: "topologies",
  columns: [
    "id",
    "name",
    "type",
    "health",
    "status",
    "status_reason",
    "description",
    "namespace",
    "owner",
    "labels",
    "properties",
    "parent_id",
    "topology_id",
    "external_id",
    "config_id",
    "agent_id",
    "created_at",
    "updated_at",
    "deleted_at",
  ],
  shown: ["name", "type", "health", "status", "status_reason", "deleted_at"],
  rows: (source) =>
    byIds(source, {
      ids: source.scope.componentIds,
      portion: 200,
      select: (ids) => sql`
        select id, name, type, health, status, status_reason, description, namespace, owner, labels, properties, parent_id,
               topology_id, external_id, config_id, agent_id, created_at, updated_at, deleted_at
          from components where id = any (${[...ids]}::uuid[])`,
    }),
};
