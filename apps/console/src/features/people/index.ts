import { UserRound, Users } from "lucide-react";
import type { ConsoleFeature } from "#lib/page.ts";
import { patterns } from "#lib/paths.ts";

export const people: ConsoleFeature = {
  name: "people",
  resources: [
    {
      kind: "person",
      label: { one: "User", many: "Users" },
      icon: UserRound,
      read: "database",
      feature: "settings.users",
    },
  ],
  nav: [
    {
      label: "Users",
      to: patterns.users,
      icon: Users,
      read: "identities",
      feature: "settings.users",
      section: "settings",
    },
  ],
  notices: [
    {
      name: "unmailed invitations",
      write: "identities",
      load: () =>
        import("./invitations/UnmailedInvitations.tsx").then(
          (module) => module.UnmailedInvitations,
        ),
    },
  ],
  pages: [
    {
      path: patterns.users,
      title: "Users",
      access: "session",
      read: "identities",
      feature: "settings.users",
      load: () => import("./UsersPage.tsx").then((module) => module.UsersPage),
    },
  ],
};
