import { ScrollText } from "lucide-react";
import type { ConsoleFeature } from "#lib/page.ts";
import { paths, patterns } from "#lib/paths.ts";
import { logBackendKind } from "./log-backend-kind.ts";

export const logBackends: ConsoleFeature = {
  name: "log-backends",
  documents: [logBackendKind],
  resources: [
    {
      kind: "logging_backend",
      label: { one: "Log backend", many: "Log backends" },
      icon: ScrollText,
      read: "logging_backends",
      feature: "settings.logging_backends",
      to: (id) => paths.logBackend(id),
      search: { as: "logging_backends" },
    },
  ],
  nav: [
    {
      label: "Log Backends",
      to: patterns.logBackends,
      icon: ScrollText,
      read: "logging_backends",
      feature: "settings.logging_backends",
      section: "settings",
    },
  ],
  pages: [
    {
      path: patterns.logBackends,
      title: "Log Backends",
      access: "session",
      read: "logging_backends",
      feature: "settings.logging_backends",
      load: () => import("./LogBackendsPage.tsx").then((module) => module.LogBackendsPage),
    },
    {
      path: patterns.logBackend,
      title: "Log Backend",
      access: "session",
      read: "logging_backends",
      feature: "settings.logging_backends",
      load: () => import("./LogBackendPage.tsx").then((module) => module.LogBackendPage),
    },
  ],
};
