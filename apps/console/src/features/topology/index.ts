import { Network } from "lucide-react";
import type { ConsoleFeature } from "#lib/page.ts";
import { paths, patterns } from "#lib/paths.ts";

const gate = { access: "session", read: "topologies", feature: "topology" } as const;

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
      ...gate,
      path: patterns.topology,
      title: "Topology",
      load: () => import("./cards/TopologyPage.tsx").then((module) => module.TopologyPage),
    },
    {
      ...gate,
      path: patterns.component,
      title: "Topology",
      load: () => import("./cards/TopologyPage.tsx").then((module) => module.TopologyPage),
    },
    {
      ...gate,
      path: patterns.componentView,
      title: "Component",
      load: () =>
        import("./standalone/ComponentViewPage.tsx").then((module) => module.ComponentViewPage),
    },
  ],
};
