import { existsSync, readFileSync } from "node:fs";
import { afterEach, describe, expect, test } from "vitest";
import { createConnector } from "#platform/outbound/connector.ts";
import { createPrograms } from "#platform/outbound/programs.ts";
import { testConfig } from "../../../../testing/app.ts";
import { tryCheck } from "../testing/try-check.ts";
import { exec } from "./exec.ts";

/** A process that has ended may stay as a zombie where nobody collects orphans; that is no life. */
const isAlive = (pid: number) => {
  try {
    return !/^\d+ \(.*\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
};

describe("a script", () => {
  test("passes with what it says", async () => {
    expect(await tryCheck(exec, { script: "echo fine; echo note >&2" })).toMatchObject({
      pass: true,
      message: "fine",
      details: { stdout: "fine", stderr: "note", exitCode: 0 },
    });
  });

  test("fails with its code and what it said", async () => {
    expect(await tryCheck(exec, { script: "echo out; echo broken >&2; exit 3" })).toMatchObject({
      pass: false,
      error: "the script ended with code 3: broken\nout",
      details: { exitCode: 3 },
    });
    expect(await tryCheck(exec, { script: "kill -9 $$" })).toMatchObject({
      pass: false,
      error: "the script was killed by SIGKILL",
    });
  });

  test.each([
    ["#!/bin/sh\necho $0 | sed 's/.*\\///'", "script"],
    ["#!/usr/bin/env bash\necho ${BASH_VERSION:+bash}", "bash"],
    ["#!/usr/bin/sed 2!d\nsecond line", "second line"],
    ["set -o pipefail; [[ a == a ]] && echo bash", "bash"],
  ])("%j", async (script, message) => {
    expect(await tryCheck(exec, { script })).toMatchObject({ pass: true, message });
  });

  test("an interpreter that is not there is named", async () => {
    expect(await tryCheck(exec, { script: "#!/no/such/thing\nx" })).toMatchObject({
      pass: false,
      untried: true,
      error: "/no/such/thing is not installed on this machine",
    });
  });

  test.each([
    ["a program that is not there", "no-such-program --version", { untried: true }],
    ["a file that is not there", "/no/such/thing", { untried: true }],
    ["a file that may not be run", "touch x; ./x", { untried: true }],
    ["a script that ends as if", "echo 'I am not found here' >&2; exit 127", { pass: false }],
    ["a script that fails", "grep -q x /dev/null", { pass: false }],
  ])("%s", async (_, script, expected) => {
    const outcome = await tryCheck(exec, { script });
    expect(outcome).toMatchObject({ pass: false, ...expected });
    expect(outcome.untried === true).toBe("untried" in expected);
  });

  test("does not read from us", async () => {
    expect(await tryCheck(exec, { script: "read x; echo got:$x" })).toMatchObject({
      pass: true,
      message: "got:",
    });
  });
});

describe("its surroundings", () => {
  afterEach(() => {
    delete process.env.MAINSTAY_TEST_SECRET;
  });

  test("are clean", async () => {
    process.env.MAINSTAY_TEST_SECRET = "sesame";
    const outcome = await tryCheck(exec, {
      script: "env",
      env: [
        { name: "REGION", value: "eu" },
        { name: "N", value: 3 },
      ],
    });
    const names = String(outcome.details?.stdout)
      .trim()
      .split("\n")
      .map((line) => line.split("=")[0]);
    expect(names).toEqual(expect.arrayContaining(["PATH", "REGION", "N"]));
    // The shell adds PWD, SHLVL and _ by itself.
    const known = ["PATH", "HOME", "TMPDIR", "LANG", "TZ", "REGION", "N", "PWD", "SHLVL", "_"];
    // Where scripts have no user of their own, what they start is found by this.
    if (process.getuid?.() !== 0) known.push("MAINSTAY_RUN");
    expect(names.filter((name) => !known.includes(name as string))).toEqual([]);
  });

  test("are an empty folder of its own, which is gone afterwards", async () => {
    const outcome = await tryCheck(exec, { script: "ls -A; touch a; mkdir -p b/c; pwd" });
    const folder = outcome.message as string;
    expect(folder).toMatch(/mainstay-exec-/);
    await expect.poll(() => existsSync(folder)).toBe(false);
  });
});

describe("its end", () => {
  test("comes at the timeout, for everything it started", async () => {
    const started = performance.now();
    const outcome = await tryCheck(
      exec,
      { script: "sleep 600 & echo $!; sleep 600" },
      { timeoutMs: 1000 },
    );
    expect(outcome).toMatchObject({ pass: false, error: "timed out after 1000 ms" });
    expect(performance.now() - started).toBeLessThan(10_000);
    const child = Number(String(outcome.details?.stdout).trim());
    expect(child).toBeGreaterThan(1);
    await expect.poll(() => isAlive(child)).toBe(false);
  });

  test("comes even when it does not want to hear of it", async () => {
    const outcome = await tryCheck(
      exec,
      { script: "trap '' TERM; echo $$; while :; do sleep 1; done" },
      { timeoutMs: 1000 },
    );
    expect(outcome).toMatchObject({ pass: false, error: "timed out after 1000 ms" });
    await expect.poll(() => isAlive(Number(String(outcome.details?.stdout).trim()))).toBe(false);
  });

  test("takes along what it left in the background with its streams open", async () => {
    const outcome = await tryCheck(exec, { script: "sleep 600 & echo $!" });
    expect(outcome.pass).toBe(true);
    await expect.poll(() => isAlive(Number(outcome.message))).toBe(false);
  });

  test("output without end is cut, and the script is not held up", async () => {
    const outcome = await tryCheck(exec, {
      script: "head -c 50000000 /dev/zero | tr '\\0' x; echo end >&2",
    });
    expect(outcome.pass).toBe(true);
    expect(String(outcome.details?.stdout).length).toBeGreaterThan(100_000);
    expect(JSON.stringify(outcome.details).length).toBeLessThan(131_072);
    expect(outcome.details?.note).toContain("only its beginning is kept");
    expect(outcome.details?.stderr).toBe("end");
    expect(outcome.message?.length).toBeLessThanOrEqual(4096);
  });
});

test("where scripts are off the result says why and what to do, and counts as invalid", async () => {
  const programs = createPrograms({ ...testConfig(), exec: "off" });
  expect(
    await tryCheck(exec, { script: "true" }, { connector: createConnector({ programs }) }),
  ).toEqual({
    pass: false,
    invalid: true,
    error: "Scripts are switched off on this server (EXEC=off).",
  });
});

test("a script that is too long for a command line runs from its file", async () => {
  const script = `echo ${"x".repeat(200_000)} | wc -c`;
  expect(await tryCheck(exec, { script })).toMatchObject({
    pass: true,
    message: "200001",
    details: { path: "bash", args: ["script"] },
  });
});

test("the endpoint is the first line that says something", () => {
  expect(
    exec.endpoint(exec.spec.parse({ name: "a", script: "#!/bin/sh\n# about\n\ndf -h /\n" })),
  ).toBe("df -h /");
});
