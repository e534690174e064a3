import {
  kubeconfigOf,
  type Listening,
  listenHttp,
  type StoredObject,
} from "@mainstay/testkit/servers/index.ts";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import {
  lackImage,
  leaveWaiting,
  makeReady,
  startTestCluster,
  type TestCluster,
} from "../testing/test-cluster.ts";
import { tryCheck } from "../testing/try-check.ts";
import { pod } from "./pod.ts";

/** The cluster is the stand-in of an API server that the testkit has; what answers in the pod is a server of Node. */

const manifest = `
apiVersion: v1
kind: Pod
metadata:
  name: hello
  namespace: elsewhere
  labels: {app: hello}
spec:
  containers:
    - {name: app, image: hello}
`;

let cluster: TestCluster;
let app: Listening;
let answered = 0;
let answers: [code: number, body: string][] = [];

beforeAll(async () => {
  cluster = await startTestCluster();
  app = await listenHttp((_request, response) => {
    const [code, body] = answers[Math.min(answered, answers.length - 1)] ?? [200, "foo bar"];
    answered += 1;
    response.writeHead(code);
    response.end(body);
  });
});
afterEach(() => {
  // Nothing that a check made outlives it, however it ended.
  expect(cluster.names("Pod")).toEqual([]);
  expect(cluster.names("Service")).toEqual([]);
  expect(cluster.names("Ingress")).toEqual([]);
  cluster.onPod = undefined;
  cluster.isSlow = false;
  cluster.server.intercept = undefined;
  [answered, answers] = [0, []];
});
afterAll(async () => {
  await cluster?.server.close();
  await app?.close();
});

const attempt = (spec: object = {}, options: Parameters<typeof tryCheck>[2] = {}) =>
  tryCheck(pod, { spec: manifest, kubeconfig: cluster.kubeconfig, ...spec }, options);

test("made, given a node, ready, asked, deleted", async () => {
  const made: StoredObject[] = [];
  cluster.onPod = (one) => {
    made.push(structuredClone(one));
    makeReady(one);
  };
  const outcome = await attempt({
    namespace: "web",
    port: app.port,
    path: "foo/bar",
    expectedContent: "bar",
    expectedHttpStatuses: [200, 201],
    priorityClass: "low",
  });
  expect(outcome).toMatchObject({
    pass: true,
    message: expect.stringMatching(
      /^scheduled after .* ready after .* answered after .* gone after/,
    ) as string,
    details: {
      pod: expect.stringMatching(/^hello-[0-9a-f]{8}$/) as string,
      namespace: "web",
      node: "n1",
    },
  });
  expect(made[0]).toMatchObject({
    metadata: {
      namespace: "web",
      labels: { app: "hello", "app.kubernetes.io/managed-by": "mainstay" },
    },
    spec: { priorityClassName: "low", containers: [{ image: "hello" }] },
  });
  expect(pod.endpoint(pod.spec.parse({ name: "a", spec: manifest }))).toBe("");
});

test("without a port nothing is asked, and the namespace is the document's", async () => {
  const outcome = await attempt();
  expect(outcome).toMatchObject({ pass: true, details: { namespace: "default" } });
  expect(answered).toBe(0);
});

test("through an ingress that is made for it", async () => {
  const kept: StoredObject[] = [];
  cluster.server.intercept = ({ path, method }) => {
    if (method === "DELETE" && path.includes("/pods/"))
      kept.push(
        ...["Service", "Ingress"].flatMap((kind) =>
          cluster.server.store
            .all(cluster.server.kindOf(kind))
            .filter(({ apiVersion }) => apiVersion !== "example.org/v1beta1"),
        ),
      );
    return false;
  };
  const outcome = await attempt({
    port: 8080,
    path: "/foo",
    ingressHost: `localhost:${app.port}`,
    ingressName: "hello-ingress",
    ingressClass: "nginx",
  });
  expect(outcome).toMatchObject({ pass: true });
  const name = outcome.details!.pod;
  const owner = [{ kind: "Pod", name, uid: expect.any(String) as string }];
  expect(kept).toMatchObject([
    {
      metadata: { name, ownerReferences: owner },
      spec: { ports: [{ port: 8080, targetPort: 8080 }] },
    },
    {
      metadata: { name: "hello-ingress", ownerReferences: owner },
      spec: {
        ingressClassName: "nginx",
        rules: [{ host: "localhost", http: { paths: [{ backend: { service: { name } } }] } }],
      },
    },
  ]);
});

test("asked again until the answer is good", async () => {
  answers = [
    [503, ""],
    [200, "not yet"],
    [200, "bar"],
  ];
  const outcome = await attempt({ port: app.port, expectedContent: "bar", httpRetryInterval: 1 });
  expect(outcome.pass).toBe(true);
  expect(answered).toBe(3);
});

