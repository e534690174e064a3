import { mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import {
  areInstalled,
  listenTcp,
  type SambaServer,
  startSamba,
} from "@mainstay/testkit/servers/index.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openStore } from "#platform/outbound/files/open-store.ts";
import { openTestConnector, tryCheck } from "../testing/try-check.ts";
import { folder } from "./folder.ts";

/** Against Samba, which wants everything signed; what it would never say is said by stand-ins. */

const isPossible = areInstalled("smbd", "smbpasswd") && process.getuid?.() === 0;
const matching = (error: RegExp): string => expect.stringMatching(error) as string;

function put(path: string, bytes: number, ageSeconds = 60) {
  writeFileSync(path, Buffer.alloc(bytes));
  const time = Date.now() / 1000 - ageSeconds;
  utimesSync(path, time, time);
}

const specAt = (server: SambaServer, path: string, more: object = {}, connection: object = {}) => ({
  path,
  smbConnection: {
    port: server.port,
    username: { value: server.username },
    password: { value: server.password },
    ...connection,
  },
  ...more,
});

describe.skipIf(!isPossible)("SMB", () => {
  let server: SambaServer;
  beforeAll(async () => {
    server = (await startSamba({
      shares: {
        files: [],
        "odd names": [],
        wide: ["guest ok = yes"],
        sealed: ["smb encrypt = required"],
      },
      settings: ["map to guest = bad user", "guest account = daemon"],
    }))!;
    const root = server.shares.files!;
    mkdirSync(join(root, "deep/er"), { recursive: true });
    mkdirSync(join(root, "empty"));
    mkdirSync(join(root, "locked"), { mode: 0o700 });
    put(join(root, "a.bak"), 1000, 3600);
    put(join(root, "b.bak"), 2000);
    put(join(root, "deep/c.bak"), 3000);
    put(join(root, "deep/er/d.log"), 10);
    put(join(server.shares.sealed!, "e.bak"), 10);
    // More than one answer holds.
    for (let index = 0; index < 1500; index += 1)
      put(join(server.shares.wide!, `${index}-${"x".repeat(50)}`), 1);
    const odd = server.shares["odd names"]!;
    for (const name of [
      "a;b",
      "it's",
      "$(id)",
      "`id`",
      "-x",
      "!date",
      "ü☃ 😀",
      "new\nline",
      'quo"te',
      "a%b",
      "100%",
    ])
      put(join(odd, name), 1);
    mkdirSync(join(odd, "we;ird $(x)"));
    put(join(odd, "we;ird $(x)/inside"), 1);
  });
  afterAll(() => server.stop());
  const spec = (path: string, more: object = {}, connection: object = {}) =>
    specAt(server, path, more, connection);
  const run = (...args: Parameters<typeof spec>) => tryCheck(folder, spec(...args));

  test.each<[string, object, number]>([
    ["smb://127.0.0.1/files", {}, 2],
    [String.raw`smb://127.0.0.1\files\deep`, {}, 1],
    [String.raw`\\127.0.0.1\files`, {}, 2],
    [String.raw`\\127.0.0.1\files\deep\er\\`, {}, 1],
    ["smb://127.0.0.1/files/deep", { recursive: true }, 2],
    ["smb://127.0.0.1/files/*.bak", {}, 2],
    ["smb://127.0.0.1/files/deep/**/*.bak", {}, 1],
    ["smb://127.0.0.1/files/deep/*/*.log", {}, 1],
    ["smb://127.0.0.1/files/[a]*", {}, 1],
    ["smb://127.0.0.1/FILES/Deep", {}, 1],
    ["smb://127.0.0.1/files/empty", { recursive: true }, 0],
    ["smb://127.0.0.1/files/gone", {}, 0],
    ["smb://127.0.0.1/files/gone/further", {}, 0],
    ["smb://127.0.0.1/files/../../files", {}, 0],
    ["smb://127.0.0.1/files", { filter: { regex: "^b" } }, 1],
    ["smb://127.0.0.1/files", { filter: { minAge: "30m" } }, 1],
    ["smb://127.0.0.1/files", { filter: { since: "now-10m" } }, 1],
    ["smb://127.0.0.1/files", { filter: { maxSize: "1000b" } }, 1],
    ["smb://127.0.0.1/files", { availableSize: "1b", totalSize: "1b" }, 2],
    ["smb://127.0.0.1/sealed", {}, 1],
    ["smb://127.0.0.1/wide", { minSize: "1b", maxSize: "1b" }, 1500],
  ])("%s %j", async (path, more, count) => {
    const { pass, error, details } = await run(path, more);
    expect({ pass, error, count: details?.count }).toEqual({ pass: true, error: undefined, count });
  });

  test("files are read whole or not at all", async () => {
    // More than one answer holds, in the clear and sealed.
    const large = "0123456789".repeat(20_000);
    const signal = AbortSignal.timeout(10_000);
    const options = { signal, connector: openTestConnector() };
    for (const share of ["files", "sealed"]) {
      const folder = join(server.shares[share]!, "read");
      mkdirSync(join(folder, "inner"), { recursive: true });
      writeFileSync(join(folder, "large"), large);
      writeFileSync(join(folder, "empty"), "");
      const { store } = await openStore(spec(`smb://127.0.0.1/${share}/read`), options);
      const read = (name: string, most: number) => store.read(name, { most, signal });
      expect(String(await read("large", 200_000))).toBe(large);
      expect(await read("large", 199_999)).toBeUndefined();
      expect(String(await read("empty", 0))).toBe("");
      await expect(read("gone", 1)).rejects.toThrow(/read\\gone is not there/);
      await expect(read("inner", 1)).rejects.toThrow(/inner is a folder/);
      await expect(read("../large", 1)).rejects.toThrow(/no name of a file/);
      store.close?.();
      rmSync(folder, { recursive: true });
    }
  });

  test.each<[object, string, RegExp]>([
    [{ minCount: 3 }, "min_count", /2 files found, at least 3 wanted/],
    [{ maxCount: 1 }, "max_count", /2 files found, at most 1 wanted/],
    [{ maxAge: "59m" }, "max_age", /a\.bak is 1h\w* old, at most 59m wanted/],
    [{ minAge: "10m" }, "min_age", /b\.bak is 1m\w* old, at least 10m wanted/],
    [{ minSize: "2kb" }, "min_size", /a\.bak has 1000b, at least 2kb wanted/],
    [{ maxSize: "1kb" }, "max_size", /b\.bak has 2kb, at most 1kb wanted/],
    [{ availableSize: "8000tb" }, "available_size", /are free, at least 8000tb wanted/],
    [{ totalSize: "8000tb" }, "total_size", /at least 8000tb wanted/],
  ])("what is not met is named as everywhere: %j", async (more, errorType, error) => {
    const outcome = await run("smb://127.0.0.1/files", more);
    expect(outcome).toMatchObject({ pass: false, error: matching(error), details: { errorType } });
  });

  test("who asks, where, may be said in the connection alone", async () => {
    for (const connection of [
      { host: "127.0.0.1", share: "files" },
      { host: "127.0.0.1", sharename: "files", workstation: "DESK-7", domain: "SHOP" },
    ])
      expect((await run("deep", {}, connection)).details?.count).toBe(1);
    const searchPath = { host: "127.0.0.1", share: "files", searchPath: "deep/er" };
    expect((await run("/", {}, searchPath)).details?.count).toBe(1);
    const username = { value: `SHOP\\${server.username}` };
    expect((await run("smb://127.0.0.1/files", {}, { username })).pass).toBe(true);
  });

  test("nobody in particular reads what is open to everybody", async () => {
    const nobody = { username: undefined, password: undefined };
    expect((await run("smb://127.0.0.1/wide", {}, nobody)).pass).toBe(true);
    expect((await run("smb://127.0.0.1/files", {}, nobody)).error).toMatch(
      /the share "files" of \S+ may not be read by this user/,
    );
  });

  test.each<[string, object, string, RegExp]>([
    [
      "smb://127.0.0.1/files",
      { password: { value: "swordfish" } },
      "connection_error",
      /did not let daemon sign in: the user name or the password is wrong/,
    ],
    [
      "smb://127.0.0.1/files",
      { username: { value: "stranger" } },
      "connection_error",
      /does not know stranger and lets everybody in as a guest/,
    ],
    ["smb://127.0.0.1/none", {}, "connection_error", /has no share "none"/],
    ["smb://127.0.0.1/IPC$", {}, "connection_error", /holds no files/],
    [
      "smb://127.0.0.1/files/a.bak",
      {},
      "listing_error",
      /\\\\127\.0\.0\.1\\files\\a\.bak is not a folder/,
    ],
    [
      "smb://127.0.0.1/files/locked",
      {},
      "listing_error",
      /files\\locked may not be read by this user/,
    ],
    ["smb://127.0.0.1/files/**", {}, "listing_error", /files\\locked may not be read by this user/],
    ['smb://127.0.0.1/files/wrong"name', {}, "listing_error", /status 0xc0000033/],
    ["smb://127.0.0.1/files", { port: 1 }, "connection_error", /refused/],
    ["smb://127.0.0.1", {}, "configuration_error", /does not say which share/],
    ["/files", { share: "files" }, "configuration_error", /does not say which host to ask/],
    [
      "smb://me@127.0.0.1/files",
      {},
      "configuration_error",
      /"me@127\.0\.0\.1" is not the name of a host/,
    ],
    [
      "smb://127.0.0.1/files",
      { host: "files.example.com" },
      "configuration_error",
      /the path names the host 127\.0\.0\.1 and the connection files\.example\.com/,
    ],
  ])("%s %j", async (path, connection, errorType, error) => {
    const outcome = await run(path, {}, connection);
    expect(outcome).toMatchObject({ pass: false, error: matching(error), details: { errorType } });
    expect(JSON.stringify(outcome)).not.toMatch(/swordfish|sesame/);
  });

  test("names are names, whatever they hold", async () => {
    const { details } = await run("smb://127.0.0.1/odd names");
    const files = (details?.files ?? []) as { name: string }[];
    const names = files.map(({ name }) => name);
    // Those that no Windows could read have other names over SMB.
    expect(names).toHaveLength(11);
    expect(names).toEqual(
      expect.arrayContaining([
        "a;b",
        "it's",
        "$(id)",
        "`id`",
        "-x",
        "!date",
        "ü☃ 😀",
        "a%b",
        "100%",
      ]),
    );
    expect((await run("smb://127.0.0.1/odd names/we;ird $(x)/ins*")).details?.count).toBe(1);
  });

  test("an address that is not allowed is not asked", async () => {
    const connector = openTestConnector({ deny: ["127.0.0.0/8"] });
    const outcome = await tryCheck(folder, spec("smb://127.0.0.1/files"), { connector });
    expect(outcome).toMatchObject({ pass: false, error: matching(/not allowed/) });
  });

  /** Samba with somebody in between, who exchanges a name that is listed. */
  const between = (change: (bytes: Buffer) => void) =>
    listenTcp((client: Socket) => {
      const real = connect({ host: "127.0.0.1", port: server.port });
      client.pipe(real);
      real.on("data", (bytes: Buffer) => {
        change(bytes);
        client.write(bytes);
      });
      real.on("close", () => client.destroy());
      client.on("close", () => real.destroy());
    });

  test("what is changed on the way is noticed", async () => {
    const at = await between((bytes) => {
      const found = bytes.indexOf(Buffer.from("a.bak", "utf16le"));
      if (found !== -1) bytes.write("z", found, "utf16le");
    });
    const outcome = await run("smb://127.0.0.1/files", {}, { port: at.port });
    expect(outcome).toMatchObject({ pass: false, error: matching(/not signed as agreed/) });
    await at.close();
  });

  test.each<[string, (bytes: Buffer) => void]>([
    [
      "of the agreement",
      (bytes) => {
        // The server's name for itself: nothing but the hash of what was said would miss it.
        if (bytes.readUInt16LE(4 + 12) === 0) bytes[4 + 64 + 8]! ^= 1;
      },
    ],
    [
      "of the verdict",
      (bytes) => {
        // That everything is to be encrypted, which the server would go along with.
        if (bytes.readUInt16LE(4 + 12) === 1 && bytes.readUInt32LE(4 + 8) === 0)
          bytes[4 + 64 + 2]! |= 4;
      },
    ],
  ])("what is changed %s is noticed", async (_title, change) => {
    const at = await between(change);
    const outcome = await run("smb://127.0.0.1/files", {}, { port: at.port });
    expect(outcome).toMatchObject({ pass: false, error: matching(/not signed as agreed/) });
    await at.close();
  });
});

describe.skipIf(!isPossible)("other servers", () => {
  test.each([
    ["of version 2.0.2", ["server max protocol = SMB2_02"]],
    ["of version 2.1", ["server max protocol = SMB2_10"]],
    ["of version 3.0", ["server max protocol = SMB3_00", "smb encrypt = required"]],
    ["of version 3.0.2", ["server max protocol = SMB3_02"]],
    [
      "of version 3.1.1 that knows another cipher",
      [
        "server min protocol = SMB3_11",
        "smb encrypt = required",
        "server smb3 encryption algorithms = AES-128-CCM",
      ],
    ],
  ])("%s", async (_title, settings) => {
    const server = (await startSamba({ shares: { files: [] }, settings }))!;
    put(join(server.shares.files!, "a"), 5);
    const { pass, error, details } = await tryCheck(
      folder,
      specAt(server, "smb://127.0.0.1/files"),
    );
    expect({ pass, error, size: details?.size }).toEqual({ pass: true, error: undefined, size: 5 });
    await server.stop();
  });

  test("one that knows the first version alone", async () => {
    const server = (await startSamba({
      shares: { files: [] },
      settings: ["server max protocol = NT1"],
    }))!;
    const outcome = await tryCheck(folder, specAt(server, "smb://127.0.0.1/files"));
    expect(outcome.error).toMatch(/no version of SMB that this server knows/);
    await server.stop();
  });

  test("one that says that a folder lies elsewhere: nobody else is asked", async () => {
    const server = (await startSamba({
      shares: { files: ["msdfs root = yes"] },
      settings: ["host msdfs = yes"],
    }))!;
    const root = server.shares.files!;
    put(join(root, "a"), 5);
    symlinkSync("msdfs:127.0.0.2\\other", join(root, "away"));
    const all = specAt(server, "smb://127.0.0.1/files", { recursive: true });
    const { details } = await tryCheck(folder, all);
    expect(details?.count).toBe(2);
    expect(details?.files).toContainEqual(expect.objectContaining({ name: "away", is_dir: false }));
    const away = await tryCheck(folder, specAt(server, "smb://127.0.0.1/files/away"));
    expect(away).toMatchObject({
      pass: false,
      error: matching(/files\\away lies on another server, which is not asked/),
    });
    await server.stop();
  });
});

test.each<[string, (socket: Socket) => void, RegExp]>([
  ["is silent", () => undefined, /^timed out after 300 ms$/],
  ["hangs up", (socket) => socket.end(), /closed the connection/],
  [
    "speaks something else",
    (socket) => socket.write("HTTP/1.1 400 no\r\n".repeat(2000)),
    /does not speak SMB 2 or 3/,
  ],
  [
    "says that endlessly much follows",
    (socket) => socket.write("\0\xff\xff\xff", "latin1"),
    /does not speak SMB/,
  ],
  [
    "begins well and goes on with nothing",
    (socket) => {
      const frame = Buffer.alloc(4 + 64 + 65);
      frame.writeUInt32BE(64 + 65);
      frame.write("\xfeSMB", 4, "latin1");
      frame.writeUInt32LE(1, 4 + 16);
      socket.write(frame);
    },
    /does not speak SMB 2 or 3/,
  ],
  [
    "only ever says that the answer will come",
    (socket) => {
      const frame = Buffer.alloc(4 + 64 + 9);
      frame.writeUInt32BE(64 + 9);
      frame.write("\xfeSMB", 4, "latin1");
      frame.writeUInt32LE(0x103, 4 + 8);
      frame.writeUInt32LE(3, 4 + 16);
      socket.write(frame);
    },
    /^timed out after 300 ms$/,
  ],
])("a server that %s", async (_title, handler, error) => {
  const at = await listenTcp(handler);
  const smbConnection = {
    port: at.port,
    username: { value: "a" },
    password: { value: "swordfish" },
  };
  const outcome = await tryCheck(
    folder,
    { path: "smb://127.0.0.1/files", smbConnection },
    { timeoutMs: 300 },
  );
  expect(outcome).toMatchObject({ pass: false, error: matching(error) });
  expect(JSON.stringify(outcome)).not.toContain("swordfish");
  await at.close();
});
