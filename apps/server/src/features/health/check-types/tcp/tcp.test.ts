import { expect, test } from "vitest";
import { createServer } from "node:tls";
import type { AddressInfo } from "node:net";
import { freePort, listenTcp, makeCertificates } from "@mainstay/testkit/servers/index.ts";
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

test("a port that takes the connection and never speaks TLS ends with the time", async () => {
  const silent = await listenTcp((socket) => void socket.resume());
  const endpoint = `127.0.0.1:${silent.port}`;
  expect(await tryCheck(tcp, { endpoint, tls: true }, { timeoutMs: 300 })).toMatchObject({
    pass: false,
    error: "timed out after 300 ms",
  });
  await silent.close();
});

test("where TLS is spoken the certificate is judged, ahead of its end", async () => {
  const made = makeCertificates({ days: 20 });
  if (!made) throw new Error("no certificates were made");
  const { ca, cert, key } = made;
  const server = createServer({ cert, key }, (socket) => socket.on("error", () => undefined));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const endpoint = `localhost:${(server.address() as AddressInfo).port}`;
  const attempt = (more: object) =>
    tryCheck(tcp, { endpoint, tls: true, tlsConfig: { ca }, ...more });
  try {
    const expires = { what: "certificate", at: expect.any(Date) as Date };
    expect(await attempt({ maxSSLExpiry: 10 })).toMatchObject({
      pass: true,
      message: expect.stringMatching(/^connected in .*; the certificate ends in 19 days, on 2/),
      expires,
    });
    expect(await attempt({ maxSSLExpiry: 30 })).toMatchObject({
      pass: false,
      error: "the certificate expires in 19 days, at least 30 wanted",
      expires,
    });
    expect(await attempt({ tlsConfig: {} })).toMatchObject({
      pass: false,
      error: expect.stringContaining("unknown authority"),
      expires,
    });
    expect(await attempt({ tlsConfig: { insecureSkipVerify: true } })).toMatchObject({
      pass: true,
      expires,
    });
    expect(await attempt({ tls: false })).not.toHaveProperty("expires");
    const plain = await listenTcp((socket) => socket.end("220 no TLS here\r\n"));
    const spoken = await attempt({ endpoint: `localhost:${plain.port}` });
    expect(spoken).toMatchObject({ pass: false, error: expect.stringMatching(/TLS/) });
    await plain.close();
  } finally {
    server.close();
    made.remove();
  }
});

test("a threshold for a certificate needs TLS", () => {
  const judged = tcp.spec.safeParse({ endpoint: "a:1", maxSSLExpiry: 10 });
  expect(judged.error?.issues[0]).toMatchObject({ path: ["maxSSLExpiry"] });
});
