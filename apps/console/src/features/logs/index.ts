import { ScrollText } from "lucide-react";
import type { ConsoleFeature } from "#lib/page.ts";
import { paths, patterns } from "#lib/paths.ts";

export const logs: ConsoleFeature = {
  name: "logs",
  palette: () => import("./palette.ts").then((module) => module.palette),
  nav: [
    {
      label: "Logs",
      to: patterns.logs,
      icon: ScrollText,
      read: "logging_backends",
      feature: "logs",
    },
  ],
  contributes: {
    component: {
      actions: [
        {
          id: "logs",
          label: "View Logs",
          icon: ScrollText,
          read: "logging_backends",
          feature: "logs",
          // Without one, nothing says whose lines they are.
          isFor: ({ component }) => Boolean(component.external_id),
          to: ({ component }) => paths.logs({ topologyId: component.id }),
        },
      ],
    },
  },
  pages: [
    {
      path: patterns.logs,
      title: "Logs",
      access: "session",
      read: "logging_backends",
      feature: "logs",
      load: () => import("./page/LogsPage.tsx").then((module) => module.LogsPage),
    },
  ],
};
