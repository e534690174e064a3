import type { LogBackendType } from "@mainstay/contract";
import { azureLogAnalytics } from "./azure-log-analytics/azure-log-analytics.ts";
import { cloudwatch } from "./cloudwatch/cloudwatch.ts";
import { elasticsearch, opensearch } from "./elasticsearch/elasticsearch.ts";
import { file } from "./file/file.ts";
import { gcpCloudLogging } from "./gcp-cloud-logging/gcp-cloud-logging.ts";
import { journald } from "./journald/journald.ts";
import { kubernetes } from "./kubernetes/kubernetes.ts";
import { loki } from "./loki/loki.ts";
import { postgres } from "./postgres/postgres.ts";
import type { LogBackend } from "./log-backend.ts";

const backends = {
  file,
  journald,
  loki,
  elasticsearch,
  opensearch,
  kubernetes,
  postgres,
  cloudwatch,
  gcpCloudLogging,
  azureLogAnalytics,
} as const satisfies Record<LogBackendType, LogBackend<never>>;

export const findLogBackend = (type: LogBackendType): LogBackend<never> => backends[type];
