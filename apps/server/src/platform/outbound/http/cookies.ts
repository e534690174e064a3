import { isIP } from "node:net";

/** Cookies that requests of one conversation hand on to each other (RFC 6265, as far as a check needs it). */
export interface CookieJar {
  /** What a request to the address sends; undefined when there is nothing. */
  header(url: URL): string | undefined;
  take(url: URL, setCookie: string | readonly string[] | undefined): void;
  /** The value of one that an answer has set. */
  value(name: string): string | undefined;
  /** All of them: they may be as good as a password. */
  values(): string[];
}

interface Cookie {
  name: string;
  value: string;
  domain: string;
  isForHostOnly: boolean;
  path: string;
  isSecure: boolean;
  endsAt?: number;
}

const mostCookies = 100;
const longestCookie = 8_192;

export function createCookieJar(now: () => number = Date.now): CookieJar {
  let cookies: Cookie[] = [];
  const isSame = (a: Cookie, b: Cookie) =>
    a.name === b.name && a.domain === b.domain && a.path === b.path;
  return {
    header(url) {
      const found = cookies
        .filter((cookie) => isFor(cookie, url) && (cookie.endsAt ?? Infinity) > now())
        .toSorted((a, b) => b.path.length - a.path.length);
      return found.length === 0
        ? undefined
        : found.map(({ name, value }) => `${name}=${value}`).join("; ");
    },
    take(url, setCookie) {
      for (const line of setCookie === undefined ? [] : [setCookie].flat()) {
        const cookie = line.length > longestCookie ? undefined : read(line, url, now());
        if (!cookie) continue;
        cookies = cookies.filter((one) => !isSame(one, cookie));
        if ((cookie.endsAt ?? Infinity) > now()) cookies.push(cookie);
      }
      cookies = cookies.slice(-mostCookies);
    },
    value: (name) => cookies.findLast((cookie) => cookie.name === name)?.value,
    values: () => cookies.map(({ value }) => value),
  };
}

function read(line: string, url: URL, now: number): Cookie | undefined {
  const [pair = "", ...attributes] = line.split(";");
  const at = pair.indexOf("=");
  if (at < 1) return undefined;
  const host = url.hostname;
  const cookie: Cookie = {
    name: pair.slice(0, at).trim(),
    value: pair.slice(at + 1).trim(),
    domain: host,
    isForHostOnly: true,
    path: url.pathname.slice(0, Math.max(1, url.pathname.lastIndexOf("/"))),
    isSecure: false,
  };
  let isLasting = false;
  for (const attribute of attributes) {
    const [key = "", ...rest] = attribute.split("=");
    const value = rest.join("=").trim();
    switch (key.trim().toLowerCase()) {
      case "domain": {
        const domain = value.toLowerCase().replace(/^\./, "");
        // Hosts without a dot, and addresses, have cookies of their own alone.
        if (domain === "" || (domain === host && (isIP(host) !== 0 || !host.includes(".")))) break;
        // A cookie for all of `com`, or for somebody else, is none.
        const isAbove =
          domain.includes(".") && isIP(host) === 0 && `.${host}`.endsWith(`.${domain}`);
        if (!isAbove) return undefined;
        cookie.domain = domain;
        cookie.isForHostOnly = false;
        break;
      }
      case "path":
        if (value.startsWith("/")) cookie.path = value;
        break;
      case "secure":
        cookie.isSecure = true;
        break;
      case "max-age":
        if (/^-?\d+$/.test(value)) {
          cookie.endsAt = now + Number(value) * 1000;
          isLasting = true;
        }
        break;
      case "expires": {
        const ends = Date.parse(value);
        if (!isLasting && !Number.isNaN(ends)) cookie.endsAt = ends;
        break;
      }
    }
  }
  return cookie;
}

function isFor({ domain, isForHostOnly, path, isSecure }: Cookie, url: URL): boolean {
  const { hostname, pathname, protocol } = url;
  if (isSecure && protocol !== "https:") return false;
  if (hostname !== domain && (isForHostOnly || !hostname.endsWith(`.${domain}`))) return false;
  return pathname === path || pathname.startsWith(path.endsWith("/") ? path : `${path}/`);
}
