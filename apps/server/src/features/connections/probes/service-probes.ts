import type { Connection } from "../connection.ts";
import { basic, bearer, below, type Call, httpProbe } from "./http-probe.ts";
import type { Probe } from "./probe.ts";

const urlOf = ({ url, properties }: Connection, otherwise: string) =>
  (url !== undefined && /^https?:/.test(url) ? url : properties.url) || otherwise;
const hostOf = ({ properties }: Connection, otherwise = "") =>
  `https://${properties.host || otherwise}${properties.port && properties.port !== "443" ? `:${properties.port}` : ""}`;
const isOk = (why: string) => (body: unknown) => {
  const { ok, [why]: reason } = (body ?? {}) as Record<string, unknown>;
  if (ok === true) return undefined;
  return typeof reason === "string" ? reason.slice(0, 300) : "it does not know this token.";
};
/** Who asks: by the properties that documents name ways of signing in with. */
function login(connection: Connection): Pick<Call, "auth"> {
  const { username = "", password = "", properties } = connection;
  const isOn = (name: string) => properties[name] === "true";
  if (properties.bearer) return bearer(properties.bearer);
  if (properties.tokenURL && URL.canParse(properties.tokenURL))
    return {
      auth: {
        kind: "oauth2",
        tokenUrl: new URL(properties.tokenURL),
        clientId: properties.clientID ?? "",
        clientSecret: properties.clientSecret ?? "",
        scopes: (properties.scopes ?? "").split(",").filter((one) => one !== ""),
        params: {},
      },
    };
  if (isOn("ntlm") || isOn("ntlmv2"))
    return { auth: { kind: "ntlm", username, password, isV2Only: isOn("ntlmv2") } };
  if (isOn("digest")) return { auth: { kind: "digest", username, password } };
  return basic(connection);
}

const get = (
  url: (connection: Connection) => string,
  more: (connection: Connection) => Partial<Call>,
) => httpProbe((connection) => ({ url: url(connection), ...more(connection) }));

/** Calls of services by their published interfaces, each one that reads and changes nothing. */
export const serviceProbes: Readonly<Record<string, Probe>> = {
  http: get((one) => urlOf(one, ""), login),
  prometheus: get((one) => below(urlOf(one, ""), "api/v1/status/config"), login),
  loki: get((one) => below(urlOf(one, ""), "loki/api/v1/status/buildinfo"), login),
  elasticsearch: get((one) => below(urlOf(one, ""), "_cluster/health"), login),
  opensearch: get((one) => below(urlOf(one, ""), "_cluster/health"), login),
  github: get(
    (one) => below(urlOf(one, "https://api.github.com"), "user"),
    ({ password }) => ({
      ...bearer(password),
      headers: { accept: "application/vnd.github+json" },
    }),
  ),
  gitlab: get(
    (one) => below(urlOf(one, "https://gitlab.com"), "api/v4/user"),
    ({ password = "" }) => ({ headers: { "private-token": password } }),
  ),
  azure_devops: get(
    (one) =>
      below(
        urlOf(one, "https://dev.azure.com"),
        `${encodeURIComponent(one.username ?? "")}/_apis/connectionData`,
      ),
    ({ password = "" }) => ({
      auth: { kind: "basic", username: "", password },
      headers: { accept: "application/json" },
      // Who is not known is led to a page to sign in.
      maxRedirects: 0,
      refusal: (body) =>
        body === undefined ? "it does not know this personal access token." : undefined,
    }),
  ),
  slack: httpProbe(({ password }) => ({
    url: "https://slack.com/api/auth.test",
    method: "POST",
    ...bearer(password),
    refusal: isOk("error"),
  })),
  telegram: httpProbe(({ password = "" }) => ({
    url: `https://api.telegram.org/bot${encodeURIComponent(password).replaceAll("%3A", ":")}/getMe`,
    refusal: isOk("description"),
  })),
  discord: httpProbe(({ username = "", password = "" }) => ({
    url: `https://discord.com/api/webhooks/${encodeURIComponent(username)}/${encodeURIComponent(password)}`,
  })),
  pushbullet: httpProbe(({ password = "" }) => ({
    url: "https://api.pushbullet.com/v2/users/me",
    headers: { "access-token": password },
  })),
  pushover: httpProbe(({ username = "", password = "" }) => ({
    url: "https://api.pushover.net/1/users/validate.json",
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ token: password, user: username }).toString(),
    refusal: (body) =>
      (body as { status?: unknown } | undefined)?.status === 1
        ? undefined
        : "it does not know this user and token.",
  })),
  opsgenie: get(
    (one) => below(hostOf(one, "api.opsgenie.com"), "v2/heartbeats"),
    // A key of an integration may not list these, and is known nevertheless.
    ({ password = "" }) => ({ headers: { authorization: `GenieKey ${password}` }, fine: [403] }),
  ),
  matrix: get(
    (one) => below(hostOf(one), "_matrix/client/v3/account/whoami"),
    ({ password }) => bearer(password),
  ),
  ntfy: get(
    (one) =>
      below(
        hostOf(one, "ntfy.sh").replace(/^https:/, one.insecureTls ? "http:" : "https:"),
        "v1/account",
      ),
    basic,
  ),
  zulip_chat: get((one) => below(hostOf(one), "api/v1/users/me"), basic),
  dynatrace: get(
    (one) =>
      below(
        /^https?:/.test(one.url ?? "")
          ? (one.url ?? "")
          : `${one.properties.scheme || "https"}://${one.url ?? ""}`,
        "api/v2/problems?pageSize=1",
      ),
    ({ password = "" }) => ({ headers: { authorization: `Api-Token ${password}` } }),
  ),
  openai: get(
    (one) => below(urlOf(one, "https://api.openai.com/v1"), "models"),
    ({ password }) => bearer(password),
  ),
  anthropic: get(
    (one) => below(urlOf(one, "https://api.anthropic.com"), "v1/models"),
    ({ password = "" }) => ({
      headers: { "x-api-key": password, "anthropic-version": "2023-06-01" },
    }),
  ),
  gemini: get(
    (one) => below(urlOf(one, "https://generativelanguage.googleapis.com"), "v1beta/models"),
    ({ password = "" }) => ({ headers: { "x-goog-api-key": password } }),
  ),
  ollama: get(
    (one) => below(urlOf(one, "http://localhost:11434"), "api/tags"),
    ({ password }) => bearer(password),
  ),
};
