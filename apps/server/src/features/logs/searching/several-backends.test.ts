import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { LogAnswer, LogHistogram } from "@mainstay/contract";
import sql from "sql-template-tag";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { closeAll, serve } from "#platform/outbound/testing/serve.ts";
import { type Client, startTestApp, type TestApp } from "../../../testing/app.ts";
import { createPerson } from "../../../testing/people.ts";

/*
 * One question for many backends, of which some are the worst there are. They are stand-ins that speak HTTP as Loki and
 * Elasticsearch do; the store and all of the server are real.
 */

let app: TestApp;
let editor: Client;
let component: string;
const labels = { app: "several" };
const mebibyte = 1_048_576;
const sockets = new Set<Socket>();
let drippingServer: ReturnType<typeof createServer>;
/** What the one that never ends has sent. */
let sent = 0;

/** A third of the time that a backend has: what is true of it is true of the whole. */
function shortenPatience(): void {
  const timeout = AbortSignal.timeout.bind(AbortSignal);
  vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) => timeout(ms === 15_000 ? 5_000 : ms));
}

beforeAll(async () => {
  shortenPatience();
  app = await startTestApp({ role: "api" });
  editor = await createPerson(app, "editor");
  const at = Date.now() - 60_000;
  const answer = (name: string) =>
    JSON.stringify({
      data: {
        result: [
          {
            stream: { app: "several" },
            values: [0, 1, 2].map((n) => [`${at + n * 10}000000`, `${name} ${n}`]),
          },
        ],
      },
    });
  const good = await serve((_request, response) => {
    response.writeHead(200, { "content-type": "application/json" }).end(answer("good"));
  });
  const other = await serve((_request, response) => {
    response.writeHead(200, { "content-type": "application/json" }).end(answer("other"));
  });
  // Lines of a megabyte, which would be JSON if it came to an end.
  const endless = await serve((_request, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.write('{"data":{"result":[{"stream":{},"values":[["1","a"]');
    const line = `,["${at}000000","${"x".repeat(mebibyte)}"]`;
    // Each answer by itself: of bars it is asked in up to three requests.
    let ofThis = 0;
    const go = () => {
      while (ofThis < 100 * mebibyte && !response.destroyed) {
        ofThis += line.length;
        sent += line.length;
        if (!response.write(line)) {
          response.once("drain", go);
          return;
        }
      }
      response.end("]}]}}");
    };
    go();
  });
  const silent = await serve(() => undefined);
  const half = await serve((_request, response) => {
    response.writeHead(200, { "content-type": "application/json" }).end('{"data":{"result":[{"str');
  });
  // A byte now and then, so that no silence on the wire gives it away.
  const dripping = createServer((_request, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    const drip = setInterval(() => response.write(" "), 200);
    response.once("close", () => clearInterval(drip));
  });
  dripping.on("connection", (socket) => sockets.add(socket));
  await new Promise<void>((resolve) => dripping.listen(0, "127.0.0.1", resolve));
  drippingServer = dripping;
  const { port } = dripping.address() as AddressInfo;
  const backends: [string, object][] = [
    ["a good", { loki: { url: good.url, query: '{app="several"}' } }],
    ["b endless", { loki: { url: endless.url, query: '{app="several"}' } }],
    ["c silent", { loki: { url: silent.url, query: '{app="several"}' } }],
    ["d dripping", { elasticsearch: { address: `http://127.0.0.1:${port}`, index: "a" } }],
    ["e half", { loki: { url: half.url, query: '{app="several"}' } }],
    ["f other", { loki: { url: other.url, query: '{app="several"}' } }],
  ];
  for (const [name, backend] of backends) {
    const made = await editor.post("/api/db/logging_backends", {
      name,
      spec: { backends: [backend] },
    });
    expect(made.status).toBe(201);
  }
  await editor.post("/api/logs/ingest", [{ msg: "of the store", labels }]);
  const row = await app.db.first<{ id: string }>(sql`
    insert into components (external_id, name, type, status, log_selectors)
    values ('several', 'several', 'App', 'healthy', '[{"name":"main","labels":{"app":"several"}}]')
    returning id`);
  component = row!.id;
});
afterAll(async () => {
  vi.restoreAllMocks();
  await app.stop();
  await closeAll();
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => drippingServer.close(resolve));
});

/** What was asked, how long it took, and by how much the process grew at most while it did. */
async function measured<T>(
  work: () => Promise<T>,
): Promise<{ answer: T; ms: number; grew: number }> {
  const before = process.memoryUsage().rss;
  let most = before;
  const sampling = setInterval(() => (most = Math.max(most, process.memoryUsage().rss)), 20);
  const begun = performance.now();
  try {
    const answer = await work();
    return { answer, ms: performance.now() - begun, grew: most - before };
  } finally {
    clearInterval(sampling);
  }
}

const failed = {
  "b endless": /is longer than/,
  "c silent": /did not answer within 15 seconds/,
  "d dripping": /did not answer within 15 seconds/,
  "e half": /is not JSON/,
};

test("what the good ones said comes, the others are named, in bounded time and memory", async () => {
  const { answer, ms, grew } = await measured(() => editor.post("/api/logs", { id: component }));
  expect(answer.status).toBe(200);
  const { results, sources, next } = answer.json as LogAnswer;
  expect(results.map(({ message }) => message)).toEqual([
    "of the store",
    ...[2, 1, 0].flatMap((n) => [`good ${n}`, `other ${n}`]),
  ]);
  const errors = new Map(sources?.map(({ name, error }) => [name, error]));
  expect([...errors.keys()]).toEqual(["Mainstay", "a good", ...Object.keys(failed), "f other"]);
  for (const [name, words] of Object.entries(failed)) expect(errors.get(name)).toMatch(words);
  for (const name of ["Mainstay", "a good", "f other"]) expect(errors.get(name)).toBeUndefined();
  // Nobody has more, so that nobody is asked again, and nobody waits again.
  expect(next).toBeUndefined();
  // Of the time one has, and what a busy machine adds.
  expect(ms).toBeLessThan(30_000);
  expect(sent).toBeLessThan(80 * mebibyte);
  expect(grew).toBeLessThan(400 * mebibyte);
}, 60_000);

test("bars are drawn of what the good ones counted", async () => {
  sent = 0;
  const { answer, ms } = await measured(() =>
    editor.post("/api/logs/histogram", { id: component }),
  );
  expect(answer.status).toBe(200);
  const { sources = [], buckets } = answer.json as LogHistogram;
  expect(sources.flatMap(({ name, error }) => (error ? [name] : []))).toEqual(Object.keys(failed));
  const count = buckets
    .flatMap(({ counts }) => Object.values(counts))
    .reduce((sum, one) => sum + (one ?? 0), 0);
  expect(count).toBeGreaterThan(0);
  expect(ms).toBeLessThan(30_000);
}, 60_000);

test("a file has them, and says in its last line who is missing", async () => {
  sent = 0;
  const file = await editor.get(`/api/logs/download?id=${component}`);
  expect(file.status).toBe(200);
  expect(file.text).toContain("of the store\n");
  expect(file.text).toContain("good 2\n");
  const last = file.text.trim().split("\n").at(-1)!;
  for (const name of Object.keys(failed)) expect(last).toContain(`${name}: `);
}, 60_000);
