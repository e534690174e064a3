import {
  columnPlaceholder,
  connectionFormat,
  defaultNamespace,
  flattenConnection,
  secretPlaceholder,
  writeConnection,
} from "@mainstay/contract";
import type {
  DocumentKind,
  DocumentParts,
  DocumentRow,
} from "#platform/documents/document-kind.ts";
import { invalid } from "#platform/errors.ts";

export interface ConnectionRow extends DocumentRow {
  name: string;
  namespace: string;
  type: string;
  url: string | null;
  username: string | null;
  password: string | null;
  certificate: string | null;
  properties: Record<string, string> | null;
  insecure_tls: boolean | null;
  labels: Record<string, string> | null;
  annotations: Record<string, string> | null;
  kept_in: string | null;
}

/** The columns that hold the spec, in the order of the table. */
export const specColumns = [
  "type",
  "url",
  "username",
  "password",
  "certificate",
  "properties",
  "insecure_tls",
] as const;

/** In these columns clients of the table know another placeholder. */
const masked = ["username", "password", "certificate"] as const;

/** A spec without what is nothing, with the placeholder of documents. */
export function specOfRow(row: Partial<ConnectionRow>): Record<string, unknown> {
  const spec: Record<string, unknown> = {};
  for (const column of specColumns) {
    const value = row[column];
    if (value !== null && value !== undefined) spec[column] = value;
  }
  for (const column of masked)
    if (spec[column] === columnPlaceholder) spec[column] = secretPlaceholder;
  return spec;
}

function rowOfSpec({
  name,
  namespace,
  labels,
  annotations,
  spec,
}: DocumentParts): Record<string, unknown> {
  const row: Record<string, unknown> = { name, namespace, labels, annotations };
  for (const column of specColumns) row[column] = spec[column] ?? null;
  for (const column of masked)
    if (row[column] === secretPlaceholder) row[column] = columnPlaceholder;
  return { ...row, insecure_tls: row.insecure_tls === true };
}

/** Connections as documents: applied, shown, compared, deleted and pruned like all others. */
export const connectionKind: DocumentKind<ConnectionRow> = {
  format: connectionFormat,
  table: "connections",
  key: { name: "name", namespace: "namespace", isAcrossSources: true },
  exactSource: {
    column: "kept_in",
    word: (source) => (source.startsWith("kubernetes/") ? "KubernetesCRD" : "ConfigFile"),
  },
  columns: ["name", "namespace", "labels", "annotations", ...specColumns],
  normalise: (spec) => ({ ...flattenConnection(spec) }),
  write: writeConnection,
  toRow: rowOfSpec,
  toParts: (row) => ({
    name: row.name,
    namespace: row.namespace ?? defaultNamespace,
    labels: row.labels ?? null,
    annotations: row.annotations ?? null,
    spec: specOfRow(row),
  }),
  async follow(_ctx, _tx, { username, sealed }) {
    const shown = username === columnPlaceholder || username === secretPlaceholder;
    if (shown && !sealed.username)
      throw invalid(`There is no stored value for "${username}" here: write the user name itself.`);
  },
};
