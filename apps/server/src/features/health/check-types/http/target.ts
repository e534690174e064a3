import type { HttpSpec } from "@mainstay/contract";
import type { ExchangeOptions, HttpRequest } from "#platform/outbound/http/exchange.ts";
import { openConnection } from "#platform/outbound/http/open-connection.ts";
import { type Passage, throughCluster } from "./through-cluster.ts";

export interface Target {
  request: HttpRequest;
  /** The way through a cluster, where one is named. */
  passage?: Passage;
}

/** What a check asks for and as whom. @throws WrongConnection, WrongSpec */
export async function openTarget(spec: HttpSpec, options: ExchangeOptions): Promise<Target> {
  if (!spec.kubernetes) return { request: await openRequest(spec, options) };
  const passage = await throughCluster(spec, options);
  return { request: passage.request, passage };
}

async function openRequest(spec: HttpSpec, options: ExchangeOptions): Promise<HttpRequest> {
  const { method, body, proxy, tlsConfig, maxRedirects, oauth2, username, password } = spec;
  const fields = {
    ...spec,
    tls: tlsConfig,
    oauth: oauth2 && { ...oauth2, clientID: username, clientSecret: password },
  };
  const connection = await openConnection(fields, options);
  return { ...connection, method, body, proxy, maxRedirects };
}
