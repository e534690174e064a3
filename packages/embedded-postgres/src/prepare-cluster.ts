import { readFileSync } from "node:fs";
import { join } from "node:path";
import { accessFile, accountsSql } from "./accounts.ts";
import { runLocked } from "./locked-command.ts";
import type { Owner } from "./owner.ts";
import type { Passwords } from "./passwords.ts";

/** Whether the cluster's accounts were made for these passwords by this version of the program. */
export function isPrepared(cluster: string, passwords: Passwords): boolean {
  try {
    return readFileSync(join(cluster, "pg_hba.conf"), "utf8") === accessFile(passwords);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}

/**
 * The server's only process, without any connection: who could connect before cannot do so any more when it next
 * listens. `$1` is postgres, `$2` the cluster, `$3` the text of its file of who may connect. Names are looked up in the
 * system's schema alone, whatever the cluster holds; and no statement is printed, as there are passwords in them.
 */
const SCRIPT = `
  umask 077
  "$1" --single -j -D "$2" -c exit_on_error=on -c search_path=pg_catalog -c password_encryption=scram-sha-256 \\
    -c log_min_error_statement=panic -c log_statement=none -c log_min_duration_statement=-1 \\
    -c shared_preload_libraries= -c event_triggers=off postgres || exit 1
  rm -rf -- "$2/pg_hba.conf.new"
  printf %s "$3" >"$2/pg_hba.conf.new" && mv -- "$2/pg_hba.conf.new" "$2/pg_hba.conf"`;

/** Makes the accounts, for a new cluster, one of before, one from a backup and a lost file of passwords alike. */
export function prepareCluster(parts: {
  bin: string;
  cluster: string;
  dataDir: string;
  lockFile: string;
  owner: Owner | undefined;
  passwords: Passwords;
}): Promise<"done" | "locked"> {
  const { bin, cluster, passwords } = parts;
  return runLocked({
    ...parts,
    command: ["sh", "-c", SCRIPT, "prepare", join(bin, "postgres"), cluster, accessFile(passwords)],
    input: accountsSql(passwords),
  });
}
