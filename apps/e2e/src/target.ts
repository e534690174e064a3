import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface Target {
  address: string;
  /** The status it answers with from now on. */
  answer(status: number): void;
  asked(): number;
  close(): Promise<void>;
}

/** Something to watch, which can be broken and repaired. */
export async function startTarget(): Promise<Target> {
  let status = 200;
  let asked = 0;
  const server = createServer((_request, response) => {
    asked += 1;
    response.writeHead(status, { "content-type": "text/plain" });
    response.end(status < 400 ? "all is well" : "out of order");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    answer: (next) => {
      status = next;
    },
    asked: () => asked,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
