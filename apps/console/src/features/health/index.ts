import { Activity } from "lucide-react";
import type { ConsoleFeature } from "#lib/page.ts";
import { patterns } from "#lib/paths.ts";

export const health: ConsoleFeature = {
  name: "health",
  palette: () => import("./palette.ts").then((module) => module.palette),
  nav: [
    { label: "Health", to: patterns.health, icon: Activity, read: "canaries", feature: "health" },
  ],
  pages: [
    {
      path: patterns.health,
      title: "Health",
      access: "session",
      read: "canaries",
      feature: "health",
      load: () => import("./list/HealthPage.tsx").then((module) => module.HealthPage),
    },
    {
      path: patterns.canary,
      title: "Health Check",
      access: "session",
      read: "canaries",
      feature: "settings.health",
      load: () => import("./editor/CanaryPage.tsx").then((module) => module.CanaryPage),
    },
  ],
};
