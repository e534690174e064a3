import { isScraperType, type ScraperType } from "./scraper-types.ts";

/** Why a scraper is kept and not run. It never counts as one that has found nothing. */

type Spec = Readonly<Record<string, unknown>>;

const isMapping = (value: unknown): value is Spec =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isSet = (value: unknown) =>
  value !== undefined && value !== null && value !== false && value !== "";

const notYet = (holder: unknown, keys: readonly string[]) =>
  keys
    .filter((key) => isMapping(holder) && isSet(holder[key]))
    .map((key) => `"${key}" is not supported yet`);

const otherClusters = (spec: unknown) => notYet(spec, ["eks", "gke", "cnrm"]);
const none = () => [];

const particular: Record<ScraperType, (spec: Spec) => string[]> = {
  file: none,
  http: none,
  sql: none,
  exec: ({ connections, ...spec }) => [
    ...notYet(spec, ["setup"]),
    ...notYet(connections, ["fromConfigItem", "eksPodIdentity", "serviceAccount", "opensearch"]),
    ...otherClusters(isMapping(connections) ? connections.kubernetes : undefined),
  ],
  kubernetes: otherClusters,
  kubernetesFile: otherClusters,
  githubActions: none,
  azureDevops: none,
  aws: none,
  azure: none,
  trivy: none,
  host: none,
};

/** Every reason, joined; undefined when the scraper can run. */
export function heldScraperReason(type: string, spec: Spec): string | undefined {
  if (!isScraperType(type))
    return `Scrapers of type ${type} are not supported by this version, so it is not run.`;
  const reasons = particular[type](spec);
  return reasons.length > 0 ? `${reasons.join("; ")}, so it is not run.` : undefined;
}
