import {
  everything,
  freePort,
  kubeconfigOf,
  type KubernetesServer,
  type Listening,
  listenHttp,
  listenHttps,
  makeCertificates,
  startKubernetes,
} from "@mainstay/testkit/servers/index.ts";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { readKubeconfig } from "#platform/kubernetes/kubeconfig.ts";
import { createConnector } from "#platform/outbound/connector.ts";
import { tryCheck } from "../testing/try-check.ts";
import { http } from "./http.ts";

/** The cluster is the stand-in of an API server that the testkit has; the services behind it are real web servers. */

const token = "sesame-token-of-the-admin";
let cluster: KubernetesServer;
let shop: Listening;
let safe: Listening;
let seen: { method?: string; url?: string; authorization?: string; body: string }[] = [];
let kubeconfig: { value: string };

beforeAll(async () => {
  const certificates = makeCertificates();
  if (!certificates) throw new Error("openssl is needed");
  const listener: Parameters<typeof listenHttp>[0] = (request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      const { method, url, headers } = request;
      seen.push({
        ...(method && { method }),
        ...(url && { url }),
        ...(headers.authorization && { authorization: headers.authorization }),
        body,
      });
      const code = Number(/^\/status\/(\d+)/.exec(url ?? "")?.[1] ?? 200);
      const [, to] = /^\/redirect\?to=(.+)$/.exec(url ?? "") ?? [];
      if (to !== undefined) response.writeHead(302, { location: decodeURIComponent(to) }).end();
      else response.writeHead(code, { "content-type": "application/json" }).end('{"shop":"open"}');
    });
  };
  shop = await listenHttp(listener);
  safe = await listenHttps({ cert: certificates.cert, key: certificates.key }, listener);
  cluster = await startKubernetes({
    accounts: {
      [token]: { user: "admin", rules: [everything] },
      "sesame-token-of-a-reader": {
        user: "system:serviceaccount:web:reader",
        rules: [{ verbs: ["get", "list"], resources: ["services"] }],
      },
    },
  });
  const service = (name: string, port: number, address?: string) =>
    cluster.add({
      apiVersion: "v1",
      kind: "Service",
      metadata: {
        name,
        namespace: "web",
        ...(address && { annotations: { "test/address": address } }),
      },
      spec: { ports: [{ port }] },
    });
  service("shop", 80, `127.0.0.1:${shop.port}`);
  service("safe", 443, `127.0.0.1:${safe.port}`);
  service("gone", 8080, `127.0.0.1:${await freePort()}`);
  service("empty", 80);
  kubeconfig = { value: kubeconfigOf(cluster, { token }) };
});
afterAll(() => Promise.all([cluster.close(), shop.close(), safe.close()]));
beforeEach(() => {
  seen = [];
});

const ask = (url: string, more: object = {}) =>
  tryCheck(http, { url, kubernetes: { kubeconfig }, ...more });

test.each([
  ["http://shop.web/status/200?a=b%20c", "/status/200?a=b%20c"],
  ["http://shop.web.svc/", "/"],
  ["http://shop.web.svc.cluster.local:80/a%2Fb", "/a%2Fb"],
  ["https://safe.web/x", "/x"],
])("%s is asked for through the API server", async (url, path) => {
  const outcome = await ask(url);
  expect(outcome).toMatchObject({ pass: true, details: { code: 200, json: { shop: "open" } } });
  expect(seen).toEqual([{ method: "GET", url: path, body: "" }]);
  expect(outcome.expires).toBeUndefined();
  expect(outcome.details?.sslAge).toBeUndefined();
});

test("method, headers and body go along", async () => {
  const outcome = await ask("http://shop.web/orders", {
    method: "POST",
    body: "two apples",
    headers: [{ name: "X-Shop", value: "one" }],
  });
  expect(outcome.pass).toBe(true);
  expect(seen).toEqual([{ method: "POST", url: "/orders", body: "two apples" }]);
  expect(cluster.asked.at(-1)?.headers["x-shop"]).toBe("one");
});

test("the code of the service is judged, and a wanted one passes", async () => {
  expect(await ask("http://shop.web/status/404")).toMatchObject({
    pass: false,
    error: "answered 404, wanted 2xx",
  });
  const wanted = { responseCodes: [404] };
  expect(await ask("http://shop.web/status/404", wanted)).toMatchObject({ pass: true });
});

