import { createEvaluator } from "@mainstay/scripting";
import {
  kubeconfigOf,
  type Listening,
  listenHttp,
  type StoredObject,
} from "@mainstay/testkit/servers/index.ts";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { lend } from "../../runner/lend.ts";
import { runnableCheck } from "../../runner/runnable-check.ts";
import {
  leaveWaiting,
  makeReady,
  startTestCluster,
  type TestCluster,
} from "../testing/test-cluster.ts";
import { tryCheck } from "../testing/try-check.ts";
import { kubernetesResource } from "./kubernetes-resource.ts";

/** The cluster is the stand-in of an API server that the testkit has; checks and scripts are run as a server does. */

const evaluator = createEvaluator();
const lent = lend({
  parts: { evaluator },
  place: {
    canary: { id: "", name: "c", namespace: "default", labels: {} },
    intervalMs: undefined,
  },
  namespace: "default",
  prepare: runnableCheck,
});

const pod = (name: string, more: object = {}) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, ...more },
  spec: { containers: [{ name: "app", image: "hello" }] },
});
const ingress = {
  apiVersion: "networking.k8s.io/v1",
  kind: "Ingress",
  metadata: { name: "front", namespace: "web" },
  spec: { rules: [{ host: "shop.example" }] },
};

let cluster: TestCluster;
let app: Listening;
let hosts: (string | undefined)[] = [];
let codes: number[] = [];
beforeAll(async () => {
  cluster = await startTestCluster();
  app = await listenHttp((request, response) => {
    hosts.push(request.headers.host);
    response.writeHead(codes.shift() ?? 200);
    response.end();
  });
});
afterEach(() => {
  // Nothing of what is made outlives the check, however it ended.
  expect(cluster.names("Pod").filter((name) => name !== "theirs")).toEqual([]);
  cluster.onPod = undefined;
  cluster.isSlow = false;
  cluster.server.intercept = undefined;
  [hosts, codes] = [[], []];
});
afterAll(async () => {
  await evaluator.close();
  await cluster?.server.close();
  await app?.close();
});

const attempt = (spec: object = {}, options: Parameters<typeof tryCheck>[2] = {}) =>
  tryCheck(
    kubernetesResource,
    { resources: [pod("made")], kubeconfig: cluster.kubeconfig, ...spec },
    { lent, ...options },
  );
const http = (more: object = {}) => ({
  http: [{ name: "front", url: `http://127.0.0.1:${app.port}/`, ...more }],
});
const soon = { waitFor: { timeout: "200ms", interval: "20ms" } };

test("made, waited for, checked with what was made, deleted; static objects stay", async () => {
  const outcome = await attempt({
    staticResources: [{ Object: ingress }],
    resources: [pod("made"), pod("other", { namespace: "web" })],
    checks: [
      http({
        headers: [
          {
            name: "Host",
            value: "{{(index ((index .staticResources 0).Object.spec.rules) 0).host}}",
          },
        ],
      }),
      {
        kubernetes: [
          {
            name: "there",
            kind: "Pod",
            kubeconfig: cluster.kubeconfig,
            resource: { name: "made" },
            test: { expr: 'results[0].Object.status.phase == "Running" && resources.size() == 2' },
          },
        ],
      },
    ],
    checkRetries: { delay: "10ms", interval: "10ms" },
  });
  expect(outcome.error).toBeUndefined();
  expect(outcome).toMatchObject({
    pass: true,
    message: "2 objects made, 2 checks passed",
    details: {
      resources: [
        { kind: "Pod", namespace: "default", name: "made", health: "healthy", ready: true },
        { kind: "Pod", namespace: "web", name: "other" },
      ],
      checks: [
        { name: "front", type: "http", pass: true },
        { name: "there", type: "kubernetes", pass: true },
      ],
    },
  });
  expect(hosts).toEqual(["shop.example"]);
  expect(outcome.data!()).toMatchObject({
    resources: [{ kind: "Pod", Object: { kind: "Pod" } }, {}],
    health: { "default/made": { health: "healthy", ready: true } },
    display: "default/made: Running\nweb/other: Running",
  });
  expect(cluster.names("Ingress")).toEqual(["front"]);
});

test("an expression says when all is there", async () => {
  const expr =
    "dyn(resources).all(r, k8s.isHealthy(r)) && resources[0].Object.metadata.name == 'made'";
  expect(await attempt({ waitFor: { expr } })).toMatchObject({ pass: true });
  const never = await attempt({ waitFor: { ...soon.waitFor, expr: "false" } });
  expect(never.error).toBe("waitFor.expr did not hold within 200 ms: Pod default/made is Running");
  expect((await attempt({ waitFor: { expr: "nonsense(" } })).error).toMatch(
    /^waitFor\.expr: cel:1/,
  );
});

test("nothing is waited for of what has no state", async () => {
  const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "settings" }, data: {} };
  expect(await attempt({ resources: [map, pod("made")] })).toMatchObject({ pass: true });
  const widget = { apiVersion: "example.org/v1beta1", kind: "Widget", metadata: { name: "w" } };
  expect((await attempt({ resources: [widget], ...soon })).error).toMatch(
    /^not everything was ready/,
  );
});

