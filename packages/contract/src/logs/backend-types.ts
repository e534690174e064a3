import {
  azureBackend,
  cloudwatchBackend,
  gcpBackend,
  kubernetesBackend,
} from "./backend-clouds.ts";
import { fileBackend, journaldBackend } from "./backend-files.ts";
import { postgresBackend } from "./backend-rows.ts";
import { elasticsearchBackend, lokiBackend, opensearchBackend } from "./backend-searches.ts";

/** The schema of one backend, by the key that holds it. */
export const logBackendSpecs = {
  file: fileBackend,
  journald: journaldBackend,
  loki: lokiBackend,
  elasticsearch: elasticsearchBackend,
  opensearch: opensearchBackend,
  kubernetes: kubernetesBackend,
  postgres: postgresBackend,
  cloudwatch: cloudwatchBackend,
  gcpCloudLogging: gcpBackend,
  azureLogAnalytics: azureBackend,
} as const;

export type LogBackendType = keyof typeof logBackendSpecs;
export const logBackendTypes = Object.keys(logBackendSpecs) as LogBackendType[];
export const isLogBackendType = (type: string): type is LogBackendType =>
  Object.hasOwn(logBackendSpecs, type);
