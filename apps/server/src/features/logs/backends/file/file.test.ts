import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { areInstalled, type SshServer, startSshd } from "@mainstay/testkit/servers/index.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { type AskOptions, askBackend } from "../testing/ask-backend.ts";
import { file } from "./file.ts";

/** Real files of this machine, and of the same over a real sshd. */

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "log-files-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
});

const write = (name: string, content: string | Buffer) => {
  const path = join(folder, name);
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, content);
  utimesSync(path, new Date("2026-06-15T11:00:00Z"), new Date("2026-06-15T11:00:00Z"));
  return path;
};
const ask = (spec: object, options?: AskOptions) => askBackend(file, spec, options);
const messages = async (spec: object, options?: AskOptions) =>
  (await ask(spec, options)).lines.map(({ message }) => message);
/** All pages, one after the other. */
async function paged(spec: object, options: AskOptions): Promise<string[]> {
  const found: string[] = [];
  for (let cursor: string | undefined, pages = 0; pages < 500; pages += 1) {
    const { lines, next } = await ask(spec, { ...options, ...(cursor && { cursor }) });
    found.push(...lines.map(({ id }) => id));
    if (next === undefined) return found;
    cursor = next;
  }
  throw new Error("pages without end");
}
const minute = (n: number) => `2026-06-15T10:${String(n).padStart(2, "0")}:00Z`;

test("files are merged by time, with the times, levels and labels of their lines", async () => {
  write(
    "a.log",
    `{"time":"${minute(1)}","level":"error","msg":"one","code":7}\n{"time":"${minute(3)}","msg":"three"}\n`,
  );
  write("b.log", `${minute(2)} WARN two\n`);
  const page = await ask({ path: join(folder, "*.log") });
  expect(page).toEqual({
    lines: [
      {
        id: `${folder}/a.log@69`,
        timestamp: "2026-06-15T10:03:00.000Z",
        message: "three",
        labels: { filename: `${folder}/a.log` },
      },
      {
        id: `${folder}/b.log@0`,
        timestamp: "2026-06-15T10:02:00.000Z",
        message: `${minute(2)} WARN two`,
        labels: { filename: `${folder}/b.log` },
        level: "warn",
      },
      {
        id: `${folder}/a.log@0`,
        timestamp: "2026-06-15T10:01:00.000Z",
        message: "one",
        labels: { filename: `${folder}/a.log`, level: "error", code: "7" },
        level: "error",
      },
    ],
  });
  expect(await messages({ path: `${folder}/*` }, { direction: "forward", limit: 1 })).toEqual([
    "one",
  ]);
  expect(await messages({ path: `${folder}/*` }, { from: minute(2), to: minute(3) })).toEqual([
    `${minute(2)} WARN two`,
  ]);
});

test("what is searched for alone is found, whatever the file calls it", async () => {
  write(
    "a.log",
    [
      `{"time":"${minute(1)}","level":"error","msg":"Payment failed","app":"shop"}`,
      `{"time":"${minute(2)}","level":"info","msg":"payment done","app":"shop"}`,
      `{"time":"${minute(3)}","level":"fatal","msg":"no memory","app":"web"}`,
    ].join("\n"),
  );
  const found = (query: string, more?: AskOptions) =>
    messages({ path: `${folder}/a.log` }, { query, ...more });
  expect(await found("payment")).toEqual(["payment done", "Payment failed"]);
  expect(await found("-payment")).toEqual(["no memory"]);
  expect(await found("level>=error")).toEqual(["no memory", "Payment failed"]);
  expect(await found("app=shop -done")).toEqual(["Payment failed"]);
  expect(await found('message=~"^P.*d$"')).toEqual(["Payment failed"]);
  expect(await found("", { labels: { app: "web" } })).toEqual(["no memory"]);
});

test("a stack trace belongs to its line, read from either end", async () => {
  const trace = "  at main (a.js:1)\n  at run (b.js:2)\nCaused by: Error: no";
  write(
    "a.log",
    `${minute(1)} INFO start\n${minute(2)} ERROR boom\n${trace}\n${minute(3)} INFO end\n`,
  );
  const expected = [
    `${minute(1)} INFO start`,
    `${minute(2)} ERROR boom\n${trace}`,
    `${minute(3)} INFO end`,
  ];
  expect(await messages({ path: `${folder}/a.log` }, { direction: "forward" })).toEqual(expected);
  expect(await messages({ path: `${folder}/a.log` })).toEqual(expected.toReversed());
  expect(await messages({ path: `${folder}/a.log` }, { query: "b.js" })).toEqual([expected[1]]);
});

test.each(["backward", "forward"] as const)(
  "pages %s lead through all lines once",
  async (direction) => {
    // Several of one moment, over files, one of them rotated and gzipped.
    const lines = (name: string, from: number) =>
      Array.from(
        { length: 40 },
        (_, n) => `${minute(from + Math.floor(n / 4))} ${name} ${n}\n`,
      ).join("");
    write("app.log", lines("new", 20));
    write("app.log.1", lines("old", 10));
    write("app.log.2.gz", gzipSync(lines("older", 5)));
    const spec = { path: [`${folder}/app.log*`] };
    const whole = (await ask(spec, { limit: 1000, direction })).lines;
    expect(whole).toHaveLength(120);
    const times = whole.map(({ timestamp }) => timestamp);
    expect(times).toEqual(
      direction === "forward" ? times.toSorted() : times.toSorted().toReversed(),
    );
    expect(await paged(spec, { limit: 7, direction })).toEqual(whole.map(({ id }) => id));
  },
);

