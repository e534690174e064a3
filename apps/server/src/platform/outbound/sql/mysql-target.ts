import { fillCredentials } from "../http/address.ts";
import type { SqlFields } from "./read-rows.ts";

export interface MysqlTarget {
  host: string;
  port: number;
  user?: string;
  password?: string;
  database?: string;
  tls: "off" | "unverified" | "verified";
}

const defaultPort = 3306;

function tlsMode(parameters: URLSearchParams): MysqlTarget["tls"] {
  const wanted = (
    parameters.get("tls") ??
    parameters.get("ssl-mode") ??
    parameters.get("sslMode") ??
    ""
  ).toLowerCase();
  if (wanted === "true" || wanted === "verify_ca" || wanted === "verify_identity")
    return "verified";
  return wanted === "skip-verify" || wanted === "required" ? "unverified" : "off";
}

const decoded = (text: string) => (text === "" ? undefined : decodeURIComponent(text));

/** Reads `mysql://user:password@host/db` or the Go form `user:password@tcp(host:3306)/db?tls=true`. */
export function readMysqlTarget(fields: SqlFields): MysqlTarget | undefined {
  const username = fields.username?.value;
  const password = fields.password?.value;
  const raw = (fields.url ?? fields.connection ?? "").trim();
  if (/^(mysql|mariadb):\/\//i.test(raw)) {
    const text = fillCredentials(raw, username, password);
    if (!URL.canParse(text)) return undefined;
    const url = new URL(text);
    if (url.hostname === "") return undefined;
    return {
      host: url.hostname.replace(/^\[|\]$/g, ""),
      port: Number(url.port || defaultPort),
      user: username ?? decoded(url.username),
      password: password ?? decoded(url.password),
      database: decoded(url.pathname.slice(1)),
      tls: tlsMode(url.searchParams),
    };
  }
  // In this form nothing is escaped: the last @ before the address ends the password.
  const match =
    /^(?:(.*)@)?tcp\((?:\[([^\]]+)\]|([^:()]+))(?::(\d{1,5}))?\)\/([^?]*)(?:\?(.*))?$/s.exec(raw);
  if (!match) return undefined;
  const [, login = "", ipv6, host, port, database = "", parameters = ""] = match;
  const colon = login.indexOf(":");
  const user = colon === -1 ? login : login.slice(0, colon);
  const secret = colon === -1 ? undefined : login.slice(colon + 1);
  const fill = (text: string | undefined) =>
    text
      ?.replaceAll("$(username)", () => username ?? "")
      .replaceAll("$(password)", () => password ?? "");
  return {
    host: (ipv6 ?? host) as string,
    port: Number(port ?? defaultPort),
    user: username ?? (fill(user) || undefined),
    password: password ?? fill(secret),
    database: database || undefined,
    tls: tlsMode(new URLSearchParams(parameters)),
  };
}
