import type { LogBackendType } from "@mainstay/contract";
import { cloudwatch } from "./cloudwatch/cloudwatch.ts";
import { elasticsearch, opensearch } from "./elasticsearch/elasticsearch.ts";
import { file } from "./file/file.ts";
import { gcpCloudLogging } from "./gcp-cloud-logging/gcp-cloud-logging.ts";
import { journald } from "./journald/journald.ts";
import { kubernetes } from "./kubernetes/kubernetes.ts";
import { loki } from "./loki/loki.ts";
import { postgres } from "./postgres/postgres.ts";
import type { LogBackend } from "./log-backend.ts";

/** Those that this version asks; documents may hold others, which are held. */
const backends: Readonly<Partial<Record<LogBackendType, LogBackend<never>>>> = {
  file,
  journald,
  loki,
  elasticsearch,
  opensearch,
  kubernetes,
  postgres,
  cloudwatch,
  gcpCloudLogging,
};

export const findLogBackend = (type: LogBackendType): LogBackend<never> | undefined =>
  backends[type];
