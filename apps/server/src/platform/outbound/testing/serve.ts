import type { RequestListener } from "node:http";
import { type Listening, listenHttp } from "@mainstay/testkit/servers/index.ts";

/** For tests: servers to be closed after each. */
export const open: Listening[] = [];

export async function closeAll(): Promise<void> {
  await Promise.all(open.splice(0).map((server) => server.close()));
}

export async function serve(handler: RequestListener): Promise<{ url: string; server: Listening }> {
  const server = await listenHttp(handler);
  open.push(server);
  return { url: `http://127.0.0.1:${server.port}`, server };
}

/** Answers with what was asked, as JSON. */
export const echo: RequestListener = (request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const { method, url, headers } = request;
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ method, url, headers, body: Buffer.concat(chunks).toString() }));
  });
};

export interface Asked {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: string;
}
/** What `echo` says it was asked. */
export const asked = ({ body }: { body: Buffer }) => JSON.parse(body.toString()) as Asked;
