import { ScrollText } from "lucide-react";
import type { ConsoleFeature } from "#lib/page.ts";
import { patterns } from "#lib/paths.ts";

export const audit: ConsoleFeature = {
  name: "audit",
  nav: [
    {
      label: "Audit Log",
      to: patterns.audit,
      icon: ScrollText,
      read: "audit",
      feature: "settings.audit",
      section: "settings",
    },
  ],
  pages: [
    {
      path: patterns.audit,
      title: "Audit Log",
      access: "session",
      read: "audit",
      feature: "settings.audit",
      load: () => import("./AuditPage.tsx").then((module) => module.AuditPage),
    },
  ],
};