test("of a large file only what is asked for is read, from both ends and the middle", async () => {
  const count = 400_000;
  const start = Date.parse("2026-06-15T00:00:00Z");
  const parts: string[] = [];
  for (let n = 0; n < count; n += 1)
    parts.push(
      `${new Date(start + n * 100).toISOString()} INFO request number ${n} ${"x".repeat(60)}\n`,
    );
  const path = write("large.log", parts.join(""));
  appendFileSync(path, "");
  const numbers = async (options: AskOptions) =>
    (await messages({ path }, options)).map((text) => Number(/number (\d+)/.exec(text)?.[1]));
  expect(await numbers({ limit: 2 })).toEqual([count - 1, count - 2]);
  expect(await numbers({ limit: 2, direction: "forward" })).toEqual([0, 1]);
  const at = (n: number) => new Date(start + n * 100).toISOString();
  expect(await numbers({ from: at(200_000), to: at(200_003) })).toEqual([
    200_002, 200_001, 200_000,
  ]);
  expect(
    await numbers({ from: at(200_000), to: at(399_000), direction: "forward", limit: 2 }),
  ).toEqual([200_000, 200_001]);
  // No more than it may: it says so, and goes on from there.
  const { lines, notices, next } = await ask({ path }, { query: "nowhere" });
  expect([lines, notices]).toEqual([[], undefined]);
  expect(next).toBeUndefined();
});

test("more than one question may read is said, and the next page goes on behind it", async () => {
  const start = Date.parse("2026-06-15T00:00:00Z");
  const filler = "y".repeat(30_000);
  const path = write("huge.log", "");
  for (let n = 0; n < 5000; n += 1)
    appendFileSync(
      path,
      `${new Date(start + n * 1000).toISOString()} ${n === 10 ? "needle" : "hay"} ${filler}\n`,
    );
  const first = await ask({ path }, { query: "needle" });
  expect([first.lines, first.notices]).toEqual([[], [expect.stringContaining("128 MB were read")]]);
  const second = await ask({ path }, { query: "needle", cursor: first.next! });
  expect(second.lines).toHaveLength(1);
});

test("lines without times are of the moment when the file was written", async () => {
  write("plain.txt", "one\n  more of one\ntwo\n");
  const page = await ask({ path: `${folder}/plain.txt` });
  expect(page.lines.map(({ message, timestamp }) => [message, timestamp])).toEqual([
    ["two", "2026-06-15T11:00:00.000Z"],
    ["one\n  more of one", "2026-06-15T11:00:00.000Z"],
  ]);
});

test("what cannot be read is told, and takes nothing from the rest", async () => {
  write("good.log", `${minute(1)} good\n`);
  write("bad.log.gz", "no gzip at all");
  write("binary.log", Buffer.from([0, 255, 10, 13, 10, 200, 0]));
  write("endless.log", `${minute(2)} ${"z".repeat(300_000)}`);
  symlinkSync("/etc/passwd", join(folder, "link.log"));
  const { lines, notices } = await ask(
    { path: `${folder}/*` },
    { from: minute(0), to: minute(30) },
  );
  expect(lines.map(({ message, length }) => [message.slice(17, 27), length])).toEqual([
    ["00Z zzzzzz", 65_536],
    ["00Z good", undefined],
  ]);
  expect(notices?.toSorted()).toEqual([
    expect.stringContaining("bad.log.gz cannot be unpacked"),
    expect.stringContaining("link.log is not read: it is a link"),
  ]);
  expect((await ask({ path: `${folder}/none.log` })).notices).toEqual([
    expect.stringContaining("There is no file at"),
  ]);
  await expect(ask({ path: `${folder}/good.log` }, { cursor: "made-up" })).rejects.toThrow(
    "no cursor",
  );
});

describe.skipIf(!areInstalled("sshd"))("over SSH", () => {
  let server: SshServer;
  beforeAll(async () => {
    const started = await startSshd();
    if (!started) throw new Error("sshd did not start");
    server = started;
  });
  afterAll(() => server.stop());

  test("the same files, and who may not sign in", async () => {
    write("a.log", `${minute(1)} one\n${"x".repeat(200_000)}\n${minute(2)} two\n`);
    const spec = {
      path: `${folder}/*.log`,
      host: "127.0.0.1",
      port: server.port,
      username: server.username,
      privateKey: server.key,
    };
    expect((await messages(spec)).map((text) => text.slice(0, 24))).toEqual([
      `${minute(2)} two`,
      `${minute(1)} one`,
    ]);
    await expect(ask({ ...spec, username: "nobody-here" })).rejects.toThrow(
      "did not let nobody-here sign in",
    );
  });
});
