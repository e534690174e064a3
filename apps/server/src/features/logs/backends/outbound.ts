import { openConnector } from "#platform/outbound/open-connector.ts";
import type { Connector } from "#platform/outbound/connector.ts";
import { defineService } from "#platform/service.ts";

/** The only way out for what log backends ask. */
export const outbound = defineService<Connector>("the way out of log backends", ({ config }) =>
  openConnector(config),
);
