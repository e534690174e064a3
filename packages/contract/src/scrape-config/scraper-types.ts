import { azureDevopsScraper } from "./azure-devops.ts";
import { awsScraper, azureScraper } from "./clouds.ts";
import { execScraper } from "./exec.ts";
import { fileScraper } from "./file.ts";
import { githubActionsScraper } from "./github-actions.ts";
import { hostScraper } from "./host.ts";
import { httpScraper } from "./http.ts";
import { kubernetesFileScraper, kubernetesScraper } from "./kubernetes.ts";
import { sqlScraper } from "./sql.ts";
import { trivyScraper } from "./trivy.ts";

/** The schema of one scraper, by the key that holds the list of them. */
export const scraperSpecs = {
  file: fileScraper,
  http: httpScraper,
  sql: sqlScraper,
  exec: execScraper,
  kubernetes: kubernetesScraper,
  kubernetesFile: kubernetesFileScraper,
  githubActions: githubActionsScraper,
  azureDevops: azureDevopsScraper,
  aws: awsScraper,
  azure: azureScraper,
  trivy: trivyScraper,
  host: hostScraper,
} as const;

export type ScraperType = keyof typeof scraperSpecs;
export const scraperTypes = Object.keys(scraperSpecs) as ScraperType[];
export const isScraperType = (type: string): type is ScraperType =>
  Object.hasOwn(scraperSpecs, type);

/** Keys of the family that are kept and not run by this version. */
export const unsupportedScraperTypes = [
  "clickhouse",
  "gcp",
  "github",
  "githubSecurity",
  "ical",
  "logs",
  "openssfScorecard",
  "playwright",
  "postgres",
  "pubsub",
  "slack",
  "terraform",
] as const;
export type UnsupportedScraperType = (typeof unsupportedScraperTypes)[number];

/** Every key that holds scrapers. */
export const scraperKeys: readonly string[] = [...scraperTypes, ...unsupportedScraperTypes];
