import { Shield } from "lucide-react";
import type { ConsoleFeature } from "#lib/page.ts";

export const security: ConsoleFeature = {
  name: "security",
  nav: [
    {
      label: "Security",
      to: "/settings/security",
      icon: Shield,
      read: "security",
      feature: "settings.security",
      section: "settings",
    },
  ],
  pages: [
    {
      path: "/settings/security",
      title: "Security",
      access: "session",
      read: "security",
      feature: "settings.security",
      load: () => import("./SecurityPage.tsx").then((module) => module.SecurityPage),
    },
  ],
};
