import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";

export interface Gateway {
  address: string;
  /** Where requests go from now on; nowhere while the server behind it is being set up. */
  leadTo(address: string | undefined): void;
  /** What came through or was turned away, with who asked. */
  asked: { path: string; authorization: string | undefined; cookie: string | undefined }[];
  close(): Promise<void>;
}

/** Stands before a server as a load balancer does: 502, in its own words, while there is none. */
export async function startGateway(): Promise<Gateway> {
  let target: string | undefined;
  const asked: Gateway["asked"] = [];
  const server = createServer((incoming, reply) => {
    const { authorization, cookie } = incoming.headers;
    asked.push({ path: incoming.url!, authorization, cookie });
    if (target === undefined) {
      reply.writeHead(502, { "content-type": "text/html" }).end("<h1>Bad Gateway</h1>");
      return;
    }
    const onward = request(
      new URL(incoming.url!, target),
      { method: incoming.method!, headers: incoming.headers },
      (answer) => {
        reply.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(reply);
      },
    );
    onward.on("error", () => reply.destroy());
    reply.on("close", () => onward.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    leadTo: (address) => {
      target = address;
    },
    asked,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A port that is free at this moment. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
