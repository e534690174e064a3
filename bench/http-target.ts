import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface Target {
  address: string;
  /** When each path was asked, in milliseconds since the epoch. */
  hits: Map<string, number[]>;
  total(): number;
  close(): Promise<void>;
}

/** A local HTTP server that answers at once and remembers who asked when. */
export async function startTarget({ remember = true } = {}): Promise<Target> {
  const hits = new Map<string, number[]>();
  let total = 0;
  const server = createServer((request, response) => {
    total += 1;
    if (remember) {
      const path = request.url ?? "/";
      const times = hits.get(path);
      if (times) times.push(Date.now());
      else hits.set(path, [Date.now()]);
    }
    response.writeHead(200, { "content-type": "text/plain", "content-length": 2 });
    response.end("ok");
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    hits,
    total: () => total,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Canary documents, each with one HTTP check of its own path. */
export function canaryDocuments(options: {
  count: number;
  schedule: string;
  target: string;
}): string {
  const { count, schedule, target } = options;
  return Array.from({ length: count }, (_, i) =>
    [
      "apiVersion: canaries.flanksource.com/v1",
      "kind: Canary",
      `metadata: { name: load-${i}, namespace: bench }`,
      "spec:",
      `  schedule: "${schedule}"`,
      "  http:",
      `    - { name: target-${i}, url: "${target}/${i}" }`,
    ].join("\n"),
  ).join("\n---\n");
}

/** Sends documents to a server in portions that fit its limit of size. */
export async function applyDocuments(server: string, token: string, text: string): Promise<void> {
  const documents = text.split("\n---\n");
  for (let at = 0; at < documents.length; at += 500) {
    const reply = await fetch(`${server}/api/canary/documents`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-session-token": token },
      body: JSON.stringify({ text: documents.slice(at, at + 500).join("\n---\n") }),
    });
    if (!reply.ok)
      throw new Error(`the server refused the documents: ${reply.status} ${await reply.text()}`);
  }
}

export function percentile(values: number[], p: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor((p / 100) * sorted.length))] ?? Number.NaN;
}
