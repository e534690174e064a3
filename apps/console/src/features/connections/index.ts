import { Cable } from "lucide-react";
import type { ConsoleDocumentKind } from "#lib/documents/document-kinds.ts";
import type { ConsoleFeature } from "#lib/page.ts";
import { paths, patterns } from "#lib/paths.ts";

const feature = "settings.connections";

const connectionKind: ConsoleDocumentKind = {
  kind: "Connection",
  name: "connection",
  label: "Connections",
  resource: "connections",
  feature,
  table: "connections",
  loadFormat: () =>
    import("@mainstay/contract/connections/connection-format.ts").then(
      (module) => module.connectionFormat,
    ),
  deleting: "What uses it fails until it names another. Its secrets go with it.",
};

export const connections: ConsoleFeature = {
  name: "connections",
  documents: [connectionKind],
  palette: () => import("./palette.ts").then((module) => module.palette),
  resources: [
    {
      kind: "connection",
      label: { one: "Connection", many: "Connections" },
      icon: Cable,
      read: "connections",
      feature,
      to: paths.connection,
      search: { as: "connections" },
    },
  ],
  nav: [
    {
      label: "Connections",
      to: patterns.connections,
      icon: Cable,
      read: "connections",
      feature,
      section: "settings",
    },
  ],
  pages: [
    {
      path: patterns.connections,
      title: "Connections",
      access: "session",
      read: "connections",
      feature,
      load: () => import("./ConnectionsPage.tsx").then((module) => module.ConnectionsPage),
    },
  ],
};
