import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chownSync,
  linkSync,
  mkdirSync,
  renameSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { removeFolder, temporaryFolder } from "@mainstay/testkit/servers/index.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Left, leftFiles, Unreadable, type WantedFiles } from "./left-files.ts";

const isRoot = process.getuid?.() === 0;
const mebibyte = 1024 * 1024;
const running = new AbortController().signal;

let outside: string;
let folder: string;
beforeEach(() => {
  outside = temporaryFolder("left");
  folder = join(outside, "work");
  mkdirSync(folder);
  writeFileSync(join(outside, "secret"), "sesame");
});
afterEach(() => removeFolder(outside));

const write = (path: string, content: string | Buffer = path) => {
  mkdirSync(join(folder, path, ".."), { recursive: true });
  writeFileSync(join(folder, path), content);
};
const find = async (
  wanted: WantedFiles = { root: "" },
  options: { owner?: number; signal?: AbortSignal; most?: number } = {},
): Promise<Left[]> => {
  const found: Left[] = [];
  for await (const file of leftFiles(folder, wanted, { signal: running, ...options }))
    found.push(file);
  return found;
};
/** What is in them, or why it is not read. */
const read = async (
  wanted?: WantedFiles,
  options?: { owner?: number },
): Promise<Record<string, string>> => {
  const found: [string, string][] = [];
  for await (const file of leftFiles(folder, wanted ?? { root: "" }, {
    signal: running,
    ...options,
  })) {
    const content = "problem" in file ? `(${file.problem})` : String(await file.read(mebibyte));
    found.push([file.path, content]);
  }
  return Object.fromEntries(found);
};

test("files come in the order of their names, each with its size and what it holds", async () => {
  write("b.txt", "two");
  write("a.txt", "");
  write("c/d/e.txt", "deep");
  expect(await find()).toMatchObject([
    { path: "a.txt", size: 0 },
    { path: "b.txt", size: 3 },
    { path: "c/d/e.txt", size: 4 },
  ]);
  expect(await read()).toEqual({ "a.txt": "", "b.txt": "two", "c/d/e.txt": "deep" });
});

test.each<[string, WantedFiles, string[]]>([
  ["a file", { root: "c/d.txt" }, ["c/d.txt"]],
  ["a folder", { root: "./c/" }, ["c/d.txt", "c/e/f.txt"]],
  ["a pattern", { root: "c", matches: (path) => path.endsWith("f.txt") }, ["c/e/f.txt"]],
  ["nothing that is there", { root: "d" }, []],
  ["below a file", { root: "a.txt/b" }, []],
  ["a file where a pattern wants a folder", { root: "a.txt", matches: () => true }, []],
])("%s is found", async (_name, wanted, paths) => {
  for (const path of ["a.txt", "c/d.txt", "c/e/f.txt"]) write(path);
  expect((await find(wanted)).map(({ path }) => path)).toEqual(paths);
});

describe("what somebody hostile leaves", () => {
  test("links lead nowhere, be they files or folders, at the end or on the way", async () => {
    symlinkSync("../secret", join(folder, "file"));
    symlinkSync("..", join(folder, "up"));
    symlinkSync("/etc", join(folder, "etc"));
    symlinkSync("nowhere", join(folder, "broken"));
    const problem = "(a link, and links are not followed)";
    expect(await read()).toEqual({ broken: problem, etc: problem, file: problem, up: problem });
    expect(await read({ root: "up/secret" })).toEqual({ up: problem });
    expect(await read({ root: "etc", matches: () => true })).toEqual({ etc: problem });
  });

  test("what is no plain file is not opened: a pipe would wait, a device would never end", async () => {
    execFileSync("mkfifo", [join(folder, "pipe")]);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(join(folder, "socket"), resolve));
    expect(await read()).toEqual({ pipe: "(not a plain file)", socket: "(not a plain file)" });
    await new Promise((resolve) => server.close(resolve));
  });

  test("a file of somebody else by another name stays theirs", async () => {
    if (!isRoot) return;
    linkSync(join(outside, "secret"), join(folder, "linked"));
    write("own");
    chownSync(join(folder, "own"), 60_600, 60_600);
    expect(await read({ root: "" }, { owner: 60_600 })).toEqual({
      linked: "(somebody else's file)",
      own: "own",
    });
  });

  test("a file of a gigabyte that holds nothing is told by its size, and not read", async () => {
    write("sparse", "");
    truncateSync(join(folder, "sparse"), 1024 * mebibyte);
    for await (const file of leftFiles(folder, { root: "" }, { signal: running })) {
      expect(file).toMatchObject({ path: "sparse", size: 1024 * mebibyte });
      expect("read" in file && (await file.read(mebibyte))).toBeUndefined();
    }
    expect.assertions(2);
  });

  test("names may hold anything but a slash", async () => {
    write("new\nline; rm -rf $HOME", "odd");
    execFileSync("bash", ["-c", `cd "$1" && printf x > $'\\xff\\xfe'`, "bash", folder]);
    expect(await read()).toEqual({
      "new\nline; rm -rf $HOME": "odd",
      "\uFFFD\uFFFD": "(its name is no text)",
    });
  });

  test("a file that is exchanged for a link after it was found is not read", async () => {
    write("a");
    for await (const file of leftFiles(folder, { root: "" }, { signal: running })) {
      renameSync(join(folder, "a"), join(outside, "a"));
      symlinkSync("../secret", join(folder, "a"));
      await expect("read" in file && file.read(mebibyte)).rejects.toThrow(Unreadable);
    }
    expect.assertions(1);
  });

  test("a folder that is exchanged for a link after it was opened leads nowhere else", async () => {
    write("below/secret", "mine");
    for await (const file of leftFiles(folder, { root: "" }, { signal: running })) {
      renameSync(join(folder, "below"), join(folder, "moved"));
      symlinkSync("..", join(folder, "below"));
      expect("read" in file && String(await file.read(mebibyte))).toBe("mine");
    }
    expect.assertions(1);
  });

  test("a file that has grown too large since it was found is not read", async () => {
    write("a", "small");
    for await (const file of leftFiles(folder, { root: "" }, { signal: running })) {
      expect(file).toMatchObject({ size: 5 });
      appendFileSync(join(folder, "a"), "x".repeat(2 * mebibyte));
      expect("read" in file && (await file.read(mebibyte))).toBeUndefined();
    }
    expect.assertions(2);
  });

  test("a folder without end is left at a depth", async () => {
    write(`${"d/".repeat(40)}file`);
    const [left, ...more] = await find();
    expect(left).toMatchObject({ problem: "more than 32 folders deep" });
    expect(more).toEqual([]);
  });

  test("of more names than are looked at none is kept in mind", async () => {
    for (let name = 1; name <= 51; name += 1) write(`many/${name}`);
    write("few/a");
    const problem = "beside more than 50 other names";
    expect(await find({ root: "many" }, { most: 50 })).toEqual([{ path: "many", problem }]);
    expect(await find({ root: "many" }, { most: 51 })).toHaveLength(51);
    expect(await find({ root: "many/7" }, { most: 0 })).toMatchObject([{ path: "many/7" }]);
    // Of all folders together.
    expect(await find({ root: "" }, { most: 10 })).toMatchObject([
      { path: "few/a" },
      { path: "many", problem: "beside more than 10 other names" },
    ]);
  });
});

test("a run that has ended is not looked through", async () => {
  write("a");
  expect(await find({ root: "" }, { signal: AbortSignal.abort() })).toEqual([]);
});
