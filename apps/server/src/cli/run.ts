import { writeFileSync } from "node:fs";
import { StartupError } from "@mainstay/embedded-postgres";
import {
  type CanaryDocument,
  canaryFormat,
  canarySecretPlaces,
  connectionFormat,
  type DocumentFormat,
  locateIssues,
  type ParsedDocument,
  parseDocuments,
  type Problem,
  scrapeConfigFormat,
  scrapeConfigSecretPlaces,
  type ScrapeConfigSpec,
  secretPlaceholder,
  topologyFormat,
  topologySecretPlaces,
  type TopologySpec,
} from "@mainstay/contract";
import { createEvaluator } from "@mainstay/scripting";
import { type ScrapeResult, scrapeOnce } from "#features/catalog/index.ts";
import { findInDocuments } from "#features/connections/index.ts";
import { type DocumentResult, runDocuments } from "#features/health/index.ts";
import { buildOnce, type TopologyResult } from "#features/topology/index.ts";
import { closeInherited } from "#platform/outbound/close-inherited.ts";
import { systemClock } from "#platform/clock.ts";
import { findOwnCluster } from "#platform/kubernetes/own-cluster.ts";
import { openConnector } from "#platform/outbound/open-connector.ts";
import { createValueSources } from "#platform/value-sources/create-value-sources.ts";
import { withoutCatalog } from "#platform/scripts/ask-catalog.ts";
import { createLog } from "#platform/log.ts";
import { forgetSecrets } from "#platform/secrets-in-environment.ts";
import { readConfig, settings } from "../settings.ts";
import { printProblem, refuseSkipped } from "./read-documents.ts";
import { readDocumentFiles } from "./document-files.ts";
import { junitReport } from "./junit.ts";
import { scrapeTables } from "./scrape-output.ts";
import { formatTable } from "./table.ts";
import { topologyTrees } from "./topology-output.ts";

const formats: readonly DocumentFormat[] = [
  canaryFormat,
  connectionFormat,
  scrapeConfigFormat,
  topologyFormat,
];

interface RunOptions {
  output: "table" | "json" | "junit";
  junitFile?: string;
}

/**
 * Runs canaries, scrapers and topologies once, without a server: 1 when a check fails, could not be tried, or is not run,
 * or when a scrape or a lookup failed; 2 when a document is bad.
 */
export async function run(path: string, options: RunOptions): Promise<void> {
  const read = readDocumentFiles([path]).map(({ name, text }) => ({
    name,
    text,
    ...parseDocuments(text, { formats, file: name }),
  }));
  if (read.every(({ documents }) => documents.every(({ format }) => format === connectionFormat)))
    for (const { problems } of read) problems.forEach(refuseSkipped);
  for (const { name, problems } of read)
    for (const problem of problems) printProblem(name, problem);
  for (const { name, text, problems, documents } of read)
    for (const problem of placeholders(name, text, documents)) {
      printProblem(name, problem);
      problems.push(problem);
    }
  if (read.some(({ problems }) => problems.some(({ severity }) => severity === "error"))) {
    process.exitCode = 2;
    return;
  }
  const stopping = new AbortController();
  process.once("SIGINT", () => stopping.abort(new Error("interrupted")));
  closeInherited();
  const config = readConfig({}, process.env);
  forgetSecrets(settings);
  // Whoever runs a document at their own shell could run its scripts there as well.
  const exec = config.exec === "auto" ? "on" : config.exec;
  const evaluator = withoutCatalog(createEvaluator());
  const values = createValueSources({
    findCluster: findOwnCluster(config),
    valuesDir: config.valuesDir,
    clock: systemClock,
  });
  const connector = openConnector({ ...config, exec });
  let results: DocumentResult[];
  const scraped: ScrapeResult[] = [];
  const built: TopologyResult[] = [];
  try {
    const documents = read.flatMap((file) => file.documents);
    const connections = findInDocuments(documents, { values, evaluator });
    const signal = stopping.signal;
    const parts = { connector, signal, evaluator, values, connections };
    results = await runDocuments(canariesOf(documents), parts);
    const log = createLog("error");
    for (const document of scrapersIn(documents))
      scraped.push(await scrapeOnce(document, { ...parts, log, now: new Date() }));
    for (const document of topologiesIn(documents)) built.push(await buildOnce(document, parts));
  } finally {
    await evaluator.close();
  }
  if (options.junitFile) writeReport(options.junitFile, junitReport(results));
  const found = { checks: results, scrapers: scraped, topologies: built };
  if (scraped.length + built.length === 0) console.log(format(results, options.output));
  else if (options.output === "json") console.log(JSON.stringify(onlyFilled(found), undefined, 2));
  else {
    if (results.length > 0) console.log(format(results, options.output));
    if (scraped.length > 0) console.log(scrapeTables(scraped));
    if (built.length > 0) console.log(topologyTrees(built));
  }
  if (
    results.some((result) => !result.pass) ||
    [...scraped, ...built].some(({ errors }) => errors.length > 0)
  )
    process.exitCode = 1;
}

