import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import type { ProgramRun } from "./run-program.ts";

const isRoot = process.getuid?.() === 0;
const nobody = 65_534;
const program = fileURLToPath(new URL("testing/as-ordinary-user.ts", import.meta.url));

interface Said {
  how: string[];
  refused: string;
  surroundings: ProgramRun;
  timedOut: string;
  endedMs: number;
  left: number[];
}

/** The same as whoever runs the tests, unless that is root. */
async function sayAsOrdinaryUser(): Promise<Said> {
  const child = spawn(process.execPath, [program], {
    cwd: "/",
    env: { PATH: process.env.PATH, SMTP_URL: "smtp://secret@mail" },
    ...(isRoot && { uid: nobody, gid: nobody }),
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [stdout, stderr] = await Promise.all([child.stdout.toArray(), child.stderr.toArray()]);
  if (stdout.length === 0) throw new Error(Buffer.concat(stderr as Buffer[]).toString());
  return JSON.parse(Buffer.concat(stdout as Buffer[]).toString()) as Said;
}

test("as an ordinary user scripts are off, and on they are clean, bounded and ended", async () => {
  const said = await sayAsOrdinaryUser();
  expect(said.how).toEqual(["off", "same-user"]);
  expect(said.refused).toMatch(
    /^ProgramsOff: Scripts are off on this server: it does not run as root .* With EXEC=on \(--exec on\) they run as the user \w+, like the server itself: they can then read its data directory/,
  );
  const [variables, rest] = said.surroundings.stdout.text.split("---\n") as [string, string];
  const known = ["PATH", "HOME", "TMPDIR", "LANG", "TZ", "MAINSTAY_RUN", "PWD", "SHLVL", "_"];
  expect(
    variables
      .trim()
      .split("\n")
      .filter((name) => !known.includes(name)),
  ).toEqual([]);
  const [files, open, noNewPrivs, core, folder] = rest.trim().split("\n");
  expect(files?.trim()).toBe("0");
  expect(open?.trim()).toBe("0 1 2");
  expect(noNewPrivs).toMatch(/NoNewPrivs:\s*1/);
  expect(core).toBe("0");
  expect(existsSync(folder!)).toBe(false);
  expect(said.timedOut).toBe("ready\n");
  expect(said.endedMs).toBeLessThan(10_000);
  expect(said.left).toEqual([]);
}, 60_000);
