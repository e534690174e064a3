import { afterEach, describe, expect, test } from "vitest";
import { freePort, type Listening, listenTcp } from "@mainstay/testkit/servers/index.ts";
import { createConnector, parseNetwork } from "./connector.ts";

const signal = new AbortController().signal;
const open: Listening[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

describe("the default policy", () => {
  const connector = createConnector();

  test.each([
    "169.254.169.254",
    "169.254.0.1",
    "fe80::1",
    "fe80::1%eth0",
    "fd00:ec2::254",
    "0.0.0.0",
    "::",
    "224.0.0.1",
    "255.255.255.255",
    "ff02::1",
    "::ffff:169.254.169.254",
    "::ffff:a9fe:a9fe",
    "::ffff:0.0.0.0",
    "::169.254.169.254",
    "64:ff9b::169.254.169.254",
    "2002:a9fe:a9fe::1",
  ])("refuses %s", (address) => {
    expect(() => connector.check(address)).toThrow(
      "is not allowed by this server's address policy",
    );
  });

  test.each([
    "127.0.0.1",
    "::1",
    "10.0.0.1",
    "192.168.1.1",
    "8.8.8.8",
    "::ffff:10.0.0.1",
    "fd00::1",
    "2001:db8::1",
  ])("allows %s", (address) => {
    expect(() => connector.check(address)).not.toThrow();
  });

  test("what is no address is refused", () => {
    expect(() => connector.check("localhost")).toThrow("not an address");
  });

  test.each(["169.254.169.254", "[::ffff:169.254.169.254]".slice(1, -1), "0.0.0.0"])(
    "no socket is opened to %s",
    async (host) => {
      await expect(connector.tcp({ host, port: 80 }, { signal })).rejects.toThrow("address policy");
    },
  );
});

describe("a policy of one's own", () => {
  test("exceptions win over what is denied", () => {
    const connector = createConnector({
      deny: ["0.0.0.0/0", "::/0"],
      allow: ["10.0.0.0/8", "2001:db8::/32"],
    });
    expect(() => connector.check("10.1.2.3")).not.toThrow();
    expect(() => connector.check("::ffff:10.1.2.3")).not.toThrow();
    expect(() => connector.check("2001:db8::5")).not.toThrow();
    expect(() => connector.check("192.168.0.1")).toThrow("address policy");
    expect(() => connector.check("::1")).toThrow("address policy");
  });

  test("an allowed network does not open what an IPv6 address hides", () => {
    const connector = createConnector({ allow: ["2002::/16"] });
    expect(() => connector.check("2002:a9fe:a9fe::1")).toThrow("address policy");
  });

  test.each(["10.0.0.0/33", "example.com", "10.0.0/8x", ""])("%j is no network", (text) => {
    expect(() => parseNetwork(text)).toThrow("is not an address or a network");
  });
});

describe("names are judged by where they lead", () => {
  const connector = createConnector({ deny: ["127.0.0.0/8", "::1/128"] });

  test("and the socket is never opened", async () => {
    const server = await listenTcp(() => undefined);
    open.push(server);
    await expect(
      connector.tcp({ host: "localhost", port: server.port }, { signal }),
    ).rejects.toThrow(/"localhost" leads to .*not allowed/);
    expect(server.accepted()).toBe(0);
  });

  test.each(["2130706433", "0x7f.1", "127.1"])(
    "other spellings of an address too: %s",
    async (host) => {
      await expect(connector.tcp({ host, port: 80 }, { signal })).rejects.toThrow("not allowed");
    },
  );
});

describe("connecting", () => {
  const connector = createConnector();

  test("by name and by address", async () => {
    const server = await listenTcp((socket) => socket.end("hello"));
    open.push(server);
    for (const host of ["localhost", "127.0.0.1"]) {
      const socket = await connector.tcp({ host, port: server.port }, { signal });
      const [chunk] = (await socket.toArray()) as Buffer[];
      expect(String(chunk)).toBe("hello");
    }
  });

  test("a refusal is a sentence", async () => {
    const port = await freePort();
    await expect(connector.tcp({ host: "127.0.0.1", port }, { signal })).rejects.toThrow(
      `connection refused by 127.0.0.1:${port}`,
    );
    await expect(connector.tcp({ host: "localhost", port }, { signal })).rejects.toThrow(
      /connection refused by (127\.0\.0\.1|\[::1\]):\d+/,
    );
  });

  test("a name that does not resolve is a sentence", async () => {
    await expect(connector.resolve("no-such-host.invalid", { signal })).rejects.toThrow(
      /"no-such-host\.invalid"/,
    );
  });

  test("of a family", async () => {
    await expect(connector.resolve("127.0.0.1", { signal, family: 6 })).rejects.toThrow(
      "is not an IPv6 address",
    );
    await expect(connector.resolve("127.0.0.1", { signal, family: 4 })).resolves.toEqual([
      "127.0.0.1",
    ]);
  });

  test("an abort ends the attempt", async () => {
    // 192.0.2.0/24 is for documentation: nobody answers.
    const controller = new AbortController();
    const attempt = connector.tcp({ host: "192.0.2.1", port: 81 }, { signal: controller.signal });
    controller.abort(new Error("enough"));
    await expect(attempt).rejects.toThrow();
    await expect(
      connector.tcp({ host: "127.0.0.1", port: 81 }, { signal: controller.signal }),
    ).rejects.toThrow("enough");
  });
});
