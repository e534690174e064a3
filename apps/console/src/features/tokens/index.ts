import { KeyRound } from "lucide-react";
import type { ConsoleFeature } from "#lib/page.ts";
import { patterns } from "#lib/paths.ts";

export const tokens: ConsoleFeature = {
  name: "tokens",
  resources: [
    {
      kind: "access_token",
      label: { one: "Access token", many: "Access tokens" },
      icon: KeyRound,
      read: "database",
      feature: "settings.tokens",
    },
  ],
  nav: [
    {
      label: "Access Tokens",
      to: patterns.tokens,
      icon: KeyRound,
      feature: "settings.tokens",
      section: "settings",
    },
  ],
  pages: [
    {
      path: patterns.tokens,
      title: "Access Tokens",
      access: "session",
      feature: "settings.tokens",
      load: () => import("./TokensPage.tsx").then((module) => module.TokensPage),
    },
  ],
};
