import type { StoredDocument } from "@mainstay/contract/documents/saved-documents.ts";
import { canaryFormat } from "@mainstay/contract/canary/canary-format.ts";
import type { ConsoleDocumentKind } from "../lib/documents/document-kinds.ts";

/** Two kinds, of which one has a flag and a column of its own. */
export const sheet: ConsoleDocumentKind = {
  kind: "Sheet",
  name: "sheet",
  label: "Sheets",
  resource: "canaries",
  feature: "sheets",
  tables: ["sheets"],
  loadFormat: async () => canaryFormat,
  facts: [{ id: "size", header: "Size", of: ({ spec }) => Number(spec["size"]) }],
  deleting: "What is written on it goes with it.",
};
export const roll: ConsoleDocumentKind = {
  kind: "Roll",
  name: "roll",
  label: "Rolls",
  resource: "database",
  tables: ["rolls"],
  loadFormat: async () => canaryFormat,
  deleting: "It is gone.",
};

export const stored = (
  kind: string,
  name: string,
  more: { source?: string; labels?: Record<string, string>; spec?: Record<string, unknown> } = {},
): StoredDocument => ({
  id: `id-${name}`,
  source: more.source ?? null,
  created_at: "2026-01-01T00:00:00Z",
  updated_at: "2026-01-01T00:00:00Z",
  document: {
    apiVersion: "paper/v1",
    kind,
    metadata: { name, namespace: "shop", uid: `id-${name}`, labels: more.labels ?? {} },
    spec: more.spec ?? { size: 4 },
  },
});
