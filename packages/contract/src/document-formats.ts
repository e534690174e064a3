import { canaryFormat } from "./canary/index.ts";
import { connectionFormat } from "./connections/index.ts";
import type { DocumentFormat } from "./documents/index.ts";
import { loggingBackendFormat } from "./logs/index.ts";
import { scrapeConfigFormat } from "./scrape-config/index.ts";
import { topologyFormat } from "./topology/index.ts";

/** The formats of all kinds, for programs that read documents and hold no features: the command line. */
export const documentFormats: readonly DocumentFormat[] = [
  canaryFormat,
  connectionFormat,
  loggingBackendFormat,
  scrapeConfigFormat,
  topologyFormat,
];
