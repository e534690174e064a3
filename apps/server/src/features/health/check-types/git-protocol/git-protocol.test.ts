import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import {
  areInstalled,
  freePort,
  listenTcp,
  removeFolder,
  type SshServer,
  startSshd,
  temporaryFolder,
} from "@mainstay/testkit/servers/index.ts";
import { applyDelta, readPack } from "#platform/outbound/git/read-pack.ts";
import { closeAll, open, serve } from "#platform/outbound/testing/serve.ts";
import { openTestConnector, tryCheck } from "../testing/try-check.ts";
import { gitProtocol } from "./git-protocol.ts";
import { gitBackend } from "./testing/git-backend.ts";

/** Against Debian's own Git: its HTTP backend behind a small server, its daemon, and through OpenSSH. */

afterEach(closeAll);

const login = { username: "ann", password: "sesame secret" };

describe.skipIf(!areInstalled("git"))("a real repository", () => {
  const folder = temporaryFolder("git");
  let daemon: ChildProcess | undefined;
  let port = 0;
  const environment = {
    PATH: process.env.PATH ?? "",
    HOME: folder,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_AUTHOR_NAME: "ann",
    GIT_AUTHOR_EMAIL: "ann@shop.example",
    GIT_COMMITTER_NAME: "ann",
    GIT_COMMITTER_EMAIL: "ann@shop.example",
  };
  const git = (...args: string[]) =>
    execFileSync("git", args, { cwd: join(folder, "work"), env: environment, stdio: "pipe" });
  const many = Array.from({ length: 2000 }, (_, line) => `line ${line}`).join("\n");

  beforeAll(async () => {
    execFileSync("git", ["init", "-q", "-b", "main", join(folder, "work")], { env: environment });
    execFileSync("mkdir", ["-p", join(folder, "work/deep/er")]);
    writeFileSync(join(folder, "work/readme.md"), "# Shop\n");
    writeFileSync(join(folder, "work/deep/er/many.txt"), many);
    git("add", "-A");
    git("commit", "-qm", "one");
    writeFileSync(join(folder, "work/deep/er/more.txt"), `${many}\nlast`);
    git("add", "-A");
    git("commit", "-qm", "two");
    git("tag", "-a", "v1", "-m", "first");
    git("branch", "other");
    git("clone", "-q", "--bare", ".", "../shop.git");
    execFileSync("git", ["-C", join(folder, "shop.git"), "repack", "-adfq"], { env: environment });
    execFileSync("git", ["init", "-q", "--bare", join(folder, "empty.git")], { env: environment });
    port = await freePort();
    const args = ["daemon", "--export-all", "--reuseaddr", "--listen=127.0.0.1"];
    daemon = spawn("git", [...args, `--port=${port}`, `--base-path=${folder}`, folder], {
      env: environment,
      stdio: "ignore",
      detached: true,
    });
    await vi.waitFor(
      async () => {
        const { pass, error } = await tryCheck(gitProtocol, { repository: at("empty.git") });
        if (!pass) throw new Error(error);
      },
      { timeout: 15_000 },
    );
  });
  afterAll(async () => {
    if (daemon?.pid !== undefined) {
      const ended = once(daemon, "exit");
      process.kill(-daemon.pid, "SIGKILL");
      await ended;
    }
    removeFolder(folder);
  });
  const at = (name: string) => `git://127.0.0.1:${port}/${name}`;

  const backend = gitBackend({ folder, login, environment });

  const ways = [
    ["over HTTP", async (name: string) => `${(await serve(backend)).url}/${name}`],
    ["over a socket", (name: string) => Promise.resolve(at(name))],
  ] as const;
  const commit = () => git("rev-parse", "HEAD").toString().trim();

  describe.each(ways)("%s", (_way, addressOf) => {
    const run = async (name: string, more: object = {}) =>
      tryCheck(gitProtocol, { repository: await addressOf(name), ...login, ...more });

    test("its branches and tags", async () => {
      const outcome = await run("shop.git");
      expect(outcome.message).toMatch(/^3 branches and tags at main in [\d.]+ ms$/);
      expect(outcome).toMatchObject({ pass: true, details: { branch: "main", commit: commit() } });
      expect(outcome.details?.refs).toEqual([
        { name: "refs/heads/main", commit: commit() },
        { name: "refs/heads/other", commit: commit() },
        { name: "refs/tags/v1", commit: git("rev-parse", "v1").toString().trim() },
      ]);
    });

    test.each([
      ["readme.md", "# Shop\n"],
      ["/deep/er/many.txt", many],
      ["deep/er/more.txt", `${many}\nlast`],
    ])("its file %s", async (filename, content) => {
      const outcome = await run("shop.git", { filename });
      expect(outcome).toMatchObject({ pass: true });
      expect(outcome.data?.()).toMatchObject({ results: { file: { name: filename, content } } });
    });

    test("a file that is not there, and one of an empty repository", async () => {
      expect((await run("shop.git", { filename: "deep/gone" })).error).toBe(
        "there is no deep/gone at main",
      );
      expect((await run("shop.git", { filename: "deep" })).error).toBe("there is no deep at main");
      expect(await run("empty.git")).toMatchObject({ pass: true });
      expect((await run("empty.git", { filename: "a" })).error).toBe(
        "there is no a: the repository has no commit",
      );
    });

    test("no such repository", async () => {
      expect(await run("none.git")).toMatchObject({ pass: false });
    });
  });

  describe.skipIf(!areInstalled("sshd", "ssh-keygen"))("over ssh", () => {
    let sshd: SshServer;
    beforeAll(async () => {
      sshd = (await startSshd())!;
      execFileSync("git", ["init", "-q", "--bare", join(folder, "it's; $(x)!.git")], {
        env: environment,
      });
    });
    afterAll(() => sshd.stop());
    const run = (name: string, more: object = {}) =>
      tryCheck(gitProtocol, {
        repository: `ssh://${sshd.username}@127.0.0.1:${sshd.port}${folder}/${name}`,
        certificate: { value: sshd.key },
        ...more,
      });

    test("its branches and tags, and a file", async () => {
      expect(await run("shop.git")).toMatchObject({
        pass: true,
        details: { branch: "main", commit: commit(), count: 3 },
      });
      const outcome = await run("shop.git", { filename: "deep/er/more.txt" });
      expect(outcome).toMatchObject({ pass: true, details: { file: { size: many.length + 5 } } });
    });

    test("a name is a name, whatever it holds", async () => {
      const name = encodeURIComponent("it's; $(x)!.git").replaceAll("'", "%27");
      expect(await run(name)).toMatchObject({ pass: true, details: { count: 0 } });
    });

    test.each<[string, object, RegExp]>([
      [
        "no such repository",
        {},
        /the repository refused: .*does not appear to be a git repository/,
      ],
      ["no key", { certificate: undefined }, /did not let \S+ sign in/],
      ["a password instead", { certificate: undefined, password: "swordfish" }, /did not let/],
      ["no key that can be read", { certificate: "swordfish" }, /private key cannot be read/],
    ])("%s", async (_title, more, error) => {
      const outcome = await run("none.git", more);
      expect(outcome).toMatchObject({ pass: false, error: expect.stringMatching(error) as string });
      expect(JSON.stringify(outcome)).not.toContain("swordfish");
    });

    test("who signs in, in the short form, asks port 22 of the host, where the policy allows it", async () => {
      const connector = openTestConnector({ deny: ["127.0.0.0/8"] });
      const spec = { repository: "git@127.0.0.1:shop/site.git", certificate: sshd.key };
      expect((await tryCheck(gitProtocol, spec, { connector })).error).toContain("not allowed");
    });

    test("a silent server", async () => {
      const silent = await listenTcp((socket) => socket.resume());
      open.push(silent);
      const repository = `ssh://git@127.0.0.1:${silent.port}/x.git`;
      const outcome = await tryCheck(gitProtocol, { repository }, { timeoutMs: 300 });
      expect(outcome.error).toBe("timed out after 300 ms");
    });
  });

  test("wrong credentials, and none; in the address", async () => {
    const { url } = await serve(backend);
    const repository = `${url}/shop.git`;
    const wrong = await tryCheck(gitProtocol, { repository, ...login, password: "another secret" });
    expect(wrong.error).toMatch(/does not let in who asks \(401\): check the username/);
    expect(JSON.stringify(wrong)).not.toContain("another secret");
    expect((await tryCheck(gitProtocol, { repository })).error).toContain("(401)");
    const inside = repository.replace("//", "//ann:sesame%20secret@");
    expect(await tryCheck(gitProtocol, { repository: inside })).toMatchObject({ pass: true });
  });
});

