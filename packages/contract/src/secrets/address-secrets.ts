import { secretPlaceholder } from "./marks.ts";
import { namesSecret } from "./secret-names.ts";

/**
 * Passwords inside addresses: URLs, `key=value` lists, the Go form `user:password@tcp(host)`, and `user:password@host`.
 * Where it begins and ends agrees with what the check types read; what cannot be read counts as secret rather than not.
 */

export interface SecretRange {
  /** `password`, or the name of the parameter. */
  name: string;
  from: number;
  to: number;
}

/** Several after each other too, also as `git::https://`. */
const scheme = /^\s*((?:[a-z][a-z0-9+.-]*::?)+)[/\\]{2,}/i;
/** A password that a template fills in, or that is told elsewhere in the document. */
const filledIn = /^(\$\(\.?\w+\)|\{\{[^}]*\}\}|\$\{?\w+\}?)?$/;

/** The pairs of `host=a password='b c'`, as libraries of PostgreSQL read it; undefined when it is something else. */
function readPairs(text: string): { name: string; from: number; to: number }[] | undefined {
  const pattern = /\s*([a-z_]+)\s*=\s*('(?:[^'\\]|\\.)*'|[^\s']*)\s*/dgy;
  const pairs: { name: string; from: number; to: number }[] = [];
  let at = 0;
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    const [from, to] = match.indices?.[2] ?? [0, 0];
    pairs.push({ name: match[1] as string, from, to });
    at = pattern.lastIndex;
  }
  return at === text.length && pairs.length > 0 ? pairs : undefined;
}

/** Parameters with telling names, wherever they stand. */
function parameters(text: string, pattern: RegExp): SecretRange[] {
  return [...text.matchAll(pattern)].flatMap((match) => {
    const [from, to] = match.indices?.[2] ?? [0, 0];
    const name = (match[1] as string).trim();
    return namesSecret(name) ? [{ name, from, to }] : [];
  });
}

function ofUrl(text: string, prefix: string, schemes: string): SecretRange[] {
  const from = prefix.length;
  const isSpecial = /^(https?|wss?|ftp|file):$/i.test(schemes);
  const ends = text.slice(from).search(isSpecial ? /[/\\?#]/ : /[/?#]/);
  const authority = ends < 0 ? text.slice(from) : text.slice(from, from + ends);
  const at = authority.lastIndexOf("@");
  const found: SecretRange[] = [];
  if (at >= 0) {
    const colon = authority.indexOf(":");
    if (colon >= 0 && colon < at)
      found.push({ name: "password", from: from + colon + 1, to: from + at });
  } else if (!URL.canParse(text)) {
    // A password with a slash in it: not an address, and still a secret.
    const match = /^[^:]*:(.*)@/s.exec(text.slice(from));
    if (match) {
      const to = from + match[0].length - 1;
      found.push({ name: "password", from: to - (match[1] as string).length, to });
    }
  }
  const after = found[0]?.to ?? from;
  const rest = parameters(text, /[?&;]([^=&#;?]+)=([^&#]*)/dg);
  return [...found, ...rest.filter((range) => range.from >= after)];
}

function rangesOf(text: string): SecretRange[] {
  const url = scheme.exec(text);
  if (url) return ofUrl(text, url[0], url[1] as string);
  const login = /^([^:@=\s]*):(.+)@/s.exec(text);
  if (login) {
    const to = login[0].length - 1;
    return [{ name: "password", from: to - (login[2] as string).length, to }];
  }
  if (!text.includes("=")) return [];
  const pairs = readPairs(text);
  if (pairs) return pairs.filter(({ name }) => namesSecret(name));
  return parameters(text, /([\w .-]{1,64})=\s{0,8}('(?:[^'\\]|\\.)*'|"[^"]*"|[^;]*)/dg);
}

/** The secrets in an address, in their order and each with a name of its own. */
export function secretRanges(text: string): SecretRange[] {
  const seen = new Map<string, number>();
  return rangesOf(text)
    .filter(({ from, to }) => !filledIn.test(text.slice(from, to)))
    .map((range) => {
      const name = range.name.toLowerCase();
      const count = (seen.get(name) ?? 0) + 1;
      seen.set(name, count);
      return { ...range, name: count === 1 ? name : `${name}(${count})` };
    });
}

/** Exchanges the secrets of an address. */
export function replaceRanges(
  text: string,
  ranges: readonly SecretRange[],
  replace: (range: SecretRange, value: string) => string,
): string {
  let made = "";
  let at = 0;
  for (const range of ranges) {
    made += text.slice(at, range.from) + replace(range, text.slice(range.from, range.to));
    at = range.to;
  }
  return made + text.slice(at);
}

export const maskAddress = (text: string): string =>
  replaceRanges(text, secretRanges(text), () => secretPlaceholder);

/** Schemes whose addresses name a host, and beside it nothing that decides where a password is sent. */
const toHosts =
  /^(https?|wss?|ftps?|sftp|ssh|smb|ldaps?|smtps?|imaps?|amqps?|tcp|udp|postgres|postgresql|mysql|mariadb|rediss?|mongodb|mongodb\+srv|sqlserver|mssql|nats|kafka):$/;
const placing = /^(host|hostaddr|hostname|port|server|socket|unix_socket|proxy)$/i;

/** Where an address leads, without what does not matter for that; an address that cannot be read leads to itself. */
export function addressTarget(address: string): string {
  const text = maskAddress(address).trim();
  if (scheme.test(text)) {
    if (!URL.canParse(text)) return text;
    const url = new URL(text);
    if (!toHosts.test(url.protocol) || url.hostname === "") return text;
    const more = [...url.searchParams].filter(([name]) => placing.test(name));
    return `${url.protocol}//${url.host.toLowerCase()}${more.map(([name, value]) => ` ${name}=${value}`).join("")}`;
  }
  const pairs = readPairs(text)?.filter(({ name }) => placing.test(name));
  if (pairs) return pairs.map(({ name, from, to }) => `${name}=${text.slice(from, to)}`).join(" ");
  return text;
}
