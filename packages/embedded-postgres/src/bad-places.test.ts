import { spawnSync } from "node:child_process";
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { afterEach, expect, test, type TestContext } from "vitest";
import { databaseOwner } from "./owner.ts";
import { makePlace, mountSmallDisk, removePlaces } from "./testing/places.ts";
import { endPrograms, startProgram } from "./testing/program.ts";

const isRoot = process.getuid?.() === 0;
const NOBODY = 65_534;

afterEach(async () => {
  await endPrograms();
  removePlaces();
});

function needsRoot(context: TestContext): void {
  if (!isRoot) context.skip("needs root: the test mounts a disk or changes owners");
}

/** Everything it printed as a complaint; it must have ended with 1. */
async function refusal(
  dataDir: string,
  options: Parameters<typeof startProgram>[1] = {},
): Promise<string[]> {
  const program = startProgram(dataDir, options);
  expect(await program.ended()).toEqual({ code: 1, signal: null });
  return program.errors;
}

test("a file in place of the directory", async () => {
  const file = join(makePlace(), "data");
  writeFileSync(file, "");
  expect(await refusal(file)).toEqual([
    `The data directory ${file} is not a directory. Choose another with --data-dir or MAINSTAY_DATA_DIR.`,
  ]);
  const below = join(file, "data");
  expect(await refusal(below)).toEqual([
    `The data directory ${below} cannot be made: a part of its path is a file. Choose another with --data-dir or MAINSTAY_DATA_DIR.`,
  ]);
});

test("a directory that another user owns", async (context) => {
  needsRoot(context);
  const place = makePlace();
  expect(await refusal(join(place, "data"), { uid: NOBODY })).toEqual([
    `The data directory ${join(place, "data")} cannot be written (EACCES). ` +
      "Choose another with --data-dir or MAINSTAY_DATA_DIR, or correct its permissions.",
  ]);
});

test("a disk that is mounted read-only", async (context) => {
  needsRoot(context);
  const disk = join(makePlace(), "disk");
  if (!mountSmallDisk(disk, "ro,size=1m")) context.skip("this machine allows no mount");
  expect(await refusal(join(disk, "data"))).toEqual([
    `The data directory ${join(disk, "data")} cannot be written (EROFS). ` +
      "Choose another with --data-dir or MAINSTAY_DATA_DIR, or correct its permissions.",
  ]);
});

test("a directory below a private one, such as /root", async (context) => {
  needsRoot(context);
  const home = mkdtempSync("/tmp/mainstay-private-");
  try {
    const dataDir = join(home, "data");
    const owner = databaseOwner(join(dataDir, "postgres-18"))!;
    expect(await refusal(dataDir)).toEqual([
      `The user ${owner.name}, which runs the database because the program runs as root, cannot reach ${dataDir}. ` +
        "Choose a directory outside private folders with --data-dir or MAINSTAY_DATA_DIR " +
        `(the default is /var/lib/mainstay), or let others pass through the folders above it: chmod o+x ${home}.`,
    ]);
  } finally {
    rmSync(home, { recursive: true });
  }
});

test("a directory with something else in it is not handed over to the database's user", async (context) => {
  needsRoot(context);
  const home = makePlace();
  writeFileSync(join(home, "letter.txt"), "");
  const errors = await refusal(home);
  expect(errors).toHaveLength(1);
  expect(errors[0]).toContain(`The data directory ${home} holds something else (letter.txt)`);
  expect(statSync(home)).toMatchObject({ uid: 0 });
  expect(statSync(home).mode & 0o777).toBe(0o755);
});

test("the user of an existing cluster stays, whatever other accounts there are", (context) => {
  needsRoot(context);
  const cluster = join(makePlace(), "postgres-18");
  expect(["postgres", "nobody"]).toContain(databaseOwner(cluster)?.name);
  mkdirSync(cluster);
  chownSync(cluster, NOBODY, NOBODY);
  expect(databaseOwner(cluster)).toMatchObject({ name: "nobody", uid: NOBODY });
});

test("a socket directory that somebody else has put there is not used", async () => {
  const place = makePlace();
  const dataDir = join(place, "deep/".repeat(22), "data");
  const trap = `/tmp/mainstay-${createHash("sha256").update(dataDir).digest("hex").slice(0, 16)}`;
  const target = join(place, "target");
  mkdirSync(target, { mode: 0o755 });
  symlinkSync(target, trap);
  try {
    expect(await refusal(dataDir)).toEqual([
      `The socket directory ${trap} belongs to another user. Remove it, or choose a shorter data directory.`,
    ]);
    expect(statSync(target).mode & 0o777).toBe(0o755);
    expect(statSync(target).uid).toBe(process.getuid?.());
  } finally {
    rmSync(trap);
  }
});

test("an ordinary user needs nobody else", async (context) => {
  needsRoot(context);
  const place = makePlace();
  chownSync(place, NOBODY, NOBODY);
  const program = startProgram(join(place, "data"), { uid: NOBODY });
  await program.ready();
  expect(statSync(join(place, "data/postgres-18")).uid).toBe(NOBODY);
  await program.kill("SIGTERM");
});

test("a full disk at the first start", async (context) => {
  needsRoot(context);
  const disk = join(makePlace(), "disk");
  if (!mountSmallDisk(disk, "size=64m")) context.skip("this machine allows no mount");
  expect(await refusal(join(disk, "data"))).toEqual([
    expect.stringMatching(
      /^The disk of the data directory \S+ is full \(6\d MiB left, at least 128 MiB are needed\)\. Free some space and start again\.$/,
    ),
  ]);
});

test("a disk that has room but no more files, while the cluster is made", async (context) => {
  needsRoot(context);
  const disk = join(makePlace(), "disk");
  if (!mountSmallDisk(disk, "size=400m,nr_inodes=200"))
    context.skip("this machine allows no mount");
  const dataDir = join(disk, "data");
  expect(await refusal(dataDir)).toEqual([
    `The disk of the data directory ${dataDir} is full. Free some space and start again.`,
  ]);
  expect(existsSync(join(dataDir, "postgres-18.new"))).toBe(false);
});

test("a disk that has become full; with room again everything is there", async (context) => {
  needsRoot(context);
  const disk = join(makePlace(), "disk");
  if (!mountSmallDisk(disk, "size=200m")) context.skip("this machine allows no mount");
  const dataDir = join(disk, "data");
  const first = startProgram(dataDir);
  await first.ready();
  await first.kill("SIGTERM");
  const ballast = join(disk, "ballast");
  spawnSync("dd", ["if=/dev/zero", `of=${ballast}`, "bs=1M", "count=400"]);
  expect(await refusal(dataDir)).toEqual([
    `The disk of the data directory ${dataDir} is full (0 MiB left, at least 32 MiB are needed). Free some space and start again.`,
  ]);
  rmSync(ballast);
  await startProgram(dataDir).ready();
});
