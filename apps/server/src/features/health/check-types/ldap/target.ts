import { type LdapSpec, splitHostPort } from "@mainstay/contract";
import { fillCredentials, hostOf, splitUserInfo } from "#platform/outbound/http/address.ts";

const defaultPort = 389;
const defaultTlsPort = 636;

export interface LdapTarget {
  host: string;
  port: number;
  tls: boolean;
  /** Empty for nobody in particular. */
  username: string;
  password: string;
}

/** Reads `ldap://host:389`, `ldaps://host`, `host:port` or `host`; undefined when it is none of them. */
export function readLdapTarget(spec: LdapSpec): LdapTarget | undefined {
  const username = spec.username?.value;
  const password = spec.password?.value;
  const text = fillCredentials(spec.url ?? spec.connection ?? "", username, password).trim();
  if (!text.includes("://")) {
    const pair =
      splitHostPort(text) ??
      (/^[^\s:/@]+$/.test(text) ? { host: text, port: defaultPort } : undefined);
    return pair && { ...pair, tls: false, username: username ?? "", password: password ?? "" };
  }
  if (!/^ldaps?:\/\//i.test(text) || !URL.canParse(text)) return undefined;
  const { url, credentials } = splitUserInfo(new URL(text));
  if (url.hostname === "") return undefined;
  const tls = url.protocol === "ldaps:";
  return {
    host: hostOf(url),
    port: Number(url.port || (tls ? defaultTlsPort : defaultPort)),
    tls,
    username: username ?? credentials?.username ?? "",
    password: password ?? credentials?.password ?? "",
  };
}
