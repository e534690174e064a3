import { Cookie, CookieJar as Jar } from "tough-cookie";

/** Cookies that requests of one conversation hand on to each other (RFC 6265). */
export interface CookieJar {
  /** What a request to the address sends; undefined when there is nothing. */
  header(url: URL): string | undefined;
  /** What is no cookie, too long, one too many, or for somebody else is left out. */
  take(url: URL, setCookie: string | readonly string[] | undefined): void;
  /** The value of one that an answer has set, and none has taken back. */
  value(name: string): string | undefined;
  /** All that there ever were: they may be as good as a password, also when another has taken their place. */
  values(): string[];
}

const mostCookies = 100;
/** Of all cookies of a conversation, those among them whose place was taken. */
const mostValues = 1_000;
/** Characters. */
const longestCookie = 8_192;

export function createCookieJar(): CookieJar {
  const jar = new Jar();
  /** Whose cookie is which; counting what the jar holds would cost as much as all of it, for every line. */
  const kept = new Set<string>();
  const latest = new Map<string, string>();
  const values = new Set<string>();

  function takeOne(url: URL, line: string): void {
    if (line.length > longestCookie) return;
    const cookie = Cookie.parse(line);
    if (!cookie) return;
    // RFC 6265, 5.3, step 5: a host without a dot may name itself, which the library refuses.
    if (cookie.domain === url.hostname && !url.hostname.includes(".")) cookie.domain = null;
    const { key, value, domain, path } = cookie;
    const id = [domain ?? url.hostname, path ?? url.pathname, key].join(" ");
    if (!kept.has(id) && kept.size >= mostCookies) return;
    if (!values.has(value) && values.size >= mostValues) return;
    if (!jar.setCookieSync(cookie, url, { ignoreError: true })) return;
    kept.add(id);
    values.add(value);
    if (cookie.TTL() > 0) latest.set(key, value);
    else latest.delete(key);
  }

  return {
    header: (url) => jar.getCookieStringSync(url) || undefined,
    take(url, setCookie) {
      for (const line of setCookie === undefined ? [] : [setCookie].flat().slice(0, mostCookies))
        takeOne(url, line);
    },
    value: (name) => latest.get(name),
    values: () => [...values],
  };
}
