import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { TLSSocket } from "node:tls";
import type { Certificates } from "./certificates.ts";
import {
  aggregatedDiscovery,
  apiVersionOf,
  coreVersions,
  groupList,
  resourceList,
  type ServedKind,
  standardKinds,
} from "./kubernetes-kinds.ts";
import {
  badRequest,
  forbidden,
  noSuchResource,
  statusBody,
  StatusError,
  tooManyRequests,
  unauthorized,
} from "./kubernetes-status.ts";
import { matchesFields, matchesLabels } from "./kubernetes-selectors.ts";
import { answerExec, type ExecAnswer } from "./kubernetes-exec.ts";
import { type ProxiedService, proxiedService, proxyToService } from "./kubernetes-proxy.ts";
import { createStore, type Store, type StoredObject } from "./kubernetes-store.ts";
import { listenHttp, listenHttps } from "./listen.ts";

/**
 * A stand-in for a Kubernetes API server, written from the public API conventions: discovery (aggregated and not),
 * tokens and client certificates, RBAC, paging, selectors, server-side apply, deletion, logs, tokens of service
 * accounts, the proxy of services, and `Status` objects in the server's own words. A hook plays the controllers.
 */

export interface Rule {
  verbs: readonly string[];
  /** In the plural; `*` is all. */
  resources: readonly string[];
  namespaces?: readonly string[];
}

export interface Account {
  /** As refusals name it. */
  user: string;
  rules: readonly Rule[];
}

export const everything: Rule = { verbs: ["*"], resources: ["*"] };

export interface KubernetesOptions {
  certificates?: Certificates | undefined;
  /** Who may ask, by token. */
  accounts?: Readonly<Record<string, Account>>;
  /** By the common name of a client certificate of the same authority. */
  certificateUsers?: Readonly<Record<string, Account>>;
  /** Servers before 1.26 list their kinds group by group. */
  isOld?: boolean;
  kinds?: readonly ServedKind[];
  /** What controllers and nodes do when an object is made. */
  onCreate?: (object: StoredObject, server: KubernetesServer) => void;
  /** Whether the object is gone at once, or stays until somebody takes it away. */
  onDelete?: (object: StoredObject, server: KubernetesServer) => boolean;
  /** What a program that is run in a container prints, and how it ends. */
  exec?: (pod: StoredObject, container: string, command: readonly string[]) => ExecAnswer;
  /** How long a watch lasts at most, whatever is asked for. */
  watchMs?: number;
  /** What a container has printed. */
  log?: (pod: StoredObject, container: string) => string | undefined;
}

export interface Asked {
  method: string;
  path: string;
  query: URLSearchParams;
  /** As whom. */
  user: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- a test names the shape it expects by what it asserts
  body: any;
  headers: IncomingMessage["headers"];
}

export interface KubernetesServer {
  url: string;
  port: number;
  store: Store;
  asked: readonly Asked[];
  kinds: readonly ServedKind[];
  kindOf(kind: string): ServedKind;
  add(manifest: object): StoredObject;
  /** In place of an answer, until it says no more: true means that it has been given. */
  intercept?: ((asked: Asked, response: ServerResponse) => boolean) | undefined;
  /** So many requests are refused with 429 from now on. */
  beBusy(times: number, retryAfterSeconds: number): void;
  close(): Promise<void>;
}

interface Target {
  kind: ServedKind;
  namespace?: string;
  name?: string;
  subresource?: string;
}

