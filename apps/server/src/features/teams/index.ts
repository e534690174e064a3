import type { Feature } from "#platform/feature.ts";
import { tables } from "./tables.ts";

export { joinTeams } from "./join-teams.ts";

/** Teams and who is in them. */
export const teams: Feature = {
  name: "teams",
  tables,
  views: new URL("./views.sql", import.meta.url),
};
