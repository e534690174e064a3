import type { FileEntryWithStats, SFTPWrapper, Stats } from "ssh2";
import { askSsh, openSsh, type SshOptions, type SshTarget } from "../ssh/open-ssh.ts";

/** Files of a server over SFTP. */

export interface SftpFiles {
  readonly place: string;
  /** What is in a folder, piece by piece. @throws an error with the server's code */
  read(path: string): AsyncIterable<FileEntryWithStats>;
  /**
   * The bytes of a file that is no link; nothing when it holds more than `most`, and `"special"` where it is no plain file.
   * @throws an error with the server's code
   */
  readFile(path: string, most: number): Promise<Buffer | "special" | undefined>;
  /**
   * A file that is no link, to be read here and there; `"special"` where it is no plain file.
   * @throws an error with the server's code
   */
  open(path: string): Promise<OpenedFile | "special">;
  /** Bytes of the file system, where the server tells them. */
  space(path: string): Promise<{ available: number; total: number } | undefined>;
  close(): void;
}

/** A file that is read in parts. */
export interface OpenedFile {
  /** Bytes that it held when it was opened. */
  size: number;
  modified: Date;
  /** The bytes from a place on; fewer at the end of the file. */
  read(from: number, length: number): Promise<Buffer>;
  close(): void;
}

/** Bytes of a file that are asked for at once: what every server answers whole. */
const chunkBytes = 32_768;

/** Codes of the protocol. */
export const sftpCodes = { end: 1, missing: 2, denied: 3 } as const;

export async function openSftp(target: SshTarget, options: SshOptions): Promise<SftpFiles> {
  const { signal } = options;
  const ssh = await openSsh(target, options);
  const { place, close } = ssh;
  const ask = <T>(work: (done: (error: Error | undefined | null, value: T) => void) => void) =>
    askSsh(ssh, signal, work);
  const sftp = await ask<SFTPWrapper>((done) => ssh.client.sftp(done as never)).catch(
    (error: unknown) => {
      close();
      if (signal.aborted) throw error;
      throw new Error(`${place} offers no SFTP`, { cause: error });
    },
  );

  return {
    place,
    close,
    async *read(path) {
      const handle = await ask<Buffer>((done) => sftp.opendir(path, done));
      try {
        for (;;) {
          const entries = await ask<FileEntryWithStats[]>((done) =>
            sftp.readdir(handle as unknown as string, done),
          ).catch((error: Error & { code?: number }) => {
            if (error.code === sftpCodes.end) return undefined;
            throw error;
          });
          if (!entries) break;
          yield* entries.filter(({ filename }) => filename !== "." && filename !== "..");
        }
      } finally {
        sftp.close(handle, () => undefined);
      }
    },
    async readFile(path, most) {
      const about = await ask<Stats>((done) => sftp.lstat(path, done));
      if (!about.isFile()) return "special";
      const handle = await ask<Buffer>((done) => sftp.open(path, "r", done));
      try {
        const chunks: Buffer[] = [];
        for (let length = 0; length <= most;) {
          const chunk = Buffer.alloc(Math.min(chunkBytes, most + 1 - length));
          const read = await ask<number>((done) =>
            sftp.read(handle, chunk, 0, chunk.length, length, (error, count) => done(error, count)),
          ).catch((error: Error & { code?: number }) => {
            if (error.code === sftpCodes.end) return 0;
            throw error;
          });
          if (read === 0) return Buffer.concat(chunks);
          chunks.push(chunk.subarray(0, read));
          length += read;
        }
        return undefined;
      } finally {
        sftp.close(handle, () => undefined);
      }
    },
    async open(path) {
      const about = await ask<Stats>((done) => sftp.lstat(path, done));
      if (!about.isFile()) return "special";
      const handle = await ask<Buffer>((done) => sftp.open(path, "r", done));
      const readChunk = (from: number, length: number): Promise<Buffer> => {
        const chunk = Buffer.alloc(length);
        return ask<number>((done) =>
          sftp.read(handle, chunk, 0, length, from, (error, count) => done(error, count)),
        )
          .catch((error: Error & { code?: number }) => {
            if (error.code === sftpCodes.end) return 0;
            throw error;
          })
          .then((read) => chunk.subarray(0, read));
      };
      return {
        size: about.size,
        modified: new Date(about.mtime * 1000),
        async read(from, length) {
          const places = Array.from(
            { length: Math.ceil(length / chunkBytes) },
            (_, index) => index * chunkBytes,
          );
          const chunks = await Promise.all(
            places.map((place) => readChunk(from + place, Math.min(chunkBytes, length - place))),
          );
          // What was cut off in the meantime ends there.
          const short = chunks.findIndex(
            (chunk, index) => chunk.length < Math.min(chunkBytes, length - places[index]!),
          );
          return Buffer.concat(short === -1 ? chunks : chunks.slice(0, short + 1));
        },
        close: () => sftp.close(handle, () => undefined),
      };
    },
    async space(path) {
      const found = await ask<{ f_bavail: number; f_blocks: number; f_frsize: number }>((done) =>
        sftp.ext_openssh_statvfs(path, done as never),
      ).catch((error: Error & { code?: number }) => {
        if (error.code === sftpCodes.missing || /not support/i.test(error.message))
          return undefined;
        throw error;
      });
      if (!found) return undefined;
      const { f_bavail: available, f_blocks: total, f_frsize: unit } = found;
      return { available: available * unit, total: total * unit };
    },
  };
}
