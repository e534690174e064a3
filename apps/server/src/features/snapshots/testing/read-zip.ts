import { text } from "node:stream/consumers";
import { fromBufferPromise } from "yauzl";

/** The files of a zip by their names, read by a library of its own: it refuses what is not whole. */
export async function readZip(bytes: Uint8Array): Promise<Record<string, string>> {
  const zip = await fromBufferPromise(Buffer.from(bytes));
  const files: Record<string, string> = {};
  for await (const entry of zip.eachEntry())
    files[entry.fileName] = await text(await zip.openReadStreamPromise(entry));
  return files;
}
