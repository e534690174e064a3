import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createPrograms, type Programs } from "./programs.ts";
import { testUids } from "./testing/run-script.ts";

/** Each run is somebody else's where the tests run as root, and one's own elsewhere. */

let dataDir: string;
let programs: Programs;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "kept-"));
  programs = createPrograms({ exec: "on", execUids: testUids, dataDir });
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

async function run(text: string, most = 1_000_000): Promise<string> {
  const { stdout, stderr } = await programs.run({
    text,
    command: () => ["bash", ["-c", text]],
    env: {},
    kept: { name: "counter", folder: "cache", most },
    signal: AbortSignal.timeout(20_000),
    keptOutput: 65_536,
  });
  return stdout.text + stderr.text;
}
const store = () => join(dataDir, "kept-files", "counter");

test("what a program keeps it finds again, though it is somebody else, and may change", async () => {
  const count =
    'mkdir -p cache/a/b; cat cache/a/b/count 2>/dev/null; echo "$1x" >> cache/a/b/count; ln -sf /etc/passwd cache/link; echo same > cache/same-$RANDOM$RANDOM; rm -f cache/same-*';
  expect(await run(count)).toBe("");
  expect(await run(count)).toBe("x\n");
  expect(await run(`${count}; id -u; stat -c %u cache/a/b/count cache/a`)).toMatch(
    /^x\nx\n(\d+)\n\1\n\1\n$/,
  );
  // Nobody else enters it, and no link of a program leads out.
  expect(statSync(join(dataDir, "kept-files")).mode & 0o777).toBe(0o700);
  expect(readdirSync(store())).toEqual(["a"]);
  expect(readdirSync(join(dataDir, "kept-files"))).toEqual(["counter"]);
  // What it takes away is gone the next time; what a run leaves that fails is not kept.
  await run("rm -r cache/a; mkdir cache/c; echo c > cache/c/one");
  await run("echo two > cache/c/two; exit 1");
  expect(await run("cd cache && find . -type f")).toBe("./c/one\n");
});

test("what has not changed is not written again, and of too much nothing is kept", async () => {
  await run("mkdir cache; echo one > cache/one; echo two > cache/two");
  const before = statSync(join(store(), "one")).ino;
  await run("cat cache/one");
  expect(statSync(join(store(), "one")).ino).toBe(before);
  await run("echo three > cache/three");
  // Linked, not copied.
  expect(statSync(join(store(), "one")).ino).toBe(before);
  await run("head -c 5000 /dev/zero > cache/large", 4000);
  expect(existsSync(store())).toBe(false);
  expect(await run("ls")).toBe("");
});

test("several at a time give and take whole sets", async () => {
  await run("mkdir cache; echo 0 > cache/a; echo 0 > cache/b");
  const seen = await Promise.all(
    Array.from({ length: 6 }, (_, at) =>
      run(`cat cache/a cache/b | tr -d '\\n'; echo ${at} > cache/a; echo ${at} > cache/b`),
    ),
  );
  for (const one of seen) expect(one).toMatch(/^(\d)\1$/);
  expect(await run("cat cache/a cache/b")).toMatch(/^(\d)\n\1\n$/);
});

test("what cannot be kept is a warning, and the run is as it was", async () => {
  const warned = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
  rmSync(dataDir, { recursive: true });
  programs = createPrograms({ exec: "on", execUids: testUids, dataDir: "/dev/null/nothing" });
  expect(await run("mkdir cache; echo one > cache/one; echo done")).toBe("done\n");
  expect(warned).toHaveBeenCalledWith(
    expect.stringContaining("Files of counter could not be kept for its next run"),
  );
});
