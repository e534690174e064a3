// Takes long: Git clones over five ways, some of them large, slow or endless.
import { execFileSync, spawn } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { userInfo } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  areInstalled,
  freePort,
  type Listening,
  listenHttp,
  listenTcp,
  removeFolder,
  startSshd,
  temporaryFolder,
} from "@mainstay/testkit/servers/index.ts";
import { createConnector } from "#platform/outbound/connector.ts";
import { createPrograms } from "#platform/outbound/programs.ts";
import { testConfig } from "../../../../testing/app.ts";
import { tryCheck } from "../testing/try-check.ts";
import { exec } from "./exec.ts";

const git = (cwd: string, ...args: string[]) =>
  execFileSync("git", args, {
    cwd,
    encoding: "utf8",
    env: {
      PATH: process.env.PATH,
      GIT_CONFIG_GLOBAL: "/dev/null",
      GIT_AUTHOR_NAME: "a",
      GIT_AUTHOR_EMAIL: "a@b",
      GIT_COMMITTER_NAME: "a",
      GIT_COMMITTER_EMAIL: "a@b",
    },
  }).trim();

const password = "sesame street";
const right = `Basic ${Buffer.from(`monitor:${password}`).toString("base64")}`;

/** Git's own program for HTTP, behind a password. */
function serveGit(root: string, request: IncomingMessage, response: ServerResponse): void {
  if (request.headers.authorization !== right) {
    response.writeHead(401, { "www-authenticate": 'Basic realm="git"' }).end();
    return;
  }
  const url = new URL(request.url!, "http://x");
  const child = spawn("git", ["http-backend"], {
    env: {
      PATH: process.env.PATH,
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: "1",
      PATH_INFO: url.pathname,
      QUERY_STRING: url.search.slice(1),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers["content-type"] ?? "",
      HTTP_CONTENT_ENCODING: request.headers["content-encoding"] ?? "",
      GIT_CONFIG_COUNT: "1",
      GIT_CONFIG_KEY_0: "safe.directory",
      GIT_CONFIG_VALUE_0: "*",
    },
  });
  request.pipe(child.stdin);
  const parts: Buffer[] = [];
  child.stdout.on("data", (part: Buffer) => parts.push(part));
  child.on("close", () => {
    const whole = Buffer.concat(parts);
    const end = whole.indexOf("\r\n\r\n");
    const heads = whole.subarray(0, end).toString().split("\r\n");
    const headers = Object.fromEntries(
      heads.map((line) => line.split(": ", 2) as [string, string]),
    );
    const status = Number(headers.Status?.slice(0, 3) ?? 200);
    response.writeHead(status, headers).end(whole.subarray(end + 4));
  });
}

