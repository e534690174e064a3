import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import { createSecureContext, TLSSocket } from "node:tls";

/**
 * A stand-in for SQL Server at the level of TDS 7.4, written after the published specification ([MS-TDS]): prelogin with
 * the negotiation of TLS and its handshake inside of packets, login with name and password, batches, rows of numbers and
 * texts, errors, attention. No other type of value, no procedure, no bulk copy.
 */
export interface TdsServer {
  login?: { user: string; password: string; databases?: readonly string[] };
  tls?: { cert: string; key: string };
  /** What a batch is answered; `SELECT 1` as a real one when absent. Called again and again for rows without end. */
  batch?: (sql: string) => Reply;
  /** Answers nothing to a batch. */
  isStuck?: boolean;
  /** What was sent, as far as it is of interest. */
  heard?: string[];
}

interface Reply {
  columns?: readonly { name: string; type: "int" | "bigint" | "nvarchar" }[];
  rows?: Iterable<readonly (number | string | null)[]>;
  error?: { number: number; message: string };
}

const packetTypes = { batch: 0x01, response: 0x04, attention: 0x06, login: 0x10, prelogin: 0x12 };
const done = { final: 0x00, more: 0x01, error: 0x02, count: 0x10, attention: 0x20 };

const u16 = (value: number) => {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
};
const u32 = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};
const ucs2 = (text: string) => Buffer.from(text, "utf16le");
const shortText = (text: string) => Buffer.concat([Buffer.from([text.length]), ucs2(text)]);
const longText = (text: string) => Buffer.concat([u16(text.length), ucs2(text)]);
const token = (type: number, content: Buffer) =>
  Buffer.concat([Buffer.from([type]), u16(content.length), content]);

const doneToken = (status: number, rows = 0) =>
  Buffer.concat([Buffer.from([0xfd]), u16(status), u16(0xc1), u32(rows), u32(0)]);
const message = (type: 0xaa | 0xab, number: number, text: string) =>
  token(
    type,
    Buffer.concat([
      u32(number),
      Buffer.from([1, type === 0xaa ? 14 : 0]),
      longText(text),
      shortText("stand-in"),
      shortText(""),
      u32(1),
    ]),
  );
const collation = Buffer.from([0x09, 0x04, 0xd0, 0x00, 0x34]);

export function packets(type: number, payload: Buffer): Buffer {
  const most = 4096 - 8;
  const made: Buffer[] = [];
  for (let at = 0, id = 1; at === 0 || at < payload.length; at += most, id += 1) {
    const part = payload.subarray(at, at + most);
    const head = Buffer.from([type, at + most >= payload.length ? 1 : 0, 0, 0, 0, 0, id % 256, 0]);
    head.writeUInt16BE(part.length + 8, 2);
    made.push(head, part);
  }
  return Buffer.concat(made);
}

function preloginReply(encryption: number): Buffer {
  const options: [number, Buffer][] = [
    [0, Buffer.from([16, 0, 0x0f, 0xa0, 0, 0])],
    [1, Buffer.from([encryption])],
    [2, Buffer.from([0])],
    [3, Buffer.alloc(0)],
    [4, Buffer.from([0])],
  ];
  let at = options.length * 5 + 1;
  const heads = options.map(([id, value]) => {
    const head = Buffer.from([id, 0, 0, 0, value.length]);
    head.writeUInt16BE(at, 1);
    at += value.length;
    return head;
  });
  return Buffer.concat([...heads, Buffer.from([0xff]), ...options.map(([, value]) => value)]);
}

/** The encryption that a client asks for: 0 for the login alone, 1 for all, 2 for none. */
function encryptionOf(payload: Buffer): number {
  for (let at = 0; payload[at] !== 0xff; at += 5)
    if (payload[at] === 1) return payload[payload.readUInt16BE(at + 1)] as number;
  return 2;
}

function readLogin(payload: Buffer): { user: string; password: string; database: string } {
  const text = (at: number) => {
    const from = payload.readUInt16LE(at);
    return payload.subarray(from, from + payload.readUInt16LE(at + 2) * 2);
  };
  const password = Buffer.from(text(44)).map((byte) => {
    const plain = byte ^ 0xa5;
    return ((plain & 0x0f) << 4) | (plain >> 4);
  });
  return {
    user: text(40).toString("utf16le"),
    password: Buffer.from(password).toString("utf16le"),
    database: text(68).toString("utf16le"),
  };
}

const selectOne: Reply = { columns: [{ name: "", type: "int" }], rows: [[1]] };

function* replyTokens({ columns, rows = [], error }: Reply): Generator<Buffer> {
  if (columns) {
    const described = columns.map(({ name, type }) =>
      Buffer.concat([
        u32(0),
        u16(0x0009),
        type !== "nvarchar"
          ? Buffer.from([0x26, type === "int" ? 4 : 8])
          : Buffer.concat([Buffer.from([0xe7]), u16(8000), collation]),
        shortText(name),
      ]),
    );
    yield Buffer.concat([Buffer.from([0x81]), u16(columns.length), ...described]);
    for (const row of rows) {
      const values = row.map((value, index) => {
        if (columns[index]?.type === "int")
          return value === null
            ? Buffer.from([0])
            : Buffer.concat([Buffer.from([4]), u32(Number(value))]);
        if (columns[index]?.type === "bigint") {
          const bytes = Buffer.from([8, 0, 0, 0, 0, 0, 0, 0, 0]);
          bytes.writeBigInt64LE(BigInt(value!), 1);
          return bytes;
        }
        return value === null
          ? u16(0xffff)
          : Buffer.concat([u16(String(value).length * 2), ucs2(String(value))]);
      });
      yield Buffer.concat([Buffer.from([0xd1]), ...values]);
    }
  }
  if (error) yield message(0xaa, error.number, error.message);
  yield doneToken(error ? done.error : done.count, 1);
}

