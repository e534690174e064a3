import { Shield } from "lucide-react";
import type { ConsoleFeature } from "#lib/page.ts";
import { patterns } from "#lib/paths.ts";

export const security: ConsoleFeature = {
  name: "security",
  nav: [
    {
      label: "Security",
      to: patterns.security,
      icon: Shield,
      read: "security",
      feature: "settings.security",
      section: "settings",
    },
  ],
  pages: [
    {
      path: patterns.security,
      title: "Security",
      access: "session",
      read: "security",
      feature: "settings.security",
      load: () => import("./SecurityPage.tsx").then((module) => module.SecurityPage),
    },
  ],
};
