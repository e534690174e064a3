import type { ConsoleDocumentKind } from "#lib/documents/document-kinds.ts";

/** Documents that define checks, and when they run. */
export const canaryKind: ConsoleDocumentKind = {
  kind: "Canary",
  name: "canary",
  label: "Health checks",
  resource: "canaries",
  feature: "settings.health",
  table: "canaries",
  loadFormat: () =>
    import("@mainstay/contract/canary/canary-format.ts").then((module) => module.canaryFormat),
  facts: [
    {
      id: "schedule",
      header: "Schedule",
      fields: ["schedule", "interval"],
      of: ({ schedule, interval }) => {
        if (typeof schedule === "string") return schedule;
        return typeof interval === "number" ? `@every ${interval}s` : null;
      },
    },
  ],
  trial: {
    label: "Run once",
    busyLabel: "Running...",
    refused: "Nothing was run",
    load: () => import("./editor/run-once.tsx").then((module) => module.runOnce),
  },
  loadForm: () => import("./editor/form/CheckForm.tsx").then((module) => module.CheckForm),
  loadAside: () => import("./editor/scripts/ScriptBox.tsx").then((module) => module.ScriptBox),
  deleting: "Its checks stop running and leave the health page, with their history.",
};
