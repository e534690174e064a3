import { Network } from "lucide-react";
import type { ConsoleFeature } from "#lib/page.ts";
import { paths, patterns } from "#lib/paths.ts";
import { topologyKind } from "./topology-kind.ts";

export const topology: ConsoleFeature = {
  name: "topology",
  documents: [topologyKind],
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
    {
      kind: "topology",
      label: { one: "Topology", many: "Topologies" },
      icon: Network,
      read: "topologies",
      feature: "settings.topology",
      to: (id) => paths.topologyDocument(id),
      search: { as: "topologies" },
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
    {
      label: "Topologies",
      to: patterns.topologies,
      icon: Network,
      read: "topologies",
      feature: "settings.topology",
      section: "settings",
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
      load: () => import("./cards/TopologyPage.tsx").then((module) => module.ComponentViewPage),
    },
    {
      path: patterns.topologies,
      title: "Topologies",
      access: "session",
      read: "topologies",
      feature: "settings.topology",
      load: () => import("./documents/TopologiesPage.tsx").then((module) => module.TopologiesPage),
    },
    {
      path: patterns.topologyDocument,
      title: "Topology",
      access: "session",
      read: "topologies",
      feature: "settings.topology",
      load: () =>
        import("./documents/TopologyDocumentPage.tsx").then(
          (module) => module.TopologyDocumentPage,
        ),
    },
  ],
};
