import { constants } from "node:fs";
import { type FileHandle, open, realpath } from "node:fs/promises";
import { join, sep } from "node:path";
import { helmValue } from "./helm-values.ts";
import { longestValue, type ValueReference } from "./value-reference.ts";

const folders = { secret: "secrets", configmap: "configmaps", helm: "helm" } as const;

/**
 * A value that lies in a folder of the machine, as Kubernetes would mount it: `secrets/<namespace>/<name>/<key>`;
 * undefined when there is none. Symbolic links count, as long as they stay in the folder of the namespace.
 */
export async function readFromFiles(
  reference: ValueReference,
  namespace: string,
  directory: string,
): Promise<string | undefined> {
  if (reference.kind === "serviceaccount") return undefined;
  const root = await realOf(directory);
  if (root === undefined) return undefined;
  const folder = join(root, folders[reference.kind], namespace);
  const file = reference.kind === "helm" ? "values.yaml" : reference.key;
  const real = await realOf(join(folder, reference.name, file));
  if (real === undefined) return undefined;
  if (!real.startsWith(folder + sep)) throw new Error("its file lies outside of its namespace");
  const text = await readWhole(real);
  if (reference.kind !== "helm") return text;
  const { parse } = await import("yaml");
  return helmValue(parse(text, { logLevel: "silent", maxAliasCount: 10 }), reference.key);
}

async function realOf(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw new Error(`its file cannot be read (${code})`, { cause: error });
  }
}

async function readWhole(path: string): Promise<string> {
  let file: FileHandle | undefined;
  try {
    // Neither waits for the other end of a pipe nor follows a link that was put there meanwhile.
    file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stats = await file.stat();
    if (!stats.isFile()) throw new Error("its file is none");
    if (stats.size > longestValue) throw new Error("its file is longer than 1 MiB");
    const text = await file.readFile("utf8");
    // Editors end the last line, and nobody's password ends in a new line.
    return text.replace(/\r?\n$/, "");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw code ? new Error(`its file cannot be read (${code})`, { cause: error }) : error;
  } finally {
    await file?.close();
  }
}