test.each([
  [
    "no such service",
    "http://nobody.web/",
    /cannot ask the service "nobody" in the namespace "web": .* answered 404.*not found/,
  ],
  ["a port that it has not", "http://shop.web:81/", /503.*no service port "81"/],
  ["no endpoints", "http://empty.web/", /503.*no endpoints available for service "empty"/],
  ["nobody who listens", "http://gone.web:8080/", /503.*error trying to reach service/],
])("fails for %s, in the words of the API server", async (_name, url, why) => {
  const outcome = await ask(url);
  expect(outcome.pass).toBe(false);
  expect(outcome.error).toMatch(why);
});

test.each([
  ["may not", "sesame-token-of-a-reader", /403.*cannot get resource "services\/proxy"/],
  ["is nobody", "sesame-nobody", /401 \(it does not accept the credentials/],
])("fails for one who %s; the token shows nowhere", async (_name, theirs, why) => {
  const outcome = await ask("http://shop.web/", {
    kubernetes: { kubeconfig: { value: kubeconfigOf(cluster, { token: theirs }) } },
  });
  expect(outcome.pass).toBe(false);
  expect(outcome.error).toMatch(why);
  expect(JSON.stringify(outcome)).not.toContain("sesame");
  expect(seen).toEqual([]);
});

test("redirects of the service are followed, and lead nowhere else with the credentials of the cluster", async () => {
  const to = (address: string) => `http://shop.web/redirect?to=${encodeURIComponent(address)}`;
  expect(await ask(to("/status/201"))).toMatchObject({ pass: true, details: { code: 201 } });
  const before = cluster.asked.length;
  for (const address of [
    "../../../secrets",
    "a/..%2f..%2f..%2f..%2fsecrets",
    "http://127.0.0.1:1/",
  ]) {
    const outcome = await ask(to(address));
    expect(outcome).toMatchObject({ pass: false });
    expect(outcome.error).toMatch(/^redirected to .*, which is not followed$/);
  }
  expect(cluster.asked.slice(before).map(({ path }) => path)).toEqual(
    Array(3).fill("/api/v1/namespaces/web/services/shop:80/proxy/redirect"),
  );
});

test.each<[string, object, RegExp]>([
  ["http://shop/", {}, /"shop" is no service of a cluster/],
  ["http://10.0.0.1/", {}, /no service/],
  ["http://www.example.com/", {}, /no service/],
  ["http://shop.web/a/%2e%2e%2f%2e%2e%2fx", {}, /leads up/],
  ["http://ann:sesame@shop.web/", {}, /^url: /],
  ["http://shop.web/", { username: "ann", password: "sesame" }, /^username, password: /],
  ["http://shop.web/", { headers: [{ name: "Authorization", value: "x" }] }, /^Authorization: /],
  [
    "http://shop.web/",
    {
      headers: [
        { name: "Impersonate-User", value: "admin" },
        { name: "impersonate-extra-scopes", value: "all" },
        { name: "X-Remote-Group", value: "system:masters" },
      ],
    },
    /^Impersonate-User, impersonate-extra-scopes, X-Remote-Group: /i,
  ],
  ["http://shop.web/", { crawl: {} }, /^crawl: /],
  ["https://safe.web/", { maxSSLExpiry: 7 }, /^maxSSLExpiry: /],
  [
    "http://shop.web/",
    { kubernetes: { kubeconfig: { value: "no: kubeconfig" } } },
    /current-context/,
  ],
  ["http://shop.web/", { kubernetes: {} }, /^this server has no Kubernetes cluster/],
])("%s with %j cannot be meant", async (url, more, why) => {
  const outcome = await ask(url, more);
  expect(outcome).toMatchObject({ pass: false, invalid: true });
  expect(outcome.error).toMatch(why);
  expect(seen).toEqual([]);
});

test("an empty mapping means the server's own cluster, which no policy judges", async () => {
  const connector = createConnector({
    deny: ["127.0.0.0/8"],
    findCluster: () => readKubeconfig([kubeconfig.value], { isOwn: true }),
  });
  const outcome = await tryCheck(http, { url: "http://shop.web/", kubernetes: {} }, { connector });
  expect(outcome).toMatchObject({ pass: true });
  const denied = await tryCheck(
    http,
    { url: "http://shop.web/", kubernetes: { kubeconfig } },
    { connector },
  );
  expect(denied.pass).toBe(false);
  expect(denied.error).toMatch(/address policy/);
});

test("an answer that does not come ends with the time of the check", async () => {
  cluster.intercept = ({ path }) => path.includes("/services/shop:80/proxy");
  try {
    expect(
      await tryCheck(
        http,
        { url: "http://shop.web/", kubernetes: { kubeconfig } },
        { timeoutMs: 300 },
      ),
    ).toMatchObject({ pass: false, error: "timed out after 300 ms" });
  } finally {
    cluster.intercept = undefined;
  }
});
