import type { Config } from "#platform/config.ts";
import { findOwnCluster } from "../kubernetes/own-cluster.ts";
import { type Connector, createConnector, deniedByDefault } from "./connector.ts";
import { ownDatabase } from "./own-database.ts";
import { createPrograms } from "./programs.ts";
import { ownDirectories } from "./socket-policy.ts";

export type OutboundConfig = Pick<
  Config,
  | "checkAllow"
  | "checkDeny"
  | "databaseUrl"
  | "migrationDatabaseUrl"
  | "dataDir"
  | "exec"
  | "execUids"
  | "socketDirs"
  | "kubeconfig"
>;

/** What documents may reach from this server, as it is configured. */
export function openConnector(config: OutboundConfig): Connector {
  // One may go through a pool of connections, and the other straight to the database.
  const urls = [config.databaseUrl, config.migrationDatabaseUrl];
  const databases = urls.flatMap((url) => (url ? [ownDatabase(url)] : []));
  const never = [
    ...ownDirectories(config.dataDir),
    ...databases.flatMap(({ socketDir }) => (socketDir ? [socketDir] : [])),
  ];
  return createConnector({
    allow: config.checkAllow,
    deny: [...deniedByDefault, ...config.checkDeny],
    sockets: { allow: config.socketDirs, never },
    databases,
    programs: createPrograms(config),
    findCluster: findOwnCluster(config),
  });
}
