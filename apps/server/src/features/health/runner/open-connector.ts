import type { Config } from "#platform/config.ts";
import { type Connector, createConnector, deniedByDefault } from "../check-types/index.ts";

/** Where the checks of this server may connect to, as it is configured. */
export const openConnector = (config: Pick<Config, "checkAllow" | "checkDeny">): Connector =>
  createConnector({ allow: config.checkAllow, deny: [...deniedByDefault, ...config.checkDeny] });
