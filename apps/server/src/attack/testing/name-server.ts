import { createSocket, type RemoteInfo, type Socket } from "node:dgram";
import dns from "node:dns";
import { once } from "node:events";
import { syncBuiltinESMExports } from "node:module";

export interface NameServer {
  /** How often each name was asked for. */
  readonly asked: ReadonlyMap<string, number>;
  stop(): Promise<void>;
}

/** The IPv4 addresses of a name when it is asked for the nth time; the first is 1. */
export type Answers = (name: string, time: number) => readonly string[];

/**
 * A name server that may change its mind, which this process asks for every name from then on. What the system would
 * ask stands in the place of its look-up, so that no file of the machine has to be changed.
 */
export async function startNameServer(answers: Answers): Promise<NameServer> {
  const asked = new Map<string, number>();
  const socket: Socket = createSocket("udp4");
  socket.on("message", (question: Buffer, from: RemoteInfo) => {
    const { name, end } = readName(question);
    const isForIpv4 = question.readUInt16BE(end) === 1;
    const time = (asked.get(name) ?? 0) + (isForIpv4 ? 1 : 0);
    asked.set(name, time);
    const found = isForIpv4 ? answers(name, time) : [];
    socket.send(answerOf(question.subarray(0, end + 4), found), from.port, from.address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  const resolver = new dns.promises.Resolver({ timeout: 2_000, tries: 1 });
  resolver.setServers([`127.0.0.1:${socket.address().port}`]);
  const restore = lookUpWith(async (name) => (await resolver.resolve4(name)).map(asFound));
  return {
    asked,
    async stop() {
      restore();
      resolver.cancel();
      await new Promise<void>((resolve) => socket.close(() => resolve()));
    },
  };
}

interface Found {
  address: string;
  family: number;
}
const asFound = (address: string): Found => ({ address, family: 4 });

/** Both look-ups of Node, the promised one and the one that sockets use by themselves. */
function lookUpWith(find: (name: string) => Promise<Found[]>): () => void {
  const before = [dns.promises.lookup, dns.lookup] as const;
  const pick = (found: Found[], options: unknown) =>
    (options as { all?: boolean } | undefined)?.all ? found : found[0];
  const promised = async (name: string, options?: unknown) => pick(await find(name), options);
  const called = (name: string, options: unknown, done?: (...parts: unknown[]) => void) => {
    const tell = (done ?? options) as (...parts: unknown[]) => void;
    find(name).then(
      (found) => {
        const isAll = (options as { all?: boolean } | undefined)?.all ?? false;
        return isAll ? tell(null, found) : tell(null, found[0]?.address, found[0]?.family);
      },
      (error: unknown) => tell(error),
    );
  };
  Object.assign(dns.promises, { lookup: promised });
  Object.assign(dns, { lookup: called });
  syncBuiltinESMExports();
  return () => {
    [dns.promises.lookup, dns.lookup] = before;
    syncBuiltinESMExports();
  };
}

/** The name that a question is about, and where it ends. */
function readName(question: Buffer): { name: string; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = question[at]!; length > 0; length = question[at]!) {
    labels.push(question.toString("latin1", at + 1, at + 1 + length));
    at += length + 1;
  }
  return { name: labels.join(".").toLowerCase(), end: at + 1 };
}

/** An answer to that question that nobody may keep: it is good for no second. */
function answerOf(question: Buffer, addresses: readonly string[]): Buffer {
  const head = Buffer.from(question);
  head.writeUInt16BE(0x8180, 2);
  head.writeUInt16BE(addresses.length, 6);
  head.writeUInt32BE(0, 8);
  const records = addresses.map((address) =>
    Buffer.from([0xc0, 0x0c, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split(".").map(Number)]),
  );
  return Buffer.concat([head, ...records]);
}
