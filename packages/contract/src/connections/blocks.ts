import type { ConnectionValues } from "./connection-type.ts";

/** How one field of a block stands in the row: a column or a property, and how it is written. */
export interface BlockField {
  /** `url`, `insecure_tls` or `properties.region`. */
  to: string;
  /** `value` may say where it stands; `json` is kept as text; `list` is joined. */
  as: "value" | "text" | "flag" | "json" | "list";
  /** Of a list; a comma unless said. */
  by?: string;
  /** What is written here, by what the row holds. */
  words?: Readonly<Record<string, string>>;
  /** Read as well, never written. */
  alias?: boolean;
}

export interface Block {
  type: string;
  fields: Readonly<Record<string, BlockField>>;
  /** What the row has that the block left out. */
  fill?(values: FlatValues): void;
}

/** A row without the rest of it. */
export type FlatValues = ConnectionValues & { type: string; properties: Record<string, string> };

const value = (to: string): BlockField => ({ to, as: "value" });
const text = (to: string): BlockField => ({ to, as: "text" });
const property = (name: string): BlockField => text(`properties.${name}`);
const kept = (name: string): BlockField => value(`properties.${name}`);
const json = (name: string): BlockField => ({ to: `properties.${name}`, as: "json" });
const alias = (field: BlockField): BlockField => ({ ...field, alias: true });

const url = { url: value("url") } as const;
const login = { username: value("username"), password: value("password") } as const;
const insecureTLS = { insecureTLS: { to: "insecure_tls", as: "flag" } } as const;
/** A slip of published schemas: the address under the name of its type. */
const slipped = { string: alias(value("url")) } as const;
const oauth = {
  bearer: kept("bearer"),
  "oauth.clientID": kept("clientID"),
  "oauth.clientSecret": kept("clientSecret"),
  "oauth.tokenURL": property("tokenURL"),
  "oauth.scope": { to: "properties.scopes", as: "list" },
  "oauth.params": json("params"),
} as const;
const aws = {
  ...url,
  region: property("region"),
  profile: property("profile"),
  accessKey: value("username"),
  secretKey: value("password"),
  sessionToken: kept("sessionToken"),
  assumeRole: property("assumeRole"),
  ...insecureTLS,
} as const;
const azure = {
  clientID: value("username"),
  clientSecret: value("password"),
  tenantID: property("tenant"),
} as const;
const gcp = {
  endpoint: value("url"),
  certificate: value("certificate"),
  project: property("project"),
} as const;
const api = {
  ...url,
  baseURL: alias(value("url")),
  apiKey: value("password"),
  model: property("model"),
} as const;

const database = (type: string, address: (values: FlatValues) => string): Block => ({
  type,
  fields: {
    ...url,
    ...login,
    host: kept("host"),
    database: kept("database"),
    ...insecureTLS,
    trustServerCertificate: alias({ to: "insecure_tls", as: "flag" }),
    replicaSet: property("replica_set"),
  },
  fill(values) {
    if (values.url === undefined && values.properties.host !== undefined)
      values.url = address(values);
  },
});
const at = "$(username):$(password)@$(properties.host)";

