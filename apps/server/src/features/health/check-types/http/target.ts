import type { HttpSpec } from "@mainstay/contract";

/** Where a request goes, with the credentials that belong to it alone. */
export interface Target {
  url: URL;
  credentials?: { username: string; password: string };
}

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

/** Puts the user name and the password where the address names them. */
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
export function splitUserInfo(url: URL): Target {
  const credentials =
    url.username || url.password
      ? { username: decoded(url.username), password: decoded(url.password) }
      : undefined;
  const bare = new URL(url);
  bare.username = "";
  bare.password = "";
  return { url: bare, ...(credentials && { credentials }) };
}

/** Where a check goes; undefined when its address is not one of HTTP. */
export function readTarget(spec: HttpSpec): Target | undefined {
  const username = spec.username?.value;
  const password = spec.password?.value;
  const text = fillCredentials(spec.url ?? spec.connection ?? "", username, password);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isHttp = (url?.protocol === "http:" || url?.protocol === "https:") && url.hostname !== "";
  if (!url || !isHttp) return undefined;
  const split = splitUserInfo(url);
  if (username !== undefined && !text.includes("@"))
    split.credentials = { username, password: password ?? "" };
  else if (!split.credentials && (username !== undefined || password !== undefined)) {
    split.credentials = { username: username ?? "", password: password ?? "" };
  }
  return split;
}
