import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Certificates } from "./certificates.ts";
import { freePort } from "./free-port.ts";
import {
  acceptsOn,
  findProgram,
  removeFolder,
  runProgram,
  startProgram,
  temporaryFolder,
} from "./program.ts";

export interface MariadbServer {
  port: number;
  /** Of an account that may do everything in the database `shop`. */
  user: string;
  password: string;
  database: string;
  stop(): Promise<void>;
}

/**
 * A real MariaDB, as the user `mysql` when started by root; undefined when it is not installed. With certificates it
 * speaks TLS to who asks for it.
 */
export async function startMariadb(
  certificates?: Certificates,
): Promise<MariadbServer | undefined> {
  const program = findProgram("mariadbd");
  const install = findProgram("mariadb-install-db");
  if (!program || !install) return undefined;
  const folder = temporaryFolder("mariadb");
  const isRoot = process.getuid?.() === 0;
  const asUser = isRoot ? ["--user=mysql"] : [];
  if (isRoot) runProgram("chown", ["mysql", folder]);
  const data = join(folder, "data");
  runProgram(install, [
    "--no-defaults",
    `--datadir=${data}`,
    "--auth-root-authentication-method=normal",
    "--skip-test-db",
    ...asUser,
  ]);
  const account = { user: "shop", password: "shop secret", database: "shop" };
  const init = join(folder, "init.sql");
  writeFileSync(
    init,
    [
      `CREATE DATABASE ${account.database};`,
      `CREATE USER ${account.user}@'127.0.0.1' IDENTIFIED BY '${account.password}';`,
      `GRANT ALL ON ${account.database}.* TO ${account.user}@'127.0.0.1';`,
      `GRANT PROCESS ON *.* TO ${account.user}@'127.0.0.1';`,
    ].join("\n"),
    { mode: 0o644 },
  );
  const port = await freePort();
  const running = await startProgram({
    program,
    args: [
      "--no-defaults",
      `--datadir=${data}`,
      `--socket=${join(folder, "s")}`,
      `--pid-file=${join(folder, "pid")}`,
      `--port=${port}`,
      "--bind-address=127.0.0.1",
      "--skip-name-resolve",
      "--innodb-flush-log-at-trx-commit=0",
      `--init-file=${init}`,
      ...(certificates
        ? [`--ssl-cert=${certificates.certFile}`, `--ssl-key=${certificates.keyFile}`]
        : []),
      ...asUser,
    ],
    isReady: () => acceptsOn(port),
  });
  return {
    port,
    ...account,
    async stop() {
      await running.stop();
      removeFolder(folder);
    },
  };
}
