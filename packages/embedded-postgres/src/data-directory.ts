import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  statfsSync,
  statSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { Owner } from "./owner.ts";
import { StartupError } from "./startup-error.ts";

const MEGABYTE = 1024 * 1024;
/** A new cluster has 39 MB, its first log segments 16 MB each. */
const NEEDED_TO_CREATE = 128 * MEGABYTE;
/** An existing cluster writes at least one more log segment when it starts. */
const NEEDED_TO_START = 32 * MEGABYTE;
/** sun_path is 108 bytes on Linux; PostgreSQL appends `/.s.PGSQL.5432` and a NUL. */
const MAX_SOCKET_DIR = 107 - "/.s.PGSQL.5432".length;
/** What this program puts into a data directory, and what a fresh volume has in it. */
const ours =
  /^(postgres-\d+(\.new)?|run|lock|holder|server\.json.*|encryption\.key|database-passwords\.json.*|lost\+found)$/;

const hint = "Choose another with --data-dir or MAINSTAY_DATA_DIR";

/** Makes the data directory, or says in one line why it cannot be used. */
export function makeDirectory(dataDir: string): void {
  try {
    mkdirSync(dirname(dataDir), { recursive: true });
    makeUnlessThere(dataDir);
    if (!statSync(dataDir).isDirectory()) {
      throw new StartupError(`The data directory ${dataDir} is not a directory. ${hint}.`);
    }
    accessSync(dataDir, constants.W_OK | constants.X_OK);
  } catch (error) {
    if (error instanceof StartupError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOTDIR" || code === "EEXIST") {
      throw new StartupError(
        `The data directory ${dataDir} cannot be made: a part of its path is a file. ${hint}.`,
      );
    }
    if (code === "ENOSPC") throw diskFull(dataDir);
    throw new StartupError(
      `The data directory ${dataDir} cannot be written (${code}). ${hint}, or correct its permissions.`,
    );
  }
}

/** Of two first starts at once, one finds that the other was quicker. */
function makeUnlessThere(directory: string): void {
  try {
    mkdirSync(directory, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

/** Refuses a disk on which the database would only fail later, in ways that are harder to understand. */
export function requireSpace(dataDir: string, cluster: string): void {
  const { bavail, bsize } = statfsSync(dataDir);
  const needed = existsSync(join(cluster, "PG_VERSION")) ? NEEDED_TO_START : NEEDED_TO_CREATE;
  if (bavail * bsize < needed) {
    throw diskFull(
      dataDir,
      ` (${Math.floor((bavail * bsize) / MEGABYTE)} MiB left, at least ${needed / MEGABYTE} MiB are needed)`,
    );
  }
}

export const diskFull = (dataDir: string, detail = ""): StartupError =>
  new StartupError(
    `The disk of the data directory ${dataDir} is full${detail}. Free some space and start again.`,
  );

/** As root: makes the directory the database account's own. Never one that holds something else, such as /tmp. */
export function handOver(dataDir: string, owner: Owner): void {
  const { uid, mode } = statSync(dataDir);
  if (uid !== owner.uid) {
    const foreign = readdirSync(dataDir).find((name) => !ours.test(name));
    if (foreign !== undefined) {
      throw new StartupError(
        `The data directory ${dataDir} holds something else (${foreign}) and would be handed over to the user ${owner.name}. ` +
          `Choose an empty or a new one with --data-dir or MAINSTAY_DATA_DIR.`,
      );
    }
    chownSync(dataDir, owner.uid, owner.gid);
  }
  if ((mode & 0o777) !== 0o700) chmodSync(dataDir, 0o700);
  const reach = spawnSync("test", ["-w", dataDir], { uid: owner.uid, gid: owner.gid, cwd: "/" });
  if (reach.status !== 0) {
    throw new StartupError(
      `The user ${owner.name}, which runs the database because the program runs as root, cannot reach ${dataDir}. ` +
        "Choose a directory outside private folders with --data-dir or MAINSTAY_DATA_DIR " +
        `(the default is /var/lib/mainstay), or let others pass through the folders above it: chmod o+x ${dirname(dataDir)}.`,
    );
  }
}

/**
 * Where the socket lies: in the data directory, or below /tmp when that path is too long for a socket or has signs
 * that PostgreSQL reads as a list.
 */
export function chooseSocketDir(dataDir: string, owner: Owner | undefined): string {
  const own = join(dataDir, "run");
  const short = `/tmp/mainstay-${createHash("sha256").update(dataDir).digest("hex").slice(0, 16)}`;
  const fits = Buffer.byteLength(own) <= MAX_SOCKET_DIR && !/[,"\s]/.test(own);
  const dir = fits ? own : short;
  let made = false;
  try {
    mkdirSync(dir, { mode: 0o700 });
    made = true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOSPC") throw diskFull(dataDir);
    if (code !== "EEXIST") {
      throw new StartupError(`The socket directory ${dir} cannot be made (${code}).`);
    }
  }
  if (made && owner) chownSync(dir, owner.uid, owner.gid);
  // Everybody may write to /tmp: what lies there under our name is used only when it is a directory of our own.
  const found = lstatSync(dir);
  if (!found.isDirectory() || found.uid !== (owner?.uid ?? process.getuid?.())) {
    throw new StartupError(
      `The socket directory ${dir} belongs to another user. Remove it, or choose a shorter data directory.`,
    );
  }
  // A second wall before the passwords: who cannot enter cannot try any.
  if ((found.mode & 0o777) !== 0o700) chmodSync(dir, 0o700);
  return dir;
}
