/* oxlint-disable unicorn/require-post-message-target-origin -- threads have no origins */
// A thread that sends the same request over and over, so many at once, for a while, and says how long each took.
import { Agent, request } from "node:http";
import { parentPort } from "node:worker_threads";

export interface Load {
  url: string;
  method: string;
  headers: Record<string, string>;
  /** With `%n` where a number that never comes again belongs. */
  body?: string;
  concurrency: number;
  ms: number;
}

export interface Loaded {
  /** Milliseconds of each request. */
  times: number[];
  ms: number;
}

let next = Math.floor(Date.now() % 1e9) * 1000;

async function run({ url, method, headers, body, concurrency, ms }: Load): Promise<Loaded> {
  const agent = new Agent({ keepAlive: true, maxSockets: concurrency });
  const times: number[] = [];
  const started = performance.now();
  const ask = () =>
    new Promise<void>((resolve, reject) => {
      const from = performance.now();
      const sent = request(url, { agent, method, headers }, (response) => {
        response.resume();
        response.once("end", () => {
          times.push(performance.now() - from);
          const { statusCode = 0 } = response;
          if (statusCode >= 200 && statusCode < 300) resolve();
          else reject(new Error(`${method} ${url} answered ${statusCode}`));
        });
      });
      sent.once("error", reject);
      sent.end(body?.replaceAll("%n", () => String((next += 1))));
    });
  const work = async () => {
    while (performance.now() - started < ms) await ask();
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  const took = performance.now() - started;
  agent.destroy();
  return { times, ms: took };
}

parentPort?.on("message", (load: Load) => {
  run(load).then(
    (loaded) => parentPort?.postMessage(loaded),
    (error: unknown) => parentPort?.postMessage({ error: String(error) }),
  );
});
