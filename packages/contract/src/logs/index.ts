export * from "./log-answers.ts";
export * from "./line-level.ts";
export * from "./log-question.ts";
export * from "./log-search.ts";
export { parseLogSearch, readLogSearch } from "./parse-log-search.ts";
export { printLogSearch, printLogTerm } from "./print-log-search.ts";
export {
  type AzureBackend,
  type CloudwatchBackend,
  type GcpBackend,
  type KubernetesBackend,
} from "./backend-clouds.ts";
export { codeInLogBackend, codeInLoggingBackend } from "./backend-code.ts";
export {
  type FileBackend,
  type JournaldBackend,
  type LineFormat,
  lineFormats,
} from "./backend-files.ts";
export { loggingBackendFormat } from "./backend-format.ts";
export type { BackendRoute } from "./backend-routes.ts";
export type { PostgresBackend } from "./backend-rows.ts";
export type { ElasticsearchBackend, LokiBackend, OpensearchBackend } from "./backend-searches.ts";
export {
  logBackendSecretPlaces,
  loggingBackendSecretPlaces,
  mapLoggingBackendSecrets,
} from "./backend-secrets.ts";
export {
  loggingBackendApiVersion,
  loggingBackendEnvelope,
  type LoggingBackendSpec,
  loggingBackendSpec,
} from "./backend-spec.ts";
export type { LogBackendTrial, LogBackendTrialReply } from "./backend-trial.ts";
export {
  isLogBackendType,
  logBackendSpecs,
  type LogBackendType,
  logBackendTypes,
} from "./backend-types.ts";
export { logBackendsOf, type WrittenLogBackend } from "./backends-of.ts";
