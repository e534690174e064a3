import { lstatSync, readFileSync } from "node:fs";
import { StartupError } from "./startup-error.ts";

/** The unprivileged account that runs the embedded PostgreSQL when the program itself runs as root. */
export interface Owner {
  name: string;
  uid: number;
  gid: number;
}

/**
 * PostgreSQL refuses to run as root, and its account must be in the password file (it looks itself up by uid).
 * The account that already owns the cluster, else `postgres` where it exists, else `nobody`. Undefined when we are
 * not root: then it runs as we do.
 */
export function databaseOwner(cluster: string): Owner | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const accounts = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .map((line) => line.split(":"))
    .map(([name = "", , uid, gid]): Owner => ({ name, uid: Number(uid), gid: Number(gid) }))
    .filter(({ uid }) => uid > 0);
  // An account named postgres may have come into being since the cluster was made by nobody.
  const maker = lstatSync(cluster, { throwIfNoEntry: false })?.uid;
  const account =
    accounts.find(({ uid }) => uid === maker) ??
    accounts.find(({ name }) => name === "postgres") ??
    accounts.find(({ name }) => name === "nobody");
  if (account) return account;
  throw new StartupError(
    "Running as root needs an unprivileged account named postgres or nobody for the embedded database; neither exists. " +
      "Start as another user, or set DATABASE_URL.",
  );
}
