import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createServer as createProxy } from "node:net";
import type { DryRunReply } from "@mainstay/contract";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../testing/app.ts";
import { createPerson, type TestPerson } from "../testing/people.ts";
import { type Answers, type NameServer, startNameServer } from "./testing/name-server.ts";
import { sample } from "@mainstay/testkit/sample.ts";

/**
 * Checks that try to reach what the policy of addresses denies. 127.0.0.2 is denied here and has a service that must
 * never see a connection; 127.0.0.1 is allowed and has another on the same port.
 */

let app: TestApp;
let editor: TestPerson;
let good: Server;
let denied: Server;
let port: number;
/** Connections that should not have been. */
let reached = 0;
let redirectTo = "";
/** The bytes of a text, as a header carries them. */
const inHeader = (text: string) => Buffer.from(text).toString("latin1");

beforeAll(async () => {
  good = createServer((request, response) => {
    if (request.url?.startsWith("/redirect"))
      response.writeHead(Number(request.url.slice(-3)) || 302, {
        location: inHeader(redirectTo),
      });
    response.end("good");
  });
  port = await listenOn(good, "127.0.0.1", 0);
  denied = createServer((_request, response) => response.end("secret"));
  denied.on("connection", () => (reached += 1));
  await listenOn(denied, "127.0.0.2", port);
  app = await startTestApp({
    role: "api",
    logLevel: "fatal",
    checkDeny: ["127.0.0.2/32", "10.0.0.0/8"],
  });
  editor = await createPerson(app, "editor");
});
afterAll(async () => {
  await app.stop();
  for (const server of [good, denied]) {
    server.closeAllConnections();
    server.close();
  }
});
beforeEach(() => (reached = 0));

