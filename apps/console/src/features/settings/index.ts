import { Flag } from "lucide-react";
import type { ConsoleFeature } from "#lib/page.ts";
import { patterns } from "#lib/paths.ts";

export const settings: ConsoleFeature = {
  name: "settings",
  nav: [
    {
      label: "Feature Flags",
      to: patterns.featureFlags,
      icon: Flag,
      read: "feature_flags",
      feature: "settings.feature_flags",
      section: "settings",
    },
  ],
  pages: [
    {
      path: patterns.featureFlags,
      title: "Feature Flags",
      access: "session",
      read: "feature_flags",
      feature: "settings.feature_flags",
      load: () => import("./FeatureFlagsPage.tsx").then((module) => module.FeatureFlagsPage),
    },
  ],
};
