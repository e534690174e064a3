import { Network } from "lucide-react";
import type { ConsoleFeature } from "#lib/page.ts";
import { paths, patterns } from "#lib/paths.ts";

export const topology: ConsoleFeature = {
  name: "topology",
  resources: [
    {
      kind: "components",
      label: { one: "Component", many: "Components" },
      icon: Network,
      read: "topologies",
      feature: "topology",
      to: (id) => paths.component(id),
      search: {
        as: "components",
        hasStatus: true,
        // Of the many types that there are the library has the marks.
        loadMarks: () => Promise.resolve({}),
      },
    },
  ],
  nav: [
    {
      label: "Dashboard",
      to: patterns.topology,
      icon: Network,
      read: "topologies",
      feature: "topology",
    },
  ],
  pages: [
    {
      path: patterns.topology,
      title: "Topology",
      access: "session",
      read: "topologies",
      feature: "topology",
      load: () => import("./cards/TopologyPage.tsx").then((module) => module.TopologyPage),
    },
    {
      path: patterns.component,
      title: "Topology",
      access: "session",
      read: "topologies",
      feature: "topology",
      load: () => import("./cards/TopologyPage.tsx").then((module) => module.TopologyPage),
    },
    {
      path: patterns.componentView,
      title: "Component",
      access: "session",
      read: "topologies",
      feature: "topology",
      load: () =>
        import("./standalone/ComponentViewPage.tsx").then((module) => module.ComponentViewPage),
    },
  ],
};
