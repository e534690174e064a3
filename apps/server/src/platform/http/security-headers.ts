import type { Config } from "../config.ts";

const policy =
  "default-src 'self'; base-uri 'none'; object-src 'none'; frame-ancestors 'none'; form-action 'self'; img-src 'self' data:";

/** On every answer, errors included. */
export const securityHeaders: Readonly<Record<string, string>> = {
  "content-security-policy": policy,
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), microphone=(), geolocation=()",
};

/**
 * The same for a server with these settings: where people sign in elsewhere the console asks that provider for tokens,
 * and the servers that were named.
 */
export function securityHeadersOf({
  hostedIssuer,
  hostedBackends,
}: Pick<Config, "hostedIssuer" | "hostedBackends">): Readonly<Record<string, string>> {
  if (!hostedIssuer) return securityHeaders;
  const asked = ["'self'", new URL(hostedIssuer).origin, ...hostedBackends].join(" ");
  return { ...securityHeaders, "content-security-policy": `${policy}; connect-src ${asked}` };
}
