import type { Feature } from "#platform/feature.ts";
import { tables } from "./tables.ts";

export { joinTeams } from "./join-teams.ts";

/** Teams and who is in them. */
export const teams: Feature = {
  name: "teams",
  resources: [
    {
      kind: "team",
      table: "teams",
      read: "database",
      search: {
        as: "teams",
        fields: {
          id: "id",
          name: "text",
          created_at: "date",
          updated_at: "date",
          deleted_at: "date",
          source: "text",
          spec: "json",
        },
        icon: "teams.icon",
      },
    },
  ],
  rowsAbout: [
    {
      table: "team_members",
      kind: "team",
      member: { kind: "person", id: "\"row\" ->> 'person_id'" },
    },
  ],
  tables,
  views: new URL("./views.sql", import.meta.url),
};
