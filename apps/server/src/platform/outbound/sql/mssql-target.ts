import type { EnvVar } from "@mainstay/contract";
import { fillCredentials, hostOf } from "../http/address.ts";
import type { SqlFields } from "./read-rows.ts";

export interface MssqlTarget {
  host: string;
  port: number;
  user?: string;
  password?: string;
  database?: string;
  /**
   * `prefer`: TLS with any certificate where the server speaks it. `strict`: TLS before anything else is said (TDS 8).
   */
  encrypt: "off" | "prefer" | "on" | "strict";
  /** Accept any certificate. */
  trusts: boolean;
  /** In PEM: the authority to trust, the certificate to present and its key. */
  certificates?: { ca?: string; cert?: string; key?: string };
}

export interface MssqlFields extends SqlFields {
  tlsConfig?: {
    insecureSkipVerify?: boolean;
    ca?: EnvVar;
    cert?: EnvVar;
    key?: EnvVar;
  };
}

const defaultPort = 1433;

/** Names of the settings of an address, as drivers of the database spell them. */
const spellings: Record<string, string> = {
  "data source": "server",
  address: "server",
  addr: "server",
  "network address": "server",
  host: "server",
  uid: "user id",
  user: "user id",
  username: "user id",
  pwd: "password",
  "initial catalog": "database",
  "trust server certificate": "trustservercertificate",
};

type Settings = Map<string, string>;

const setting = (name: string) => {
  const plain = name.trim().toLowerCase();
  return spellings[plain] ?? plain;
};

/** `server=a,1433;user id=b;password='c;d'` */
function readPairs(text: string): Settings | undefined {
  const pattern = /\s*([^=;]+)=(?:\s*'((?:[^']|'')*)'\s*|\s*"((?:[^"]|"")*)"\s*|([^;]*))(?:;+|$)/gy;
  const settings: Settings = new Map();
  let at = 0;
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    const [, name = "", single, double, plain] = match;
    const value = single?.replaceAll("''", "'") ?? double?.replaceAll('""', '"') ?? plain ?? "";
    settings.set(setting(name), value.trim());
    at = pattern.lastIndex;
  }
  return settings.size > 0 && text.slice(at).trim() === "" ? settings : undefined;
}

/** `host`, `host,1433`, `tcp:host,1433`; an instance is named by its port alone. */
function readServer(text: string): { host: string; port?: number } | undefined {
  const match = /^(?:tcp:)?([^\\,\s:/]+)(?:\\[^,]*)?(?:,\s*(\d{1,5}))?$/i.exec(text.trim());
  if (!match) return undefined;
  const [, host = "", port] = match;
  const isLocal = host === "." || host.toLowerCase() === "(local)";
  return { host: isLocal ? "localhost" : host, ...(port && { port: Number(port) }) };
}

function encryptionOf(settings: Settings): Pick<MssqlTarget, "encrypt" | "trusts"> {
  const wanted = settings.get("encrypt")?.toLowerCase() ?? "";
  const trusted = settings.get("trustservercertificate")?.toLowerCase();
  const trusts = trusted !== undefined && ["true", "yes", "1"].includes(trusted);
  if (wanted === "disable") return { encrypt: "off", trusts: true };
  if (wanted === "strict") return { encrypt: "strict", trusts };
  if (["true", "yes", "mandatory", "1"].includes(wanted)) return { encrypt: "on", trusts };
  return { encrypt: "prefer", trusts: true };
}

function tlsOf(
  settings: Settings,
  { tlsConfig }: MssqlFields,
): Pick<MssqlTarget, "encrypt" | "trusts" | "certificates"> {
  const encryption = encryptionOf(settings);
  if (!tlsConfig) return encryption;
  const { ca, cert, key, insecureSkipVerify } = tlsConfig;
  const certificates = {
    ...(ca?.value && { ca: ca.value }),
    ...(cert?.value && { cert: cert.value }),
    ...(key?.value && { key: key.value }),
  };
  return { ...encryption, trusts: encryption.trusts || insecureSkipVerify === true, certificates };
}

/** Whether the server is known by the name of an instance alone, for whose port another service must be asked. */
export const namesInstance = (fields: SqlFields): boolean => {
  const text = (fields.url ?? fields.connection ?? "").trim();
  if (/^(sqlserver|mssql):\/\//i.test(text))
    return URL.canParse(text) && new URL(text).port === "" && new URL(text).pathname.length > 1;
  const settings = readPairs(text);
  const server = settings?.get("server") ?? "";
  return server.includes("\\") && !/,\s*\d+$/.test(server) && !settings?.has("port");
};

const decoded = (text: string) => (text === "" ? undefined : decodeURIComponent(text));

/** Reads `sqlserver://user:password@host:1433?database=db` or `server=host,1433;…`; undefined when it is neither. */
export function readMssqlTarget(fields: MssqlFields): MssqlTarget | undefined {
  const username = fields.username?.value;
  const password = fields.password?.value;
  const raw = (fields.url ?? fields.connection ?? "").trim();
  if (/^(sqlserver|mssql):\/\//i.test(raw)) {
    const text = fillCredentials(raw, username, password);
    if (!URL.canParse(text)) return undefined;
    const url = new URL(text);
    if (url.hostname === "") return undefined;
    const settings: Settings = new Map(
      [...url.searchParams].map(([name, value]) => [setting(name), value]),
    );
    return {
      host: hostOf(url),
      port: Number(url.port || defaultPort),
      user: username ?? decoded(url.username) ?? settings.get("user id"),
      password: password ?? decoded(url.password) ?? settings.get("password"),
      database: settings.get("database") || undefined,
      ...tlsOf(settings, fields),
    };
  }
  const settings = readPairs(raw);
  const server = readServer(settings?.get("server") ?? "");
  if (!settings || !server) return undefined;
  const port = server.port ?? Number(settings.get("port") || defaultPort);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) return undefined;
  // Nothing is escaped here, so a placeholder stands for the very text.
  const fill = (text: string | undefined) =>
    text
      ?.replaceAll(/\$\(\.?username\)/g, () => username ?? "")
      .replaceAll(/\$\(\.?password\)/g, () => password ?? "") || undefined;
  return {
    host: server.host,
    port,
    user: username ?? fill(settings.get("user id")),
    password: password ?? fill(settings.get("password")),
    database: settings.get("database") || undefined,
    ...tlsOf(settings, fields),
  };
}
