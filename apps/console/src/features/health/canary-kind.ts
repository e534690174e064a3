import type { ConsoleDocumentKind } from "#lib/documents/document-kinds.ts";

/** Documents that define checks, and when they run. */
export const canaryKind: ConsoleDocumentKind = {
  kind: "Canary",
  name: "canary",
  label: "Health checks",
  resource: "canaries",
  feature: "settings.health",
  tables: ["canaries"],
  loadFormat: () =>
    import("@mainstay/contract/canary/canary-format.ts").then((module) => module.canaryFormat),
  facts: [
    {
      id: "schedule",
      header: "Schedule",
      of: ({ spec }) => {
        if (typeof spec["schedule"] === "string") return spec["schedule"];
        return typeof spec["interval"] === "number" ? `every ${spec["interval"]} s` : null;
      },
    },
  ],
  trial: {
    label: "Run once",
    busyLabel: "Running...",
    refused: "Nothing was run",
    load: () => import("./editor/run-once.tsx").then((module) => module.runOnce),
  },
  deleting: "Its checks stop running and leave the health page, with their history.",
};
