import { kubeconfigOf, type Listening, listenHttp } from "@mainstay/testkit/servers/index.ts";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { leaveWaiting, startTestCluster, type TestCluster } from "../testing/test-cluster.ts";
import { tryCheck } from "../testing/try-check.ts";
import { namespace } from "./namespace.ts";

/** The cluster is the stand-in of an API server that the testkit has. */

const podSpec =
  "kind: Pod\nmetadata: {name: hello}\nspec: {containers: [{name: app, image: hello}]}";

let cluster: TestCluster;
let app: Listening;
beforeAll(async () => {
  cluster = await startTestCluster();
  app = await listenHttp((_request, response) => response.end("bar"));
});
afterEach(() => {
  // Nothing that a check made outlives it, however it ended.
  expect(cluster.names("Namespace")).toEqual([]);
  expect(cluster.names("Pod")).toEqual([]);
  cluster.onPod = undefined;
  cluster.server.intercept = undefined;
});
afterAll(async () => {
  await cluster?.server.close();
  await app?.close();
});

const attempt = (spec: object = {}, options: Parameters<typeof tryCheck>[2] = {}) =>
  tryCheck(namespace, { podSpec, kubeconfig: cluster.kubeconfig, ...spec }, options);

test("a namespace, a pod in it that answers, and nothing afterwards", async () => {
  const outcome = await attempt({
    namespaceNamePrefix: "test-foo-",
    namespaceLabels: { team: "shop" },
    namespaceAnnotations: { why: "a check" },
    port: app.port,
    expectedContent: "bar",
  });
  expect(outcome).toMatchObject({
    pass: true,
    details: { namespace: expect.stringMatching(/^test-foo-[0-9a-f]{8}$/) as string, node: "n1" },
  });
  const { body } = cluster.server.asked.find(
    ({ path, method }) => method === "POST" && path === "/api/v1/namespaces",
  )!;
  expect(body.metadata).toMatchObject({
    labels: { team: "shop", "app.kubernetes.io/managed-by": "mainstay" },
    annotations: { why: "a check" },
  });
  expect(cluster.log()).toContain(
    `DELETE /api/v1/namespaces/${outcome.details!.namespace as string}`,
  );
});

test.each<[string, object, RegExp]>([
  ["no node", { schedule_timeout: 50 }, /not given a node within 50 ms/],
  ["no node, spelled as elsewhere", { scheduleTimeout: 60 }, /not given a node within 60 ms/],
  ["a deadline", { deadline: 150 }, /deadline of 150 ms/],
])("fails: %s", async (_name, spec, error) => {
  cluster.onPod = leaveWaiting;
  const outcome = await attempt(spec);
  expect(outcome.pass).toBe(false);
  expect(outcome.error).toMatch(error);
});

test("a token that the cluster does not know is refused, and not shown", async () => {
  const value = kubeconfigOf(cluster.server, { token: "sesame-of-nobody" });
  const outcome = await attempt({ kubeconfig: { value } });
  expect(outcome.error).toMatch(/answered 401 .*credentials/);
  expect(JSON.stringify(outcome)).not.toContain("sesame");
});

test("no right, no time, and no pod", async () => {
  const value = kubeconfigOf(cluster.server, { token: "token of a reader" });
  expect((await attempt({ kubeconfig: { value } })).error).toMatch(
    /cannot create Namespace .* 403/,
  );
  cluster.onPod = leaveWaiting;
  expect(await attempt({}, { timeoutMs: 250 })).toMatchObject({ error: "timed out after 250 ms" });
  expect(await attempt({ podSpec: "kind: Job" })).toMatchObject({ pass: false, invalid: true });
  expect(namespace.spec.safeParse({ name: "a", podSpec, namespaceNamePrefix: "A_" }).success).toBe(
    false,
  );
});
