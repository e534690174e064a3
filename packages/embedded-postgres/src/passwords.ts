import { randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  fstatSync,
  linkSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { diskFull } from "./data-directory.ts";
import { StartupError } from "./startup-error.ts";

/** What the two accounts of the embedded database sign in with. */
export interface Passwords {
  owner: string;
  application: string;
}

const fileOf = (dataDir: string) => join(dataDir, "database-passwords.json");

/**
 * The passwords in the data directory's file, made when there are none. The file is this program's own and nobody
 * else's, also where the database runs as another user; one that somebody else could have written counts as none.
 */
export function databasePasswords(dataDir: string): Passwords {
  const file = fileOf(dataDir);
  const partial = `${file}.${process.pid}`;
  try {
    const found = readFile(file);
    if (found !== "missing" && found !== "worthless") return found;
    if (found === "worthless") rmSync(file, { force: true, recursive: true });
    rmSync(partial, { force: true, recursive: true });
    const made: Passwords = { owner: makePassword(), application: makePassword() };
    writeFileSync(partial, `${JSON.stringify(made)}\n`, { flag: "wx", mode: 0o600, flush: true });
    linkUnlessThere(partial, file);
    rmSync(partial);
  } catch (error) {
    rmSync(partial, { force: true, recursive: true });
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOSPC" || code === "EDQUOT") throw diskFull(dataDir);
    throw new StartupError(
      `The file ${file} with the passwords of the embedded database cannot be used: ${message}. Correct its permissions, or remove it; it is made again at the next start.`,
      { cause: error },
    );
  }
  return readPasswords(dataDir);
}

/** The passwords of a data directory that a server has started in; for whoever may read them. */
export function readPasswords(dataDir: string): Passwords {
  const file = fileOf(dataDir);
  const found = readFile(file);
  if (found !== "missing" && found !== "worthless") return found;
  throw new StartupError(
    `The file ${file} with the passwords of the embedded database is not there.`,
  );
}

const makePassword = () => randomBytes(32).toString("base64url");

/** Of two first starts at once one is quicker, and both go by its passwords. */
function linkUnlessThere(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

function readFile(file: string): Passwords | "missing" | "worthless" {
  let descriptor: number;
  try {
    const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
    descriptor = openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return "missing";
    // What O_NOFOLLOW says of a symbolic link.
    if (code === "ELOOP") return "worthless";
    throw error;
  }
  try {
    const stat = fstatSync(descriptor);
    const isOurs = stat.isFile() && stat.uid === process.getuid?.() && (stat.mode & 0o077) === 0;
    return (isOurs && parse(readFileSync(descriptor, "utf8"))) || "worthless";
  } finally {
    closeSync(descriptor);
  }
}

function parse(text: string): Passwords | undefined {
  try {
    const { owner, application } = JSON.parse(text) as Partial<Record<keyof Passwords, unknown>>;
    if (!isPassword(owner) || !isPassword(application)) return undefined;
    return { owner, application };
  } catch {
    // A computer that lost power may have left half a file.
    return undefined;
  }
}

const isPassword = (value: unknown): value is string =>
  typeof value === "string" && /^[\w-]{43}$/.test(value);
