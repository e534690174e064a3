import { UsersRound } from "lucide-react";
import type { ConsoleFeature } from "#lib/page.ts";

export const teams: ConsoleFeature = {
  name: "teams",
  nav: [
    {
      label: "Teams",
      to: "/settings/teams",
      icon: UsersRound,
      read: "database",
      feature: "settings.teams",
      section: "settings",
    },
  ],
  pages: [
    {
      path: "/settings/teams",
      title: "Teams",
      access: "session",
      read: "database",
      feature: "settings.teams",
      load: () => import("./TeamsPage.tsx").then((module) => module.TeamsPage),
    },
    {
      path: "/settings/teams/$teamId",
      title: "Team",
      access: "session",
      read: "database",
      feature: "settings.teams",
      load: () => import("./TeamPage.tsx").then((module) => module.TeamPage),
    },
  ],
};
