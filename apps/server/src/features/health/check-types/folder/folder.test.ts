import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { tryCheck } from "../testing/try-check.ts";
import { folder } from "./folder.ts";
import { parseSince } from "./since.ts";

const minute = 60;
let root = "";

function put(name: string, bytes: number, ageSeconds: number) {
  const path = join(root, name);
  writeFileSync(path, Buffer.alloc(bytes));
  const time = Date.now() / 1000 - ageSeconds;
  utimesSync(path, time, time);
}

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "mainstay-folder-"));
  mkdirSync(join(root, "deep/er"), { recursive: true });
  put("a.bak", 1000, 90 * minute);
  put("b.bak", 2000, 30 * minute);
  put("c.log", 10, 5 * minute);
  put("deep/d.bak", 5000, 10 * minute);
  put("deep/er/e.bak", 7000, 20 * minute);
  symlinkSync(root, join(root, "deep/loop"));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

describe("what is expected of the files", () => {
  test.each<[object, string | undefined, string?]>([
    [{}, undefined],
    [{ minCount: 3, maxCount: 3 }, undefined],
    [{ minCount: 4 }, "3 files found, at least 4 wanted", "min_count"],
    [{ maxCount: 2 }, "3 files found, at most 2 wanted", "max_count"],
    // The link counts as a file; it is not followed.
    [{ recursive: true, minCount: 6, maxCount: 6 }, undefined],
    // Ages are exact, not in whole hours.
    [{ maxAge: "91m" }, undefined],
    [{ maxAge: "89m" }, "a.bak is 1h30m old, at most 89m wanted", "max_age"],
    [{ minAge: "4m" }, undefined],
    [{ minAge: "6m" }, "c.log is 5m old, at least 6m wanted", "min_age"],
    [{ minSize: "10b" }, undefined],
    [{ minSize: "11b" }, "c.log has 10b, at least 11b wanted", "min_size"],
    [{ maxSize: "2kb" }, undefined],
    [{ maxSize: "1kb" }, "b.bak has 2kb, at most 1kb wanted", "max_size"],
    [{ filter: { regex: "\\.bak$" }, minCount: 2, maxCount: 2 }, undefined],
    [{ filter: { regex: "^b" }, minCount: 1, maxCount: 1 }, undefined],
    [{ filter: { maxAge: "1h" }, minCount: 2, maxCount: 2 }, undefined],
    [{ filter: { minAge: "1h" }, maxCount: 1 }, undefined],
    [{ filter: { since: "now-10m" }, minCount: 1, maxCount: 1 }, undefined],
    [{ filter: { minSize: "500b", maxSize: "1500b" }, minCount: 1, maxCount: 1 }, undefined],
    [{ filter: { regex: `^(${"a".repeat(900)}|b)` }, maxCount: 1, minCount: 1 }, undefined],
    [{ filter: { since: "\n\n  now-10m  \n" }, minCount: 1, maxCount: 1 }, undefined],
    [{ availableSize: "1b", totalSize: "1b" }, undefined],
    [{ availableSize: "8000tb" }, "are free, at least 8000tb wanted", "available_size"],
    [{ totalSize: "8000tb" }, "at least 8000tb wanted", "total_size"],
  ])("%j", async (spec, error, errorType) => {
    const outcome = await tryCheck(folder, { path: root, ...spec });
    expect(outcome).toMatchObject({ pass: error === undefined });
    if (error !== undefined) expect(outcome.error).toContain(error);
    expect(outcome.details?.errorType).toBe(errorType);
  });

  test("the result describes them", async () => {
    const { details, message } = await tryCheck(folder, { path: root });
    expect(message).toBe("3 files, 2.9kb");
    expect(details).toMatchObject({
      count: 3,
      size: 3010,
      newest: { name: "c.log" },
      oldest: { name: "a.bak" },
      smallest: { name: "c.log" },
      largest: { name: "b.bak", size: 2000, is_dir: false },
    });
    expect(details?.files).toHaveLength(3);
  });
});

describe("wildcards in the path", () => {
  test.each<[string, boolean, number]>([
    ["*.bak", false, 2],
    ["**", false, 6],
    ["**/*.bak", false, 4],
    ["deep/*", false, 2],
    ["deep/*", true, 3],
    ["*/er/*", false, 1],
    ["[ab].{bak,log}?", false, 0],
    ["?.{bak,log}", false, 3],
    ["gone*/**", false, 0],
  ])("%s", async (pattern, recursive, expected) => {
    const { details } = await tryCheck(folder, { path: join(root, pattern), recursive });
    expect(details?.count).toBe(expected);
  });
});

test("a folder that is not there is an empty one", async () => {
  const path = join(root, "gone");
  expect(await tryCheck(folder, { path })).toMatchObject({ pass: true, message: "0 files, 0b" });
  expect(await tryCheck(folder, { path, minCount: 1 })).toMatchObject({
    pass: false,
    error: "0 files found, at least 1 wanted",
  });
  expect(await tryCheck(folder, { path, availableSize: "1b" })).toMatchObject({
    pass: false,
    error: expect.stringContaining("there is no such folder") as string,
  });
});

test("a file is no folder", async () => {
  const path = join(root, "a.bak");
  expect(await tryCheck(folder, { path })).toMatchObject({
    pass: false,
    error: `${path} is not a folder`,
  });
});

test("a pattern made to stall takes no time", async () => {
  writeFileSync(join(root, `deep/er/${"a".repeat(200)}!`), "");
  const started = performance.now();
  const outcome = await tryCheck(folder, {
    path: join(root, "deep/er"),
    filter: { regex: "^(a+)+$" },
    maxCount: 0,
  });
  expect(outcome.pass).toBe(true);
  expect(performance.now() - started).toBeLessThan(5000);
  rmSync(join(root, `deep/er/${"a".repeat(200)}!`));
});

test.each([
  ["now", "2026-03-01T12:00:00.000Z"],
  ["now-1d12h", "2026-02-28T00:00:00.000Z"],
  ["now+2h", "2026-03-01T14:00:00.000Z"],
  ["2026-01-01T00:00:00+02:00", "2025-12-31T22:00:00.000Z"],
  ["2026-01-01T00:00:00.5", "2026-01-01T00:00:00.500Z"],
  ["2026-01-01", "2026-01-01T00:00:00.000Z"],
])("since %s", (text, expected) => {
  expect(parseSince(text, new Date("2026-03-01T12:00:00Z")).toISOString()).toBe(expected);
});

test.each(["yesterday", "now-", "now-1", "2026-13-01", "1"])("since %j is refused", (text) => {
  expect(() => parseSince(text, new Date())).toThrow();
});
