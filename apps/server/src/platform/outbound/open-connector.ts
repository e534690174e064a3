import type { Config } from "#platform/config.ts";
import { type Connector, createConnector, deniedByDefault } from "./connector.ts";
import { ownDatabase } from "./own-database.ts";
import { createPrograms } from "./programs.ts";
import { ownDirectories } from "./socket-policy.ts";

export type OutboundConfig = Pick<
  Config,
  "checkAllow" | "checkDeny" | "databaseUrl" | "dataDir" | "exec" | "execUids" | "socketDirs"
>;

/** What documents may reach from this server, as it is configured. */
export function openConnector(config: OutboundConfig): Connector {
  const database = config.databaseUrl ? ownDatabase(config.databaseUrl) : undefined;
  const never = ownDirectories(config.dataDir);
  if (database?.socketDir) never.push(database.socketDir);
  return createConnector({
    allow: config.checkAllow,
    deny: [...deniedByDefault, ...config.checkDeny],
    sockets: { allow: config.socketDirs, never },
    database,
    programs: createPrograms(config),
  });
}
