import type { HttpSpec } from "@mainstay/contract";
import { fillCredentials, isHttp, splitUserInfo } from "#platform/outbound/http/address.ts";
import type { HttpRequest } from "#platform/outbound/http/exchange.ts";

/** Where a check goes and as whom; undefined when its address is not one of HTTP. Credentials in the address count first. */
export function readTarget(spec: HttpSpec): Pick<HttpRequest, "url" | "auth"> | undefined {
  const username = spec.username?.value;
  const password = spec.password?.value;
  const text = fillCredentials(spec.url ?? spec.connection ?? "", username, password);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !isHttp(url) || url.hostname === "") return undefined;
  const isGiven = username !== undefined || password !== undefined;
  if (!isGiven || splitUserInfo(url).credentials) return { url };
  return { url, auth: { kind: "basic", username: username ?? "", password: password ?? "" } };
}

/** What a check asks for. */
export function readRequest(
  target: Pick<HttpRequest, "url" | "auth">,
  { method, headers, body, proxy, tlsConfig, maxRedirects }: HttpSpec,
): HttpRequest {
  const { insecureSkipVerify, ca, cert, key } = tlsConfig ?? {};
  return {
    ...target,
    method,
    headers: Object.fromEntries((headers ?? []).map(({ name, value }) => [name, value ?? ""])),
    body,
    proxy,
    tls: { insecureSkipVerify, ca: ca?.value, cert: cert?.value, key: key?.value },
    maxRedirects,
  };
}
