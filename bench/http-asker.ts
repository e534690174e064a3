/* oxlint-disable unicorn/require-post-message-target-origin -- threads have no origins */
// A thread that asks an address when told to, and says how long it took until the first and the last byte.
import { Agent, get } from "node:http";
import { parentPort } from "node:worker_threads";

const agent = new Agent({ keepAlive: true });

parentPort?.on("message", ({ url, headers }: { url: string; headers: Record<string, string> }) => {
  const started = performance.now();
  get(url, { agent, headers }, (response) => {
    const firstMs = performance.now() - started;
    let bytes = 0;
    response.on("data", (chunk: Buffer) => (bytes += chunk.length));
    response.on("end", () =>
      parentPort?.postMessage({
        status: response.statusCode,
        etag: response.headers.etag,
        bytes,
        firstMs,
        lastMs: performance.now() - started,
      }),
    );
  });
});
