import { Plug } from "lucide-react";
import type { ConsoleFeature } from "#lib/page.ts";
import { patterns } from "#lib/paths.ts";

export const integrations: ConsoleFeature = {
  name: "integrations",
  nav: [
    {
      label: "Integrations",
      to: patterns.integrations,
      icon: Plug,
      read: "integrations",
      feature: "settings.integrations",
      section: "settings",
    },
  ],
  pages: [
    {
      access: "session",
      read: "integrations",
      feature: "settings.integrations",
      path: patterns.integrations,
      title: "Integrations",
      load: () => import("./IntegrationsPage.tsx").then((module) => module.IntegrationsPage),
    },
    {
      access: "session",
      read: "integrations",
      feature: "settings.integrations",
      path: patterns.integration,
      title: "Integration",
      load: () => import("./IntegrationPage.tsx").then((module) => module.IntegrationPage),
    },
  ],
};
