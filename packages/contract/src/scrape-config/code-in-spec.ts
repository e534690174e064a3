import {
  always,
  type CodeJudge,
  isSet,
  kubeconfigFile,
  never,
  overHttp,
  socketIn,
} from "../code-judges.ts";
import { listUnder } from "../documents/list-under.ts";
import type { CodeFinding, CodeKind } from "../server-code.ts";
import { scrapeConfigSpec } from "./scrape-config-spec.ts";
import { scraperKeys, type ScraperType, type UnsupportedScraperType } from "./scraper-types.ts";

const isMapping = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const textOf = (value: unknown) => (typeof value === "string" ? value.trim() : "");

/**
 * Schemes that lead to another machine, behind a word that says how (`git::`), `git@host:path`, and hosts that are
 * written without a scheme.
 */
const leadsAway =
  /^(?:[a-z][a-z0-9]*::)?(?:(?:https?|ssh|git|git\+ssh|s3|gcs|gs|sftp|smb):\/\/[^/\\\s{$]|[\w.-]+@[\w.-]+:)|^(?:github\.com|gitlab\.com|bitbucket\.org|(?:[\w.-]+\.)?s3[\w.-]*\.amazonaws\.com)\/[^/\\\s{$]/i;
const isStored = (text: string) => /^connection:\/\//i.test(text);

/** Files are on this machine unless their address leads to another one for certain. */
const file: CodeJudge = ({ url, connection }) => {
  const address = textOf(url) || textOf(connection);
  return leadsAway.test(address) || (!isSet(url) && isStored(address)) ? undefined : "file";
};

/** This machine, unless another one is named. */
const host: CodeJudge = ({ host: name, connection }) =>
  isSet(name) || isSet(connection) ? undefined : "program";

const terraform: CodeJudge = ({ state }) =>
  isMapping(state) && isSet(state.local) ? "file" : undefined;

/**
 * Every type says what it may reach here, those that are kept and not run yet as well: they are stored now and will run
 * one day. A type without an entry does not compile.
 */
const judges = {
  file,
  http: overHttp,
  sql: socketIn("connection"),
  // What it runs, and what it checks out from local paths.
  exec: always("program"),
  kubernetes: kubeconfigFile,
  kubernetesFile: kubeconfigFile,
  githubActions: overHttp,
  azureDevops: overHttp,
  aws: never,
  azure: overHttp,
  trivy: always("program"),
  host,

  clickhouse: socketIn("clickhouseURL"),
  gcp: never,
  github: overHttp,
  githubSecurity: overHttp,
  ical: overHttp,
  logs: never,
  openssfScorecard: overHttp,
  playwright: always("program"),
  postgres: socketIn("connection"),
  pubsub: never,
  slack: never,
  terraform,
} satisfies Record<ScraperType | UnsupportedScraperType, CodeJudge>;

const isKnown = (type: string): type is keyof typeof judges => Object.hasOwn(judges, type);

/** What one scraper reaches on the server's machine; a type that nobody has judged may reach anything. */
export const codeInScraper = (
  type: string,
  scraper: Readonly<Record<string, unknown>>,
): CodeKind | undefined => (isKnown(type) ? judges[type](scraper) : "unknown");

const ownFields = new Set(
  Object.keys(scrapeConfigSpec.shape).filter((key) => !scraperKeys.includes(key)),
);

/** Everything in a spec, as it was written, that reaches into the server's machine. */
export function codeInScrapeConfig(source: Readonly<Record<string, unknown>>): CodeFinding[] {
  return Object.entries(source).flatMap(([type, written]) => {
    if (ownFields.has(type)) return [];
    // Of keys that are no type of this version, those that look like one: lists of mappings.
    if (!isKnown(type) && !(Array.isArray(written) && written.some(isMapping))) return [];
    return listUnder(written).flatMap((scraper, index): CodeFinding[] => {
      if (!isMapping(scraper)) return [];
      const kind = codeInScraper(type, scraper);
      const path = Array.isArray(written) ? [type, index] : [type];
      return kind ? [{ path, kind, name: `${type}-${index}` }] : [];
    });
  });
}
