import { ciphers, dialects } from "./keys.ts";

/** The messages of SMB 2 and 3 that listing a folder and reading a file take ([MS-SMB2], section 2.2). Numbers are little-endian. */

export const commands = {
  negotiate: 0,
  sessionSetup: 1,
  treeConnect: 3,
  create: 5,
  close: 6,
  read: 8,
  queryDirectory: 14,
  queryInfo: 16,
} as const;
export type Command = keyof typeof commands;

/** How a server ended a request, as far as it matters which way. */
export const statuses = {
  ok: 0,
  pending: 0x0000_0103,
  noMoreFiles: 0x8000_0006,
  notSupported: 0xc000_00bb,
  invalidParameter: 0xc000_000d,
  noSuchFile: 0xc000_000f,
  endOfFile: 0xc000_0011,
  more: 0xc000_0016,
  accessDenied: 0xc000_0022,
  nameNotFound: 0xc000_0034,
  pathNotFound: 0xc000_003a,
  badNetworkName: 0xc000_00cc,
  isAFolder: 0xc000_00ba,
  notAFolder: 0xc000_0103,
  elsewhere: 0xc000_0257,
} as const;

export const headerLength = 64;
export const mark = Buffer.from([0xfe, 0x53, 0x4d, 0x42]);
const flagResponse = 0x1;
const flagAsync = 0x2;
/** Answers that are asked for in advance: none is sent before the one before it is there. */
const credits = 8;

export const wide = (text: string): Buffer => Buffer.from(text, "utf16le");

/** A part of a message: numbers of so many bytes, and bytes as they are. */
export const packed = (
  ...parts: readonly (readonly [size: 1 | 2 | 4 | 8, value: number] | Buffer)[]
) =>
  Buffer.concat(
    parts.map((part) => {
      if (Buffer.isBuffer(part)) return part;
      const [size, value] = part;
      const made = Buffer.alloc(8);
      made.writeUInt32LE(value);
      return made.subarray(0, size);
    }),
  );

export interface Place {
  id: bigint;
  sessionId: Buffer;
  treeId: number;
}

export function request(command: Command, { id, sessionId, treeId }: Place, body: Buffer): Buffer {
  const head = Buffer.alloc(headerLength);
  mark.copy(head);
  head.writeUInt16LE(headerLength, 4);
  // What is asked for fits into one credit; the first version knows no charge.
  head.writeUInt16LE(command === "negotiate" ? 0 : 1, 6);
  head.writeUInt16LE(commands[command], 12);
  head.writeUInt16LE(credits, 14);
  head.writeBigUInt64LE(id, 24);
  head.writeUInt32LE(treeId, 36);
  sessionId.copy(head, 40);
  return Buffer.concat([head, body]);
}

export interface Answer {
  /** The whole message: offsets in it count from its beginning. */
  message: Buffer;
  status: number;
  id: bigint;
  sessionId: Buffer;
  treeId: number;
  /** Only says that the answer will come. */
  isInterim: boolean;
}

/** Nothing when the bytes are no answer. */
export function readAnswer(message: Buffer): Answer | undefined {
  if (message.length < headerLength + 4 || !message.subarray(0, 4).equals(mark)) return undefined;
  const flags = message.readUInt32LE(16);
  if ((flags & flagResponse) === 0) return undefined;
  const status = message.readUInt32LE(8);
  return {
    message,
    status,
    id: message.readBigUInt64LE(24),
    sessionId: message.subarray(40, 48),
    treeId: message.readUInt32LE(36),
    isInterim: status === statuses.pending && (flags & flagAsync) !== 0,
  };
}

/** A piece of a message that its offset and its length are said of; nothing when it does not lie in it. */
export const piece = (message: Buffer, offset: number, length: number): Buffer | undefined =>
  offset + length <= message.length ? message.subarray(offset, offset + length) : undefined;

const context = (kind: number, data: Buffer) => {
  const padding = Buffer.alloc((8 - (data.length % 8)) % 8);
  return packed([2, kind], [2, data.length], [4, 0], data, padding);
};

/** What is spoken: every version since the second, signed; encrypted where the server wants it. */
export function negotiateBody({ clientId, salt }: { clientId: Buffer; salt: Buffer }): Buffer {
  const names = packed(...dialects.map((dialect) => [2, dialect] as const));
  const start = 36 + names.length;
  const padding = Buffer.alloc((8 - ((headerLength + start) % 8)) % 8);
  const offset = headerLength + start + padding.length;
  const known = Object.values(ciphers);
  return packed(
    [2, 36],
    [2, dialects.length],
    [2, 1],
    [2, 0],
    [4, 0x40],
    clientId,
    [4, offset],
    [2, 2],
    [2, 0],
    names,
    padding,
    context(1, packed([2, 1], [2, salt.length], [2, 1], salt)),
    context(2, packed([2, known.length], ...known.map((one) => [2, one] as const))),
  );
}

export interface Negotiated {
  dialect: number;
  /** Of version 3.1.1; zero where none is agreed on. */
  cipher: number;
  mostAnswer: number;
}

export function readNegotiated(message: Buffer): Negotiated | undefined {
  if (message.length < headerLength + 64) return undefined;
  const at = headerLength;
  const read = {
    dialect: message.readUInt16LE(at + 4),
    mostAnswer: message.readUInt32LE(at + 28),
    cipher: 0,
  };
  if (read.dialect !== 0x0311) return read;
  let place = message.readUInt32LE(at + 60);
  for (let rest = message.readUInt16LE(at + 6); rest > 0; rest -= 1) {
    if (place + 8 > message.length) return undefined;
    const [kind, length] = [message.readUInt16LE(place), message.readUInt16LE(place + 2)];
    const data = piece(message, place + 8, length);
    if (!data) return undefined;
    if (kind === 2 && length >= 4) read.cipher = data.readUInt16LE(2);
    place += 8 + Math.ceil(length / 8) * 8;
  }
  return read;
}

