import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { explain } from "./explain.ts";
import { cleanEnv, LOCKED, lockedCommand } from "./locked-command.ts";
import type { Owner } from "./owner.ts";
import { StartupError } from "./startup-error.ts";

/**
 * Into a temporary name, all under the lock: a first start that is killed half-way leaves nothing that looks whole,
 * and of two first starts at once one waits. `$1` is initdb, `$2` the temporary name, `$3` the cluster.
 */
const SCRIPT = `
  [ ! -e "$3/PG_VERSION" ] || exit 0
  rm -rf -- "$2" || exit 1
  "$1" -A trust -E UTF8 --locale-provider=builtin --builtin-locale=C.UTF-8 --locale=C \\
    -U postgres --data-checksums --no-instructions -D "$2" || { rm -rf -- "$2"; exit 1; }
  [ ! -e "$3" ] || rmdir -- "$3" || exit 1
  mv -- "$2" "$3"`;

/** The built-in locale provider: no library upgrade can ever change the order of an index. */
export async function createCluster(parts: {
  bin: string;
  cluster: string;
  dataDir: string;
  lockFile: string;
  owner: Owner | undefined;
}): Promise<"created" | "locked"> {
  const { bin, cluster, dataDir, lockFile, owner } = parts;
  const [program, ...args] = lockedCommand({
    lockFile,
    owner,
    onOurDeath: "KILL",
    command: ["sh", "-c", SCRIPT, "initdb", join(bin, "initdb"), `${cluster}.new`, cluster],
  });
  const child = spawn(program, args, {
    cwd: "/",
    env: cleanEnv,
    stdio: ["ignore", "ignore", "pipe"],
    // Ctrl-C in a terminal is for us: the cluster is finished, then the program stops.
    detached: true,
  });
  const output = text(child.stderr);
  let code: number | null;
  try {
    [code] = (await once(child, "close")) as [number | null];
  } catch (error) {
    throw new StartupError(`The embedded database cannot be made: ${(error as Error).message}`);
  }
  if (code === LOCKED) return "locked";
  if (code !== 0) throw new StartupError(explain(await output, dataDir));
  return "created";
}
