import { StartupError } from "@mainstay/embedded-postgres";
import { kindCalled } from "./document-kinds.ts";
import { readDocuments } from "./read-documents.ts";
import { ask, findServer, RefusedError, type ServerFlags } from "./server-access.ts";

interface DeleteOptions extends ServerFlags {
  namespace: string;
  file?: string[];
  source?: string;
}

/** Deletes a document by its name, or all that the files define. Exit code 1 when one of them is not there. */
export async function deleteDocuments(
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
  const query = options.source === undefined ? "" : `?source=${encodeURIComponent(options.source)}`;
  for (const { word, namespace, name: called } of targets) {
    const path = [word, namespace, called].map(encodeURIComponent).join("/");
    try {
      await ask(access, "DELETE", `/api/documents/${path}${query}`);
      console.log(`${word} ${namespace}/${called} deleted`);
    } catch (error) {
      if (!(error instanceof RefusedError) || ![404, 409].includes(error.status)) throw error;
      console.error(
        error.status === 404 ? `${word} ${namespace}/${called} was not found` : error.message,
      );
      process.exitCode = 1;
    }
  }
}

interface Target {
  /** Of the kind. */
  word: string;
  name: string;
  namespace: string;
}

function fromArguments(
  kind: string | undefined,
  name: string | undefined,
  namespace: string,
): Target {
  if (kind === undefined || !name) {
    throw new StartupError(
      "Say what to delete: mainstay delete KIND NAME [-n NAMESPACE], or mainstay delete -f FILE.",
    );
  }
  return { word: kindCalled(kind).format.name, name, namespace };
}

const fromFiles = (paths: string[]): Target[] | undefined =>
  readDocuments(paths)?.documents.map(({ format, name, namespace }) => ({
    word: format.name,
    name,
    namespace,
  }));
