import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { execFileSync } from "node:child_process";
import { areInstalled, removeFolder, temporaryFolder } from "@mainstay/testkit/servers/index.ts";
import { expect, test } from "vitest";
import type { Left } from "#platform/outbound/left-files.ts";
import type { ArtifactKeeper } from "../check-type.ts";
import { tryCheck } from "../testing/try-check.ts";
import { exec } from "./exec.ts";

/** Reads all that it is given, and says why not where it is not given. */
function listingKeeper() {
  const found: Record<string, string> = {};
  const artifacts: ArtifactKeeper = {
    async keep(files: AsyncIterable<Left>) {
      for await (const file of files)
        found[file.path] =
          "problem" in file ? `(${file.problem})` : String(await file.read(10_000_000));
    },
  };
  return { found, artifacts };
}

async function left(script: string, paths: string[], more: object = {}) {
  const { found, artifacts } = listingKeeper();
  const spec = { script, artifacts: paths.map((path) => ({ path })), ...more };
  const outcome = await tryCheck(exec, spec, { artifacts });
  return { found, outcome };
}

const outside = "(outside the script's own folder, which is its TMPDIR)";

test("the files that a check names are kept, each once, whether it passes or fails", async () => {
  const script = `
    mkdir -p reports/deep && echo one > reports/a.xml && echo two > reports/deep/b.xml
    echo three > "$TMPDIR/c.txt"; echo four > "$HOME/d.log"; exit 3`;
  const { found, outcome } = await left(script, [
    "reports/**/*.xml",
    "reports/a.xml",
    "./c.txt",
    "d.*",
    "not-there.txt",
  ]);
  expect(outcome).toMatchObject({ pass: false, details: { exitCode: 3 } });
  expect(found).toEqual({
    "reports/a.xml": "one\n",
    "reports/deep/b.xml": "two\n",
    "c.txt": "three\n",
    "d.log": "four\n",
  });
});

test("a folder stands for all that is in it", async () => {
  const { found } = await left("mkdir -p r/s; touch r/a r/s/b c", ["r"]);
  expect(found).toEqual({ "r/a": "", "r/s/b": "" });
});

test("nothing but the script's own is reached by any path, pattern or link", async () => {
  const script = `
    ln -s /etc/passwd passwd; ln -s / root; ln -s .. up; echo x > /tmp/$$ ; rm /tmp/$$
    ln "$BASH" hard 2>/dev/null; mkfifo pipe; true`;
  const { found } = await left(script, [
    "/etc/passwd",
    "../environment",
    "a/../../environment",
    "root/etc/passwd",
    "up/*",
    "*",
  ]);
  const link = "(a link, and links are not followed)";
  expect(found).toEqual({
    "/etc/passwd": outside,
    "../environment": outside,
    "a/../../environment": outside,
    root: link,
    up: link,
    passwd: link,
    pipe: "(not a plain file)",
    ...(found.hard === undefined ? {} : { hard: "(somebody else's file)" }),
  });
});

test("what it says can be kept as well, further than the result holds it", async () => {
  const script = "head -c 300000 /dev/zero | tr '\\0' x; echo oops >&2";
  const { found, outcome } = await left(script, ["/dev/stdout", "/dev/stderr"]);
  expect(found).toEqual({ "/dev/stdout": "x".repeat(300_000), "/dev/stderr": "oops\n" });
  expect(String(outcome.details?.stdout).length).toBeLessThan(131_073);

  const long = await left("head -c 2000000 /dev/zero | tr '\\0' y", ["/dev/stdout"]);
  expect(long.found).toEqual({ "/dev/stdout": "(but for its first 1mb)" });
});

test("secrets of the check do not stand in what is kept, but for what is packed", async () => {
  const script = `
    echo "it is $TOKEN" > said.txt; printf '\\0%s' "$TOKEN" > binary; echo fine > "$TOKEN.txt"
    printf %s "$TOKEN" | base64 > encoded.txt; printf %s "$TOKEN" | gzip > packed.gz`;
  const env = [{ name: "TOKEN", value: "open-sesame-street" }];
  const found: Record<string, string> = {};
  const artifacts: ArtifactKeeper = {
    async keep(files) {
      for await (const file of files)
        if ("read" in file)
          found[file.path] = await file
            .read(1_000_000)
            .then(String, (error: Error) => error.message);
    },
  };
  await tryCheck(exec, { script, env, artifacts: [{ path: "*" }] }, { artifacts });
  expect(found).toMatchObject({
    "said.txt": "it is [hidden]\n",
    binary: "it holds a secret of the check",
    "[hidden].txt": "fine\n",
  });
  expect(found["encoded.txt"]).toContain("[hidden]");
  expect(found["packed.gz"]).toBeTruthy();
});

test.skipIf(!areInstalled("git"))("paths begin where the script does", async () => {
  const root = temporaryFolder("files");
  try {
    const work = join(root, "work");
    mkdirSync(work);
    const git = (...args: string[]) =>
      execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: work });
    git("init", "-q", "-b", "main");
    git("commit", "-q", "--allow-empty", "-m", "one");
    execFileSync("chmod", ["-R", "a+rX", root]);
    const { found } = await left("mkdir out; echo x > out/a; echo y > ../b", ["out/*", "../b"], {
      checkout: { url: `file://${work}`, destination: "shop/src" },
    });
    expect(found).toEqual({ "out/a": "x\n", "shop/b": "y\n" });
  } finally {
    removeFolder(root);
  }
});

test("a script whose time is over leaves no files", async () => {
  const kept: boolean[] = [];
  const artifacts: ArtifactKeeper = {
    keep: (_files, { signal }) => {
      kept.push(signal.aborted);
      return Promise.resolve();
    },
  };
  const spec = { script: "touch a; sleep 600", artifacts: [{ path: "a" }] };
  const outcome = await tryCheck(exec, spec, { artifacts, timeoutMs: 300 });
  expect(outcome).toMatchObject({ pass: false, error: "timed out after 300 ms" });
  expect(kept).toEqual([true]);
});

test("one that ended in time has its result, also when its files take what was left", async () => {
  const artifacts: ArtifactKeeper = {
    keep: (_files, { signal }) =>
      new Promise((resolve) => signal.addEventListener("abort", () => resolve())),
  };
  const spec = { script: "echo done", artifacts: [{ path: "a" }] };
  const outcome = await tryCheck(exec, spec, { artifacts, timeoutMs: 1500 });
  expect(outcome).toMatchObject({ pass: true, message: "done" });
});