describe.skipIf(!areInstalled("git"))("a repository", () => {
  let root: string;
  let first: string;
  let server: Listening;
  beforeAll(async () => {
    root = temporaryFolder("git");
    const work = join(root, "work");
    mkdirSync(work);
    git(work, "init", "-q", "-b", "main");
    writeFileSync(join(work, "greeting"), "hello\n");
    git(work, "add", ".");
    git(work, "commit", "-q", "-m", "one");
    first = git(work, "rev-parse", "HEAD");
    git(work, "checkout", "-q", "-b", "other");
    writeFileSync(join(work, "greeting"), "good day\n");
    git(work, "commit", "-q", "-a", "-m", "two");
    git(work, "checkout", "-q", "main");
    git(root, "clone", "-q", "--bare", work, "shop.git");
    chmodSync(root, 0o755);
    execFileSync("chmod", ["-R", "a+rX", root]);
    server = await listenHttp((request, response) => serveGit(root, request, response));
  });
  afterAll(async () => {
    await server.close();
    removeFolder(root);
  });
  const local = () => `file://${root}/shop.git`;
  const remote = () => `http://127.0.0.1:${server.port}/shop.git`;

  test.each<[string, () => object, object]>([
    ["a file", () => ({ url: local() }), { message: "hello" }],
    ["a path", () => ({ url: `${root}/shop.git` }), { message: "hello" }],
    ["a branch", () => ({ url: local(), branch: "other" }), { message: "good day" }],
    ["a folder of one's own", () => ({ url: local(), destination: "a/b" }), { message: "hello" }],
    ["all that was", () => ({ url: local(), depth: 0, branch: "other" }), { message: "good day" }],
    [
      "HTTP with a password",
      () => ({ url: remote(), username: "monitor", password: { value: password } }),
      { message: "hello" },
    ],
    [
      "a password in the address",
      () => ({ connection: remote().replace("//", "//monitor:sesame%20street@") }),
      { message: "hello" },
    ],
  ])("is checked out: %s", async (_name, checkout, outcome) => {
    const spec = { script: "cat greeting", checkout: checkout() };
    const result = await tryCheck(exec, spec);
    expect(result).toMatchObject({ pass: true, ...outcome });
    const extra = result.details?.extra as { git: string; commit: string };
    expect(extra.commit).toMatch(/^[0-9a-f]{40}$/);
    expect(JSON.stringify(result)).not.toMatch(/sesame|%20street/);
  });

  test("what it says of itself", async () => {
    const { details } = await tryCheck(exec, { script: "true", checkout: { url: local() } });
    expect(details?.extra).toEqual({ git: local(), commit: first });
  });

  test("the script sees neither the password nor what asked for it", async () => {
    const result = await tryCheck(exec, {
      script: 'env; ls "$(dirname "$HOME")"; cat .git/config; git remote -v; pwd',
      checkout: { url: remote(), username: "monitor", password },
    });
    expect(result.pass).toBe(true);
    expect(result.details?.stdout).toMatch(/\/work\/checkout$/);
    // Nothing was hidden afterwards either: it was never there.
    expect(result.details?.stdout).not.toMatch(/hidden|CHECKOUT|askpass|monitor/);
  });

  test.each<[string, () => object, RegExp]>([
    [
      "a wrong password",
      () => ({ url: remote(), username: "monitor", password: "swordfish" }),
      /could not be checked out: Authentication failed for/,
    ],
    [
      "no such branch",
      () => ({ url: local(), branch: "nothing" }),
      /could not be checked out: couldn't find remote ref nothing/,
    ],
    [
      "no such repository",
      () => ({ url: `file://${root}/nothing.git` }),
      /could not be checked out: .*does not appear to be a git repository/s,
    ],
  ])("fails: %s", async (_name, checkout, error) => {
    const result = await tryCheck(exec, { script: "echo ran", checkout: checkout() });
    expect(result).toMatchObject({ pass: false });
    expect(result.error).toMatch(error);
    expect(result.details?.stdout).toBeUndefined();
    expect(JSON.stringify(result)).not.toContain("swordfish");
  });

  test("a server that sends elsewhere is not followed with the password", async () => {
    const asked: string[] = [];
    const thief = await listenHttp((request, response) => {
      asked.push(String(request.headers.authorization));
      response.writeHead(401, { "www-authenticate": 'Basic realm="git"' }).end();
    });
    const lure = await listenHttp((request, response) => {
      response.writeHead(302, { location: `http://127.0.0.1:${thief.port}${request.url}` }).end();
    });
    const url = `http://127.0.0.1:${lure.port}/shop.git`;
    const checkout = { url, username: "monitor", password };
    expect(await tryCheck(exec, { script: "true", checkout })).toMatchObject({ pass: false });
    expect(asked).toEqual([]);
    await Promise.all([thief.close(), lure.close()]);
  });

  test("a server that is silent ends with the time", async () => {
    const silent = await listenTcp((socket) => void socket.resume());
    const checkout = { url: `http://127.0.0.1:${silent.port}/shop.git` };
    expect(await tryCheck(exec, { script: "true", checkout }, { timeoutMs: 1500 })).toMatchObject({
      pass: false,
      error: "timed out after 1500 ms",
    });
    await silent.close();
  });

  test("a hook, a filter and a helper of the repository do not run", async () => {
    const work = join(root, "evil");
    git(root, "clone", "-q", join(root, "shop.git"), "evil");
    writeFileSync(join(work, ".gitattributes"), "* filter=evil\n");
    writeFileSync(join(work, ".gitmodules"), `[submodule "x"]\n\tpath = x\n\turl = ${local()}\n`);
    git(work, "add", ".");
    git(work, "commit", "-q", "-m", "evil");
    execFileSync("chmod", ["-R", "a+rX", work]);
    const result = await tryCheck(exec, { script: "ls", checkout: { url: `file://${work}` } });
    expect(result).toMatchObject({ pass: true, message: "greeting" });
  });

  test.skipIf(!areInstalled("sshd", "ssh"))("over ssh, with a key", async () => {
    const sshd = (await startSshd())!;
    const url = `ssh://${userInfo().username}@127.0.0.1:${sshd.port}${root}/shop.git`;
    const certificate = { value: sshd.key };
    expect(
      await tryCheck(exec, { script: "cat greeting; env", checkout: { url, certificate } }),
    ).toMatchObject({ pass: true, message: expect.stringMatching(/^hello\n/) as string });
    const refused = await tryCheck(exec, { script: "true", checkout: { url } });
    expect(refused.error).toMatch(/could not be checked out: .*Permission denied/s);
    await sshd.stop();
  });

  test("a small repository that would become a large tree is not written out", async () => {
    const bomb = join(root, "bomb");
    git(root, "init", "-q", "-b", "main", "bomb");
    writeFileSync(join(bomb, "x"), "boom");
    let entry = `100644 blob ${git(bomb, "hash-object", "-w", "x")}`;
    // Ten to the tenth, in ten objects.
    for (let level = 0; level < 10; level += 1) {
      const entries = Array.from({ length: 10 }, (_, at) => `${entry}\t${at}\n`).join("");
      const options = { cwd: bomb, input: entries, encoding: "utf8" } as const;
      entry = `040000 tree ${execFileSync("git", ["mktree"], options).trim()}`;
    }
    const commit = git(bomb, "commit-tree", entry.slice(-40), "-m", "boom");
    git(bomb, "update-ref", "refs/heads/main", commit);
    execFileSync("chmod", ["-R", "a+rX", bomb]);
    const result = await tryCheck(exec, { script: "true", checkout: { url: `file://${bomb}` } });
    expect(result).toMatchObject({
      pass: false,
      error: expect.stringContaining(
        "its files are more than 100000 or 1073741824 bytes",
      ) as string,
    });
  });

  test("where the address policy forbids it, nobody is asked", async () => {
    const connector = createConnector({
      deny: ["127.0.0.0/8"],
      programs: createPrograms(testConfig()),
    });
    expect(
      await tryCheck(exec, { script: "true", checkout: { url: remote() } }, { connector }),
    ).toMatchObject({ pass: false, error: expect.stringContaining("not allowed") as string });
  });
});

