import { type RedisSpec, splitHostPort } from "@mainstay/contract";
import { fillCredentials, splitUserInfo } from "#platform/outbound/http/address.ts";

const defaultPort = 6379;

export interface RedisTarget {
  host: string;
  port: number;
  username?: string;
  password?: string;
  db: number;
  tls: boolean;
}

/** Reads `redis://user:password@host:6379/2`, `rediss://…`, `host:port` or `host`; undefined when it is none of them. */
export function readRedisTarget(spec: RedisSpec): RedisTarget | undefined {
  const username = spec.username?.value;
  const password = spec.password?.value;
  const text = fillCredentials(spec.url ?? spec.connection ?? "", username, password).trim();
  const tls = spec.tlsConfig?.enable === true;
  if (!text.includes("://")) {
    const pair =
      splitHostPort(text) ??
      (/^[^\s:/@]+$/.test(text) ? { host: text, port: defaultPort } : undefined);
    return pair && { ...pair, username, password, db: spec.db ?? 0, tls };
  }
  if (!/^rediss?:\/\//i.test(text) || !URL.canParse(text)) return undefined;
  const { url, credentials } = splitUserInfo(new URL(text));
  if (url.hostname === "") return undefined;
  const inPath = /^\/(\d{1,6})$/.exec(url.pathname)?.[1];
  return {
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: Number(url.port || defaultPort),
    username: username ?? (credentials?.username || undefined),
    password: password ?? (credentials?.password || undefined),
    db: spec.db ?? Number(inPath ?? 0),
    tls: tls || url.protocol === "rediss:",
  };
}