export const sessionBody = (token: Buffer): Buffer =>
  packed(
    [2, 25],
    [1, 0],
    [1, 1],
    [4, 0],
    [4, 0],
    [2, headerLength + 24],
    [2, token.length],
    [8, 0],
    token,
  );

export interface SessionAnswer {
  isGuest: boolean;
  isSealed: boolean;
  token: Buffer;
}

export function readSession({ message }: Answer): SessionAnswer | undefined {
  const at = headerLength;
  if (message.length < at + 8) return undefined;
  const flags = message.readUInt16LE(at + 2);
  const token = piece(message, message.readUInt16LE(at + 4), message.readUInt16LE(at + 6));
  return token && { isGuest: (flags & 0x3) !== 0, isSealed: (flags & 0x4) !== 0, token };
}

export function treeBody(path: string): Buffer {
  const name = wide(path);
  return packed([2, 9], [2, 0], [2, headerLength + 8], [2, name.length], name);
}

/** What sort of share it is, and whether it wants everything encrypted. */
export function readTree({ message }: Answer): { isDisk: boolean; isSealed: boolean } | undefined {
  if (message.length < headerLength + 16) return undefined;
  const flags = message.readUInt32LE(headerLength + 4);
  return { isDisk: message[headerLength + 2] === 1, isSealed: (flags & 0x8000) !== 0 };
}

/** Opens a folder to be listed, or a file to be read; a name of nothing is the share itself. */
export function openBody(path: string, kind: "folder" | "file" = "folder"): Buffer {
  const name = wide(path);
  // Of a folder the same number means to list it.
  const readAndReadAttributes = 0x81;
  const everybody = 0x7;
  const onlyWhatIsThere = 1;
  const only = kind === "folder" ? 0x1 : 0x40;
  return packed(
    [2, 57],
    [2, 0],
    [4, 2],
    [8, 0],
    [8, 0],
    [4, readAndReadAttributes],
    [4, 0],
    [4, everybody],
    [4, onlyWhatIsThere],
    [4, only],
    [2, headerLength + 56],
    [2, name.length],
    [8, 0],
    name.length === 0 ? Buffer.alloc(1) : name,
  );
}

export const readOpened = ({ message }: Answer): Buffer | undefined =>
  piece(message, headerLength + 64, 16);

export const closeBody = (file: Buffer): Buffer => packed([2, 24], [2, 0], [4, 0], file);

/** So many bytes of a file, from there on; below 4 GiB. */
export const readBody = (file: Buffer, from: number, length: number): Buffer =>
  packed(
    [2, 49],
    [1, headerLength + 16],
    [1, 0],
    [4, length],
    [8, from],
    file,
    [4, 0],
    [4, 0],
    [4, 0],
    [2, 0],
    [2, 0],
    [1, 0],
  );

/** The next entries of a folder. */
export function listBody(file: Buffer, most: number): Buffer {
  const pattern = wide("*");
  return packed(
    [2, 33],
    [1, 1],
    [1, 0],
    [4, 0],
    file,
    [2, headerLength + 32],
    [2, pattern.length],
    [4, most],
    pattern,
  );
}

/** Of the file system: how much there is, and how much is free. */
export const spaceBody = (file: Buffer): Buffer =>
  packed([2, 41], [1, 2], [1, 7], [4, 64], [2, 0], [2, 0], [4, 0], [4, 0], [4, 0], file);

/** What a list, a piece of information and a piece of a file are answered with. */
export const readOutput = ({ message }: Answer): Buffer | undefined =>
  message.length < headerLength + 8
    ? undefined
    : piece(
        message,
        message.readUInt16LE(headerLength + 2),
        message.readUInt32LE(headerLength + 4),
      );

export interface SmbEntry {
  name: string;
  isFolder: boolean;
  size: number;
  modified: Date;
}

const entryLength = 64;
const attributes = { folder: 0x10, reparsePoint: 0x400 } as const;
/** Of 100 nanoseconds since 1601. */
const dateOf = (time: bigint) => new Date(Number(time / 10_000n) - 11_644_473_600_000);

/** Nothing when they are cut. */
export function readEntries(output: Buffer): SmbEntry[] | undefined {
  const entries: SmbEntry[] = [];
  for (let at = 0; ;) {
    if (at + entryLength > output.length) return undefined;
    const name = piece(output, at + entryLength, output.readUInt32LE(at + 60));
    if (!name) return undefined;
    const has = output.readUInt32LE(at + 56);
    entries.push({
      name: name.toString("utf16le").toWellFormed(),
      // What leads elsewhere is not followed.
      isFolder: (has & attributes.folder) !== 0 && (has & attributes.reparsePoint) === 0,
      size: Number(output.readBigUInt64LE(at + 40)),
      modified: dateOf(output.readBigInt64LE(at + 24)),
    });
    const next = output.readUInt32LE(at);
    if (next === 0) return entries;
    at += next;
  }
}

export function readSpace(output: Buffer): { available: number; total: number } | undefined {
  if (output.length < 32) return undefined;
  const unit = output.readUInt32LE(24) * output.readUInt32LE(28);
  const [total, available] = [output.readBigUInt64LE(0), output.readBigUInt64LE(8)];
  return { available: Number(available) * unit, total: Number(total) * unit };
}
