import type { HttpSpec } from "@mainstay/contract";
import type { ExchangeOptions, HttpRequest } from "#platform/outbound/http/exchange.ts";
import { openConnection } from "#platform/outbound/http/open-connection.ts";

/** What a check asks for and as whom. Throws `WrongConnection`. */
export async function openRequest(spec: HttpSpec, options: ExchangeOptions): Promise<HttpRequest> {
  const { method, body, proxy, tlsConfig, maxRedirects, oauth2, username, password } = spec;
  const fields = {
    ...spec,
    tls: tlsConfig,
    oauth: oauth2 && { ...oauth2, clientID: username, clientSecret: password },
  };
  const connection = await openConnection(fields, options);
  return { ...connection, method, body, proxy, maxRedirects };
}
