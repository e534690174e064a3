import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { explain } from "./explain.ts";
import type { Owner } from "./owner.ts";
import { StartupError } from "./startup-error.ts";

/** Exit status we ask of `flock` when somebody else holds the lock (EX_TEMPFAIL of sysexits.h). */
export const LOCKED = 75;

/** Nothing of the caller's environment reaches PostgreSQL: an odd LANG once made SQL_ASCII clusters. */
export const cleanEnv = {
  PATH: "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
  LC_ALL: "C",
  TZ: "UTC",
};

/**
 * The command line that runs `command` as the database's account while it, or any child of it, holds the lock file.
 * When our main thread ends in any way the kernel sends it `onOurDeath`. Elsewhere than on Linux neither program
 * exists; PostgreSQL's own lock has to do there.
 */
export function lockedCommand(parts: {
  lockFile: string;
  owner: Owner | undefined;
  onOurDeath: "INT" | "KILL";
  command: string[];
}): [string, ...string[]] {
  const { lockFile, owner, onOurDeath, command } = parts;
  if (process.platform !== "linux") return command as [string, ...string[]];
  return [
    "flock",
    "-n",
    "-E",
    String(LOCKED),
    "-F",
    lockFile,
    "setpriv",
    "--pdeathsig",
    onOurDeath,
    ...(owner ? [`--reuid=${owner.uid}`, `--regid=${owner.gid}`, "--clear-groups"] : []),
    ...command,
  ];
}

/** Runs a command that makes or changes the cluster to its end, unless somebody else holds the lock. */
export async function runLocked(parts: {
  lockFile: string;
  dataDir: string;
  owner: Owner | undefined;
  command: string[];
  input?: string;
}): Promise<"done" | "locked"> {
  const [program, ...args] = lockedCommand({ ...parts, onOurDeath: "KILL" });
  const child = spawn(program, args, {
    cwd: "/",
    env: cleanEnv,
    stdio: ["pipe", "ignore", "pipe"],
    // Ctrl-C in a terminal is for us: the cluster is finished, then the program stops.
    detached: true,
  });
  // One that ends without reading says why by its exit code.
  child.stdin.on("error", () => undefined);
  child.stdin.end(parts.input);
  const output = text(child.stderr);
  let code: number | null;
  try {
    [code] = (await once(child, "close")) as [number | null];
  } catch (error) {
    throw new StartupError(`The embedded database cannot be made: ${(error as Error).message}`);
  }
  if (code === LOCKED) return "locked";
  if (code !== 0) throw new StartupError(explain(await output, parts.dataDir));
  return "done";
}
