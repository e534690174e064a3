import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { startEmbeddedPostgres } from "@mainstay/embedded-postgres";
import pg from "pg";

export interface TestCluster {
  connection: { host: string; port: number; user: string };
  stop(): Promise<void>;
}

const silent = {
  debug() {},
  info() {},
  error(fields: object, message: string) {
    process.stderr.write(`${message} ${JSON.stringify(fields)}\n`);
  },
};

/** A PostgreSQL of the tests' own, thrown away at the end: real engine, no waiting for the disk. */
export async function startTestCluster(): Promise<TestCluster> {
  const dataDir = mkdtempSync(join("/tmp", "mainstay-test-"));
  const server = await startEmbeddedPostgres({
    dataDir,
    log: silent,
    settings: [
      "fsync=off",
      "synchronous_commit=off",
      "full_page_writes=off",
      "max_connections=300",
      "shared_buffers=64MB",
    ],
  });
  const { host, port, user } = server.connection;
  return {
    connection: { host, port, user },
    async stop() {
      await server.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

export interface TestDatabase {
  connection: { host: string; port: number; user: string; database: string };
  /** For programs that want an address. */
  url: string;
  drop(): Promise<void>;
}

let counter = 0;

/** A database of one test file's own, cloned from `template` (an empty one unless said). */
export async function createTestDatabase(
  cluster: Pick<TestCluster, "connection">,
  template = "template1",
): Promise<TestDatabase> {
  const name = `test_${process.pid}_${Date.now().toString(36)}_${++counter}`;
  await asAdmin(cluster, (admin) =>
    admin.query(`create database ${name} template ${template} strategy file_copy`),
  );
  const connection = { ...cluster.connection, database: name };
  return {
    connection,
    url: `postgres://${connection.user}@/${name}?host=${encodeURIComponent(connection.host)}&port=${connection.port}`,
    drop: () => asAdmin(cluster, (admin) => admin.query(`drop database ${name} with (force)`)),
  };
}

async function asAdmin(
  cluster: Pick<TestCluster, "connection">,
  work: (admin: pg.Client) => Promise<unknown>,
): Promise<void> {
  const admin = new pg.Client({ ...cluster.connection, database: "postgres" });
  await admin.connect();
  try {
    await work(admin);
  } finally {
    await admin.end();
  }
}