/** The blocks of a document's spec, by the key under which each stands. */
export const blocks: Readonly<Record<string, Block>> = {
  aws: { type: "aws", fields: aws },
  s3: {
    type: "s3",
    fields: { ...aws, bucket: property("bucket"), usePathStyle: property("usePathStyle") },
  },
  azure: { type: "azure", fields: azure },
  azureDevops: {
    type: "azure_devops",
    fields: {
      ...url,
      ...slipped,
      organization: value("username"),
      personalAccessToken: value("password"),
    },
  },
  gcp: { type: "google_cloud", fields: gcp },
  gcs: { type: "gcs", fields: { ...gcp, bucket: property("bucket") } },
  folder: { type: "folder", fields: { path: property("path") } },
  git: {
    type: "git",
    fields: {
      ...url,
      ...slipped,
      ref: property("ref"),
      certificate: value("certificate"),
      ...login,
    },
  },
  github: { type: "github", fields: { ...url, personalAccessToken: value("password") } },
  gitlab: {
    type: "gitlab",
    fields: { ...url, ...slipped, personalAccessToken: value("password") },
  },
  http: {
    type: "http",
    fields: {
      ...url,
      ...login,
      ...insecureTLS,
      ...oauth,
      "tls.ca": kept("ca"),
      "tls.cert": kept("cert"),
      "tls.key": kept("key"),
      "tls.insecureSkipVerify": alias({ to: "insecure_tls", as: "flag" }),
      headers: json("headers"),
      awsSigV4: json("awsSigV4"),
    },
  },
  kubernetes: {
    type: "kubernetes",
    fields: { certificate: value("certificate"), kubeconfig: alias(value("certificate")) },
  },
  postgres: database(
    "postgres",
    ({ insecure_tls: isInsecure }) =>
      `postgres://${at}/$(properties.database)${isInsecure ? "?sslmode=disable" : ""}`,
  ),
  mysql: database(
    "mysql",
    ({ insecure_tls: isInsecure }) =>
      `mysql://${at}/$(properties.database)${isInsecure ? "?sslMode=disabled" : ""}`,
  ),
  mssql: database(
    "sql_server",
    ({ insecure_tls: isInsecure }) =>
      `sqlserver://${at}?database=$(properties.database)${isInsecure ? "&TrustServerCertificate=true" : ""}`,
  ),
  mongo: database("mongo", ({ insecure_tls: isInsecure, properties }) => {
    const query = [
      ...(properties.replica_set === undefined ? [] : ["replicaSet=$(properties.replica_set)"]),
      ...(isInsecure ? ["tls=true", "tlsInsecure=true"] : []),
    ].join("&");
    return `mongodb://${at}/$(properties.database)${query && `?${query}`}`;
  }),
  prometheus: { type: "prometheus", fields: { ...url, ...login, ...oauth } },
  sftp: {
    type: "sftp",
    fields: { host: value("url"), ...login, port: property("port"), path: property("path") },
  },
  smb: {
    type: "smb",
    fields: {
      server: value("url"),
      ...login,
      port: property("port"),
      share: property("share"),
      domain: property("domain"),
      workstation: property("workstation"),
    },
  },
  discord: { type: "discord", fields: { token: value("password"), webhookID: value("username") } },
  ntfy: { type: "ntfy", fields: { topic: property("topic"), host: property("host"), ...login } },
  pushbullet: {
    type: "pushbullet",
    fields: {
      token: value("password"),
      targets: { to: "properties.targets", as: "list", by: "/" },
    },
  },
  pushover: { type: "pushover", fields: { token: value("password"), user: value("username") } },
  smtp: {
    type: "email",
    fields: {
      host: property("host"),
      port: property("port"),
      ...login,
      encryption: property("encryptionMethod"),
      ...insecureTLS,
      fromAddress: property("from"),
      fromName: property("fromName"),
      toAddresses: { to: "properties.to", as: "list" },
      subject: property("subject"),
      auth: {
        to: "properties.authMethod",
        as: "text",
        words: { None: "none", Plain: "plain", OAuth2: "oauth2" },
      },
      headers: json("headers"),
    },
    fill({ properties }) {
      properties.port ??= "587";
      properties.encryptionMethod ??= "Auto";
      properties.authMethod ??= "Plain";
    },
  },
  slack: {
    type: "slack",
    fields: {
      token: value("password"),
      channel: value("username"),
      botName: property("BotName"),
      icon: property("Icon"),
      thread_ts: property("ThreadTS"),
      title: property("Title"),
      color: property("Color"),
    },
  },
  telegram: {
    type: "telegram",
    fields: { token: value("password"), chats: { to: "username", as: "list" } },
  },
  elasticsearch: { type: "elasticsearch", fields: { ...url, ...login, ...insecureTLS } },
  opensearch: { type: "opensearch", fields: { ...url, ...login, ...insecureTLS } },
  loki: { type: "loki", fields: { ...url, ...login, ...insecureTLS } },
  redis: { type: "redis", fields: { ...url, ...login, db: property("db"), ...insecureTLS } },
  openai: { type: "openai", fields: api },
  anthropic: { type: "anthropic", fields: api },
  ollama: { type: "ollama", fields: api },
  gemini: { type: "gemini", fields: api },
  facet: {
    type: "facet",
    fields: { ...url, baseURL: alias(value("url")), token: value("password") },
  },
  awskms: { type: "aws_kms", fields: { ...aws, keyID: property("keyID") } },
  gcpkms: { type: "gcp_kms", fields: { ...gcp, keyID: property("keyID") } },
  azureKeyVault: {
    type: "azure_key_vault",
    fields: { ...azure, keyID: property("keyID"), keyVaultName: property("keyVaultName") },
  },
};

export const blockOfType = (type: string): [key: string, block: Block] | undefined =>
  Object.entries(blocks).find(([, block]) => block.type === type);
