import { createSocket } from "node:dgram";
import { once } from "node:events";
import { type AddressInfo, createServer, isIPv6, type Socket } from "node:net";
import type { Log } from "../log.ts";

/** A connection that somebody made to this server: what is sent on it, chunk by chunk. */
export type IncomingTcp = AsyncIterable<Buffer>;

export interface Listening {
  /** The one that was given, where any would do. */
  port: number;
  close(): Promise<void>;
}

interface Where {
  host: string;
  port: number;
  log: Log;
}

/** Takes connections; each is read by `read`, and closed when that ends, or says nothing for too long. */
export async function listenTcp(
  { host, port, log, mostConnections, idleMs }: Where & { mostConnections: number; idleMs: number },
  read: (connection: IncomingTcp) => Promise<void>,
): Promise<Listening> {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
    socket.setTimeout(idleMs, () => socket.destroy());
    socket.on("error", () => socket.destroy());
    read(socket)
      .catch((error: unknown) => {
        if (!socket.destroyed) log.warn({ err: error }, "a connection could not be read");
      })
      .finally(() => socket.destroy());
  });
  server.maxConnections = mostConnections;
  server.listen(port, host);
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

/** Takes datagrams. */
export async function listenDatagrams(
  { host, port, log }: Where,
  take: (bytes: Buffer) => void,
): Promise<Listening> {
  const socket = createSocket(isIPv6(host) ? "udp6" : "udp4");
  socket.bind(port, host);
  await once(socket, "listening");
  socket.on("error", (error) => log.warn({ err: error }, "datagrams could not be read"));
  socket.on("message", (bytes) => take(bytes));
  return {
    port: socket.address().port,
    async close() {
      socket.close();
      await once(socket, "close");
    },
  };
}
