import { rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { APPLICATION, OWNER } from "./accounts.ts";
import { locateBinaries } from "./binaries.ts";
import { chooseSocketDir, handOver, makeDirectory, requireSpace } from "./data-directory.ts";
import { databaseOwner } from "./owner.ts";
import { databasePasswords } from "./passwords.ts";
import { type Log, Supervised } from "./supervised.ts";

export { APPLICATION, OWNER } from "./accounts.ts";
export { readPasswords } from "./passwords.ts";
export { StartupError } from "./startup-error.ts";
export type { Log } from "./supervised.ts";

/** The major version whose files are in the data directory; another major cannot open them. */
const MAJOR = 18;

/** For the `pg` driver. */
export interface Connection {
  host: string;
  port: number;
  user: string;
  password: string;
  database: string;
}

export interface Embedded {
  /** As the account that reads and writes rows and can do nothing else. */
  connection: Connection;
  /** As the account that owns the schema, for migrations. No account that can connect is a superuser. */
  owner: Connection;
  stop(): Promise<void>;
}

/**
 * Starts the embedded PostgreSQL on a unix socket. One server per data directory: the lock is held by the database
 * process itself, so it lives exactly as long as somebody may write there. When this process dies in any way the
 * database stops by itself (parent death signal); when the database dies it is started again.
 */
export async function startEmbeddedPostgres(options: {
  dataDir: string;
  log: Log;
  settings?: readonly string[];
}): Promise<Embedded> {
  const { log, settings = [] } = options;
  // PostgreSQL runs elsewhere than we do.
  const dataDir = resolve(options.dataDir);
  const cluster = join(dataDir, `postgres-${MAJOR}`);
  makeDirectory(dataDir);
  const owner = databaseOwner(cluster);
  if (owner) handOver(dataDir, owner);
  requireSpace(dataDir, cluster);
  const { bin } = locateBinaries(owner);
  const socketDir = chooseSocketDir(dataDir, owner);

  const passwords = databasePasswords(dataDir);

  const server = new Supervised({
    bin,
    cluster,
    socketDir,
    dataDir,
    owner,
    passwords,
    log,
    settings,
  });
  await server.start();
  const place = { host: socketDir, port: 5432, database: "postgres" };
  return {
    connection: { ...place, user: APPLICATION, password: passwords.application },
    owner: { ...place, user: OWNER, password: passwords.owner },
    async stop() {
      await server.stop();
      rmSync(socketDir, { recursive: true, force: true });
    },
  };
}
