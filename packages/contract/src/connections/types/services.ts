import type { ConnectionField, ConnectionType } from "../connection-type.ts";
import {
  checkbox,
  hidden,
  insecureTls,
  password,
  required,
  select,
  text,
  url,
  username,
  value,
} from "../fields.ts";

/** What documents say of HTTP beside user name and password; forms do not ask for it. */
const httpSecrets: readonly ConnectionField[] = [
  hidden("properties.bearer", "Bearer token"),
  value("properties.clientID", "OAuth client ID"),
  hidden("properties.clientSecret", "OAuth client secret"),
  text("properties.tokenURL", "OAuth token URL"),
  text("properties.scopes", "OAuth scopes"),
  hidden("properties.params", "OAuth parameters"),
  value("properties.ca", "Authority to trust", { input: "multiline" }),
  value("properties.cert", "Client certificate", { input: "multiline" }),
  hidden("properties.key", "Key of the client certificate", { input: "multiline" }),
  hidden("properties.headers", "Headers"),
  hidden("properties.awsSigV4", "AWS signature"),
];

export const http: ConnectionType = {
  type: "http",
  label: "HTTP",
  help: "A website or an API.",
  kind: "connection",
  fields: [
    url("For example https://api.example.com/v1", required),
    username(required),
    password(required),
    insecureTls,
  ],
};

export const prometheus: ConnectionType = {
  type: "prometheus",
  label: "Prometheus",
  help: "A Prometheus server or one with its API.",
  kind: "connection",
  fields: [
    url("For example https://prometheus.example.com", required),
    username(),
    password(),
    insecureTls,
  ],
};

export const loki: ConnectionType = {
  ...prometheus,
  type: "loki",
  label: "Loki",
  help: "A Loki log server.",
  hidden: true,
};

export const ldap: ConnectionType = {
  type: "ldap",
  label: "LDAP",
  help: "A directory that speaks LDAP, Active Directory among them.",
  kind: "connection",
  fields: [
    url("For example ldap://ldap.example.com:389", required),
    username({ help: "The name to bind as, for example cn=reader,dc=example,dc=com", ...required }),
    password(required),
    insecureTls,
  ],
};

export const windows: ConnectionType = {
  type: "windows",
  label: "Windows",
  help: "An account of Windows.",
  kind: "connection",
  fields: [username(required), password(required), text("properties.domain", "Domain")],
};

export const dynatrace: ConnectionType = {
  type: "dynatrace",
  label: "Dynatrace",
  help: "A Dynatrace environment.",
  kind: "connection",
  fields: [
    value("url", "Host", { help: "For example abc12345.live.dynatrace.com", ...required }),
    select("properties.scheme", "Scheme", ["https", "http"], { default: "https", ...required }),
    hidden("password", "API Key", required),
  ],
};

export const jmeter: ConnectionType = {
  type: "jmeter",
  label: "JMeter",
  help: "The host that a JMeter plan is run against.",
  kind: "connection",
  hidden: true,
  fields: [value("url", "Host", required), text("properties.port", "Port", { input: "number" })],
};

export const kubernetes: ConnectionType = {
  type: "kubernetes",
  label: "Kubernetes",
  help: "A Kubernetes cluster, by its kubeconfig.",
  kind: "connection",
  fields: [hidden("certificate", "Kubeconfig", { input: "multiline" })],
};

const model = (type: string, label: string, help: string): ConnectionType => ({
  type,
  label,
  help,
  kind: "connection",
  hidden: true,
  fields: [
    url("Address of the API, where it is not the usual one."),
    hidden("password", "API Key"),
    text("properties.model", "Model"),
  ],
});

const facet: ConnectionType = {
  type: "facet",
  label: "Facet",
  help: "A Facet rendering service.",
  kind: "connection",
  hidden: true,
  fields: [url("Address of the service."), hidden("password", "Token")],
};

/** Properties that HTTP connections may hold whatever their form asks for. */
export const furtherFields: Readonly<Record<string, readonly ConnectionField[]>> = {
  http: [...httpSecrets, checkbox("properties.insecure_tls", "Insecure TLS")],
  prometheus: httpSecrets,
};

export const services = [
  http,
  prometheus,
  loki,
  ldap,
  windows,
  dynatrace,
  jmeter,
  kubernetes,
  model("anthropic", "Anthropic", "Language models of Anthropic."),
  model("openai", "OpenAI", "Language models of OpenAI."),
  model("ollama", "Ollama", "Language models of an Ollama server."),
  model("gemini", "Gemini", "Language models of Google."),
  facet,
] as const;
