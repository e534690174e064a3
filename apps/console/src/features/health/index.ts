import { Activity, HeartPulse } from "lucide-react";
import type { ConsoleFeature } from "#lib/page.ts";
import { paths, patterns } from "#lib/paths.ts";
import { canaryKind } from "./canary-kind.ts";

export const health: ConsoleFeature = {
  name: "health",
  documents: [canaryKind],
  palette: () => import("./palette.ts").then((module) => module.palette),
  resources: [
    {
      kind: "check",
      label: { one: "Check", many: "Checks" },
      icon: Activity,
      read: "canaries",
      feature: "health",
      // On the page already, its filters stay as they are beneath the open check.
      to: (id, here) => {
        if (here.pathname !== paths.health()) return paths.check(id);
        const kept = Object.fromEntries(here.searchParams);
        // One range beside a check would be the check's.
        const { timeRange } = kept;
        return paths.check(id, timeRange === undefined ? kept : { ...kept, checkRange: timeRange });
      },
      search: {
        as: "checks",
        hasStatus: true,
        loadMarks: () =>
          import("./check/check-type-icon.ts").then((module) => module.checkTypeMarks),
      },
    },
    {
      kind: "canary",
      label: { one: "Health check", many: "Health checks" },
      icon: HeartPulse,
      read: "canaries",
      feature: "settings.health",
      to: paths.canary,
      search: { as: "canaries" },
    },
  ],
  contributes: {
    component: {
      panels: [
        {
          id: "checks",
          title: "Checks",
          order: 40,
          read: "canaries",
          feature: "health",
          load: () => import("./component/ChecksPanel.tsx").then((module) => module.ChecksPanel),
        },
      ],
    },
    config: {
      tabs: [
        {
          id: "checks",
          label: "Checks",
          read: "canaries",
          feature: "health",
          load: () => import("./item/ItemChecksTab.tsx").then((module) => module.ItemChecksTab),
          loadBadge: () =>
            import("./item/ItemChecksCount.tsx").then((module) => module.ItemChecksCount),
        },
      ],
    },
  },
  nav: [
    { label: "Health", to: patterns.health, icon: Activity, read: "canaries", feature: "health" },
    {
      label: "Health Checks",
      to: patterns.canaries,
      icon: HeartPulse,
      read: "canaries",
      feature: "settings.health",
      section: "settings",
    },
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
      path: patterns.canaries,
      title: "Health Checks",
      access: "session",
      read: "canaries",
      feature: "settings.health",
      load: () => import("./canaries/CanariesPage.tsx").then((module) => module.CanariesPage),
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
