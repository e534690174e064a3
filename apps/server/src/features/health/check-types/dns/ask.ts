import { randomInt } from "node:crypto";
import { decode, type DecodedPacket, encode, RECURSION_DESIRED, streamEncode } from "dns-packet";
import type { DnsQueryType } from "@mainstay/contract";
import type { Connector } from "#platform/outbound/connector.ts";
import { describeNetworkError, placeName } from "#platform/outbound/network-errors.ts";

export interface Question {
  name: string;
  type: DnsQueryType;
  address: string;
  port: number;
  /** The machine's own name server. */
  isOwn: boolean;
  signal: AbortSignal;
  connector: Connector;
}

/** A lost datagram is sent again after this long. */
const resendMs = 2000;
/** What a length of two bytes can announce. */
const longestAnswer = 65_537;

interface Reply extends DecodedPacket {
  rcode: string;
}

function build({ name, type }: Question, id: number) {
  return {
    type: "query" as const,
    id,
    flags: RECURSION_DESIRED,
    questions: [{ type, name }],
  };
}

/** The packet when it answers our question; anyone may send datagrams to our port. */
function read(message: Buffer, question: Question, id: number): Reply | undefined {
  let packet: DecodedPacket;
  try {
    packet = decode(message);
  } catch {
    return undefined;
  }
  const asked = packet.questions?.[0];
  const isOurs =
    packet.type === "response" &&
    packet.id === id &&
    (asked === undefined ||
      (asked.type === question.type &&
        asked.name.toLowerCase() === question.name.toLowerCase().replace(/\.$/, "")));
  return isOurs ? (packet as Reply) : undefined;
}

async function overUdp(question: Question): Promise<Reply> {
  const { address, port, isOwn, signal, connector } = question;
  const id = randomInt(65_536);
  const request = encode(build(question, id));
  const socket = await connector.udp({ host: address, port }, { signal, isOwn });
  return new Promise((fulfil, reject) => {
    const close = () => {
      clearInterval(again);
      signal.removeEventListener("abort", stop);
      socket.close();
    };
    const fail = (error: unknown) => {
      close();
      reject(describeNetworkError(error, placeName(address, port)));
    };
    const stop = () => {
      close();
      reject(signal.reason as Error);
    };
    const send = () => socket.send(request);
    const again = setInterval(send, resendMs);
    signal.addEventListener("abort", stop, { once: true });
    socket.on("error", fail);
    socket.on("message", (message) => {
      const reply = read(message, question, id);
      if (!reply) return;
      close();
      fulfil(reply);
    });
    send();
  });
}

async function overTcp(question: Question): Promise<Reply> {
  const { address, port, isOwn, signal, connector } = question;
  const id = randomInt(65_536);
  const socket = await connector.tcp({ host: address, port }, { signal, isOwn });
  return new Promise((fulfil, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const finish = (settle: () => void) => {
      signal.removeEventListener("abort", stop);
      socket.destroy();
      settle();
    };
    const stop = () => finish(() => reject(signal.reason as Error));
    signal.addEventListener("abort", stop, { once: true });
    socket.on("error", (error) =>
      finish(() => reject(describeNetworkError(error, placeName(address, port)))),
    );
    socket.on("close", () =>
      finish(() =>
        reject(new Error(`${placeName(address, port)} closed the connection without an answer`)),
      ),
    );
    socket.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      length += chunk.length;
      const all = Buffer.concat(chunks);
      const wanted = all.length >= 2 ? all.readUInt16BE(0) + 2 : Number.POSITIVE_INFINITY;
      if (all.length < wanted && length < longestAnswer) return;
      const reply = read(all.subarray(2), question, id);
      finish(() =>
        reply
          ? fulfil(reply)
          : reject(new Error(`${placeName(address, port)} does not answer in DNS`)),
      );
    });
    socket.write(streamEncode(build(question, id)));
  });
}

/** Asks a name server over UDP, and over TCP when the answer did not fit. */
export async function ask(question: Question): Promise<Reply> {
  question.signal.throwIfAborted();
  const reply = await overUdp(question);
  return reply.flag_tc ? overTcp(question) : reply;
}
