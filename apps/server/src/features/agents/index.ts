import type { Feature } from "#platform/feature.ts";
import { table } from "#platform/table.ts";

/** Instances elsewhere that push what they see; for now the one that is here, which everything refers to. */
export const agents: Feature = {
  name: "agents",
  open: ["agents"],
  resources: [{ kind: "agent", table: "agents", read: "agents" }],
  tables: [
    table("agents", {
      read: "agents",
      columns: [
        "id",
        "name",
        "description",
        "created_at",
        "updated_at",
        "deleted_at",
        "last_seen",
        "last_received",
      ],
    }),
  ],
};
