import type { ConsoleDocumentKind } from "#lib/documents/document-kinds.ts";

/** What a system is made of, and how that is found out. */
export const topologyKind: ConsoleDocumentKind = {
  kind: "Topology",
  name: "topology",
  label: "Topologies",
  resource: "topologies",
  feature: "settings.topology",
  table: "topologies",
  loadFormat: () =>
    import("@mainstay/contract/topology/topology-format.ts").then(
      (module) => module.topologyFormat,
    ),
  facts: [
    {
      id: "schedule",
      header: "Schedule",
      fields: ["schedule"],
      of: ({ schedule }) => (typeof schedule === "string" ? schedule : null),
    },
  ],
  trial: {
    label: "Run once",
    busyLabel: "Running...",
    refused: "Nothing was looked up",
    load: () => import("./documents/run-once.tsx").then((module) => module.runOnce),
  },
  loadForm: () => import("./documents/form/TopologyForm.tsx").then((module) => module.TopologyForm),
  deleting: "Its components leave the topology.",
};