/** Serves one connection. */
export function serveTds(socket: Socket, server: TdsServer): void {
  const plain = receivePackets(socket, (type, payload) => {
    if (type !== packetTypes.prelogin) return serveMessage(socket, server, type, payload);
    const wanted = encryptionOf(payload);
    const isSecure = server.tls !== undefined && wanted !== 2;
    server.heard?.push(`prelogin ${wanted}`);
    socket.write(packets(packetTypes.response, preloginReply(isSecure ? 1 : 2)));
    if (!isSecure) return undefined;
    plain.stop();
    const secured = new TLSSocket(wrapped(socket), {
      isServer: true,
      secureContext: createSecureContext({ ...server.tls, maxVersion: "TLSv1.2" }),
    });
    secured.on("error", () => socket.destroy());
    receivePackets(secured, (kind, content) => serveMessage(secured, server, kind, content));
    return undefined;
  });
}

/** What the handshake says travels in packets; from the first record of data on, nothing does. */
function wrapped(socket: Socket): Duplex {
  let isHandshake = true;
  let received = Buffer.alloc(0);
  const inside = new Duplex({
    read: () => undefined,
    write(chunk: Buffer, _encoding, next) {
      socket.write(isHandshake ? packets(packetTypes.prelogin, chunk) : chunk, () => next());
    },
  });
  socket.on("data", (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    while (received.length > 0) {
      if (received[0] !== packetTypes.prelogin) isHandshake = false;
      if (!isHandshake) {
        inside.push(received);
        received = Buffer.alloc(0);
        return;
      }
      if (received.length < 8 || received.length < received.readUInt16BE(2)) return;
      const size = received.readUInt16BE(2);
      inside.push(received.subarray(8, size));
      received = received.subarray(size);
    }
  });
  socket.once("close", () => inside.push(null));
  return inside;
}

function receivePackets(
  stream: Socket | Duplex,
  handle: (type: number, payload: Buffer) => void,
): { stop(): void } {
  let received = Buffer.alloc(0);
  let parts: Buffer[] = [];
  const hear = (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    while (received.length >= 8 && received.length >= received.readUInt16BE(2)) {
      const size = received.readUInt16BE(2);
      parts.push(received.subarray(8, size));
      const [type, status] = received as unknown as [number, number];
      received = received.subarray(size);
      if ((status & 1) === 0) continue;
      const whole = Buffer.concat(parts);
      parts = [];
      handle(type, whole);
    }
  };
  stream.on("data", hear);
  return { stop: () => void stream.removeListener("data", hear) };
}

function serveMessage(to: Duplex, server: TdsServer, type: number, payload: Buffer): void {
  const answer = (...tokens: Buffer[]) =>
    to.write(packets(packetTypes.response, Buffer.concat(tokens)));
  if (type === packetTypes.login) {
    const { user, password, database } = readLogin(payload);
    const { login } = server;
    server.heard?.push(`login ${user}@${database}`);
    if (login && (user !== login.user || password !== login.password))
      return void answer(
        message(0xaa, 18_456, `Login failed for user '${user}'.`),
        doneToken(done.error),
      );
    if (login?.databases && database !== "" && !login.databases.includes(database))
      return void answer(
        message(
          0xaa,
          4060,
          `Cannot open database "${database}" requested by the login. The login failed.`,
        ),
        doneToken(done.error),
      );
    const version = Buffer.from([0x74, 0x00, 0x00, 0x04]);
    return void answer(
      token(
        0xe3,
        Buffer.concat([Buffer.from([1]), shortText(database || "master"), shortText("")]),
      ),
      message(0xab, 5701, `Changed database context to '${database || "master"}'.`),
      token(
        0xad,
        Buffer.concat([
          Buffer.from([1]),
          version,
          shortText("stand-in"),
          Buffer.from([16, 0, 0, 0]),
        ]),
      ),
      token(0xe3, Buffer.concat([Buffer.from([4]), shortText("4096"), shortText("4096")])),
      doneToken(done.final),
    );
  }
  if (type === packetTypes.attention) {
    server.heard?.push("attention");
    return void answer(doneToken(done.attention));
  }
  if (type !== packetTypes.batch) return void to.destroy();
  const sql = payload.subarray(payload.readUInt32LE(0)).toString("utf16le");
  // What a driver sets up after the login.
  if (/^\s*set /i.test(sql)) return void answer(doneToken(done.final));
  server.heard?.push(sql);
  if (server.isStuck) return undefined;
  return stream(to, replyTokens(server.batch?.(sql) ?? selectOne));
}

/** Sends tokens in packets as fast as they are read. */
function stream(to: Duplex, tokens: Generator<Buffer>): void {
  const next = () => {
    for (;;) {
      const some: Buffer[] = [];
      let size = 0;
      let isLast = false;
      while (size < 3000) {
        const one = tokens.next();
        if (one.done) {
          isLast = true;
          break;
        }
        some.push(one.value);
        size += one.value.length;
      }
      const bytes = packets(packetTypes.response, Buffer.concat(some));
      if (!isLast)
        for (let at = 0; at < bytes.length; at += bytes.readUInt16BE(at + 2)) bytes[at + 1] = 0;
      if (to.destroyed) return;
      const isRoom = to.write(bytes);
      if (isLast) return;
      if (!isRoom) return void to.once("drain", next);
    }
  };
  next();
}