test.each<[string, object, RegExp]>([
  ["nothing", {}, /needs a url/],
  ["a helper", { url: "ext::sh -c id" }, /not the address of a repository/],
  ["an option", { url: "--upload-pack=id" }, /not the address of a repository/],
  ["another scheme", { url: "ftp://a/b" }, /not the address of a repository/],
  [
    "a branch that is an option",
    { url: "https://a/b", branch: "--upload-pack=id" },
    /name of a branch/,
  ],
  ["a folder elsewhere", { url: "https://a/b", destination: "../../etc" }, /leads out/],
  ["a folder of the machine", { url: "https://a/b", destination: "/etc" }, /leads out/],
])("%s is a wrong document", async (_name, checkout, error) => {
  const connector = createConnector({
    programs: createPrograms(testConfig()),
    deny: ["0.0.0.0/0", "::/0"],
  });
  const result = await tryCheck(exec, { script: "true", checkout }, { connector });
  expect(result).toMatchObject({ pass: false, invalid: true });
  expect(result.error).toMatch(error);
});

test("a host and a path are an address over https", async () => {
  const connector = createConnector({
    programs: createPrograms(testConfig()),
    deny: ["127.0.0.0/8", "::1/128"],
  });
  const checkout = { url: "shop.localhost/team/shop" };
  expect(await tryCheck(exec, { script: "true", checkout }, { connector })).toMatchObject({
    pass: false,
    error: expect.not.stringContaining("not the address") as string,
  });
});

test("over ssh, where nobody listens", async () => {
  const port = await freePort();
  const checkout = { url: `ssh://git@127.0.0.1:${port}/shop.git` };
  const result = await tryCheck(exec, { script: "true", checkout });
  expect(result.error).toMatch(/could not be checked out: .*Connection refused/s);
});

describe("credentials of clouds", () => {
  test("stand in variables and in files that the script may read", async () => {
    const result = await tryCheck(exec, {
      script: [
        'echo "$AWS_ACCESS_KEY_ID $AWS_SECRET_ACCESS_KEY $AWS_DEFAULT_REGION"',
        'echo "$AZURE_CLIENT_ID $AZURE_CLIENT_SECRET $AZURE_TENANT_ID $GOOGLE_CLOUD_PROJECT"',
        'cat "$GOOGLE_APPLICATION_CREDENTIALS" "$KUBECONFIG" | wc -c',
        'case "$KUBECONFIG" in "$HOME"/*) echo inside ;; *) echo beside ;; esac',
      ].join("\n"),
      connections: {
        aws: { accessKey: "AKIA", secretKey: "sesame-aws", region: "eu-central-1" },
        azure: { clientID: "app", clientSecret: "sesame-azure", tenantID: "tenant" },
        gcp: { credentials: "{sesame-google}", project: "shop" },
        kubernetes: { kubeconfig: "sesame-kube" },
      },
    });
    expect(result).toMatchObject({ pass: true });
    expect(String(result.details?.stdout).split("\n")).toEqual([
      expect.stringMatching(/ \[hidden\] eu-central-1$/),
      "app [hidden] tenant shop",
      "26",
      "beside",
    ]);
    expect(JSON.stringify(result)).not.toMatch(/sesame/);
  });

  test("what the document sets by name wins", async () => {
    const result = await tryCheck(exec, {
      script: "echo $AWS_REGION",
      env: [{ name: "AWS_REGION", value: "us" }],
      connections: { aws: { region: "eu-central-1" } },
    });
    expect(result.message).toBe("us");
  });
});
