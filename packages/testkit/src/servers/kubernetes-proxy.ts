import { type IncomingMessage, request as sendHttp, type ServerResponse } from "node:http";
import { request as sendHttps } from "node:https";
import { notFound, StatusError } from "./kubernetes-status.ts";
import type { StoredObject } from "./kubernetes-store.ts";

/** `/api/v1/namespaces/web/services/https:shop:8443/proxy/a/b`, in its parts. */
export interface ProxiedService {
  namespace: string;
  scheme: "http" | "https";
  name: string;
  port: string;
  /** What stands before the path of the service. */
  prefix: string;
  /** As it was written. */
  path: string;
}

export function proxiedService(path: string): ProxiedService | undefined {
  const [, prefix, namespace, named, rest] =
    /^(\/api\/v1\/namespaces\/([^/]+)\/services\/([^/]+)\/proxy)(\/.*)?$/.exec(path) ?? [];
  if (prefix === undefined || namespace === undefined || named === undefined) return undefined;
  const parts = decodeURIComponent(named).split(":");
  const scheme = parts.length > 2 && parts[0] === "https" ? "https" : "http";
  const [name = "", port = ""] = parts.length > 2 ? parts.slice(1) : parts;
  return { namespace, scheme, name, port, prefix, path: rest ?? "/" };
}

const unavailable = (message: string) =>
  new StatusError({ code: 503, reason: "ServiceUnavailable", message });

/**
 * Hands a request on as an API server does: without the credentials that it was asked with, any certificate accepted,
 * redirects to the service itself turned into redirects below the proxy. Where the service really listens is an
 * annotation of it.
 */
export function proxyToService(
  { namespace, name, port, scheme, path, prefix }: ProxiedService,
  {
    service,
    request,
    query,
    body,
  }: {
    service: StoredObject | undefined;
    request: IncomingMessage;
    query: string;
    body: string;
  },
  response: ServerResponse,
): Promise<void> {
  if (!service) throw notFound("services", name);
  const served = (service.spec?.ports ?? []) as { port: number; name?: string }[];
  if (!served.some((one) => String(one.port) === port || one.name === port))
    throw unavailable(`no service port "${port}" found for service "${name}"`);
  const place = service.metadata.annotations?.["test/address"];
  if (place === undefined) throw unavailable(`no endpoints available for service "${name}"`);
  const { authorization: _ours, ...headers } = request.headers;
  const send = scheme === "https" ? sendHttps : sendHttp;
  return new Promise((fulfil, reject) => {
    const onward = send(
      `${scheme}://${place}${path}${query}`,
      { method: request.method ?? "GET", headers, rejectUnauthorized: false },
      (answer) => {
        const { location } = answer.headers;
        const target =
          location !== undefined && URL.canParse(location, `${scheme}://${place}`)
            ? new URL(location, `${scheme}://${place}`)
            : undefined;
        // What is relative to the page is left as it is.
        const isRewritten =
          /^(\/|https?:)/.test(location ?? "") &&
          [headers.host, place].includes(target?.host ?? "");
        response.writeHead(answer.statusCode ?? 502, {
          ...answer.headers,
          ...(target && isRewritten && { location: `${prefix}${target.pathname}${target.search}` }),
        });
        answer.pipe(response);
        answer.once("end", fulfil);
      },
    );
    onward.once("error", (error) =>
      reject(unavailable(`error trying to reach service: ${error.message} (${namespace}/${name})`)),
    );
    onward.end(body);
  });
}