export async function startKubernetes(options: KubernetesOptions = {}): Promise<KubernetesServer> {
  const { certificates, accounts = {}, certificateUsers = {}, kinds = standardKinds } = options;
  const asked: Asked[] = [];
  const store = createStore();
  let busy = { times: 0, seconds: 0 };

  function whoAsks(request: IncomingMessage): Account {
    const [, token] = /^Bearer (.+)$/.exec(request.headers.authorization ?? "") ?? [];
    if (token !== undefined && Object.hasOwn(accounts, token)) return accounts[token]!;
    const socket = request.socket as Partial<TLSSocket>;
    if (token === undefined && socket.authorized) {
      const name = String(socket.getPeerCertificate?.().subject?.CN ?? "");
      if (Object.hasOwn(certificateUsers, name)) return certificateUsers[name]!;
    }
    throw unauthorized();
  }

  function targetOf(path: string): Target | undefined {
    const parts = path.split("/").filter(Boolean).map(decodeURIComponent);
    const [api, ...rest] = parts;
    const apiVersion = api === "api" ? rest.shift() : [rest.shift(), rest.shift()].join("/");
    let namespace: string | undefined;
    if (rest[0] === "namespaces" && rest.length > 2) [, namespace] = rest.splice(0, 2);
    const [plural, name, subresource] = rest;
    const kind = kinds.find((one) => apiVersionOf(one) === apiVersion && one.plural === plural);
    return (
      kind && {
        kind,
        ...(namespace && { namespace }),
        ...(name && { name }),
        ...(subresource && { subresource }),
      }
    );
  }

  function authorize({ user, rules }: Account, verb: string, target: Target): void {
    const { kind, namespace, name, subresource } = target;
    const plural = subresource ? `${kind.plural}/${subresource}` : kind.plural;
    const isAllowed = rules.some(
      (rule) =>
        (rule.verbs.includes("*") || rule.verbs.includes(verb)) &&
        (rule.resources.includes("*") || rule.resources.includes(plural)) &&
        (!rule.namespaces || (namespace !== undefined && rule.namespaces.includes(namespace))),
    );
    if (!isAllowed) throw forbidden(user, { verb, group: kind.group, plural, namespace, name });
  }

  function discover(path: string, accept: string): object | undefined {
    if (path === "/version")
      return { major: "1", minor: "31", gitVersion: "v1.31.4", platform: "linux/amd64" };
    const isAggregated = !options.isOld && accept.includes("as=APIGroupDiscoveryList");
    if (path === "/api") return isAggregated ? aggregatedDiscovery(kinds, true) : coreVersions;
    if (path === "/apis")
      return isAggregated ? aggregatedDiscovery(kinds, false) : groupList(kinds);
    const [, apiVersion] = /^\/(?:api\/(?=v1$)|apis\/(?=[^/]+\/[^/]+$))(.+)$/.exec(path) ?? [];
    return apiVersion === undefined ? undefined : resourceList(kinds, apiVersion);
  }

  function answer(
    { method, path, query, body }: Asked,
    account: Account,
    accept: string,
  ): { code: number; body: object | string } {
    const found = method === "GET" ? discover(path, accept) : undefined;
    if (found) return { code: 200, body: found };
    const target = targetOf(path);
    if (!target) throw noSuchResource();
    const { kind, namespace, name, subresource } = target;
    const verbs: Record<string, string> = {
      GET: name ? "get" : "list",
      POST: "create",
      PATCH: "patch",
      DELETE: "delete",
    };
    authorize(account, verbs[method] ?? "", target);
    if (subresource === "token" && name) {
      store.get(kind, namespace, name);
      return { code: 201, body: tokenOf(namespace ?? "", name, body) };
    }
    if (subresource === "log" && name) {
      const pod = store.get(kind, namespace, name);
      const container = query.get("container") ?? pod.spec?.containers?.[0]?.name ?? "";
      const printed = options.log?.(pod, container);
      if (printed === undefined)
        throw badRequest(
          `container "${container}" in pod "${name}" is waiting to start: ContainerCreating`,
        );
      return { code: 200, body: readLog(printed, query) };
    }
    if (subresource === "exec" && name) {
      store.get(kind, namespace, name);
      throw badRequest("Upgrade request required");
    }
    if (subresource) throw noSuchResource();
    if (method === "GET" && name) return { code: 200, body: store.get(kind, namespace, name) };
    if (method === "GET")
      return {
        code: 200,
        body: store.list(kind, {
          namespace,
          labelSelector: query.get("labelSelector") ?? undefined,
          fieldSelector: query.get("fieldSelector") ?? undefined,
          limit: Number(query.get("limit") ?? 0),
          from: query.get("continue") ?? undefined,
        }),
      };
    if (method === "POST" && !name) {
      if (body?.kind !== kind.kind)
        throw badRequest(`the object provided is unrecognized: no kind "${body?.kind}"`);
      const made = store.create(kind, namespace, body as StoredObject);
      options.onCreate?.(made, server);
      return { code: 201, body: made };
    }
    if (method === "PATCH" && name) {
      const { object, isNew } = store.apply(kind, namespace, body as StoredObject);
      if (isNew) options.onCreate?.(object, server);
      return { code: isNew ? 201 : 200, body: object };
    }
    if (method === "DELETE" && name) {
      const there = store.get(kind, namespace, name);
      const uid = body?.preconditions?.uid as string | undefined;
      if (options.onDelete && !options.onDelete(there, server)) {
        there.metadata.deletionTimestamp = new Date().toISOString();
        return { code: 200, body: there };
      }
      const gone = store.remove(kind, namespace, name, uid);
      if (kind.kind === "Namespace") store.empty(name);
      return { code: 200, body: gone };
    }
    throw noSuchResource();
  }

  /** Tells what happens, a line each, until the time is over; then how far it came. */
  function watch({ path, query }: Asked, account: Account, response: ServerResponse): void {
    const target = targetOf(path);
    if (!target || target.name) throw noSuchResource();
    authorize(account, "watch", target);
    const { kind, namespace } = target;
    const version = apiVersionOf(kind);
    const write = (type: string, object: string) =>
      response.write(`{"type":"${type}","object":${object}}\n`);
    const selector = query.get("fieldSelector") ?? "";
    const isSelected = (object: unknown) => {
      try {
        return matchesFields(selector, object, kind.fields ?? []);
      } catch (error) {
        throw badRequest((error as Error).message);
      }
    };
    isSelected({});
    response.writeHead(200, { "content-type": "application/json" });
    let stop = () => {};
    try {
      stop = store.watch(Number(query.get("resourceVersion") ?? 0), (change) => {
        if (
          change.kind === kind.kind &&
          change.apiVersion === version &&
          (namespace === undefined || change.namespace === namespace) &&
          matchesLabels(query.get("labelSelector") ?? "", change.labels)
        )
          // What no longer fits is gone from what is asked for.
          write(isSelected(JSON.parse(change.object)) ? change.type : "DELETED", change.object);
      });
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      write("ERROR", JSON.stringify(statusBody(error.refusal)));
      return void response.end();
    }
    const end = () => {
      clearTimeout(timer);
      stop();
      if (query.get("allowWatchBookmarks") === "true")
        write(
          "BOOKMARK",
          JSON.stringify({
            kind: kind.kind,
            apiVersion: version,
            metadata: { resourceVersion: String(store.version()) },
          }),
        );
      response.end();
    };
    const seconds = Number(query.get("timeoutSeconds") ?? 1800);
    const timer = setTimeout(end, Math.min(seconds * 1000, options.watchMs ?? Infinity));
    response.on("close", () => {
      clearTimeout(timer);
      stop();
    });
  }

  function proxy(
    service: ProxiedService,
    {
      one,
      account,
      request,
      response,
    }: { one: Asked; account: Account; request: IncomingMessage; response: ServerResponse },
  ): Promise<void> {
    const kind = server.kindOf("Service");
    const { namespace, name } = service;
    const verbs: Record<string, string> = { POST: "create", PUT: "update", DELETE: "delete" };
    authorize(account, verbs[one.method] ?? "get", { kind, namespace, name, subresource: "proxy" });
    const found = store
      .all(kind)
      .find(({ metadata }) => metadata.name === name && metadata.namespace === namespace);
    const query = new URL(request.url ?? "/", "http://stand-in").search;
    const body = typeof one.body === "string" ? one.body : "";
    return proxyToService(service, { service: found, request, query, body }, response);
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", "http://stand-in");
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString("utf8");
    const proxied = proxiedService(url.pathname);
    const send = (code: number, body: object | string, headers: Record<string, string> = {}) => {
      const isText = typeof body === "string";
      response.writeHead(code, {
        "content-type": isText ? "text/plain" : "application/json",
        ...headers,
      });
      response.end(isText ? body : `${JSON.stringify(body)}\n`);
    };
    try {
      const account = whoAsks(request);
      const one: Asked = {
        method: request.method ?? "",
        path: url.pathname,
        query: url.searchParams,
        user: account.user,
        body: text === "" ? undefined : proxied ? text : (JSON.parse(text) as unknown),
        headers: request.headers,
      };
      asked.push(one);
      if (busy.times > 0) {
        busy.times -= 1;
        throw tooManyRequests(busy.seconds);
      }
      if (server.intercept?.(one, response)) return;
      if (one.method === "GET" && /^(1|true)$/.test(one.query.get("watch") ?? ""))
        return watch(one, account, response);
      if (proxied) return await proxy(proxied, { one, account, request, response });
      const { code, body } = answer(one, account, request.headers.accept ?? "");
      send(code, body);
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      send(error.refusal.code, statusBody(error.refusal), error.refusal.headers);
    }
  }

  function upgrade(request: IncomingMessage, socket: Duplex): void {
    // The other side hanging up is what tests of clients do.
    socket.on("error", () => undefined);
    const url = new URL(request.url ?? "/", "http://stand-in");
    try {
      const account = whoAsks(request);
      const target = targetOf(url.pathname);
      asked.push({
        method: "CONNECT",
        path: url.pathname,
        query: url.searchParams,
        user: account.user,
        body: undefined,
        headers: request.headers,
      });
      if (target?.subresource !== "exec" || !target.name) throw noSuchResource();
      authorize(account, "create", target);
      const pod = store.get(target.kind, target.namespace, target.name);
      const answer = options.exec?.(
        pod,
        url.searchParams.get("container") ?? "",
        url.searchParams.getAll("command"),
      );
      if (!answer) throw badRequest("the container has not started");
      answerExec(request, socket, answer);
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      const body = JSON.stringify(statusBody(error.refusal));
      socket.end(
        `HTTP/1.1 ${error.refusal.code} Refused\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
      );
    }
  }

  const listener = (request: IncomingMessage, response: ServerResponse) => {
    void handle(request, response).catch((error: unknown) => {
      response.destroy(error as Error);
    });
  };
  const listening = await (certificates
    ? listenHttps(
        {
          cert: certificates.cert,
          key: certificates.key,
          ca: certificates.ca,
          requestCert: true,
          rejectUnauthorized: false,
        },
        listener,
        upgrade,
      )
    : listenHttp(listener, upgrade));
  const server: KubernetesServer = {
    url: `${certificates ? "https" : "http"}://127.0.0.1:${listening.port}`,
    port: listening.port,
    store,
    asked,
    kinds,
    kindOf(name) {
      const found = kinds.find((one) => one.kind === name);
      if (!found) throw new Error(`The stand-in serves no ${name}.`);
      return found;
    },
    add(manifest) {
      const object = manifest as StoredObject;
      const kind = kinds.find(
        (one) => one.kind === object.kind && apiVersionOf(one) === object.apiVersion,
      );
      if (!kind) throw new Error(`The stand-in serves no ${object.kind}.`);
      return store.create(kind, object.metadata.namespace, object);
    },
    beBusy: (times, seconds) => (busy = { times, seconds }),
    close: () => listening.close(),
  };
  return server;
}

const tokenOf = (
  namespace: string,
  name: string,
  body: { spec?: { expirationSeconds?: number } },
) => ({
  kind: "TokenRequest",
  apiVersion: "authentication.k8s.io/v1",
  metadata: { name, namespace },
  spec: body?.spec ?? {},
  status: {
    token: `token-of-${namespace}-${name}`,
    expirationTimestamp: new Date(
      Date.now() + (body?.spec?.expirationSeconds ?? 3600) * 1000,
    ).toISOString(),
  },
});

/** What is asked of a log: lines begin with the moment where it matters when they were printed. */
function readLog(printed: string, query: URLSearchParams): string {
  const number = (name: string) => Number(query.get(name) ?? Number.POSITIVE_INFINITY);
  const since = Date.parse(query.get("sinceTime") ?? "");
  const lines = printed.split(/(?<=\n)/).flatMap((line) => {
    const [, time] = /^(\d{4}-\S+) /.exec(line) ?? [];
    if (time === undefined) return [line];
    if (Date.parse(time) < since) return [];
    return [query.get("timestamps") === "true" ? line : line.slice(time.length + 1)];
  });
  const tail = number("tailLines");
  const last = lines.length > tail ? lines.slice(lines.length - tail) : lines;
  return last.join("").slice(0, number("limitBytes"));
}

/** A kubeconfig for the stand-in, as `kubectl config view --raw` prints one. */
export function kubeconfigOf(
  { url }: Pick<KubernetesServer, "url">,
  { token, ca, namespace }: { token?: string; ca?: string | undefined; namespace?: string },
): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [
      {
        name: "stand-in",
        cluster: {
          server: url,
          ...(ca && { "certificate-authority-data": Buffer.from(ca).toString("base64") }),
        },
      },
    ],
    users: [{ name: "tester", user: token ? { token } : {} }],
    contexts: [
      {
        name: "stand-in",
        context: { cluster: "stand-in", user: "tester", ...(namespace && { namespace }) },
      },
    ],
    "current-context": "stand-in",
  });
}
