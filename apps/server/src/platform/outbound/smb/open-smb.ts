import type { Connector } from "../connector.ts";
import { placeName } from "../network-errors.ts";
import {
  type Answer,
  closeBody,
  listBody,
  openBody,
  readBody,
  readEntries,
  readOpened,
  readOutput,
  readSpace,
  type SmbEntry,
  spaceBody,
  statuses,
} from "./messages.ts";
import type { SmbLogin } from "./sign-in.ts";
import { openSession, SmbRefusal, statusName } from "./smb-session.ts";

/**
 * Folders of a share, asked in SMB 2 and 3 over a socket of ours (docs/decisions/0010-smb-is-spoken-here.md). It reads,
 * one request after the other; it follows nothing to another server.
 */

export interface SmbTarget {
  host: string;
  port: number;
  share: string;
  login: SmbLogin;
}

export interface SmbFiles {
  readonly place: string;
  /** What is in a folder of the share, piece by piece. @throws SmbRefusal */
  read(path: string): AsyncIterable<SmbEntry>;
  /** The bytes of a file; nothing when it holds more than `most`. @throws SmbRefusal */
  readFile(path: string, most: number): Promise<Buffer | undefined>;
  /** Bytes of the file system that a folder lies on. @throws SmbRefusal */
  space(path: string): Promise<{ available: number; total: number }>;
  close(): void;
}

export async function openSmb(
  { host, port, share, login }: SmbTarget,
  { signal, connector }: { signal: AbortSignal; connector: Connector },
): Promise<SmbFiles> {
  const place = placeName(host, port);
  const socket = await connector.tcp({ host, port }, { signal });
  const close = () => {
    socket.on("error", () => undefined);
    socket.destroy();
  };
  const session = await openSession(socket, { host, share }, { place, signal, login }).catch(
    (error: unknown) => {
      close();
      throw error;
    },
  );

  const strange = () => new Error(`${place} does not speak SMB 2 or 3 as expected`);
  const refused = (path: string, { status }: Answer) =>
    new SmbRefusal(`${place} does not open ${path || "the share"}: ${statusName(status)}`, status);

  async function open(path: string, kind?: "file"): Promise<Buffer> {
    const answer = await session.ask("create", openBody(path.replaceAll("/", "\\"), kind));
    if (answer.status !== statuses.ok) throw refused(path, answer);
    const file = readOpened(answer);
    if (!file) throw strange();
    return file;
  }

  /** Entries of a folder that is open; nothing when there are no more. */
  async function next(file: Buffer, path: string): Promise<SmbEntry[] | undefined> {
    const answer = await session.ask("queryDirectory", listBody(file, session.mostAnswer));
    if (answer.status === statuses.noMoreFiles || answer.status === statuses.noSuchFile)
      return undefined;
    if (answer.status !== statuses.ok) throw refused(path, answer);
    const output = readOutput(answer);
    const entries = output && readEntries(output);
    if (!entries) throw strange();
    return entries.filter(({ name }) => name !== "." && name !== "..");
  }

  return {
    place,
    close,
    async *read(path) {
      const file = await open(path);
      for (let entries = await next(file, path); entries; entries = await next(file, path))
        yield* entries;
      await session.ask("close", closeBody(file));
    },
    async readFile(path, most) {
      const file = await open(path, "file");
      const chunks: Buffer[] = [];
      let length = 0;
      while (length <= most) {
        const wanted = Math.min(session.mostAnswer, most + 1 - length);
        const answer = await session.ask("read", readBody(file, length, wanted));
        if (answer.status === statuses.endOfFile) break;
        if (answer.status !== statuses.ok) throw refused(path, answer);
        const chunk = readOutput(answer);
        if (!chunk || chunk.length === 0 || chunk.length > wanted) throw strange();
        chunks.push(chunk);
        length += chunk.length;
      }
      await session.ask("close", closeBody(file));
      return length > most ? undefined : Buffer.concat(chunks);
    },
    async space(path) {
      const file = await open(path);
      const answer = await session.ask("queryInfo", spaceBody(file));
      if (answer.status !== statuses.ok) throw refused(path, answer);
      const output = readOutput(answer);
      const space = output && readSpace(output);
      if (!space) throw strange();
      await session.ask("close", closeBody(file));
      return space;
    },
  };
}
