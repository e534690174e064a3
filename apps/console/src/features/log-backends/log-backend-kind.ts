import type { ConsoleDocumentKind } from "#lib/documents/document-kinds.ts";

const typesOf = ({ backends }: Readonly<Record<string, unknown>>): string =>
  (Array.isArray(backends) ? backends : [])
    .flatMap((one: unknown) => (typeof one === "object" && one !== null ? Object.keys(one) : []))
    .join(", ");

/** Which programs hold log lines, and what they are asked for. */
export const logBackendKind: ConsoleDocumentKind = {
  kind: "LoggingBackend",
  name: "logging-backend",
  resourceKind: "logging_backend",
  label: "Log backends",
  resource: "logging_backends",
  feature: "settings.logging_backends",
  table: "logging_backends",
  loadFormat: () =>
    import("@mainstay/contract/logs/backend-format.ts").then(
      (module) => module.loggingBackendFormat,
    ),
  facts: [{ id: "types", header: "Types", fields: ["backends"], of: typesOf }],
  trial: {
    label: "Test",
    busyLabel: "Testing...",
    refused: "Nothing was asked",
    load: () => import("./test-backends.tsx").then((module) => module.testBackends),
  },
  loadForm: () => import("./form/LogBackendForm.tsx").then((module) => module.LogBackendForm),
  deleting: "Its lines stay where they are, and are found here no more.",
};
