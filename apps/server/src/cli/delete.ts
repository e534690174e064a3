import { defaultNamespace } from "@mainstay/contract";
import { StartupError } from "@mainstay/embedded-postgres";
import { kindCalled } from "./document-kinds.ts";
import { readDocuments } from "./read-documents.ts";
import { ask, findServer, RefusedError, type ServerFlags } from "./server-access.ts";

interface DeleteOptions extends ServerFlags {
  namespace?: string;
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
    const words = [...(namespace === undefined ? [] : [namespace]), called];
    const path = [word, ...words].map(encodeURIComponent).join("/");
    const title = `${word} ${words.join("/")}`;
    try {
      await ask(access, "DELETE", `/api/documents/${path}${query}`);
      console.log(`${title} deleted`);
    } catch (error) {
      if (!(error instanceof RefusedError) || ![404, 409].includes(error.status)) throw error;
      console.error(error.status === 404 ? `${title} was not found` : error.message);
      process.exitCode = 1;
    }
  }
}

interface Target {
  /** Of the kind. */
  word: string;
  /** Or an id, which needs no namespace. */
  name: string;
  namespace: string | undefined;
}

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

function fromArguments(
  kind: string | undefined,
  name: string | undefined,
  namespace: string | undefined,
): Target {
  if (kind === undefined || !name) {
    throw new StartupError(
      "Say what to delete: mainstay delete KIND NAME [-n NAMESPACE], or mainstay delete -f FILE.",
    );
  }
  const { name: word } = kindCalled(kind);
  return { word, name, namespace: namespace ?? (uuid.test(name) ? undefined : defaultNamespace) };
}

const fromFiles = (paths: string[]): Target[] | undefined =>
  readDocuments(paths)?.documents.map(({ format, name, namespace }) => ({
    word: format.name,
    name,
    namespace,
  }));
