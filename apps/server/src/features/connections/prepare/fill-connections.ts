import { addressTarget, parseImage } from "@mainstay/contract";
import type { Connection } from "../connection.ts";
import { type ConnectionPlace, isMapping, type SpecNoun, type WrittenSpec } from "./spec-needs.ts";

type Spec = Record<string, unknown>;
type Field = (connection: Connection) => string | boolean | undefined;

/**
 * Where the columns and properties of a connection go, by the shape of the fields beside the reference. Credentials of
 * the connection win over those beside it; everything else beside it wins over the connection.
 */
interface Shape {
  /** Values (`{ value }`) that win over those that are written. */
  credentials: Readonly<Record<string, Field>>;
  /** Texts that give way to those that are written. */
  fields?: Readonly<Record<string, Field>>;
  /** Of the fields that hold the address, any that is written makes that of the connection give way. */
  addresses?: readonly string[];
  /** Fields that say where credentials are sent. */
  sentTo?: readonly string[];
  /** Where they are sent for a connection that says no address of its own; anywhere when absent. */
  home?: readonly string[];
  /** The field that groups credentials where it is not `authentication`. */
  group?: string;
}

/** What is written beside a reference would have the connection's credentials sent to somebody else. */
export class AddressElsewhere extends Error {
  override readonly name = "AddressElsewhere";
}

const property =
  (...names: string[]): Field =>
  ({ properties }) =>
    names.map((name) => properties[name]).find((text) => text !== undefined && text !== "");
const isOn =
  (...names: string[]): Field =>
  (connection) =>
    property(...names)(connection) === "true" || undefined;
const username: Field = (connection) => connection.username;
const password: Field = (connection) => connection.password;
const certificate: Field = (connection) => connection.certificate;
const url: Field = (connection) => connection.url;
const insecure: Field = ({ insecureTls }) => insecureTls || undefined;

const unverified = { "tlsConfig.insecureSkipVerify": insecure };

const plain: Shape = {
  credentials: { username, password },
  fields: { url },
  addresses: ["url", "endpoint", "addr", "host"],
  sentTo: ["url", "endpoint", "addr", "host", "proxy"],
};
const aws: Shape = {
  credentials: { accessKey: username, secretKey: password, sessionToken: property("sessionToken") },
  fields: {
    endpoint: url,
    region: property("region"),
    assumeRole: property("assumeRole"),
    profile: property("profile"),
    skipTLSVerify: insecure,
    bucket: property("bucket"),
    objectPath: property("objectPath"),
    usePathStyle: isOn("usePathStyle"),
  },
};
const gcp: Shape = {
  credentials: { credentials: certificate },
  fields: {
    endpoint: url,
    project: property("project"),
    bucket: property("bucket"),
    skipTLSVerify: insecure,
  },
  sentTo: ["endpoint"],
};
const azure: Shape = {
  credentials: { clientID: username, clientSecret: password },
  fields: { tenantID: property("tenant", "tenantID") },
};
/** The clouds of Azure: where they are managed, and where one signs in. */
const azureHosts = [
  "management.azure.com",
  "management.chinacloudapi.cn",
  "management.usgovcloudapi.net",
  "login.microsoftonline.com",
  "login.chinacloudapi.cn",
  "login.microsoftonline.us",
  "graph.microsoft.com",
  "microsoftgraph.chinacloudapi.cn",
  "graph.microsoft.us",
];
const azureApi: Shape = {
  ...azure,
  fields: { ...azure.fields, endpoint: url },
  sentTo: ["endpoint", "loginEndpoint", "graphEndpoint"],
  home: azureHosts.map((host) => `https://${host}`),
};
/** Where logs are asked of these clouds. */
const logAnalyticsHosts = [
  "api.loganalytics.io",
  "api.loganalytics.azure.cn",
  "api.loganalytics.us",
];
/** What all that speak HTTP share; they keep TLS and the token endpoint under different names. */
const httpFields = (tls: string, oauth: string): Readonly<Record<string, Field>> => ({
  url,
  ntlm: isOn("ntlm"),
  ntlmv2: isOn("ntlmv2"),
  digest: isOn("digest"),
  [`${tls}.insecureSkipVerify`]: insecure,
  [`${tls}.ca`]: property("ca"),
  [`${tls}.cert`]: property("cert"),
  [`${tls}.key`]: property("key"),
  [`${oauth}.tokenURL`]: property("tokenURL"),
  [`${oauth}.scope`]: property("scopes"),
});
const http: Shape = {
  ...plain,
  sentTo: [...(plain.sentTo ?? []), "oauth2.tokenURL", "oauth.tokenURL"],
  // The client of the token endpoint is who asks.
  credentials: {
    username: (connection) => property("clientID")(connection) ?? connection.username,
    password: (connection) => property("clientSecret")(connection) ?? connection.password,
    bearer: property("bearer"),
  },
  fields: httpFields("tlsConfig", "oauth2"),
};
const httpConnection: Shape = {
  ...http,
  credentials: { username, password, bearer: property("bearer") },
  fields: {
    ...httpFields("tls", "oauth"),
    "oauth.clientID": property("clientID"),
    "oauth.clientSecret": property("clientSecret"),
  },
};
const kubernetes: Shape = { credentials: { kubeconfig: certificate } };
const file: Shape = {
  credentials: { username, password },
  fields: {
    host: hostOf,
    port: property("port"),
    domain: property("domain"),
    share: property("share", "shareName", "sharename"),
    workstation: property("workstation"),
    searchPath: property("searchPath"),
  },
  sentTo: ["host"],
};
const git: Shape = {
  credentials: { username, password, certificate },
  fields: { url, branch: property("ref") },
  sentTo: ["url", "repository"],
};

