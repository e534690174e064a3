import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { type AddressInfo, createServer, type Server } from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { freePort, type Listening, listenTcp } from "@mainstay/testkit/servers/index.ts";
import { createConnector, parseNetwork } from "./connector.ts";
import { openConnector } from "./open-connector.ts";
import { ownDatabase } from "./own-database.ts";
import { ownDirectories } from "./socket-policy.ts";
import { testConfig } from "../../testing/app.ts";

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

describe("sockets", () => {
  let place = "";
  const servers: Server[] = [];
  const listen = (path: string) =>
    new Promise<void>((resolve) => {
      const server = createServer((socket) => socket.end("hello"));
      servers.push(server);
      server.listen(path, resolve);
    });
  beforeAll(async () => {
    place = mkdtempSync("/tmp/mainstay-sockets-");
    for (const name of ["named", "other", "data/run"]) {
      mkdirSync(join(place, name), { recursive: true });
      await listen(join(place, name, "s"));
    }
    symlinkSync(join(place, "other/s"), join(place, "named/elsewhere"));
    symlinkSync(join(place, "data/run/s"), join(place, "named/ours"));
    symlinkSync(join(place, "named"), join(place, "link"));
  });
  afterAll(() => {
    for (const server of servers) server.close();
    rmSync(place, { recursive: true });
  });

  const opened = async (path: string, allow: string[]) => {
    const sockets = { allow, never: ownDirectories(join(place, "data")) };
    const connector = createConnector({ sockets });
    const [chunk] = (await (await connector.socketFile(path, { signal })).toArray()) as Buffer[];
    return String(chunk);
  };
  const refused = "is not in a directory that this server allows (SOCKET_DIRS names them)";

  test("are refused unless their directory is named", async () => {
    await expect(createConnector().socketFile(join(place, "named/s"), { signal })).rejects.toThrow(
      refused,
    );
    await expect(opened(join(place, "named/s"), [join(place, "other")])).rejects.toThrow(refused);
    await expect(opened(join(place, "named/s"), [place])).rejects.toThrow(refused);
    await expect(opened(join(place, "named/s"), [join(place, "named")])).resolves.toBe("hello");
  });

  test("are judged by where they really are", async () => {
    await expect(opened(join(place, "named/elsewhere"), [join(place, "named")])).rejects.toThrow(
      refused,
    );
    await expect(opened(join(place, "other/../named/s"), [join(place, "named")])).resolves.toBe(
      "hello",
    );
    await expect(opened(join(place, "link/s"), [join(place, "named")])).resolves.toBe("hello");
    await expect(opened(join(place, "named/s"), [join(place, "link")])).resolves.toBe("hello");
  });

  test("of our own are never opened, whatever is named", async () => {
    const everything = [place, join(place, "named"), join(place, "data"), join(place, "data/run")];
    for (const path of ["data/run/s", "named/ours"])
      await expect(opened(join(place, path), everything)).rejects.toThrow(refused);
  });

  test("that are not there tell so only in a named directory", async () => {
    await expect(opened(join(place, "named/none"), [join(place, "named")])).rejects.toThrow(
      `there is no ${join(place, "named/none")}`,
    );
    await expect(opened(join(place, "other/none"), [join(place, "named")])).rejects.toThrow(
      refused,
    );
  });

  test("the directory of a DATABASE_URL counts as our own", async () => {
    const connector = openConnector({
      ...testConfig(),
      databaseUrl: `postgres://u@/n?host=${encodeURIComponent(join(place, "named"))}`,
      socketDirs: [join(place, "named")],
    });
    await expect(connector.socketFile(join(place, "named/s"), { signal })).rejects.toThrow(refused);
  });
});

describe("the database of DATABASE_URL", () => {
  // On every address of this machine, as databases often do.
  const server = createServer((socket) => socket.end());
  let port = 0;
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, "::", resolve));
    ({ port } = server.address() as AddressInfo);
  });
  afterAll(() => {
    server.close();
  });
  const openedTo = async (host: string, url: string, allow: string[] = []) => {
    const connector = createConnector({ databases: [ownDatabase(url)], allow });
    const socket = await connector.tcp({ host, port }, { signal });
    socket.destroy();
    return "connected";
  };
  const local = Object.values(networkInterfaces())
    .flatMap((entries) => entries ?? [])
    .filter(({ address }) => !/^(fe80|127|::1|169)/.test(address))
    .map(({ address }) => address);
  const own = "is this server's own database";

  test.each([
    ["127.0.0.1", "127.0.0.1"],
    ["localhost", "127.0.0.1"],
    ["127.0.0.1", "localhost"],
    ["127.0.0.2", "localhost"],
    ["2130706433", "localhost"],
    ["::ffff:127.0.0.1", "localhost"],
    ["::1", "127.0.0.1"],
    ...local.flatMap((address) => [
      [address, "localhost"],
      ["localhost", address.includes(":") ? `[${address}]` : address],
    ]),
  ])("%s is refused when it is at %s", async (host, at) => {
    await expect(openedTo(host, `postgres://u@${at}:${port}/n`)).rejects.toThrow(own);
  });

  test("so is what listens beside a socket", async () => {
    const url = `postgres://u@/n?host=%2Frun%2Fpostgresql&port=${port}`;
    await expect(openedTo("127.0.0.1", url)).rejects.toThrow(own);
  });

  test("another port and another machine are no matter of its", async () => {
    await expect(openedTo("127.0.0.1", `postgres://u@127.0.0.1:1/n`)).resolves.toBe("connected");
    await expect(openedTo("127.0.0.1", `postgres://u@192.0.2.1:${port}/n`)).resolves.toBe(
      "connected",
    );
  });

  test("a network that is allowed does not open it, its very address does", async () => {
    const url = `postgres://u@127.0.0.1:${port}/n`;
    await expect(openedTo("127.0.0.1", url, ["127.0.0.0/8"])).rejects.toThrow(own);
    await expect(openedTo("127.0.0.2", url, ["127.0.0.1"])).rejects.toThrow(own);
    await expect(openedTo("127.0.0.1", url, ["127.0.0.1"])).resolves.toBe("connected");
  });

  test("so is the address by which it is migrated", async () => {
    const connector = openConnector({
      ...testConfig(),
      databaseUrl: "postgres://u@192.0.2.1:6432/n",
      migrationDatabaseUrl: `postgres://u@127.0.0.1:${port}/n`,
    });
    await expect(connector.tcp({ host: "localhost", port }, { signal })).rejects.toThrow(own);
  });

  test("nobody else is asked to connect there for us", async () => {
    const databases = [ownDatabase(`postgres://u@127.0.0.1:${port}/n`)];
    const connector = createConnector({ databases });
    for (const host of ["localhost", "127.0.0.1"])
      await expect(connector.judge({ host, port }, { signal })).rejects.toThrow(own);
    await connector.judge({ host: "localhost", port: port + 1 }, { signal });
  });

  test("while its name does not resolve nothing at its port is reached", async () => {
    await expect(
      openedTo("127.0.0.1", `postgres://u@no-such-host.invalid:${port}/n`),
    ).rejects.toThrow("no-such-host.invalid");
  });
});