test("nodes take turns", async () => {
  const hosts: string[] = [];
  cluster.onPod = (one) => {
    hosts.push(one.spec.nodeSelector?.["kubernetes.io/hostname"] as string);
    makeReady(one);
  };
  for (let turn = 0; turn < 3; turn += 1) await attempt({ roundRobinNodes: true });
  expect(hosts).toEqual(["host-n1", "host-n2", "host-n1"]);
});

const short = { ingressTimeout: 50, httpRetryInterval: 10 };

test.each<[string, object, ((pod: StoredObject) => void) | undefined, RegExp]>([
  [
    "no node",
    { scheduleTimeout: 50 },
    leaveWaiting,
    /^the pod hello-\w+ was not given a node within 50 ms: .*0\/3 nodes are available/,
  ],
  [
    "no image",
    { readyTimeout: 50 },
    lackImage,
    /not ready within 50 ms: ImagePullBackOff: Back-off pulling/,
  ],
  [
    "a pod that ends",
    {},
    (one) => {
      makeReady(one);
      one.status.phase = "Failed";
      one.status.message = "out of luck";
    },
    /ended before it was ready: Failed: out of luck/,
  ],
  [
    "another code",
    { expectedHttpStatuses: [404], ...short },
    undefined,
    /it answered 200, wanted 404/,
  ],
  ["another content", { expectedContent: "quux", ...short }, undefined, /does not contain "quux"/],
  ["nobody in the pod", { port: 1, ...short }, undefined, /connection refused by 127\.0\.0\.1:1/],
  ["an ingress without a port", { port: undefined, ingressHost: "a" }, undefined, /needs the port/],
])("fails: %s", async (_name, spec, onPod, error) => {
  cluster.onPod = onPod;
  const outcome = await attempt({ port: app.port, ...spec });
  expect(outcome).toMatchObject({ pass: false, details: { pod: expect.any(String) as string } });
  expect(outcome.error).toMatch(error);
});

test("a pod that does not go, a deadline, and a time that is over", async () => {
  cluster.isSlow = true;
  expect((await attempt({ deleteTimeout: 50 })).error).toMatch(/was not gone 50 ms after/);
  cluster.isSlow = false;
  for (const one of cluster.server.store.all(cluster.server.kindOf("Pod")))
    cluster.server.store.remove(
      cluster.server.kindOf("Pod"),
      one.metadata.namespace,
      one.metadata.name,
    );
  cluster.onPod = leaveWaiting;
  expect(await attempt({ deadline: 150 })).toMatchObject({
    error: "not done by the deadline of 150 ms",
  });
  expect(await attempt({}, { timeoutMs: 200 })).toMatchObject({ error: "timed out after 200 ms" });
});

test("a cluster that refuses, or falls silent", async () => {
  const value = kubeconfigOf(cluster.server, { token: "token of a reader" });
  expect((await attempt({ kubeconfig: { value } })).error).toMatch(
    /cannot create Pod .* answered 403/,
  );
  cluster.server.intercept = ({ method }) => method === "POST";
  expect(await attempt({}, { timeoutMs: 300 })).toMatchObject({ error: "timed out after 300 ms" });
});

test("a token that the cluster does not know is refused, and not shown", async () => {
  const value = kubeconfigOf(cluster.server, { token: "sesame-of-nobody" });
  const outcome = await attempt({ kubeconfig: { value } });
  expect(outcome.error).toMatch(/answered 401 .*credentials/);
  expect(JSON.stringify(outcome)).not.toContain("sesame");
});

test("what an earlier run left behind is deleted", async () => {
  const run = await attempt();
  expect(run.pass).toBe(true);
  const labels = cluster.server.asked.findLast(({ method }) => method === "POST")?.body.metadata
    .labels as Record<string, string>;
  const left = { apiVersion: "v1", kind: "Pod", spec: { containers: [] } };
  const long = "2026-01-01T00:00:00Z";
  cluster.server.add({
    ...left,
    metadata: { name: "left", namespace: "default", labels, creationTimestamp: long },
  });
  await attempt();
});

test.each<[string, string | undefined, RegExp]>([
  ["nothing", undefined, /none of a pod/],
  ["a service", "kind: Service\nspec: {}", /none of a pod/],
  ["no YAML", "a: [", /is no YAML/],
])("a manifest that is %s", async (_name, spec, error) => {
  const outcome = await attempt({ spec });
  expect(outcome).toMatchObject({ pass: false, invalid: true });
  expect(outcome.error).toMatch(error);
});
