import { placeName } from "../network-errors.ts";

export interface Credentials {
  username: string;
  password: string;
}

/** The port of an address, spelled out or the scheme's own. */
export const portOf = (url: URL): number =>
  Number(url.port || (url.protocol === "https:" ? 443 : 80));
/** The host of an address as sockets want it: IPv6 without brackets. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, "");
export const placeOf = (url: URL): string => placeName(hostOf(url), portOf(url));

export const isHttp = (url: URL): boolean => url.protocol === "http:" || url.protocol === "https:";

/** Query parameters whose value one does not show. */
const telling = /token|secret|passw|api[-_]?key|^key$|auth|sig(nature)?$|credential|session/i;

/** An address fit to be shown: without user-info and with telling query values hidden. */
export function readableAddress(text: string): string {
  if (!URL.canParse(text)) return text.replace(/\/\/[^/@\s]*@/, "//");
  const url = new URL(text);
  url.username = "";
  url.password = "";
  for (const name of new Set(url.searchParams.keys())) {
    if (telling.test(name)) url.searchParams.set(name, "hidden");
  }
  return url.href;
}

/** Puts the user name and the password where an address of a document names them. */
export function fillCredentials(
  text: string,
  username: string | undefined,
  password: string | undefined,
): string {
  return text
    .replaceAll(/\$\(\.?username\)/g, () => encodeURIComponent(username ?? ""))
    .replaceAll(/\$\(\.?password\)/g, () => encodeURIComponent(password ?? ""));
}

const decoded = (text: string) => {
  try {
    return decodeURIComponent(text);
  } catch {
    // A stray per cent sign: it means itself.
    return text;
  }
};

/** Takes the user-info out of an address. */
export function splitUserInfo(url: URL): { url: URL; credentials?: Credentials } {
  const credentials =
    url.username || url.password
      ? { username: decoded(url.username), password: decoded(url.password) }
      : undefined;
  const bare = new URL(url);
  bare.username = "";
  bare.password = "";
  return { url: bare, ...(credentials && { credentials }) };
}