/** The same for whoever reads files: the bucket of the connection is their address where the document says none. */
function bucketOf(shape: Shape, scheme: string): Shape {
  const bucket: Field = ({ properties: { bucket: name, objectPath = "" } }) =>
    name ? `${scheme}://${name}/${objectPath}` : undefined;
  return { ...shape, fields: { ...shape.fields, url: bucket } };
}
const googleStorage = ["https://storage.googleapis.com"];

/** sftp and smb keep their host in the url, with a scheme or without. */
function hostOf(connection: Connection): string | undefined {
  const text = connection.url ?? connection.properties.host;
  if (text === undefined) return undefined;
  return URL.canParse(text) && text.includes("://") ? new URL(text).hostname : text;
}

/** The same of the port, which may stand in the url. */
const portOf: Field = (connection) => {
  const { url: text } = connection;
  const own = property("port")(connection);
  if (own !== undefined || text === undefined || !text.includes("://")) return own;
  return (URL.canParse(text) && new URL(text).port) || undefined;
};

/** What databases are called, by the type of the connection: not every address says it. */
const drivers: Readonly<Record<string, string>> = {
  postgres: "postgres",
  mysql: "mysql",
  sql_server: "sqlserver",
};

/** By the key of the object, where the type of what is run does not decide. */
const byKey: Readonly<Record<string, Shape>> = {
  awsConnection: aws,
  awsSigV4: aws,
  aws,
  gcpConnection: gcp,
  gcp,
  azure,
  kubernetes,
  eks: aws,
  gke: gcp,
  smbConnection: file,
  sftpConnection: file,
  checkout: git,
};
const azureDevops: Shape = {
  credentials: { personalAccessToken: password },
  fields: {
    url,
    organization: (connection) => property("organization")(connection) ?? connection.username,
  },
  sentTo: ["url"],
  home: ["https://dev.azure.com"],
};
/** Where GitHub is for whoever has no server of their own: its API, and its pages, which stand for it. */
const gitHub = ["https://api.github.com", "https://github.com", "https://www.github.com"];
/** The image says which registry is signed in at. */
const image: Shape = {
  credentials: { username, password },
  sentTo: ["image"],
  home: ["https://docker.io"],
};
const checks: Readonly<Record<string, Shape>> = {
  multistep: http,
  http,
  prometheus: httpConnection,
  alertmanager: httpConnection,
  elasticsearch: httpConnection,
  opensearch: httpConnection,
  redis: { ...plain, fields: { url, db: property("db"), ...unverified } },
  ldap: { ...plain, fields: { url, skipTLSVerify: insecure } },
  mongodb: { ...plain, fields: { url, ...unverified } },
  mssql: { ...plain, fields: { url, ...unverified } },
  awsConfig: aws,
  awsConfigRule: aws,
  cloudwatch: aws,
  ec2: aws,
  s3: aws,
  // Its `objectPath` is an expression, that of a connection a path.
  s3Bucket: { ...aws, fields: { ...aws.fields, objectPath: () => undefined } },
  docker: image,
  containerd: image,
  kubernetes,
  kubernetesResource: kubernetes,
  gitProtocol: git,
  azureDevops,
  github: {
    credentials: { githubToken: password },
    fields: { url },
    sentTo: ["url"],
    home: gitHub,
  },
  dynatrace: {
    credentials: { apiKey: password },
    fields: { host: hostOf, scheme: property("scheme") },
    sentTo: ["host", "url"],
  },
  restic: {
    credentials: { password, accessKey: property("accessKey"), secretKey: property("secretKey") },
    fields: { repository: url },
    sentTo: ["repository"],
  },
};

