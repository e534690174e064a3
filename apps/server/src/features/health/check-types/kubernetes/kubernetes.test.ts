import { writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  everything,
  freePort,
  kubeconfigOf,
  type KubernetesServer,
  removeFolder,
  startKubernetes,
  temporaryFolder,
} from "@mainstay/testkit/servers/index.ts";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { readKubeconfig } from "#platform/kubernetes/kubeconfig.ts";
import { createConnector } from "#platform/outbound/connector.ts";
import { tryCheck } from "../testing/try-check.ts";
import { kubernetes } from "./kubernetes.ts";

/** The cluster is the stand-in of an API server that the testkit has. */

const token = "sesame-token-of-the-admin";
let server: KubernetesServer;
let folder: string;

const pod = (name: string, namespace: string, { ready = true, labels = {} } = {}) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name,
    namespace,
    labels,
    creationTimestamp: "2026-01-01T00:00:00Z",
  },
  spec: { containers: [{ name: "app" }] },
  status: {
    phase: "Running",
    startTime: "2026-01-01T00:00:00Z",
    conditions: [{ type: "Ready", status: ready ? "True" : "False" }],
    containerStatuses: [
      ready
        ? { name: "app", ready, restartCount: 0 }
        : {
            name: "app",
            ready,
            restartCount: 9,
            state: { waiting: { reason: "CrashLoopBackOff", message: "back-off 5m0s" } },
          },
    ],
  },
});

beforeAll(async () => {
  server = await startKubernetes({
    accounts: {
      [token]: { user: "admin", rules: [everything] },
      "sesame-token-of-a-reader": {
        user: "system:serviceaccount:web:reader",
        rules: [{ verbs: ["get", "list"], resources: ["pods"], namespaces: ["web"] }],
      },
    },
  });
  for (const [name, labels] of Object.entries({
    web: { tier: "front" },
    db: { tier: "back" },
    "kube-system": {},
  }))
    server.add({
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name, labels },
      status: { phase: "Active" },
    });
  server.add(pod("shop-1", "web", { labels: { app: "shop" } }));
  server.add(pod("shop-2", "web", { labels: { app: "shop" } }));
  server.add(pod("cart", "web"));
  server.add(pod("broken", "db", { ready: false }));
  server.add(pod("dns", "kube-system"));
  server.add({
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: "n1", creationTimestamp: "2026-01-01T00:00:00Z" },
    status: { conditions: [{ type: "Ready", status: "True" }] },
  });
  server.add({
    apiVersion: "v1",
    kind: "Secret",
    metadata: {
      name: "keys",
      namespace: "web",
      annotations: { "kubectl.kubernetes.io/last-applied-configuration": "sesame-secret" },
    },
    data: { password: "sesame-secret" },
    stringData: { other: "sesame-secret" },
  });
  folder = temporaryFolder("kubernetes-check");
});
afterEach(() => (server.intercept = undefined));
afterAll(async () => {
  await server?.close();
  if (folder) removeFolder(folder);
});

const config = (as = token) => kubeconfigOf(server, { token: as });
const attempt = (spec: object, options: Parameters<typeof tryCheck>[2] = {}) =>
  tryCheck(kubernetes, { kind: "Pod", kubeconfig: config(), ...spec }, options);
const web = { namespaceSelector: { name: "web" } };

interface Found {
  Object: { metadata: { name: string }; healthStatus: Record<string, unknown> };
}
const names = async (spec: object) => {
  const outcome = await attempt(spec);
  const { results } = (outcome.data?.() ?? {}) as unknown as { results?: Found[] };
  return (results ?? []).map(({ Object: { metadata } }) => metadata.name);
};

test("what scripts see: objects with their health, as the family writes them", async () => {
  const outcome = await attempt({ namespaceSelector: { name: "db" } });
  expect(outcome).toMatchObject({
    pass: true,
    message: '1 Pod in the namespace "db"',
    details: {
      count: 1,
      objects: [
        {
          kind: "Pod",
          namespace: "db",
          name: "broken",
          health: "unhealthy",
          status: "CrashLoopBackOff",
          ready: false,
        },
      ],
    },
  });
  const { results } = outcome.data!() as unknown as { results: Found[] };
  expect(results).toMatchObject([
    {
      Object: {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name: "broken" },
        status: { phase: "Running" },
        healthStatus: { health: "unhealthy", status: "CrashLoopBackOff", ready: false },
      },
    },
  ]);
  expect(JSON.stringify(results)).not.toContain("managedFields");
});

test.each<[string, object, string[]]>([
  ["one namespace", web, ["cart", "shop-1", "shop-2"]],
  [
    "all namespaces",
    { namespaceSelector: { name: "*" } },
    ["broken", "dns", "cart", "shop-1", "shop-2"],
  ],
  [
    "some namespaces",
    { namespaceSelector: { name: "!kube-*" } },
    ["broken", "cart", "shop-1", "shop-2"],
  ],
  ["namespaces of two names", { namespaceSelector: { name: "db,kube-system" } }, ["broken", "dns"]],
  ["namespaces by label", { namespaceSelector: { labelSelector: "tier in (back)" } }, ["broken"]],
  [
    "a search of namespaces",
    { namespaceSelector: { search: "labels.tier=front" } },
    ["cart", "shop-1", "shop-2"],
  ],
  ["one name", { ...web, resource: { name: "cart" } }, ["cart"]],
  ["names by pattern", { ...web, resource: { name: "shop-*" } }, ["shop-1", "shop-2"]],
  ["labels", { ...web, resource: { labelSelector: "app=shop" } }, ["shop-1", "shop-2"]],
  ["fields", { ...web, resource: { fieldSelector: "metadata.name!=cart" } }, ["shop-1", "shop-2"]],
  ["a search", { ...web, resource: { search: "shop | name=c*t" } }, ["cart", "shop-1", "shop-2"]],
  [
    "health in a search",
    { namespaceSelector: { name: "*" }, resource: { search: "health=unhealthy" } },
    ["broken"],
  ],
  ["ignored names", { ...web, ignore: ["shop-*", "nothing"] }, ["cart"]],
  ["the namespace of the document, where there is none", { namespaceSelector: {} }, []],
  ["what is in no namespace", { kind: "Node" }, ["n1"]],
  [
    "a kind with its group",
    { kind: "Pod", apiVersion: "v1", ...web },
    ["cart", "shop-1", "shop-2"],
  ],
])("selects %s", async (_name, spec, expected) => {
  expect(await names(spec)).toEqual(expected);
});

