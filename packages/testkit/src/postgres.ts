import { chmodSync, chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { APPLICATION, OWNER, startEmbeddedPostgres } from "@mainstay/embedded-postgres";
import pg from "pg";
import type { Certificates } from "./servers/certificates.ts";
import { freePort } from "./servers/free-port.ts";
import { throwawayFolder } from "./throwaway-folder.ts";

/** For the `pg` driver. */
export interface Connection {
  host: string;
  port: number;
  user: string;
  password?: string;
  database: string;
}

export interface TestCluster {
  connection: {
    host: string;
    port: number;
    /** The superuser, who needs no password here. */
    user: string;
    /** The two of the product. */
    accounts: Record<"application" | "owner", { user: string; password: string }>;
  };
  stop(): Promise<void>;
}

const silent = {
  debug() {},
  info() {},
  error(fields: object, message: string) {
    process.stderr.write(`${message} ${JSON.stringify(fields)}\n`);
  },
};

/**
 * A PostgreSQL of the tests' own, thrown away at the end: real engine, no waiting for the disk. The product's accounts
 * need their passwords as they do there; everybody else, the superuser among them, comes in without.
 */
export async function startTestCluster(): Promise<TestCluster> {
  const place = mkdtempSync(join(throwawayFolder, "mainstay-test-"));
  chmodSync(place, 0o755);
  const access = join(place, "pg_hba.conf");
  writeFileSync(access, `local all ${OWNER},${APPLICATION} scram-sha-256\nlocal all all trust\n`, {
    mode: 0o644,
  });
  const server = await startEmbeddedPostgres({
    dataDir: join(place, "data"),
    log: silent,
    settings: [
      `hba_file=${access}`,
      "fsync=off",
      "synchronous_commit=off",
      "full_page_writes=off",
      "max_connections=300",
      "shared_buffers=64MB",
    ],
  });
  const { host, port } = server.connection;
  const login = ({ user, password }: { user: string; password: string }) => ({ user, password });
  return {
    connection: {
      host,
      port,
      user: "postgres",
      accounts: { application: login(server.connection), owner: login(server.owner) },
    },
    async stop() {
      await server.stop();
      rmSync(place, { recursive: true, force: true });
    },
  };
}

/** A PostgreSQL on a port of its own that takes nobody in without TLS, and everybody with it. */
export async function startTlsPostgres(
  certificates: Pick<Certificates, "cert" | "key">,
): Promise<{ port: number; stop(): Promise<void> }> {
  const place = mkdtempSync(join(throwawayFolder, "mainstay-test-"));
  chmodSync(place, 0o755);
  const file = (name: string) => join(place, name);
  writeFileSync(file("pg_hba.conf"), "local all all trust\nhostssl all all 127.0.0.1/32 trust\n", {
    mode: 0o644,
  });
  const port = await freePort();
  const server = await startEmbeddedPostgres({
    dataDir: file("data"),
    log: silent,
    settings: [
      `hba_file=${file("pg_hba.conf")}`,
      "fsync=off",
      "listen_addresses=127.0.0.1",
      `port=${port}`,
      "shared_buffers=16MB",
    ],
  });
  // It wants the key to belong to the account that it runs under, which is known now.
  const { uid } = statSync(file("data/postgres-18"));
  for (const name of ["cert", "key"] as const) {
    writeFileSync(file(name), certificates[name], { mode: 0o600 });
    if (process.getuid?.() === 0) chownSync(file(name), uid, -1);
  }
  const admin = new pg.Client({ ...server.connection, port, user: "postgres" });
  await admin.connect();
  await admin.query(`alter system set ssl_cert_file = '${file("cert")}'`);
  await admin.query(`alter system set ssl_key_file = '${file("key")}'`);
  await admin.query("alter system set ssl = on");
  await admin.query("select pg_reload_conf()");
  for (let isOn = false; !isOn;) {
    const { rows } = await admin.query<{ ssl: string }>("show ssl");
    isOn = rows[0]?.ssl === "on";
  }
  await admin.end();
  return {
    port,
    async stop() {
      await server.stop();
      rmSync(place, { recursive: true, force: true });
    },
  };
}

export interface TestDatabase {
  name: string;
  /** As the product runs: rows, and nothing of the schema. */
  application: Connection;
  /** As who owns the database and all that the template's owner owns; no superuser. */
  owner: Connection;
  /** For what needs more than the product has. */
  superuser: Connection;
  drop(): Promise<void>;
}

/** A connection as an address, for programs that want one. */
export function urlOf({ host, port, user, password, database }: Connection): string {
  const login = password === undefined ? user : `${user}:${encodeURIComponent(password)}`;
  return `postgres://${login}@/${database}?host=${encodeURIComponent(host)}&port=${port}`;
}

let counter = 0;

/** A database of one test file's own, cloned from `template` (an empty one unless said). */
export async function createTestDatabase(
  cluster: Pick<TestCluster, "connection">,
  template = "template1",
): Promise<TestDatabase> {
  const name = `test_${process.pid}_${Date.now().toString(36)}_${++counter}`;
  const { host, port, user, accounts } = cluster.connection;
  await asAdmin(cluster, (admin) =>
    admin.query(
      `create database ${name} template ${template} strategy file_copy owner ${accounts.owner.user}`,
    ),
  );
  const place = { host, port, database: name };
  return {
    name,
    application: { ...place, ...accounts.application },
    owner: { ...place, ...accounts.owner },
    superuser: { ...place, user },
    drop: () => asAdmin(cluster, (admin) => dropDatabase(admin, name)),
  };
}

/**
 * Connections that are just being closed get the seconds that PostgreSQL gives them: a pool says that it has ended before
 * they are, and one that is cut off meanwhile would fail whichever test runs.
 */
async function dropDatabase(admin: pg.Client, name: string): Promise<void> {
  try {
    await admin.query(`drop database ${name}`);
  } catch (error) {
    if (!(error instanceof pg.DatabaseError && error.code === objectInUse)) throw error;
    await admin.query(`drop database ${name} with (force)`);
  }
}
/** PostgreSQL's code for a database that others are connected to. */
const objectInUse = "55006";

async function asAdmin(
  cluster: Pick<TestCluster, "connection">,
  work: (admin: pg.Client) => Promise<unknown>,
): Promise<void> {
  const { host, port, user } = cluster.connection;
  const admin = new pg.Client({ host, port, user, database: "postgres" });
  await admin.connect();
  try {
    await work(admin);
  } finally {
    await admin.end();
  }
}