const host: Shape = {
  credentials: { username, password, privateKey: certificate },
  fields: { host: hostOf, port: portOf },
  sentTo: ["host"],
};

const scrapers: Readonly<Record<string, Shape>> = {
  file: git,
  http: httpConnection,
  sql: {
    group: "auth",
    credentials: { "auth.username": username, "auth.password": password },
    fields: {
      connection: url,
      driver: ({ type }) => drivers[type],
      ...unverified,
    },
    sentTo: ["url"],
  },
  kubernetes,
  kubernetesFile: kubernetes,
  githubActions: {
    credentials: { personalAccessToken: password },
    fields: { url },
    sentTo: ["url"],
    home: gitHub,
  },
  azureDevops,
  aws,
  azure: azureApi,
  host,
};
/** Documents call the address of theirs `address`. */
const searchServer: Shape = {
  ...httpConnection,
  addresses: [...(plain.addresses ?? []), "address"],
  sentTo: [...(httpConnection.sentTo ?? []), "address"],
};
const logBackends: Readonly<Record<string, Shape>> = {
  file: host,
  journald: host,
  loki: httpConnection,
  elasticsearch: searchServer,
  opensearch: searchServer,
  kubernetes,
  postgres: plain,
  cloudwatch: aws,
  gcpCloudLogging: gcp,
  azureLogAnalytics: {
    ...azureApi,
    fields: azure.fields ?? {},
    home: [...azureHosts, ...logAnalyticsHosts].map((name) => `https://${name}`),
  },
};
/** By the type of what is run. */
const byType: Readonly<Record<SpecNoun, Readonly<Record<string, Shape>>>> = {
  check: checks,
  "log backend": logBackends,
  scraper: scrapers,
};

/** Numbers that stand in properties as texts. */
const numbers = new Set(["port", "db"]);

const at = (holder: Spec, key: string): unknown =>
  key
    .split(".")
    .reduce<unknown>((found, part) => (isMapping(found) ? found[part] : undefined), holder);

/** What a registry is called, however it is written; undefined for what is no address of one. */
function registryOf(address: string): string | undefined {
  const hasScheme = /^https?:\/\//i.test(address);
  if (hasScheme && !URL.canParse(address)) return undefined;
  const host = hasScheme ? new URL(address).host : address.split("/", 1)[0]!;
  return registryIn(`${/[.:]/.test(host) ? host : `${host}:443`}/image`);
}

function registryIn(image: string): string | undefined {
  try {
    return parseImage(image).registry.toLowerCase().replace(/:443$/, "");
  } catch {
    // What is no image has no registry that could be the connection's.
    return undefined;
  }
}

/**
 * Whoever may write a document need not be allowed to read a connection: its credentials go to its own address, and to
 * another one only where it has none.
 */
function refuseElsewhere(holder: Spec, shape: Shape, connection: Connection): void {
  const { url: own, properties } = connection;
  if (!own && !shape.home) return;
  const told = [own, hostOf(connection), ...Object.values(properties), ...(shape.home ?? [])];
  const known = new Set(told.flatMap((text) => (text ? [addressTarget(text)] : [])));
  for (const key of shape.sentTo ?? []) {
    const text = textOf(at(holder, key));
    if (!text) continue;
    const name = connection.name ? ` "${connection.name}"` : "";
    if (key === "image") {
      const isHttp = holder.insecure === true && !/^http:/i.test(own ?? "");
      const places = own ? [own] : (shape.home ?? []);
      const registry = registryIn(text);
      if (!isHttp && registry && places.some((place) => registryOf(place) === registry)) continue;
      throw new AddressElsewhere(
        isHttp
          ? `insecure: the credentials of the connection${name} are not sent over HTTP. Leave insecure out, or write the registry into the connection as http://….`
          : `image: the credentials of the connection${name} are sent to no other registry than its own. Write the address of the registry into the connection.`,
      );
    }
    // `git::https://host/path` leads where the address behind the colons does.
    if (known.has(addressTarget(text.replace(/^[a-z][a-z0-9]*::/i, "")))) continue;
    throw new AddressElsewhere(
      `${key}: the credentials of the connection${name} are sent to no other address than its own. Leave ${key} out, or write it into the connection.`,
    );
  }
}

