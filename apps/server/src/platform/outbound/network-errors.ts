import { isOwnCode, NotTried } from "./not-tried.ts";

/** What went wrong on the network, as plain sentences for the result of a check. */

/** An address and a port as one writes them: IPv6 in brackets. */
export const placeName = (host: string, port: number): string =>
  host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;

const sentences: Record<string, (place: string) => string> = {
  ECONNREFUSED: (place) => `connection refused by ${place}`,
  ENOENT: (place) => `there is no ${place}`,
  ECONNRESET: (place) => `connection reset by ${place}`,
  ECONNABORTED: (place) => `connection to ${place} was cut`,
  EPIPE: (place) => `connection closed by ${place}`,
  ETIMEDOUT: (place) => `no answer from ${place}`,
  EHOSTUNREACH: (place) => `no route to ${place}`,
  EHOSTDOWN: (place) => `${place} is down`,
  ENETUNREACH: (place) => `the network of ${place} cannot be reached`,
  EADDRNOTAVAIL: (place) => `this machine has no address from which ${place} can be reached`,
  EACCES: (place) => `this machine does not allow connecting to ${place}`,
  EPERM: (place) => `this machine does not allow connecting to ${place}`,
  EMFILE: () => "this machine has no file handles left",
  ENFILE: () => "this machine has no file handles left",
  ENETDOWN: () => "the network of this machine is down",
  ENOTFOUND: (place) => `the name "${place}" does not resolve`,
  ENODATA: (place) => `the name "${place}" has no address`,
  EAI_NODATA: (place) => `the name "${place}" has no address`,
  EAI_NONAME: (place) => `the name "${place}" does not resolve`,
  EAI_AGAIN: (place) => `the name "${place}" cannot be resolved: the name server does not answer`,
  EAI_FAIL: (place) => `the name "${place}" cannot be resolved: the name server failed`,
  UND_ERR_SOCKET: (place) => `connection closed by ${place}`,
  UND_ERR_HEADERS_OVERFLOW: (place) => `${place} sent too many headers`,
  CERT_HAS_EXPIRED: (place) => `the certificate of ${place} has expired`,
  CERT_NOT_YET_VALID: (place) => `the certificate of ${place} is not valid yet`,
  CERT_REVOKED: (place) => `the certificate of ${place} has been revoked`,
  DEPTH_ZERO_SELF_SIGNED_CERT: (place) => `the certificate of ${place} is self-signed`,
  SELF_SIGNED_CERT_IN_CHAIN: (place) =>
    `the certificate of ${place} comes from an unknown authority`,
  UNABLE_TO_GET_ISSUER_CERT: (place) =>
    `the certificate of ${place} comes from an unknown authority`,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: (place) =>
    `the certificate of ${place} comes from an unknown authority`,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: (place) =>
    `the certificate of ${place} comes from an unknown authority`,
  ERR_TLS_CERT_ALTNAME_INVALID: (place) => `the certificate of ${place} is for another name`,
};

const notTls = new Set([
  "EPROTO",
  "ERR_SSL_WRONG_VERSION_NUMBER",
  "ERR_SSL_PACKET_LENGTH_TOO_LONG",
  "ERR_SSL_UNEXPECTED_MESSAGE",
  "ERR_SSL_BAD_RECORD_TYPE",
]);

/**
 * The code of an error; of a failed series of attempts the first that says something about the target, where one does: a
 * machine without IPv6 has learned all the same that the IPv4 address refuses.
 */
export function errorCode(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  const { code, errors, cause } = error as { code?: unknown; errors?: unknown[]; cause?: unknown };
  if (Array.isArray(errors) && errors.length > 0)
    return (
      codeOf(errors.map((one) => errorCode(one))) ?? (typeof code === "string" ? code : undefined)
    );
  if (typeof code === "string") return code;
  return cause === undefined ? undefined : errorCode(cause);
}

const codeOf = (codes: readonly (string | undefined)[]): string | undefined =>
  codes.find((code) => code !== undefined && !isOwnCode(code)) ?? codes[0];

/** Whether the other side's certificate was refused, by the codes of OpenSSL and of Node. */
export const isCertificateCode = (code: string | undefined): boolean =>
  code !== undefined && /^CERT_|_CERT|^UNABLE_TO_VERIFY_/.test(code);

/** An error whose message says what happened and where. An error without a code is kept: its message is ours already. */
export function describeNetworkError(error: unknown, place: string): Error {
  const code = errorCode(error);
  if (code === undefined) return error instanceof Error ? error : new Error(String(error));
  const known = sentences[code];
  if (isOwnCode(code))
    return new NotTried(known ? known(place) : `this machine cannot reach ${place} (${code})`, {
      cause: error,
    });
  if (known) return new Error(known(place), { cause: error });
  if (notTls.has(code)) return new Error(`${place} does not speak TLS`, { cause: error });
  if (code.startsWith("ERR_SSL_") || code.startsWith("ERR_TLS_")) {
    return new Error(`the TLS handshake with ${place} failed (${code})`, { cause: error });
  }
  if (code.startsWith("Z_"))
    return new Error(`the compressed body that ${place} sent is damaged`, { cause: error });
  if (code.startsWith("HPE_"))
    return new Error(`${place} does not answer in HTTP`, { cause: error });
  return new Error(`${error instanceof Error && error.message ? error.message : code} (${place})`, {
    cause: error,
  });
}
