import { Cookie, CookieJar as Jar } from "tough-cookie";

/** Cookies that requests of one conversation hand on to each other (RFC 6265). */
export interface CookieJar {
  /** What a request to the address sends; undefined when there is nothing. */
  header(url: URL): string | undefined;
  /** What is no cookie, too long, one too many, or for somebody else is left out. */
  take(url: URL, setCookie: string | readonly string[] | undefined): void;
  /** The value of one that an answer has set. */
  value(name: string): string | undefined;
  /** All of them: they may be as good as a password. */
  values(): string[];
}

const mostCookies = 100;
/** Characters. */
const longestCookie = 8_192;

export function createCookieJar(): CookieJar {
  const jar = new Jar();
  /** In the order in which they came. */
  const all = () => jar.serializeSync()?.cookies ?? [];
  return {
    header: (url) => jar.getCookieStringSync(url) || undefined,
    take(url, setCookie) {
      for (const line of setCookie === undefined ? [] : [setCookie].flat()) {
        if (line.length > longestCookie || all().length >= mostCookies) continue;
        const cookie = Cookie.parse(line);
        if (!cookie) continue;
        // RFC 6265, 5.3, step 5: a host without a dot may name itself, which the library refuses.
        if (cookie.domain === url.hostname && !url.hostname.includes(".")) cookie.domain = null;
        jar.setCookieSync(cookie, url, { ignoreError: true });
      }
    },
    value: (name) => all().findLast((cookie) => cookie.key === name)?.value,
    values: () => all().map(({ value }) => value ?? ""),
  };
}
