import type { HttpSpec } from "@mainstay/contract";
import { connectorOf, pathOf, questionOf } from "#platform/kubernetes/ask-cluster.ts";
import { ClusterUnusable } from "#platform/kubernetes/cluster.ts";
import { isRefusal, refusal } from "#platform/kubernetes/kubernetes-error.ts";
import { clusterSecrets, findCluster } from "#platform/kubernetes/open-client.ts";
import type { Connector } from "#platform/outbound/connector.ts";
import { placeOf, portOf } from "#platform/outbound/http/address.ts";
import type { Exchange, ExchangeOptions, HttpRequest } from "#platform/outbound/http/exchange.ts";
import { readConnection } from "#platform/outbound/http/read-request.ts";
import { WrongSpec } from "../attempt-http.ts";

/** A request to a service of a cluster, which its API server passes on. */
export interface Passage {
  request: HttpRequest;
  /** The server's own cluster is not judged by the address policy. */
  connector: Connector;
  /** What the API server says itself in place of the service; undefined for an answer of the service. */
  refused(answer: Exchange): string | undefined;
}

/** The API server takes credentials and connections for itself, so what is about those of the service cannot be meant. */
const onlyDirect = [
  "username",
  "password",
  "bearer",
  "oauth2",
  "ntlm",
  "ntlmv2",
  "digest",
  "awsSigV4",
  "tlsConfig",
  "proxy",
  "maxSSLExpiry",
  // The pages' links lead to paths of the API server, where the credentials of the cluster open everything else.
  "crawl",
] as const satisfies readonly (keyof HttpSpec)[];

const label = /^[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const namespaceLabel = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** `service.namespace`, and what a cluster lets follow: `.svc.cluster.local`. */
function serviceOf(url: URL): { name: string; namespace: string } {
  const [name = "", namespace = "", suffix = "svc"] = url.hostname.split(".");
  if (!label.test(name) || !namespaceLabel.test(namespace) || suffix !== "svc")
    throw new WrongSpec(
      `"${url.hostname.slice(0, 100)}" is no service of a cluster: write http://service.namespace/path`,
    );
  return { name, namespace };
}

/** A path may not lead out of the service once its escapes are read. */
function leadsUp(path: string): boolean {
  let read: string;
  try {
    read = decodeURIComponent(path);
  } catch {
    return true;
  }
  return /(^|[/\\])\.{1,2}([/\\]|$)|\0/.test(read);
}

async function clusterOf(spec: HttpSpec, connector: Connector) {
  try {
    return await findCluster(spec.kubernetes?.kubeconfig?.value, { connector });
  } catch (error) {
    if (error instanceof ClusterUnusable) throw new WrongSpec(error.message);
    throw error;
  }
}

/** With these one asks an API server for others: as whom, or for whom a proxy before it does. */
const forOthers = /^(authorization|impersonate-.+|x-remote-.+)$/i;

/** Where the service is, and nothing that its API server would take for itself. */
function destination(spec: HttpSpec) {
  const { url, headers, auth } = readConnection({ url: spec.url ?? "", headers: spec.headers });
  const wrong = [
    ...onlyDirect.filter((key) => spec[key] !== undefined && spec[key] !== false),
    ...(auth ? ["url"] : []),
    ...Object.keys(headers).filter((name) => forOthers.test(name)),
  ];
  if (wrong.length > 0)
    throw new WrongSpec(
      `${wrong.join(", ")}: the API server of a cluster passes on neither credentials nor connections, so this cannot be meant beside kubernetes`,
    );
  return { url, headers };
}

/** @throws WrongConnection, WrongSpec */
export async function throughCluster(
  spec: HttpSpec,
  { connector }: Pick<ExchangeOptions, "connector">,
): Promise<Passage> {
  const { url, headers } = destination(spec);
  const { name, namespace } = serviceOf(url);
  if (leadsUp(url.pathname)) throw new WrongSpec("the path of the url leads up");
  const cluster = await clusterOf(spec, connector);
  const scheme = url.protocol === "https:" ? "https:" : "";
  const prefix = `${pathOf("api", "v1", "namespaces", namespace, "services")}/${scheme}${name}:${portOf(url)}/proxy`;
  const question = await questionOf(cluster, { path: `${prefix}${url.pathname}` });
  question.url.search = url.search;
  const { pathname } = new URL(cluster.url);
  const below = `${pathname.replace(/\/+$/, "")}${prefix}/`;
  const secrets = [
    ...clusterSecrets(cluster),
    ...(question.auth?.kind === "bearer" ? [question.auth.token] : []),
  ];
  return {
    request: {
      ...question,
      headers,
      method: spec.method,
      body: spec.body,
      maxRedirects: spec.maxRedirects,
      // Whatever the service says, the credentials of the cluster ask for nothing but the service.
      mayLead: (next) =>
        next.origin === question.url.origin &&
        next.pathname.startsWith(below) &&
        !leadsUp(next.pathname),
      tls: cluster.tls,
      ...(cluster.proxy && { proxy: cluster.proxy }),
      lent: secrets,
    },
    connector: connectorOf(cluster, connector),
    refused: (answer) =>
      isRefusal(answer)
        ? refusal(answer, {
            place: placeOf(cluster.url),
            task: `ask the service "${name}" in the namespace "${namespace}"`,
          }).message
        : undefined,
  };
}
