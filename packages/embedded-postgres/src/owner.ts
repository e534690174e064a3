import { readFileSync } from "node:fs";

/** The unprivileged account that runs the embedded PostgreSQL when the program itself runs as root. */
export interface Owner {
  name: string;
  uid: number;
  gid: number;
}

/**
 * PostgreSQL refuses to run as root, and its account must be in the password file (it looks itself up by uid).
 * `postgres` where it exists, else `nobody`. Undefined when we are not root: then it runs as we do.
 */
export function databaseOwner(): Owner | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const accounts = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .map((line) => line.split(":"));
  for (const wanted of ["postgres", "nobody"]) {
    const account = accounts.find((fields) => fields[0] === wanted);
    if (account) return { name: wanted, uid: Number(account[2]), gid: Number(account[3]) };
  }
  throw new Error(
    "Running as root needs an unprivileged account named postgres or nobody for the embedded database; neither exists.",
  );
}