test("healthy and ready count, and none at all unless a test says otherwise", async () => {
  expect(await attempt({ ...web, healthy: true, ready: true })).toMatchObject({ pass: true });
  const everywhere = { namespaceSelector: { name: "*" } };
  const unhealthy = await attempt({ ...everywhere, healthy: true });
  expect(unhealthy).toMatchObject({
    pass: false,
    error: "db/broken is not healthy (CrashLoopBackOff: back-off 5m0s)",
  });
  expect(unhealthy.isDefaultVerdict).toBeUndefined();
  expect((await attempt({ ...everywhere, ready: true })).error).toMatch(/^db\/broken is not ready/);
  expect(await attempt({ ...web, resource: { name: "none" } })).toMatchObject({
    pass: false,
    isDefaultVerdict: true,
    error: 'no Pod found in the namespace "web"',
  });
  expect((await attempt({ namespaceSelector: { name: "x*" } })).error).toBe(
    "no Pod found (no namespace is selected)",
  );
  expect((await attempt({})).error).toBe('no Pod found in the namespace "default"');
});

test("what a Secret holds shows to nobody", async () => {
  const outcome = await attempt({ kind: "Secret", ...web });
  expect(outcome.pass).toBe(true);
  const { results } = outcome.data!() as unknown as { results: { Object: object }[] };
  expect(results[0]!.Object).toMatchObject({ data: { password: "********" } });
  expect(JSON.stringify([outcome, results])).not.toContain("sesame");
});

test("the server's own cluster, a kubeconfig as a file, and none", async () => {
  const own = createConnector({
    deny: ["127.0.0.0/8"],
    findCluster: () => readKubeconfig([config()], { isOwn: true }),
  });
  const spec = { ...web, kubeconfig: undefined };
  expect(await attempt(spec, { connector: own })).toMatchObject({ pass: true });
  expect(await attempt(web, { connector: own })).toMatchObject({
    pass: false,
    error: expect.stringContaining("not allowed by this server's address policy") as string,
  });
  const path = join(folder, "kubeconfig");
  writeFileSync(path, config());
  expect(await attempt({ ...web, kubeconfig: { value: path } })).toMatchObject({ pass: true });
  expect(await attempt(spec)).toMatchObject({
    pass: false,
    invalid: true,
    error: expect.stringContaining("this server has no Kubernetes cluster") as string,
  });
});

test.each<[string, () => object | Promise<object>, RegExp]>([
  ["a wrong token", () => ({ kubeconfig: config("sesame-wrong") }), /answered 401 .*credentials/],
  [
    "no right",
    () => ({ kubeconfig: config("sesame-token-of-a-reader"), namespaceSelector: { name: "db" } }),
    /answered 403 .*: pods is forbidden: User "system:serviceaccount:web:reader" cannot list/,
  ],
  ["a kind that is not there", () => ({ kind: "Gadget" }), /the cluster knows no kind "Gadget"/],
  ["a bad selector", () => ({ ...web, resource: { labelSelector: "a b" } }), /answered 400/],
  ["a bad search", () => ({ ...web, resource: { search: "oddness=1" } }), /knows no "oddness"/],
  ["no kubeconfig", () => ({ kubeconfig: "sesame" }), /the kubeconfig cannot be read/],
  ["a file that is not there", () => ({ kubeconfig: "/sesame/none" }), /cannot be read \(ENOENT\)/],
  [
    "nobody there",
    async () => ({
      kubeconfig: kubeconfigOf({ url: `http://127.0.0.1:${await freePort()}` }, { token }),
    }),
    /connection refused by 127/,
  ],
])("fails: %s", async (_name, spec, error) => {
  const outcome = await attempt(await spec());
  expect(outcome.pass).toBe(false);
  expect(outcome.error).toMatch(error);
  if (!/ENOENT/.test(String(error))) expect(JSON.stringify(outcome)).not.toContain("sesame");
});

test("a cluster that says nothing, is busy, or repeats the token", async () => {
  server.intercept = () => true;
  expect(await attempt(web, { timeoutMs: 300 })).toMatchObject({ error: "timed out after 300 ms" });
  server.intercept = undefined;
  server.beBusy(2, 0);
  expect(await attempt(web)).toMatchObject({ pass: true });
  server.intercept = (_asked, response) => {
    response.writeHead(500, { "content-type": "application/json" });
    response.end(JSON.stringify({ kind: "Status", message: `cannot think of ${token}` }));
    return true;
  };
  const outcome = await attempt(web);
  expect(outcome.error).toMatch(/answered 500: cannot think of \[hidden\]/);
});

test.each<[string, object]>([
  ["no kind", { kind: "" }],
  ["a selector that is none", { resource: "app=web" }],
  ["too many ignored names", { ignore: Array.from({ length: 1001 }, () => "x") }],
])("refused when it is saved: %s", (_name, spec) => {
  expect(kubernetes.spec.safeParse({ name: "a", kind: "Pod", ...spec }).success).toBe(false);
});
