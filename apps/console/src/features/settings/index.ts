import { Flag } from "lucide-react";
import type { ConsoleFeature } from "#lib/page.ts";

export const settings: ConsoleFeature = {
  name: "settings",
  nav: [
    {
      label: "Feature Flags",
      to: "/settings/feature-flags",
      icon: Flag,
      read: "feature_flags",
      feature: "settings.feature_flags",
      section: "settings",
    },
  ],
  pages: [
    {
      path: "/settings/feature-flags",
      title: "Feature Flags",
      access: "session",
      read: "feature_flags",
      feature: "settings.feature_flags",
      load: () => import("./FeatureFlagsPage.tsx").then((module) => module.FeatureFlagsPage),
    },
  ],
};
