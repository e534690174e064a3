import { once } from "node:events";
import { createServer as createHttp, type IncomingMessage, type RequestListener } from "node:http";
import { createServer as createHttps, type ServerOptions } from "node:https";
import type { Duplex } from "node:stream";
import {
  type AddressInfo,
  connect,
  createServer as createTcp,
  type Server,
  type Socket,
} from "node:net";

export interface Listening {
  port: number;
  /** Connections accepted so far. */
  accepted(): number;
  close(): Promise<void>;
}

async function listen(server: Server): Promise<Listening> {
  const sockets = new Set<Socket>();
  let accepted = 0;
  server.on("connection", (socket: Socket) => {
    accepted += 1;
    sockets.add(socket);
    // The other side hanging up is what tests of clients do.
    socket.on("error", () => undefined);
    socket.once("close", () => sockets.delete(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    accepted: () => accepted,
    async close() {
      const closed = once(server, "close");
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** Takes a connection over that asks for another protocol. */
export type UpgradeListener = (request: IncomingMessage, socket: Duplex) => void;

/** An HTTP server on a free port of the loopback address. */
export const listenHttp = (
  handler: RequestListener,
  onUpgrade?: UpgradeListener,
): Promise<Listening> => {
  const server = createHttp(handler);
  if (onUpgrade) server.on("upgrade", onUpgrade);
  return listen(server);
};
export const listenHttps = (
  options: ServerOptions,
  handler: RequestListener,
  onUpgrade?: UpgradeListener,
): Promise<Listening> => {
  const server = createHttps(options, handler);
  if (onUpgrade) server.on("upgrade", onUpgrade);
  server.on("tlsClientError", () => undefined);
  return listen(server);
};
/** A bare TCP server on a free port of the loopback address. */
export const listenTcp = (handler: (socket: Socket) => void): Promise<Listening> =>
  listen(createTcp(handler));

/** A PostgreSQL that listens on a unix socket only, over TCP on a port of its own: for what connects as to any server. */
export const listenForPostgres = (cluster: { host: string; port: number }): Promise<Listening> =>
  listenTcp((socket) => {
    const upstream = connect(`${cluster.host}/.s.PGSQL.${cluster.port}`);
    // What the database has said before is still told: a reset would take it along.
    upstream.on("error", () => socket.end());
    socket.on("error", () => upstream.destroy());
    socket.once("close", () => upstream.destroy());
    socket.pipe(upstream).pipe(socket);
  });
