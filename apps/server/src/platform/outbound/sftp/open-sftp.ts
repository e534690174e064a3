import type { FileEntryWithStats, SFTPWrapper } from "ssh2";
import { askSsh, openSsh, type SshOptions, type SshTarget } from "../ssh/open-ssh.ts";

/** Files of a server over SFTP. */

export interface SftpFiles {
  readonly place: string;
  /** What is in a folder, piece by piece. @throws an error with the server's code */
  read(path: string): AsyncIterable<FileEntryWithStats>;
  /** Bytes of the file system, where the server tells them. */
  space(path: string): Promise<{ available: number; total: number } | undefined>;
  close(): void;
}

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
