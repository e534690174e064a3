import type { StoredDocument } from "@mainstay/contract/documents/saved-documents.ts";
import { canaryFormat } from "@mainstay/contract/canary/canary-format.ts";
import type { ConsoleDocumentKind } from "../lib/documents/document-kinds.ts";

/** Tables that only these kinds have. */
const tableOf = (name: string) => name as ConsoleDocumentKind["table"];

/** Two kinds, of which one has a flag and a column of its own. */
export const sheet: ConsoleDocumentKind = {
  kind: "Sheet",
  name: "sheet",
  label: "Sheets",
  resource: "canaries",
  feature: "sheets",
  table: tableOf("sheets"),
  loadFormat: async () => canaryFormat,
  facts: [{ id: "size", header: "Size", fields: ["size"], of: ({ size }) => Number(size) }],
  deleting: "What is written on it goes with it.",
};
export const roll: ConsoleDocumentKind = {
  kind: "Roll",
  name: "roll",
  label: "Rolls",
  resource: "database",
  table: tableOf("rolls"),
  loadFormat: async () => canaryFormat,
  deleting: "It is gone.",
};

export const stored = (
  kind: string,
  name: string,
  more: { source?: string; labels?: Record<string, string>; spec?: Record<string, unknown> } = {},
): StoredDocument & { text: string } => ({
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
  text: textOf(kind, name, more.spec ?? { size: 4 }),
});

/** As somebody wrote it. */
const textOf = (kind: string, name: string, spec: Record<string, unknown>) =>
  `# Of paper.\napiVersion: paper/v1\nkind: ${kind}\nmetadata: { name: ${name}, namespace: shop, uid: id-${name} }\nspec:\n${Object.entries(
    spec,
  )
    .map(([key, value]) => `  ${key}: ${JSON.stringify(value)}\n`)
    .join("")}`;

/** What a list is told of one. */
export const listed = ({
  id,
  source,
  created_at,
  document: { metadata, spec },
}: StoredDocument) => ({
  id,
  source,
  created_at,
  name: metadata.name,
  namespace: metadata.namespace,
  labels: metadata.labels,
  spec_size: spec["size"],
});
