import { ScrollText } from "lucide-react";
import type { ConsoleFeature } from "#lib/page.ts";

export const audit: ConsoleFeature = {
  name: "audit",
  nav: [
    {
      label: "Audit Log",
      to: "/settings/audit",
      icon: ScrollText,
      read: "audit",
      feature: "settings.audit",
      section: "settings",
    },
  ],
  pages: [
    {
      path: "/settings/audit",
      title: "Audit Log",
      access: "session",
      read: "audit",
      feature: "settings.audit",
      load: () => import("./AuditPage.tsx").then((module) => module.AuditPage),
    },
  ],
};
