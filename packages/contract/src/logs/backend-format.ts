import type { DocumentFormat, JudgedParts } from "../documents/document-format.ts";
import type { Finding } from "../documents/findings.ts";
import { jsonSchemaOf } from "../documents/json-schema.ts";
import { findWrongReferencesBy } from "../documents/value-references.ts";
import { codeInLoggingBackend } from "./backend-code.ts";
import { mapLoggingBackendSecrets } from "./backend-secrets.ts";
import {
  loggingBackendApiVersion,
  loggingBackendEnvelope,
  type LoggingBackendSpec,
  loggingBackendSpec,
} from "./backend-spec.ts";
import { logBackendsOf } from "./backends-of.ts";

/** What the schema cannot say. */
function judgeLoggingBackend({ source }: JudgedParts<LoggingBackendSpec>): Finding[] {
  const backends = logBackendsOf(source);
  const warning = (path: readonly (string | number)[], message: string): Finding => ({
    severity: "warning",
    path: ["spec", ...path],
    message,
  });
  return [
    ...(backends.length === 0
      ? [warning(["backends"], "There are no backends, so nothing is asked.")]
      : []),
    ...findWrongReferencesBy(jsonSchemaOf(loggingBackendSpec), source, ["spec"]),
  ];
}

export const loggingBackendFormat: DocumentFormat<LoggingBackendSpec> = {
  kind: "LoggingBackend",
  name: "logging-backend",
  plural: "logging-backends",
  apiVersions: [loggingBackendApiVersion],
  resource: "logging_backends",
  envelope: loggingBackendEnvelope,
  spec: loggingBackendSpec,
  codeIn: codeInLoggingBackend,
  mapSecrets: mapLoggingBackendSecrets,
  judge: judgeLoggingBackend,
  listed: {
    TYPE: ({ spec }) => [...new Set(logBackendsOf(spec).map(({ type }) => type))].join(", "),
  },
};
