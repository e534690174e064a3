import { join } from "node:path";
import { runLocked } from "./locked-command.ts";
import type { Owner } from "./owner.ts";

/**
 * Into a temporary name, all under the lock: a first start that is killed half-way leaves nothing that looks whole,
 * and of two first starts at once one waits. Nobody can connect until the accounts are made. `$1` is initdb, `$2` the
 * temporary name, `$3` the cluster.
 */
const SCRIPT = `
  [ ! -e "$3/PG_VERSION" ] || exit 0
  rm -rf -- "$2" || exit 1
  "$1" -A reject -E UTF8 --locale-provider=builtin --builtin-locale=C.UTF-8 --locale=C \\
    -U postgres --data-checksums --no-instructions -D "$2" || { rm -rf -- "$2"; exit 1; }
  [ ! -e "$3" ] || rmdir -- "$3" || exit 1
  mv -- "$2" "$3"`;

/** The built-in locale provider: no library upgrade can ever change the order of an index. */
export function createCluster(parts: {
  bin: string;
  cluster: string;
  dataDir: string;
  lockFile: string;
  owner: Owner | undefined;
}): Promise<"done" | "locked"> {
  const { bin, cluster } = parts;
  return runLocked({
    ...parts,
    command: ["sh", "-c", SCRIPT, "initdb", join(bin, "initdb"), `${cluster}.new`, cluster],
  });
}
