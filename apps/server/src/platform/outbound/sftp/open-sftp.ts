import { createHash } from "node:crypto";
import type { Client, FileEntryWithStats, SFTPWrapper } from "ssh2";
import type { Connector } from "../connector.ts";
import { placeName } from "../network-errors.ts";

/** Files of a server over SFTP, through the `ssh2` library over a socket of ours; loaded when first asked for. */

export interface SftpTarget {
  host: string;
  port: number;
  username: string;
  password?: string | undefined;
  /** PEM. */
  privateKey?: string | undefined;
  /** Base64 of the server's key, or SHA256:…; any key is taken without it. */
  hostKey?: string | undefined;
}

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

/** Whether the key that a server shows is the one that is expected. */
function isExpected(key: Buffer, expected: string): boolean {
  const wanted = expected.trim().split(/\s+/);
  const shown = key.toString("base64").replace(/=+$/, "");
  const print = `SHA256:${createHash("sha256").update(key).digest("base64").replace(/=+$/, "")}`;
  return wanted.some((one) => one.replace(/=+$/, "") === shown || one.replace(/=+$/, "") === print);
}

function explain(error: Error & { level?: string }, target: SftpTarget, place: string): Error {
  const say = (sentence: string) => new Error(sentence, { cause: error });
  if (error.level === "client-authentication")
    return say(`${place} did not let ${target.username} sign in`);
  if (/host denied|verification failed/i.test(error.message))
    return say(`${place} shows another host key than the one that is expected`);
  if (/Cannot parse privateKey|Encrypted/i.test(error.message))
    return say("the private key cannot be read");
  if (
    /handshake|protocol|ident|expected|version|header|greeting/i.test(
      `${error.level} ${error.message}`,
    )
  )
    return say(`${place} does not speak SSH as expected`);
  return say(`the connection to ${place} failed`);
}

export async function openSftp(
  target: SftpTarget,
  { signal, connector }: { signal: AbortSignal; connector: Connector },
): Promise<SftpFiles> {
  const { Client: SshClient } = await import("ssh2").then((module) => module.default ?? module);
  const place = placeName(target.host, target.port);
  const socket = await connector.tcp({ host: target.host, port: target.port }, { signal });
  const client: Client = new SshClient();
  const close = () => {
    client.on("error", () => undefined);
    socket.on("error", () => undefined);
    client.end();
    socket.destroy();
  };
  const sftp = await new Promise<SFTPWrapper>((fulfil, reject) => {
    const stop = () => fail(signal.reason as Error);
    const settle = () => signal.removeEventListener("abort", stop);
    const fail = (error: Error) => {
      settle();
      close();
      reject(signal.aborted ? (signal.reason as Error) : error);
    };
    signal.addEventListener("abort", stop, { once: true });
    client.on("error", (error) => fail(explain(error, target, place)));
    client.once("close", () => fail(new Error(`${place} closed the connection`)));
    // Some servers ask for the password in a dialog.
    client.on("keyboard-interactive", (_name, _text, _language, prompts, answer) =>
      answer(prompts.map(() => target.password ?? "")),
    );
    client.once("ready", () =>
      client.sftp((error, opened) => {
        if (error) return fail(new Error(`${place} offers no SFTP`, { cause: error }));
        settle();
        fulfil(opened);
      }),
    );
    try {
      client.connect({
        sock: socket,
        username: target.username,
        ...(target.password !== undefined && { password: target.password }),
        ...(target.privateKey && { privateKey: target.privateKey }),
        tryKeyboard: target.password !== undefined,
        // Time is kept by the signal alone.
        readyTimeout: 0,
        ...(target.hostKey && {
          hostVerifier: (key: Buffer) => isExpected(key, target.hostKey ?? ""),
        }),
      });
    } catch (error) {
      fail(explain(error as Error, target, place));
    }
  });

  /** One request; an abort ends the connection, and with it whatever is waited for. */
  const ask = <T>(work: (done: (error: Error | undefined | null, value: T) => void) => void) =>
    new Promise<T>((fulfil, reject) => {
      signal.throwIfAborted();
      const stop = () => reject(signal.reason as Error);
      const lost = () => reject(new Error(`${place} closed the connection`));
      signal.addEventListener("abort", stop, { once: true });
      client.once("close", lost);
      work((error, value) => {
        signal.removeEventListener("abort", stop);
        client.removeListener("close", lost);
        if (error) reject(error);
        else fulfil(value);
      });
    });

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
