import { StartupError } from "@mainstay/embedded-postgres";
import { parseCanaryDocuments } from "@mainstay/contract";
import { printProblem } from "./apply.ts";
import { readDocumentFiles } from "./document-files.ts";
import { ask, findServer, type ServerFlags } from "./server-access.ts";

interface DeleteOptions extends ServerFlags {
  namespace: string;
  file?: string[];
}

/** Deletes canaries by name, or all that the files define. Exit code 1 when one of them is not there. */
export async function deleteCanaries(
  kind: string | undefined,
  name: string | undefined,
  options: DeleteOptions,
): Promise<void> {
  const targets = options.file
    ? fromFiles(options.file)
    : [fromArguments(kind, name, options.namespace)];
  if (!targets) {
    process.exitCode = 2;
    return;
  }
  const access = findServer(options);
  for (const target of targets) {
    const filter = new URLSearchParams({
      name: `eq.${target.name}`,
      namespace: `eq.${target.namespace}`,
      deleted_at: "is.null",
    });
    const gone = await ask<unknown[]>(access, "PATCH", `/api/db/canaries?${filter.toString()}`, {
      deleted_at: "now()",
    });
    if (gone.length > 0) console.log(`canary ${target.namespace}/${target.name} deleted`);
    else {
      console.error(`canary ${target.namespace}/${target.name} was not found`);
      process.exitCode = 1;
    }
  }
}

interface Target {
  name: string;
  namespace: string;
}

function fromArguments(
  kind: string | undefined,
  name: string | undefined,
  namespace: string,
): Target {
  if (kind === undefined || !/^canar(y|ies)$/.test(kind) || !name) {
    throw new StartupError(
      "Say what to delete: mainstay delete canary NAME [-n NAMESPACE], or mainstay delete -f FILE.",
    );
  }
  return { name, namespace };
}

function fromFiles(paths: string[]): Target[] | undefined {
  const read = readDocumentFiles(paths).map((file) => ({
    name: file.name,
    ...parseCanaryDocuments(file.text, { file: file.name }),
  }));
  const errors = read.flatMap(({ name, problems }) =>
    problems
      .filter((problem) => problem.severity === "error")
      .map((problem) => ({ name, problem })),
  );
  for (const { name, problem } of errors) printProblem(name, problem);
  if (errors.length > 0) return undefined;
  return read.flatMap(({ documents }) =>
    documents.map(({ name, namespace }) => ({ name, namespace })),
  );
}
