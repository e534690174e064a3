import type { HttpSpec } from "@mainstay/contract";
import type { HttpRequest } from "#platform/outbound/http/exchange.ts";
import { readConnection } from "#platform/outbound/http/read-request.ts";

/** What a check asks for and as whom. Throws `WrongConnection`. */
export function readRequest(spec: HttpSpec): HttpRequest {
  const { method, body, proxy, tlsConfig, maxRedirects, oauth2, username, password } = spec;
  const connection = readConnection({
    ...spec,
    tls: tlsConfig,
    oauth: oauth2 && { ...oauth2, clientID: username, clientSecret: password },
  });
  return { ...connection, method, body, proxy, maxRedirects };
}
