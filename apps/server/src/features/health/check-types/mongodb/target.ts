import { type MongodbSpec, splitHostPort } from "@mainstay/contract";
import { fillCredentials } from "#platform/outbound/http/address.ts";
import type { MongoLogin } from "#platform/outbound/mongodb/mongodb-client.ts";
import { type ScramMechanism, scramMechanisms } from "#platform/outbound/mongodb/scram.ts";

export const defaultPort = 27_017;
const mostHosts = 20;

export interface HostPort {
  host: string;
  port: number;
}

export interface MongodbTarget {
  /** Any of a replica set, or several routers. Of `srv` the one name that lists them. */
  hosts: HostPort[];
  /** The hosts stand in the name service under this name (mongodb+srv). */
  isSrv: boolean;
  login?: MongoLogin;
  /** The set that they must belong to. */
  replicaSet?: string;
  /** The host that is named is asked, whatever it is. */
  isDirect: boolean;
  tls: boolean;
  insecureSkipVerify: boolean;
}

/** The document is wrong; the message says what. */
export class WrongAddress extends Error {}

const example =
  "the url is not a MongoDB address such as mongodb://user@host:27017/ or mongodb+srv://host/";

function hostPort(text: string): HostPort {
  const pair = splitHostPort(text);
  if (pair) return pair;
  const bare = /^\[([0-9a-fA-F:.]+)\]$/.exec(text)?.[1];
  if (bare !== undefined) return { host: bare, port: defaultPort };
  if (/^[\w.-]+$/.test(text)) return { host: text, port: defaultPort };
  throw new WrongAddress(example);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Options of the address, whatever the case of their names. */
function optionsOf(query: string): Map<string, string> {
  return new Map(
    [...new URLSearchParams(query)].map(([name, value]) => [name.toLowerCase(), value] as const),
  );
}

const isScram = (text: string): text is ScramMechanism =>
  (scramMechanisms as readonly string[]).includes(text);

function mechanismOf(options: Map<string, string>): ScramMechanism | undefined {
  const wanted = options.get("authmechanism")?.toUpperCase();
  if (wanted === undefined || wanted === "" || wanted === "DEFAULT") return undefined;
  if (isScram(wanted)) return wanted;
  throw new WrongAddress(
    `the url wants a login by ${wanted.slice(0, 40)}, and only ${scramMechanisms.join(" and ")} are spoken`,
  );
}

/** The options that the name service may set (mongodb+srv); those of the address win. */
export function withOptions(target: MongodbTarget, query: string): MongodbTarget {
  const options = optionsOf(query);
  const replicaSet = target.replicaSet ?? options.get("replicaset");
  const source = options.get("authsource");
  return {
    ...target,
    ...(replicaSet !== undefined && { replicaSet }),
    ...(target.login && source && { login: { ...target.login, source } }),
  };
}

/** @throws WrongAddress */
export function readMongodbTarget(spec: MongodbSpec): MongodbTarget {
  const username = spec.username?.value;
  const password = spec.password?.value;
  const text = fillCredentials(spec.url ?? spec.connection ?? "", username, password).trim();
  const whole = text.includes("://") ? text : `mongodb://${text}`;
  // Several hosts with ports are no URL.
  const match = /^(mongodb(?:\+srv)?):\/\/([^/?#]*)(?:\/([^?#]*))?(?:\?([^#]*))?$/i.exec(whole);
  if (!match) throw new WrongAddress(example);
  const [, scheme = "", authority = "", database = "", query = ""] = match;
  const at = authority.lastIndexOf("@");
  const info = at < 0 ? "" : authority.slice(0, at);
  const colon = info.indexOf(":");
  const options = optionsOf(query);
  const names = authority.slice(at + 1).split(",");
  const isSrv = scheme.toLowerCase() === "mongodb+srv";
  if (names.length > mostHosts)
    throw new WrongAddress(`the url names more than ${mostHosts} hosts`);
  if (isSrv && (names.length !== 1 || !/^[\w-]+(\.[\w-]+)+\.?$/.test(names[0] as string)))
    throw new WrongAddress("a mongodb+srv address names one host without a port");
  if (options.has("tlscafile") || options.has("tlscertificatekeyfile"))
    throw new WrongAddress("the url names files with certificates; put them into tlsConfig");
  const user = username ?? decoded(colon < 0 ? info : info.slice(0, colon));
  const secret = password ?? (colon < 0 ? "" : decoded(info.slice(colon + 1)));
  const mechanism = mechanismOf(options);
  const source = options.get("authsource") || decoded(database) || "admin";
  if (user !== "" && secret === "") throw new WrongAddress(`a password for ${user} is missing`);
  const replicaSet = options.get("replicaset");
  const says = (...keys: string[]) => keys.map((key) => options.get(key)).find((value) => value);
  return {
    hosts: names.map(hostPort),
    isSrv,
    ...(user !== "" && {
      login: { username: user, password: secret, source, ...(mechanism && { mechanism }) },
    }),
    ...(replicaSet && { replicaSet }),
    isDirect: options.get("directconnection") === "true",
    tls: spec.tlsConfig?.enable ?? (says("tls", "ssl") ?? String(isSrv)) === "true",
    insecureSkipVerify:
      spec.tlsConfig?.insecureSkipVerify ??
      says("tlsinsecure", "tlsallowinvalidcertificates") === "true",
  };
}
