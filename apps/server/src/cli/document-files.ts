import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { StartupError } from "@mainstay/embedded-postgres";

export interface DocumentFile {
  name: string;
  text: string;
}

/** The texts behind `-f`: files as given, folders with everything below them that looks like a document, `-` for input. */
export function readDocumentFiles(paths: readonly string[]): DocumentFile[] {
  const files = paths.flatMap((path): DocumentFile[] => {
    if (path === "-") return [{ name: "standard input", text: readFileSync(0, "utf8") }];
    let isFolder: boolean;
    try {
      isFolder = statSync(path).isDirectory();
    } catch {
      throw new StartupError(`${path} does not exist or cannot be read.`);
    }
    if (!isFolder) return [readDocumentFile(path)];
    return readdirSync(path, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.(ya?ml|json)$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
      .toSorted()
      .map(readDocumentFile);
  });
  if (files.length === 0)
    throw new StartupError(`No .yaml, .yml or .json file in ${paths.join(", ")}.`);
  return files;
}

function readDocumentFile(name: string): DocumentFile {
  try {
    // A mark of the byte order is no part of a text.
    return { name, text: readFileSync(name, "utf8").replace(/^\uFEFF/, "") };
  } catch (error) {
    throw new StartupError(`${name} cannot be read: ${(error as Error).message}`);
  }
}
