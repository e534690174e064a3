import { constants } from "node:fs";
import { open, readdir } from "node:fs/promises";
import { join, relative } from "node:path";
import {
  mostBytes,
  mostFiles,
  type ResultFile,
  type ResultPlace,
  TooManyResults,
} from "./result-place.ts";

const deepest = 32;
const mostEntries = 100_000;

/** Results that lie on this server; links are not followed. */
export async function readLocalResults(
  { folder, isResult }: ResultPlace,
  signal: AbortSignal,
): Promise<ResultFile[]> {
  const files: ResultFile[] = [];
  let room = mostBytes;
  let seen = 0;

  async function walk(directory: string, depth: number): Promise<void> {
    signal.throwIfAborted();
    const entries = await readdir(directory, { withFileTypes: true });
    seen += entries.length;
    if (seen > mostEntries || depth > deepest) throw new TooManyResults();
    for (const entry of entries.toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
      const path = join(directory, entry.name);
      if (entry.isDirectory()) await walk(path, depth + 1);
      else if (entry.isFile() && isResult(relative(folder, path))) {
        const text = await readText(path, room);
        room -= text.length;
        if (files.length >= mostFiles) throw new TooManyResults();
        files.push({ path: relative(folder, path), text });
      }
    }
  }

  try {
    await walk(folder, 0);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") throw new Error(`there is no folder ${folder}`, { cause: error });
    if (code) throw new Error(`the folder ${folder} cannot be read (${code})`, { cause: error });
    throw error;
  }
  return files;
}

async function readText(path: string, room: number): Promise<string> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const { size } = await file.stat();
    if (size > room) throw new TooManyResults();
    return await file.readFile("utf8");
  } finally {
    await file.close();
  }
}
