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

/** The same where the console asks these other origins, too. */
export function securityHeadersOf(asked: readonly string[]): Readonly<Record<string, string>> {
  if (asked.length === 0) return securityHeaders;
  const sources = ["'self'", ...asked].join(" ");
  return { ...securityHeaders, "content-security-policy": `${policy}; connect-src ${sources}` };
}
