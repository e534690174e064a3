import { Client, errors } from "undici";
import type { Socket } from "node:net";
import { describeNetworkError } from "../network-errors.ts";
import { certificateEnds } from "../tls.ts";
import { placeOf } from "./address.ts";
import { open, type Route } from "./open.ts";
import { readBody } from "./read-body.ts";

const mostHeaders = 65_536;

/** One for all: the client would make two for each end, and their traces cost as much as the rest of a request. */
const ended = new Error("The conversation is over.");

export interface Message {
  method: string;
  /** With the query. */
  path: string;
  headers: Record<string, string>;
  body?: string | Uint8Array | undefined;
  /** Bytes of the answer's body that are read. */
  mostBody: number;
}

export interface Said {
  code: number;
  /** What stood beside the code. */
  reason: string;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
  isCut: boolean;
  certificateEnds?: Date;
}

/** Requests to one origin, one after the other, over one connection as long as the other side keeps it. */
export interface Conversation {
  ask(message: Message): Promise<Said>;
  /** How many it took so far. */
  connections(): number;
  end(): void;
}

export async function converse(route: Route): Promise<Conversation> {
  const { url, signal, phases } = route;
  const sockets = [await open(route)];
  let isTaken = false;
  const next = async (): Promise<Socket> => {
    if (isTaken) {
      sockets.push(await open(route));
      phases?.enter("firstByte");
    }
    isTaken = true;
    return sockets.at(-1) as Socket;
  };
  const client = new Client(url.origin, {
    maxHeaderSize: mostHeaders,
    // Time is kept by the signal alone.
    headersTimeout: 0,
    bodyTimeout: 0,
    // Later, as a socket that is still connecting would: the client does not expect an answer while it asks.
    connect: (_options, done) =>
      void next().then(
        (socket) => setImmediate(done, null, socket),
        (error: unknown) => setImmediate(done, error as Error, null),
      ),
  });
  return {
    async ask({ method, path, headers, body, mostBody }) {
      try {
        phases?.enter("firstByte");
        const response = await client.request({
          method,
          path,
          headers,
          body: body ?? null,
          signal,
        });
        phases?.enter("transfer");
        const ends = certificateEnds(sockets.at(-1));
        const encoding = response.headers["content-encoding"];
        const read = await readBody(response.body, {
          encoding: Array.isArray(encoding) ? encoding[0] : encoding,
          most: mostBody,
        });
        phases?.leave();
        return {
          code: response.statusCode,
          reason: response.statusText,
          headers: response.headers,
          ...read,
          ...(ends && { certificateEnds: ends }),
        };
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        if (error instanceof errors.HTTPParserError) {
          throw new Error(`${placeOf(url)} does not answer in HTTP`, { cause: error });
        }
        throw describeNetworkError(error, placeOf(url));
      }
    },
    connections: () => sockets.length,
    end() {
      void client.destroy(ended);
      // What the client never got is not ended by it.
      for (const socket of sockets.filter((one) => !one.destroyed)) {
        socket.on("error", () => undefined);
        socket.destroy();
      }
    },
  };
}
