import type { ScraperType } from "@mainstay/contract";
import { azureScraper } from "./azure/azure.ts";
import { azureDevopsScraper } from "./azure-devops/azure-devops.ts";
import { awsScraper } from "./aws/aws.ts";
import { execScraper } from "./exec/exec.ts";
import { fileScraper } from "./file/file.ts";
import { githubActionsScraper } from "./github-actions/github-actions.ts";
import { hostScraper } from "./host/host.ts";
import { httpScraper } from "./http/http.ts";
import { kubernetesScraper } from "./kubernetes/kubernetes.ts";
import { kubernetesFileScraper } from "./kubernetes-file/kubernetes-file.ts";
import type { ScraperTypeDefinition } from "./scraper-type.ts";
import { sqlScraper } from "./sql/sql.ts";
import { trivyScraper } from "./trivy/trivy.ts";

/** Those that this version runs; a document with another is kept, and its scrape says so. */
const scraperTypeDefinitions: Readonly<Partial<Record<ScraperType, ScraperTypeDefinition>>> = {
  file: fileScraper,
  http: httpScraper,
  sql: sqlScraper,
  exec: execScraper,
  host: hostScraper,
  kubernetes: kubernetesScraper,
  kubernetesFile: kubernetesFileScraper,
  aws: awsScraper,
  githubActions: githubActionsScraper,
  azureDevops: azureDevopsScraper,
  trivy: trivyScraper,
  azure: azureScraper,
};

export const findScraperType = (type: string): ScraperTypeDefinition | undefined =>
  Object.hasOwn(scraperTypeDefinitions, type)
    ? scraperTypeDefinitions[type as ScraperType]
    : undefined;
