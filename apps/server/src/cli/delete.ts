import { connectionFormat, defaultNamespace } from "@mainstay/contract";
import { StartupError } from "@mainstay/embedded-postgres";
import { type ConnectionUse, nameUses, readUses, whyNotDeleted } from "./connection-uses.ts";
import { kindCalled } from "./document-kinds.ts";
import { readDocuments } from "./read-documents.ts";
import {
  ask,
  findServer,
  RefusedError,
  type ServerAccess,
  type ServerFlags,
} from "./server-access.ts";

interface DeleteOptions extends ServerFlags {
  namespace?: string;
  file?: string[];
  source?: string;
  yes?: boolean;
}

/**
 * Deletes a document by its name, or all that the files define. Exit code 1 when one of them is not there, or is a
 * connection that others use.
 */
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
  if (options.yes !== true && (await refuseUsed(access, targets, options.source))) return;
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

interface StoredDocument {
  id: string;
  document: { metadata: { namespace: string; name: string } };
}

/** Whether something that stays names a connection that is to go; it is said, and nothing is deleted. */
async function refuseUsed(
  access: ServerAccess,
  targets: readonly Target[],
  source: string | undefined,
): Promise<boolean> {
  const isGoing = (use: ConnectionUse) =>
    targets.some(
      ({ word, namespace, name }) =>
        word === use.kind && name === use.name && namespace === use.namespace,
    );
  let isUsed = false;
  for (const target of targets) {
    if (target.word !== connectionFormat.name) continue;
    const found = await findUses(access, target, source);
    const uses = found?.uses.filter((use) => !isGoing(use)) ?? [];
    if (nameUses(found?.title ?? "", uses)) isUsed = true;
  }
  if (!isUsed) return false;
  console.error(whyNotDeleted);
  process.exitCode = 1;
  return true;
}

/** Nothing of what is not there, which is said when it is to be deleted. */
async function findUses(
  access: ServerAccess,
  { namespace, name }: Target,
  source: string | undefined,
): Promise<{ title: string; uses: ConnectionUse[] } | undefined> {
  const words = [...(namespace === undefined ? [] : [namespace]), name];
  const query = source === undefined ? "" : `?source=${encodeURIComponent(source)}`;
  try {
    const { id, document } = await ask<StoredDocument>(
      access,
      "GET",
      `/api/documents/connections/${words.map(encodeURIComponent).join("/")}${query}`,
    );
    const uses = await readUses(access, id);
    return { title: `${document.metadata.namespace}/${document.metadata.name}`, uses };
  } catch (error) {
    if (error instanceof RefusedError && [404, 409].includes(error.status)) return undefined;
    throw error;
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
