import { parseCanaryDocuments, type Problem } from "@mainstay/contract";
import { readDocumentFiles } from "./document-files.ts";
import { ask, findServer, RefusedError, type ServerFlags } from "./server-access.ts";

interface Applied {
  canaries: {
    id: string;
    name: string;
    namespace: string;
    outcome: "created" | "updated" | "unchanged";
  }[];
}

/**
 * Creates or updates what the files define. Everything is read and checked first: one bad document and nothing is
 * sent. Exit code 2 when a document is bad.
 */
export async function apply(options: ServerFlags & { file: string[] }): Promise<void> {
  const files = readDocumentFiles(options.file);
  const checked = files.map((file) => ({
    ...file,
    ...parseCanaryDocuments(file.text, { file: file.name }),
  }));
  const problems = checked.flatMap(({ name, problems }) =>
    problems.map((problem) => ({ name, ...problem })),
  );
  for (const problem of problems) printProblem(problem.name, problem);
  if (problems.some((problem) => problem.severity === "error")) {
    process.exitCode = 2;
    return;
  }
  const access = findServer(options);
  for (const { name, text } of checked) {
    const { canaries } = await ask<Applied>(access, "POST", "/api/canary/documents", {
      text,
    }).catch((error: unknown) => refuse(name, error));
    for (const canary of canaries)
      console.log(`canary ${canary.namespace}/${canary.name} ${canary.outcome}`);
  }
}

/** What only the server can see is said like the rest, with the file's name; what came before is saved. */
function refuse(file: string, error: unknown): Applied {
  if (!(error instanceof RefusedError) || !error.body.issues) throw error;
  for (const { line = 1, column = 1, ...issue } of error.body.issues)
    printProblem(file, { severity: "error", document: 0, line, column, ...issue });
  process.exitCode = 2;
  return { canaries: [] };
}

export function printProblem(file: string, problem: Problem): void {
  const path = problem.path ? `${problem.path}: ` : "";
  console.error(
    `${file}:${problem.line}:${problem.column}: ${problem.severity}: ${path}${problem.message}`,
  );
}