/** A group of credentials is about the object that it is part of, so what this is sent to counts, under whichever name. */
const groups = new Set<unknown>(["auth", "authentication"]);
const addressesAround = [...(plain.sentTo ?? []), "address", "server", "connection", "repository"];

/** Files lie in repositories, unless the connection is that of a bucket. */
const filesIn: Readonly<Record<string, Shape>> = {
  aws: bucketOf(aws, "s3"),
  s3: bucketOf(aws, "s3"),
  google_cloud: { ...bucketOf(gcp, "gs"), home: googleStorage },
  gcs: { ...bucketOf(gcp, "gs"), home: googleStorage },
};

function shapeOf(
  { noun, type }: Pick<WrittenSpec, "noun" | "type">,
  connectionType: string | undefined,
): Shape {
  const own = noun === "scraper" && type === "file" ? filesIn[connectionType ?? ""] : undefined;
  return own ?? byType[noun][type] ?? plain;
}

/** Puts a connection into the object that names it. @throws AddressElsewhere */
export function fillConnection(
  spec: Spec,
  place: ConnectionPlace,
  connection: Connection,
  { noun, type }: Pick<WrittenSpec, "noun" | "type">,
): void {
  const holder = place.keys.reduce<Spec>(
    (found, key) => (found as Record<string | number, Spec>)[key]!,
    spec,
  );
  const name = place.keys.at(-1);
  const shape =
    place.keys.length === 0
      ? shapeOf({ noun, type }, connection.type)
      : (byKey[String(name)] ?? plain);
  holder[place.key] = undefined;
  const written = { ...holder };
  const isAddressed = (shape.addresses ?? []).some((key) => hasText(holder[key]));
  for (const [key, read] of Object.entries(shape.fields ?? {})) {
    const value = read(connection);
    if (value === undefined || (key === "url" && isAddressed)) continue;
    putUnder(holder, key, numbers.has(key) ? Number(value) : value);
  }
  const given = Object.entries(shape.credentials).flatMap(([key, read]) => {
    const value = read(connection);
    return value === undefined || value === "" ? [] : [[key, value] as const];
  });
  if (given.length > 0) {
    refuseElsewhere(written, shape, connection);
    if (groups.has(name)) {
      const whole = shapeOf({ noun, type }, connection.type);
      const sentTo = [...new Set([...(whole.sentTo ?? []), ...addressesAround])];
      // One reference in two places is of one connection.
      const isSame = spec.connection === place.reference;
      const around = isSame ? { ...spec, connection: undefined } : spec;
      refuseElsewhere(around, { ...whole, sentTo }, connection);
    }
  }
  for (const [key, value] of given) putOver(holder, key, { value: String(value) });
  // The form's own place for credentials would win otherwise.
  if (given.length > 0 && isMapping(holder.authentication)) holder.authentication = undefined;
}

function putUnder(holder: Spec, key: string, value: unknown): void {
  const [first, rest] = key.split(".", 2) as [string, string | undefined];
  if (rest === undefined) {
    if (!isSet(holder[first])) holder[first] = value;
    return;
  }
  const inner = isMapping(holder[first]) ? holder[first] : (holder[first] = {});
  if (!isSet((inner as Spec)[rest])) (inner as Spec)[rest] = value;
}

function putOver(holder: Spec, key: string, value: unknown): void {
  const [first, rest] = key.split(".", 2) as [string, string | undefined];
  if (rest === undefined) holder[first] = value;
  else holder[first] = { ...(isMapping(holder[first]) && holder[first]), [rest]: value };
}

const isSet = (value: unknown) => value !== undefined && value !== null && value !== "";
const hasText = (value: unknown) => typeof value === "string" && value !== "";

const textOf = (value: unknown): string | undefined =>
  isMapping(value)
    ? typeof value.value === "string"
      ? value.value
      : undefined
    : typeof value === "string" || typeof value === "number"
      ? String(value)
      : undefined;

/** Who a check, a scraper or a log backend signs in as, and with what. */
export function credentialsOf(
  spec: Spec,
  written: Pick<WrittenSpec, "noun" | "type">,
  connection: Connection | undefined,
): { username?: string; password?: string } {
  const grouped = spec[shapeOf(written, connection?.type).group ?? "authentication"];
  const group = isMapping(grouped) ? grouped : {};
  return {
    username: connection?.username || (textOf(spec.username) ?? textOf(group.username)),
    password: connection?.password || (textOf(spec.password) ?? textOf(group.password)),
  };
}
