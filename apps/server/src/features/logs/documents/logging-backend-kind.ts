import {
  codeInLoggingBackend,
  loggingBackendFormat,
  mapLoggingBackendSecrets,
} from "@mainstay/contract";
import {
  type DocumentKind,
  plainRow,
  type PlainDocumentRow,
} from "#platform/documents/document-kind.ts";
import type { EncryptionConfig } from "#platform/encryption.ts";
import { requireCode } from "#platform/require-code.ts";
import { createSealer, type Sealer } from "#platform/sealing/sealer.ts";

/** Of the specs of logging backends (`logging_backends.spec`, `logging_backends.sealed`). */
export const loggingBackendSealer = (config: EncryptionConfig): Sealer =>
  createSealer(config, { name: loggingBackendFormat.name, map: mapLoggingBackendSecrets });

/** Logging backends: documents that say which programs hold lines. They are read whenever somebody asks for lines. */
export const loggingBackendKind: DocumentKind<PlainDocumentRow> = {
  ...plainRow,
  format: loggingBackendFormat,
  table: "logging_backends",
  exactSource: {
    column: "kept_in",
    word: (source) => (source.startsWith("kubernetes/") ? "KubernetesCRD" : "ConfigFile"),
  },
  follow(ctx, _tx, row, { locate }) {
    if (row.deleted_at !== null) return Promise.resolve();
    // As it will be asked: what is sealed could be more than it seems.
    const { document: opened } = loggingBackendSealer(ctx.config).open(row.spec, row.sealed);
    requireCode(ctx, codeInLoggingBackend(opened), locate);
    return Promise.resolve();
  },
};
