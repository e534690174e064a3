import { writeFileSync } from "node:fs";
import { StartupError } from "@mainstay/embedded-postgres";
import { parseCanaryDocuments } from "@mainstay/contract";
import { type DocumentResult, runDocuments } from "#features/health/index.ts";
import { readConfig } from "#platform/config.ts";
import { closeInherited } from "#platform/outbound/close-inherited.ts";
import { openConnector } from "#platform/outbound/open-connector.ts";
import { forgetSecrets } from "#platform/secrets-in-environment.ts";
import { printProblem } from "./apply.ts";
import { readDocumentFiles } from "./document-files.ts";
import { junitReport } from "./junit.ts";
import { formatTable } from "./table.ts";

interface RunOptions {
  output: "table" | "json" | "junit";
  junitFile?: string;
}

/** Runs canaries once, without a server: 1 when a check fails or is not run, 2 when a document is bad. */
export async function run(path: string, options: RunOptions): Promise<void> {
  const read = readDocumentFiles([path]).map(({ name, text }) => ({
    name,
    ...parseCanaryDocuments(text, { file: name }),
  }));
  for (const { name, problems } of read)
    for (const problem of problems) printProblem(name, problem);
  if (read.some(({ problems }) => problems.some(({ severity }) => severity === "error"))) {
    process.exitCode = 2;
    return;
  }
  const stopping = new AbortController();
  process.once("SIGINT", () => stopping.abort(new Error("interrupted")));
  closeInherited();
  const config = readConfig({}, process.env);
  forgetSecrets();
  // Whoever runs a document at their own shell could run its scripts there as well.
  const exec = config.exec === "auto" ? "on" : config.exec;
  const results = await runDocuments(
    read.flatMap(({ documents }) => documents),
    { connector: openConnector({ ...config, exec }), signal: stopping.signal },
  );
  if (options.junitFile) writeReport(options.junitFile, junitReport(results));
  console.log(format(results, options.output));
  if (results.some((result) => !result.pass)) process.exitCode = 1;
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
  return result.pass ? "passed" : "FAILED";
}