const canariesOf = (documents: readonly ParsedDocument[]) =>
  documents.filter((document): document is CanaryDocument => document.format === canaryFormat);

const scrapersIn = (documents: readonly ParsedDocument[]) =>
  documents.filter(
    (document): document is ParsedDocument<ScrapeConfigSpec> =>
      document.format === scrapeConfigFormat,
  );

const topologiesIn = (documents: readonly ParsedDocument[]) =>
  documents.filter(
    (document): document is ParsedDocument<TopologySpec> => document.format === topologyFormat,
  );

/** Of lists of one kind the list alone; of several each by its name. */
function onlyFilled(found: Record<string, readonly unknown[]>): unknown {
  const filled = Object.entries(found).filter(([, list]) => list.length > 0);
  return filled.length === 1 ? filled[0]![1] : Object.fromEntries(filled);
}

const secretPlacesOf = ({ format, source }: ParsedDocument) =>
  format === canaryFormat
    ? canarySecretPlaces(source)
    : format === scrapeConfigFormat
      ? scrapeConfigSecretPlaces(source)
      : format === topologyFormat
        ? topologySecretPlaces(source)
        : [];

/** What a placeholder stands for is known to the server alone. */
function placeholders(file: string, text: string, documents: readonly ParsedDocument[]): Problem[] {
  const message = `"${secretPlaceholder}" stands for a value that only the server knows: write the value itself, or try the document in the console.`;
  return documents.flatMap((document) => {
    const { index } = document;
    const places = secretPlacesOf(document).filter(({ value }) => value === secretPlaceholder);
    const paths = places.map(({ keys }) => ({ path: ["spec", ...keys], document: index }));
    return locateIssues(text, paths).map(({ path, line, column }) => ({
      severity: "error" as const,
      path: path.join("."),
      message,
      line,
      column,
      document: index,
      file,
    }));
  });
}

function writeReport(file: string, report: string): void {
  try {
    writeFileSync(file, report);
  } catch (error) {
    throw new StartupError(`The report ${file} cannot be written: ${(error as Error).message}`);
  }
}

function format(results: DocumentResult[], output: RunOptions["output"]): string {
  switch (output) {
    case "json":
      return JSON.stringify(results, undefined, 2);
    case "junit":
      return junitReport(results);
    case "table":
      return formatTable(
        ["RESULT", "CANARY", "TYPE", "NAME", "TIME", "MESSAGE"],
        results.map((result) => [
          outcomeOf(result),
          result.canary,
          result.type,
          result.name,
          `${result.duration} ms`,
          (result.held ?? result.error ?? result.message ?? "").split("\n", 1)[0]!,
        ]),
      );
  }
}

function outcomeOf(result: DocumentResult): string {
  if (result.held !== undefined) return "not run";
  if (result.untried) return "unknown";
  return result.pass ? "passed" : "FAILED";
}