test.each([
  ["/srv/git/shop.git", "the repository is no address"],
  ["C:/shop.git", "the repository is no address"],
  ["file:///srv/git/shop.git", "not file"],
  ["ext::sh -c id", "not ext"],
])("%s is refused", async (repository, error) => {
  const outcome = await tryCheck(gitProtocol, { repository });
  expect(outcome).toMatchObject({ pass: false, invalid: true });
  expect(outcome.error).toContain(error);
});

describe("what is no repository", () => {
  const commit = "a".repeat(40);
  const line = (text: string) => (text.length + 4).toString(16).padStart(4, "0") + text;
  const names = `${line(`${commit} HEAD\0shallow symref=HEAD:refs/heads/main\n`)}${line(`${commit} refs/heads/main\n`)}0000`;

  test.each<[string, string, Buffer | string, RegExp]>([
    ["a page", "text/html", "<html>", /is no repository of Git/],
    ["garbage", "application/x-git-upload-pack-advertisement", "zzzz", /is no repository of Git/],
    [
      "a refusal",
      "application/x-git-upload-pack-advertisement",
      `${line("ERR not for you\n")}0000`,
      /the repository refused: not for you/,
    ],
    [
      "names without end",
      "application/x-git-upload-pack-advertisement",
      Buffer.alloc(17 * 1024 * 1024, "0"),
      /sent more than/,
    ],
  ])("over HTTP: %s", async (_name, type, body, error) => {
    const { url } = await serve((_request, response) =>
      response.writeHead(200, { "content-type": type }).end(body),
    );
    expect((await tryCheck(gitProtocol, { repository: `${url}/x.git` })).error).toMatch(error);
  });

  test("damaged files", async () => {
    const { url } = await serve((request, response) => {
      const part = request.method === "POST" ? "result" : "advertisement";
      response.writeHead(200, { "content-type": `application/x-git-upload-pack-${part}` });
      const damaged = Buffer.concat([
        Buffer.from(`${line("NAK\n")}PACK`),
        Buffer.from([0, 0, 0, 2, 0, 0, 0, 9]),
        Buffer.alloc(50, 0xff),
      ]);
      response.end(part === "result" ? damaged : names);
    });
    const outcome = await tryCheck(gitProtocol, { repository: `${url}/x.git`, filename: "a" });
    expect(outcome.error).toBe("what the repository sent is damaged");
  });

  test("over a socket: silent, gone, and forbidden", async () => {
    const silent = await listenTcp((socket) => socket.resume());
    open.push(silent);
    const repository = `git://127.0.0.1:${silent.port}/x.git`;
    expect((await tryCheck(gitProtocol, { repository }, { timeoutMs: 300 })).error).toBe(
      "timed out after 300 ms",
    );
    const gone = await listenTcp((socket) => socket.end());
    open.push(gone);
    expect(
      (await tryCheck(gitProtocol, { repository: `git://127.0.0.1:${gone.port}/x` })).error,
    ).toContain("hung up");
    expect(
      (await tryCheck(gitProtocol, { repository: "git://169.254.169.254/x" })).error,
    ).toContain("address policy");
  });

  test("packs that promise too much, deltas that reach outside", async () => {
    const head = (count: number) => {
      const bytes = Buffer.alloc(40);
      bytes.write("PACK");
      bytes.writeUInt32BE(2, 4);
      bytes.writeUInt32BE(count, 8);
      return bytes;
    };
    await expect(readPack(head(4_000_000_000))).rejects.toThrow("4000000000 objects");
    await expect(readPack(head(1))).rejects.toThrow("damaged");
    await expect(readPack(Buffer.from("PACK"))).rejects.toThrow("damaged");
    for (const delta of [[3, 3, 0x90, 9], [3, 9, 1, 65], [3, 1, 2, 65, 65], [3, 3, 0], [9, 9], []])
      expect(() => applyDelta(Buffer.from("abc"), Buffer.from(delta))).toThrow("damaged");
    expect(applyDelta(Buffer.from("abc"), Buffer.from([3, 3, 0x90, 2, 1, 88])).toString()).toBe(
      "abX",
    );
  });
});
