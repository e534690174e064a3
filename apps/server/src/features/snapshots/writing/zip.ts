import { Readable } from "node:stream";
import { finished } from "node:stream/promises";
import { ZipFile } from "yazl";

/** One file of a zip: its text is asked for when what stands before it has been sent. */
export interface ZipEntry {
  name: string;
  content: AsyncIterable<string>;
}

/**
 * A zip that is made while it is read, a piece at a time and no faster than its reader takes it. Where an entry fails the
 * stream ends with its error, before the directory at the end without which no program takes it for whole. When the
 * stream is given up the entry that is under way ends, and no other begins.
 */
export function zipOf(entries: Iterable<ZipEntry>, { mtime }: { mtime: Date }): Readable {
  const zip = new ZipFile();
  // It is one; the types say less.
  const output = zip.outputStream as Readable;
  let current: Readable | undefined;
  output.once("close", () => current?.destroy());
  const write = async () => {
    for (const { name, content } of entries) {
      if (output.destroyed) return;
      current = Readable.from(content, { objectMode: false });
      zip.addReadStream(current, name, { mtime, mode: 0o100644 });
      await finished(current);
    }
    zip.end();
  };
  zip.on("error", (error: Error) => output.destroy(error));
  write().catch((error: Error) => output.destroy(error));
  return output;
}
