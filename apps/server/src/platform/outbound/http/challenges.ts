/** One way to say who asks, as an answer offers it (RFC 9110, section 11). */
export interface Challenge {
  /** In lower case. */
  scheme: string;
  /** In place of parameters: what NTLM sends. */
  token?: string;
  /** By their names in lower case. */
  parameters: Record<string, string>;
}

/** Characters of all offers that are read. */
const most = 16_384;
const piece =
  /\s*,?\s*(?:([!#$%&'*+.^_`|~\w-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"=]+))|([!#$%&'*+.^_`|~\w-]+)(?:[ \t]+([\w.~+/-]+=*)(?=\s*(?:,|$)))?)/gy;

/** Reads the values of `WWW-Authenticate`; what is no offer is passed over. */
export function readChallenges(headers: readonly string[]): Challenge[] {
  const found: Challenge[] = [];
  for (const text of headers) {
    for (const [, name, quoted, plain, scheme, token] of text.slice(0, most).matchAll(piece)) {
      if (scheme !== undefined) {
        found.push({
          scheme: scheme.toLowerCase(),
          ...(token !== undefined && { token }),
          parameters: {},
        });
      } else if (name !== undefined) {
        const value = quoted === undefined ? plain : quoted.replaceAll(/\\(.)/g, "$1");
        const last = found.at(-1);
        if (last) last.parameters[name.toLowerCase()] = value ?? "";
      }
    }
  }
  return found;
}
