import type { Config } from "#platform/config.ts";
import type { Connector } from "#platform/outbound/connector.ts";
import type { Exchange, HttpRequest } from "#platform/outbound/http/exchange.ts";
import { defineService } from "#platform/service.ts";
import type { Connection } from "../connection.ts";

export interface ProbeInput {
  connection: Connection;
  config: Config;
  connector: Connector;
  /** Aborted when the time is over. */
  signal: AbortSignal;
  /** One request under the address policy; the end of its redirects comes back. */
  send(request: HttpRequest): Promise<Exchange>;
}

/** Tries a connection for real and without harm. Throws why it does not work, as a sentence. */
export type Probe = (input: ProbeInput) => Promise<void>;

/** What can be tried besides the connections' own probes, by the type; features that speak a protocol add theirs. */
export const addedProbes = defineService("connection probes", () => new Map<string, Probe>());
