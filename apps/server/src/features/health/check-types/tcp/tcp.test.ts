import { expect, test } from "vitest";
import { freePort, listenTcp } from "@mainstay/testkit/servers/index.ts";
import { createConnector } from "#platform/outbound/connector.ts";
import { isUntried } from "../check-type.ts";
import { tryCheck } from "../testing/try-check.ts";
import { tcp } from "./tcp.ts";

test("a port that listens passes, and is hung up on", async () => {
  let isClosed = false;
  const server = await listenTcp((socket) => {
    socket.resume();
    socket.once("close", () => (isClosed = true));
  });
  const outcome = await tryCheck(tcp, {
    endpoint: `localhost:${server.port}`,
    thresholdMillis: 5000,
  });
  expect(outcome).toMatchObject({
    pass: true,
    message: expect.stringMatching(/^connected in [\d.]+ ms$/) as string,
  });
  expect(outcome.durationMs).toBeGreaterThan(0);
  await expect.poll(() => isClosed).toBe(true);
  await server.close();
});

test("a port that does not listen fails", async () => {
  const port = await freePort();
  const outcome = await tryCheck(tcp, { endpoint: `127.0.0.1:${port}` });
  expect(outcome.error).toBe(`connection refused by 127.0.0.1:${port}`);
  expect(isUntried(outcome)).toBe(false);
});

test("a forbidden address is not connected to", async () => {
  const server = await listenTcp(() => undefined);
  const connector = createConnector({ deny: ["127.0.0.0/8"] });
  const outcome = await tryCheck(tcp, { endpoint: `127.0.0.1:${server.port}` }, { connector });
  expect(outcome).toMatchObject({ untried: true, error: expect.stringContaining("not allowed") });
  expect(server.accepted()).toBe(0);
  await server.close();
});

test("the threshold and the timeout end an attempt that hangs", async () => {
  // A connector whose target never answers; nothing on this machine's network can be relied on to be silent.
  const connector = {
    ...createConnector(),
    tcp: (_target: object, { signal }: { signal: AbortSignal }) =>
      new Promise<never>((_fulfil, reject) =>
        signal.addEventListener("abort", () => reject(signal.reason as Error)),
      ),
  };
  expect(
    await tryCheck(tcp, { endpoint: "127.0.0.1:1", thresholdMillis: 50 }, { connector }),
  ).toMatchObject({ pass: false, error: "not connected within 50 ms" });
  expect(
    await tryCheck(tcp, { endpoint: "127.0.0.1:1" }, { connector, timeoutMs: 50 }),
  ).toMatchObject({ pass: false, error: "timed out after 50 ms" });
});
