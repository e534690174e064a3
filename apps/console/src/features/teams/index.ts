import { UsersRound } from "lucide-react";
import type { ConsoleFeature } from "#lib/page.ts";
import { paths, patterns } from "#lib/paths.ts";

export const teams: ConsoleFeature = {
  name: "teams",
  resources: [
    {
      kind: "team",
      label: { one: "Team", many: "Teams" },
      icon: UsersRound,
      read: "database",
      feature: "settings.teams",
      to: paths.team,
      search: { as: "teams" },
    },
  ],
  contributes: {
    component: {
      panels: [
        {
          id: "teams",
          title: "Teams",
          order: 60,
          read: "database",
          load: () => import("./ComponentTeams.tsx").then((module) => module.ComponentTeams),
        },
      ],
    },
  },
  nav: [
    {
      label: "Teams",
      to: patterns.teams,
      icon: UsersRound,
      read: "database",
      feature: "settings.teams",
      section: "settings",
    },
  ],
  pages: [
    {
      path: patterns.teams,
      title: "Teams",
      access: "session",
      read: "database",
      feature: "settings.teams",
      load: () => import("./TeamsPage.tsx").then((module) => module.TeamsPage),
    },
    {
      path: patterns.team,
      title: "Team",
      access: "session",
      read: "database",
      feature: "settings.teams",
      load: () => import("./TeamPage.tsx").then((module) => module.TeamPage),
    },
  ],
};
