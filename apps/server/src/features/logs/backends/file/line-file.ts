import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import type { OpenedFile } from "#platform/outbound/sftp/open-sftp.ts";

/** Bytes that are read at once, and those of one line and of one record. */
const chunkBytes = 256 * 1024;
const longestLine = 64 * 1024;
/** Bytes of a file that was gzipped. */
const mostUnpacked = 64 * 1024 * 1024;

/** One line and where it begins. */
export interface PlacedLine {
  at: number;
  text: string;
  /** The line is longer than what is read of it. */
  isCut?: boolean;
}

/** What may still be read for one question, in bytes; 0 or less when it is over. */
export interface Budget {
  left: number;
}

/** A file of lines that is read from any place on, in both directions. */
export interface LineFile {
  size: number;
  /** Lines from the first one that begins at `from` or behind it, up to those that begin before `to`. */
  forward(from: number, to: number): AsyncIterable<PlacedLine>;
  /** The same lines, the last one first. */
  backward(from: number, to: number): AsyncIterable<PlacedLine>;
  close(): void;
}

const newline = 0x0a;

const lineAt = (at: number, bytes: Buffer): PlacedLine => {
  const end = bytes.at(-1) === 0x0d ? bytes.length - 1 : bytes.length;
  const isCut = end > longestLine;
  return {
    at,
    text: bytes.subarray(0, Math.min(end, longestLine)).toString("utf8"),
    ...(isCut && { isCut }),
  };
};

/** The bytes of a plain file; of a gzipped one, which can only be read whole. */
async function unpacked(file: OpenedFile, path: string, budget: Budget): Promise<OpenedFile> {
  if (!path.endsWith(".gz")) return file;
  if (file.size > mostUnpacked)
    throw new Error(`${path} is gzipped and larger than what is unpacked`);
  const packed = await file.read(0, file.size);
  file.close();
  const whole = await promisify(gunzip)(packed, { maxOutputLength: mostUnpacked }).catch(
    (error: NodeJS.ErrnoException) => {
      throw new Error(
        error.code === "ERR_BUFFER_TOO_LARGE"
          ? `${path} holds more than ${mostUnpacked / 1024 / 1024} MB when it is unpacked`
          : `${path} cannot be unpacked`,
        { cause: error },
      );
    },
  );
  budget.left -= whole.length;
  return {
    size: whole.length,
    modified: file.modified,
    read: (from, length) => Promise.resolve(whole.subarray(from, from + length)),
    close: () => undefined,
  };
}

export async function openLineFile(
  opened: OpenedFile,
  path: string,
  budget: Budget,
): Promise<LineFile> {
  const file = await unpacked(opened, path, budget);
  const isPaid = path.endsWith(".gz");
  const read = async (from: number, length: number) => {
    const bytes = await file.read(from, length);
    if (!isPaid) budget.left -= bytes.length;
    return bytes;
  };

  async function* forward(from: number, to: number): AsyncGenerator<PlacedLine> {
    // A line begins behind the end of another one, which may be the byte before.
    let at = Math.max(0, from - 1);
    let isFirst = at > 0;
    let start = at;
    let kept: Buffer[] = [];
    let keptBytes = 0;
    while (at < file.size && start < to) {
      if (budget.left <= 0) return;
      const bytes = await read(at, Math.min(chunkBytes, file.size - at));
      if (bytes.length === 0) break;
      let begin = 0;
      for (let end = bytes.indexOf(newline); end !== -1; end = bytes.indexOf(newline, begin)) {
        const line = lineAt(start, Buffer.concat([...kept, bytes.subarray(begin, end)]));
        kept = [];
        keptBytes = 0;
        if (isFirst) isFirst = false;
        else if (start < to) yield line;
        begin = end + 1;
        start = at + begin;
        if (start >= to) return;
      }
      const rest = bytes.subarray(begin);
      // Of a line that does not end, its beginning is kept.
      if (keptBytes <= longestLine) kept.push(rest);
      keptBytes += rest.length;
      at += bytes.length;
    }
    if (kept.length > 0 && keptBytes > 0 && !isFirst && start < to)
      yield lineAt(start, Buffer.concat(kept));
  }

  async function* backward(from: number, to: number): AsyncGenerator<PlacedLine> {
    let end = await endOfLineBefore(to);
    // What stands behind the newline that was found last, up to the end of the line.
    let tail: Buffer[] = [];
    let tailBytes = 0;
    let at = end;
    while (at > 0 && end > from) {
      if (budget.left <= 0) return;
      const length = Math.min(chunkBytes, at);
      const bytes = await read(at - length, length);
      at -= length;
      let stop = bytes.length;
      for (let found = bytes.lastIndexOf(newline, stop - 1); found !== -1;) {
        const start = at + found + 1;
        const isLast = start === end && tailBytes === 0 && stop === found + 1;
        if (!isLast) {
          if (start < from) return;
          yield lineAt(start, Buffer.concat([bytes.subarray(found + 1, stop), ...tail]));
          tail = [];
          tailBytes = 0;
        }
        end = start;
        stop = found;
        found = stop === 0 ? -1 : bytes.lastIndexOf(newline, stop - 1);
      }
      const rest = bytes.subarray(0, stop);
      // Of a long line its beginning is kept, which is read last.
      tail = [Buffer.concat([rest, ...tail]).subarray(0, longestLine + 1)];
      tailBytes += rest.length;
    }
    if (at === 0 && from <= 0 && tailBytes > 0) yield lineAt(0, Buffer.concat(tail));
  }

  /** Where the last line that begins before a place ends. */
  async function endOfLineBefore(to: number): Promise<number> {
    if (to >= file.size) return file.size;
    for (let at = Math.max(0, to - 1); at < file.size; at += chunkBytes) {
      const bytes = await read(at, Math.min(chunkBytes, file.size - at));
      const found = bytes.indexOf(newline);
      if (found !== -1) return at + found + 1;
      if (bytes.length === 0 || budget.left <= 0) break;
    }
    return file.size;
  }

  return { size: file.size, forward, backward, close: () => file.close() };
}
