import {
  appliedSource,
  findTwins,
  parseDocuments,
  type ParsedDocument,
  type Problem,
  type SavedDocuments,
} from "@mainstay/contract";
import { documentFormats } from "@mainstay/contract/document-formats.ts";
import { StartupError } from "@mainstay/embedded-postgres";
import { type DocumentFile, readDocumentFiles } from "./document-files.ts";
import { ask, RefusedError, type ServerAccess } from "./server-access.ts";

export interface ReadFiles {
  files: DocumentFile[];
  /** The good ones. */
  documents: ParsedDocument[];
  /** What was said of the others. */
  errors: Problem[];
}

/** What the files define; nothing after every problem was said, with its place, when one of them is bad. */
export function readDocuments(paths: readonly string[]): ReadFiles | undefined {
  const read = readGoodDocuments(paths);
  return read.errors.length > 0 ? undefined : read;
}

/** What the files define, and what is wrong with the rest, which is said. */
export function readGoodDocuments(paths: readonly string[]): ReadFiles {
  const files = readDocumentFiles(paths);
  const read = files.map(({ name, text }) =>
    parseDocuments(text, { formats: documentFormats, file: name }),
  );
  const documents = read.flatMap((file) => file.documents);
  const problems = [
    ...read.flatMap((file) => file.problems),
    ...findTwins(documents).map(({ document, twin, path, claim }): Problem => ({
      severity: "error",
      path,
      message: `"${claim}" is already the document at ${twin.file}:${twin.line}.`,
      line: document.line,
      column: 1,
      document: document.index,
      ...(document.file === undefined ? {} : { file: document.file }),
    })),
  ];
  if (documents.length === 0) problems.forEach(refuseSkipped);
  for (const problem of problems) printProblem(problem.file ?? "", problem);
  return { files, documents, errors: problems.filter(({ severity }) => severity === "error") };
}

/** Where nothing else is there, what is skipped is what is wrong. */
export function refuseSkipped(problem: Problem): void {
  if (problem.isSkipped) problem.severity = "error";
}

export function printProblem(file: string, problem: Omit<Problem, "document">): void {
  const path = problem.path ? `${problem.path}: ` : "";
  console.error(
    `${file}:${problem.line}:${problem.column}: ${problem.severity}: ${path}${problem.message}`,
  );
}

export interface SendOptions {
  source?: string;
  prune?: boolean;
  labels?: string;
  dryRun?: boolean;
}

/** Whatever a file ends with, the next begins anew. */
const ended = (text: string) => `${text}${text.endsWith("\n") ? "" : "\n"}...\n`;

export interface Sent extends SavedDocuments {
  /** Of a dry run: what would become of these alone, beside others that are bad. */
  isRefused?: true;
}

/**
 * Sends the documents of all files at once, so that all are saved or none. What only the server can see is said like
 * the rest, with the file's name and the line in it; then there is no answer, but for a dry run, which answers what
 * would become of the good ones.
 */
export async function sendDocuments(
  access: ServerAccess,
  { files, errors }: Pick<ReadFiles, "files" | "errors">,
  { source = appliedSource, prune = false, labels, dryRun = false }: SendOptions,
): Promise<Sent | undefined> {
  if (prune !== (labels !== undefined))
    throw new StartupError(
      "--prune and --labels go together: say which documents may be deleted, for example --prune -l team=shop.",
    );
  const query = new URLSearchParams({ source, ...(labels !== undefined && { prune: labels }) });
  if (dryRun) query.set("dryRun", "true");
  const text = files.map((file) => ended(file.text)).join("");
  return ask<SavedDocuments>(access, "POST", `/api/documents?${query.toString()}`, text).catch(
    (error: unknown) => {
      if (!(error instanceof RefusedError) || !error.body.issues?.length) throw error;
      for (const { line = 1, column = 1, ...issue } of error.body.issues) {
        const place = placeIn(files, line);
        const isSaid = errors.some(
          (said) =>
            said.file === place.file && said.line === place.line && said.path === issue.path,
        );
        if (!isSaid)
          printProblem(place.file, { severity: "error", column, ...issue, line: place.line });
      }
      const { documents } = error.body;
      return documents && { dryRun, documents, notices: [], isRefused: true as const };
    },
  );
}

/** The file that a line of the joined text is of. */
function placeIn(files: readonly DocumentFile[], line: number): { file: string; line: number } {
  let before = 0;
  for (const { name, text } of files) {
    // With the one that ends it.
    const lines = ended(text).split("\n").length - 1;
    if (line <= before + lines) return { file: name, line: line - before };
    before += lines;
  }
  return { file: files.at(-1)?.name ?? "", line };
}
