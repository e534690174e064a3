import { fillCredentials } from "../http/address.ts";
import type { SqlFields } from "./read-rows.ts";

export type SslMode = "disable" | "prefer" | "require" | "verify-ca" | "verify-full";

export interface PostgresTarget {
  host: string;
  port: number;
  user?: string;
  password?: string;
  database?: string;
  ssl: SslMode;
}

const defaultPort = 5432;

function sslMode(text: string | null | undefined): SslMode {
  switch (text) {
    case "disable":
    case "require":
    case "verify-ca":
    case "verify-full":
      return text;
    case null:
    case undefined:
    default:
      // As clients of the database do when nothing, `allow` or `prefer` is said: without TLS only if it must be.
      return "prefer";
  }
}

/** `host=a port=5432 user='b c'`, as libraries of the database read it. */
function readPairs(text: string): Map<string, string> | undefined {
  const pairs = new Map<string, string>();
  const pattern = /\s*([a-z_]+)\s*=\s*(?:'((?:[^'\\]|\\.)*)'|([^\s']*))\s*/gy;
  let at = 0;
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    pairs.set(match[1] as string, (match[2] ?? match[3] ?? "").replaceAll(/\\(.)/gs, "$1"));
    at = pattern.lastIndex;
  }
  return at === text.length && pairs.size > 0 ? pairs : undefined;
}

const decoded = (text: string) => (text === "" ? undefined : decodeURIComponent(text));

/** Reads a URL or a list of `key=value`; undefined when the text is neither. */
export function readPostgresTarget(fields: SqlFields): PostgresTarget | undefined {
  const username = fields.username?.value;
  const password = fields.password?.value;
  const text = fillCredentials(fields.url ?? fields.connection ?? "", username, password).trim();
  if (/^postgres(ql)?:\/\//i.test(text)) {
    // An address with a user and no host is fine here, and not for URLs.
    const whole = text.replace(/^(\w+:\/\/[^/?#]*@)(?=[/?#]|$)/, "$1localhost");
    if (!URL.canParse(whole)) return undefined;
    const url = new URL(whole);
    const host =
      url.searchParams.get("host") || url.hostname.replace(/^\[|\]$/g, "") || "localhost";
    return {
      host,
      port: Number(url.port || url.searchParams.get("port") || defaultPort),
      user: username ?? decoded(url.username),
      password: password ?? decoded(url.password),
      database: decoded(url.pathname.slice(1)),
      ssl: sslMode(url.searchParams.get("sslmode")),
    };
  }
  const pairs = readPairs(text);
  if (!pairs) return undefined;
  return {
    host: pairs.get("host") ?? "localhost",
    port: Number(pairs.get("port") ?? defaultPort),
    user: username ?? pairs.get("user"),
    password: password ?? pairs.get("password"),
    database: pairs.get("dbname"),
    ssl: sslMode(pairs.get("sslmode")),
  };
}