test("a pod that has ended is there as well", async () => {
  cluster.onPod = (one) => {
    makeReady(one);
    one.status = {
      phase: "Succeeded",
      containerStatuses: [{ name: "app", state: { terminated: { exitCode: 0 } } }],
    };
  };
  expect(await attempt()).toMatchObject({ pass: true });
});

test.each<[string, object, ((pod: StoredObject) => void) | undefined, RegExp]>([
  [
    "never ready",
    soon,
    leaveWaiting,
    /^not everything was ready within 200 ms: Pod default\/made is Unschedulable/,
  ],
  [
    "broken",
    {},
    (one) => {
      makeReady(one);
      one.status = { phase: "Failed", message: "out of luck" };
    },
    /^Pod default\/made is Failed: out of luck/,
  ],
  [
    "a check that fails",
    { checks: [{ tcp: [{ name: "port", endpoint: "127.0.0.1:1" }] }] },
    undefined,
    /^port: connection refused/,
  ],
  [
    "a check that is none",
    { checks: [{ http: [{ name: "x", url: 5 }] }] },
    undefined,
    /^http\.0\.url: /,
  ],
  [
    "a check of its own kind",
    { checks: [{ kubernetesResource: [{ name: "x", resources: [] }] }] },
    undefined,
    /cannot stand within another/,
  ],
  [
    "a kind that is not there",
    { resources: [{ apiVersion: "v1", kind: "Gadget", metadata: { name: "x" } }] },
    undefined,
    /no kind "Gadget"/,
  ],
  [
    "an object without a name",
    { resources: [{ apiVersion: "v1", kind: "Pod", metadata: {} }] },
    undefined,
    /needs apiVersion, kind and metadata\.name/,
  ],
  [
    "the second cannot be made",
    { resources: [pod("made"), pod("Bad Name")] },
    undefined,
    /cannot create Pod "Bad Name" .*422/,
  ],
])("fails: %s", async (_name, spec, onPod, error) => {
  cluster.onPod = onPod;
  const outcome = await attempt(spec);
  expect(outcome.pass).toBe(false);
  expect(outcome.error).toMatch(error);
});

test("checks are tried again as often as the document says", async () => {
  codes = [500, 500];
  expect(await attempt({ checks: [http()], checkRetries: { interval: "10ms" } })).toMatchObject({
    pass: true,
  });
  expect(hosts).toHaveLength(3);
  codes = [500, 500, 500];
  const outcome = await attempt({
    checks: [http()],
    checkRetries: { interval: "10ms", maxRetries: 1 },
  });
  expect(outcome).toMatchObject({
    pass: false,
    error: expect.stringMatching(/^front: .*500/) as string,
  });
  expect(hosts).toHaveLength(5);
});

test("what somebody else made stays, unless the document says otherwise", async () => {
  cluster.server.add(pod("theirs", { namespace: "default" }));
  const taken = await attempt({ resources: [pod("theirs")] });
  expect(taken).toMatchObject({ pass: false, invalid: true });
  expect(taken.error).toMatch(
    /^Pod default\/theirs is there already and was not made by this check/,
  );
  expect(cluster.names("Pod")).toEqual(["theirs"]);
  expect(await attempt({ resources: [pod("theirs")], clearResources: true })).toMatchObject({
    pass: true,
  });
  expect(cluster.names("Pod")).toEqual([]);
});

test("everything goes when the time is over, and a cluster that refuses is named", async () => {
  cluster.onPod = leaveWaiting;
  expect(
    await attempt({ resources: [pod("made"), pod("other")] }, { timeoutMs: 300 }),
  ).toMatchObject({
    error: "timed out after 300 ms",
  });
  const value = kubeconfigOf(cluster.server, { token: "token of a reader" });
  expect((await attempt({ kubeconfig: { value } })).error).toMatch(
    /cannot create Pod "made" .* 403/,
  );
  cluster.onPod = undefined;
  expect(await attempt({ waitFor: { delete: true } })).toMatchObject({ pass: true });
  expect(await attempt({ checks: [http()] }, { lent: undefined })).toMatchObject({ untried: true });
});

test("a token that the cluster does not know is refused, and not shown", async () => {
  const value = kubeconfigOf(cluster.server, { token: "sesame-of-nobody" });
  const outcome = await attempt({ kubeconfig: { value } });
  expect(outcome.error).toMatch(/answered 401 .*credentials/);
  expect(JSON.stringify(outcome)).not.toContain("sesame");
});

test("at most ten objects", () => {
  const many = Array.from({ length: 6 }, (_, index) => pod(`p${index}`));
  const spec = { name: "a", resources: many, staticResources: many };
  expect(kubernetesResource.spec.safeParse(spec).error?.issues[0]?.message).toMatch(
    /12 objects, at most 10/,
  );
  const parsed = kubernetesResource.spec.parse({ name: "a", resources: [pod("made")] });
  expect(kubernetesResource.endpoint(parsed)).toBe("Pod made");
});