async function listenOn(server: Server, host: string, at: number): Promise<number> {
  server.listen(at, host);
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

/** What comes out of a check, run once by the server on the request of an editor. */
async function run(check: object): Promise<{ pass: boolean; text: string }> {
  const document = JSON.stringify({
    apiVersion: "canaries.flanksource.com/v1",
    kind: "Canary",
    metadata: { name: "attack" },
    spec: { schedule: "@every 1h", ...check },
  });
  const reply = await editor.post("/api/canary/run/document", { document });
  // A document that is not even accepted runs nothing.
  if (reply.status !== 200) return { pass: false, text: reply.text };
  const [result] = (reply.json as DryRunReply).results;
  return { pass: result!.pass, text: JSON.stringify(result) };
}
const http = (url: string, more: object = {}) => ({ http: [{ name: "x", url, ...more }] });
const tcp = (endpoint: string) => ({ tcp: [{ name: "x", endpoint }] });

async function expectUnreached(check: object): Promise<void> {
  const { pass, text } = await run(check);
  expect(text).not.toContain("secret");
  expect([pass, reached, text]).toEqual([false, 0, text]);
}

test("an allowed address is reached, so that the rest of this means something", async () => {
  expect((await run(http(`http://127.0.0.1:${port}/`))).pass).toBe(true);
  expect((await run(tcp(`127.0.0.1:${port}`))).pass).toBe(true);
});

/** 127.0.0.2 and the address of the clouds' metadata, in every notation that some reader takes for an address. */
const spellings = (place: number) =>
  [
    "127.0.0.2",
    "2130706434",
    "0x7f000002",
    "0x7F.0.0.2",
    "017700000002",
    "0177.0.0.02",
    "127.2",
    "127.0.2",
    "127.0.0.2.",
    "127.0.0.002",
    "0000127.0.0.2",
    "127.0.0.0x2",
    "[::ffff:127.0.0.2]",
    "[::ffff:7f00:2]",
    "[0:0:0:0:0:ffff:7f00:0002]",
    "[::127.0.0.2]",
    "[64:ff9b::7f00:2]",
    "[2002:7f00:2::1]",
    "１２７.0.0.2",
    "127。0。0。2",
    "127%2E0%2E0%2E2",
    "①②⑦.0.0.②",
    "user@127.0.0.2",
    "127.0.0.1@127.0.0.2",
    "127.0.0.1%40127.0.0.2",
    "0",
    "0.0.0.0",
    "[::]",
    "169.254.169.254",
    "2852039166",
    "0xa9fea9fe",
    "[::ffff:a9fe:a9fe]",
    "[fe80::1%25lo]",
  ].map((host) => `${host}:${place}`);

test("no notation of a denied address reaches it", async () => {
  for (const place of sample(spellings(port), 14)) {
    await expectUnreached(http(`http://${place}/`));
    if (!/[@%#]/.test(place)) await expectUnreached(tcp(place));
  }
});

test("no redirect leads to one", async () => {
  for (const place of sample(spellings(port), 8))
    for (const code of sample([301, 302, 303, 307, 308], 1)) {
      redirectTo = `http://${place}/`;
      await expectUnreached(http(`http://127.0.0.1:${port}/redirect${code}`));
    }
});

test("no redirect leads to what is no address of the web", async () => {
  for (const target of [
    "file:///etc/passwd",
    "gopher://127.0.0.2/",
    "javascript:1",
    "//127.0.0.2/",
  ]) {
    redirectTo = target;
    const { text } = await run(http(`http://127.0.0.1:${port}/redirect302`));
    expect(text).not.toMatch(/root:|secret/);
    expect(reached).toBe(0);
  }
});

test("no proxy is a way there: neither a denied one, nor one that is asked for a denied target", async () => {
  const wanted: string[] = [];
  const proxy = createProxy((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", (chunk) => {
      wanted.push(String(chunk).split("\r\n", 1)[0]!);
      socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n");
    });
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const own = (proxy.address() as AddressInfo).port;
  try {
    await expectUnreached(http(`http://127.0.0.1:${port}/`, { proxy: `http://127.0.0.2:${port}` }));
    await expectUnreached(
      http(`http://127.0.0.1:${port}/`, { proxy: `http://2130706434:${port}` }),
    );
    for (const target of [
      `127.0.0.2:${port}`,
      `2130706434:${port}`,
      "169.254.169.254:80",
      "10.1.2.3:80",
    ])
      await expectUnreached(http(`http://${target}/`, { proxy: `http://127.0.0.1:${own}` }));
    expect(wanted).toEqual([]);
    await run(http(`http://127.0.0.1:${port}/`, { proxy: `http://127.0.0.1:${own}` }));
    expect(wanted).toEqual([`CONNECT 127.0.0.1:${port} HTTP/1.1`]);
  } finally {
    proxy.close();
  }
});

describe("a name server that changes its mind", () => {
  let names: NameServer | undefined;
  const start = async (answers: Answers) => (names = await startNameServer(answers));
  afterEach(async () => {
    await names?.stop();
    names = undefined;
  });

  test("between judging and connecting: the judged address is the one that is connected to", async () => {
    const { asked } = await start((_name, time) => [time === 1 ? "127.0.0.1" : "127.0.0.2"]);
    expect((await run(http(`http://rebind.test:${port}/`))).pass).toBe(true);
    expect(asked.get("rebind.test")).toBe(1);
    // The next run asks again, and is judged again.
    await expectUnreached(http(`http://rebind.test:${port}/`));
    expect(asked.get("rebind.test")).toBe(2);
  });

  test("for a tcp check as well", async () => {
    const { asked } = await start((_name, time) => [time === 1 ? "127.0.0.1" : "127.0.0.2"]);
    expect((await run(tcp(`rebind.test:${port}`))).pass).toBe(true);
    expect(asked.get("rebind.test")).toBe(1);
    await expectUnreached(tcp(`rebind.test:${port}`));
  });

  test("between a page and the page it redirects to", async () => {
    await start((_name, time) => [time === 1 ? "127.0.0.1" : "127.0.0.2"]);
    redirectTo = `http://rebind.test:${port}/`;
    await expectUnreached(http(`http://rebind.test:${port}/redirect302`));
  });

  test("that names both at once: the denied one is never tried", async () => {
    await start(() => ["127.0.0.2", "127.0.0.1"]);
    for (let time = 0; time < 3; time += 1)
      expect((await run(http(`http://both.test:${port}/`))).pass).toBe(true);
    expect(reached).toBe(0);
  });

  test("that names only denied ones", async () => {
    await start(() => ["127.0.0.2", "10.1.2.3", "169.254.169.254", "0.0.0.0"]);
    const { pass, text } = await run(http(`http://denied.test:${port}/`));
    expect(pass).toBe(false);
    expect(text).toContain("not allowed by this server's address policy");
    expect(reached).toBe(0);
  });

  test("as the name of a proxy, and of what a proxy is asked for", async () => {
    await start(() => ["127.0.0.2"]);
    await expectUnreached(
      http(`http://127.0.0.1:${port}/`, { proxy: `http://denied.test:${port}` }),
    );
    await expectUnreached(
      http(`http://denied.test:${port}/`, { proxy: `http://127.0.0.1:${port}` }),
    );
  });
});
