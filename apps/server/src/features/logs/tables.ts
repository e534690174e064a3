import { documentTable } from "#platform/documents/document-table.ts";
import type { Table } from "#platform/table.ts";
import { loggingBackendKind } from "./documents/logging-backend-kind.ts";

/** What the data API shows of logs. */
export const tables: readonly Table[] = [
  documentTable(loggingBackendKind, { hidden: ["sealed", "kept_in"] }),
];
