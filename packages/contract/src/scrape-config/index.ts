export { type AzureDevopsScraper } from "./azure-devops.ts";
export {
  isJsonPath,
  mostTags,
  type PropertySpec,
  type ScraperBase,
  type TagSpec,
  templatedLinkFields,
  templatedPropertyFields,
} from "./base-fields.ts";
export { type AwsScraper, type AzureScraper } from "./clouds.ts";
export { codeInScrapeConfig, codeInScraper } from "./code-in-spec.ts";
export { defaultScrapeSchedule } from "./default-schedule.ts";
export { type ExecScraper } from "./exec.ts";
export { type FileScraper } from "./file.ts";
export { type GithubActionsScraper } from "./github-actions.ts";
export { heldScraperReason } from "./held.ts";
export { type HostPart, hostParts, type HostScraper } from "./host.ts";
export { type HttpScraper, type PaginationSpec } from "./http.ts";
export {
  scrapeConfigJsonSchema,
  scrapeConfigSpecJsonSchema,
  scraperJsonSchema,
} from "./json-schema.ts";
export { shortestScrapeMs } from "./judge.ts";
export { defaultWatch, type KubernetesFileScraper, type KubernetesScraper } from "./kubernetes.ts";
export { parseScrapeConfigs } from "./parse-scrape-config.ts";
export {
  type ChangeRetention,
  defaultStaleAnalysisAge,
  defaultStaleItemAge,
  keepStale,
  type Retention,
  retention as scrapeRetention,
  type TypeRetention,
} from "./retention.ts";
export { scrapeConfigFormat } from "./scrape-config-format.ts";
export {
  mapScrapeConfigSecrets,
  scrapeConfigSecretPlaces,
  scraperSecretPlaces,
} from "./scrape-config-secrets.ts";
export {
  logLevels,
  mostScrapers,
  scrapeConfigApiVersion,
  scrapeConfigEnvelope,
  type ScrapeConfigSpec,
  scrapeConfigSpec,
} from "./scrape-config-spec.ts";
export {
  isScraperType,
  scraperKeys,
  scraperSpecs,
  type ScraperType,
  scraperTypes,
  type UnsupportedScraperType,
  unsupportedScraperTypes,
} from "./scraper-types.ts";
export { type Scraper, scrapersOf } from "./scrapers-of.ts";
export {
  readTransformScript,
  type ScraperScript,
  scraperScripts,
  scriptsOfScraper,
} from "./scripts.ts";
export { type SqlScraper } from "./sql.ts";
export {
  type ChangeAction,
  changeActions,
  type ChangeMapping,
  type ChangesSpec,
  type ExcludeSpec,
  type LocationSpec,
  type MaskSpec,
  type RelationshipSpec,
  type TransformSpec,
} from "./transform.ts";
export { type TrivyScraper } from "./trivy.ts";
