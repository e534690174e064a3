import { scraperSpecs } from "@mainstay/contract";
import { createEvaluator } from "@mainstay/scripting";
import { kubeconfigOf } from "@mainstay/testkit/servers/index.ts";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { createConnector } from "#platform/outbound/connector.ts";
import { findScraperType } from "../index.ts";
import { eventOf, type ShopCluster, shopToken, startShop } from "../testing/shop-cluster.ts";
import { scrapeWith, type Told } from "../testing/scrape.ts";

/** Against the stand-in of an API server. */

let shop: ShopCluster;
beforeAll(async () => {
  shop = await startShop();
});
afterAll(() => shop.server.close());

const scrape = (more: object = {}): Promise<Told> =>
  scrapeWith("kubernetes", { clusterName: "prod", kubeconfig: shop.kubeconfig, ...more });
const uidOf = (name: string) => shop.objects.get(name)!.metadata.uid;

test("every kind is read, those that products have added too, and each object once", async () => {
  const { types, failures, notices } = await scrape();
  expect([failures, notices]).toEqual([[], []]);
  expect(types).toEqual({
    "Crossplane::Database": 1,
    "Kubernetes::Application": 1,
    "Kubernetes::Certificate": 1,
    "Kubernetes::Cluster": 1,
    "Kubernetes::ConfigMap": 1,
    "Kubernetes::CronJob": 1,
    "Kubernetes::Deployment": 1,
    "Kubernetes::HorizontalPodAutoscaler": 1,
    "Kubernetes::Ingress": 1,
    "Kubernetes::Kustomization": 1,
    "Kubernetes::Lease": 1,
    "Kubernetes::Namespace": 2,
    "Kubernetes::Node": 1,
    "Kubernetes::PersistentVolume": 1,
    "Kubernetes::PersistentVolumeClaim": 1,
    "Kubernetes::Pod": 2,
    "Kubernetes::ReplicaSet": 1,
    "Kubernetes::Secret": 1,
    "Kubernetes::Service": 1,
    "Kubernetes::ServiceAccount": 1,
    "Kubernetes::Widget": 1,
  });
});

test("an object is an item with what it is called, who it belongs to and how it is", async () => {
  const found = await scrape();
  expect(found.item("Kubernetes::Cluster", "prod")).toMatchObject({
    externalId: "Kubernetes/Cluster/prod",
    config: { gitVersion: "v1.31.4" },
    tags: { cluster: "prod" },
    parents: [],
  });
  const pod = found.item("Kubernetes::Pod", "web-7f9c-x1");
  expect(pod).toMatchObject({
    externalId: uidOf("Pod/web-7f9c-x1"),
    aliases: ["Kubernetes/prod/Pod/shop/web-7f9c-x1"],
    configClass: "Pod",
    status: "Running",
    health: "healthy",
    ready: true,
    labels: { app: "web", apiVersion: "v1", node: "n1", deployment: "web" },
    tags: { cluster: "prod", namespace: "shop", team: "buyers", tier: "1" },
    createdAt: new Date("2026-06-01T08:00:00Z"),
    parents: [
      { externalId: uidOf("ReplicaSet/web-7f9c") },
      { externalId: "Kubernetes/prod/Deployment/shop/web" },
      { externalId: "Kubernetes/prod/Namespace//shop" },
      { externalId: "Kubernetes/Cluster/prod" },
    ],
  });
  expect(pod.properties).toContainEqual({ name: "image", text: "shop:1" });
  // What had to go is gone, although the cluster still lists it.
  expect(found.item("Kubernetes::Pod", "web-7f9c-gone")).toMatchObject({
    health: "warning",
    status: "Evicted",
    deletedAt: new Date("2026-06-14T09:00:00Z"),
    deleteReason: "FROM_ATTRIBUTE",
  });
  const told = (type: string, name: string) => {
    const { health, status } = found.item(type, name);
    return [health, status];
  };
  expect(told("Kubernetes::Node", "n1")).toEqual(["healthy", "Ready"]);
  expect(told("Kubernetes::Deployment", "web")).toEqual(["healthy", "Running"]);
  expect(told("Kubernetes::Application", "shop-app")).toEqual(["unhealthy", "Degraded"]);
  expect(told("Kubernetes::Certificate", "web-tls")).toEqual(["unhealthy", "DoesNotExist"]);
  expect(told("Kubernetes::Kustomization", "apps")).toEqual(["healthy", "ReconciliationSucceeded"]);
  expect(told("Kubernetes::Widget", "wheel")).toEqual(["healthy", "Turning"]);
  expect(found.item("Kubernetes::Ingress", "web").properties).toEqual([
    {
      name: "host",
      text: "shop.example.org",
      links: [{ text: "shop.example.org", url: "https://shop.example.org" }],
    },
  ]);
});

test("what a Secret holds is never read out, and what changes by itself is left out", async () => {
  const found = await scrape();
  expect(JSON.stringify(found)).not.toMatch(/aHVudGVyMg|sesame-token/);
  expect(found.item("Kubernetes::Secret", "web-secret").config).toMatchObject({
    data: { password: "********" },
  });
  const before = (await scrape()).items;
  shop.update("Node/n1", ({ status }) => {
    status.conditions[0].lastHeartbeatTime = "2026-06-15T12:09:00Z";
    status.images.push({ names: ["other:1"] });
  });
  shop.update("HorizontalPodAutoscaler/web", ({ status }) => (status.currentMetrics = []));
  shop.update("Application/shop-app", ({ status }) => (status.reconciledAt = "12:09:00"));
  shop.update("Lease/leader", (lease) => (lease.spec.renewTime = "2026-06-15T12:09:00Z"));
  shop.update("ConfigMap/web-config", ({ metadata }) => {
    metadata.annotations = { "control-plane.alpha.kubernetes.io/leader": "{}" };
    metadata.managedFields = [{ manager: "another" }];
  });
  expect((await scrape()).items).toEqual(before);
  // Ten minutes on, nothing is told anew only because time has passed.
  const later = await scrapeWith(
    "kubernetes",
    { clusterName: "prod", kubeconfig: shop.kubeconfig },
    { now: new Date("2026-06-15T12:10:00Z") },
  );
  expect(later.items).toEqual(before);
});

test("objects are related to what they use, and to what leads to them", async () => {
  const found = await scrape();
  const relations = (type: string, name: string) =>
    found
      .item(type, name)
      .relations.map(({ relation, to, isIncoming }) => [
        relation,
        (to as { externalId: string }).externalId.replace("Kubernetes/prod/", ""),
        ...(isIncoming ? ["in"] : []),
      ]);
  expect(relations("Kubernetes::Pod", "web-7f9c-x1")).toEqual([
    ["NodePod", "Node//n1", "in"],
    ["ServicePod", "Service/shop/web", "in"],
    ["PodConfigMap", "ConfigMap/shop/web-config"],
    ["PodPersistentVolumeClaim", "PersistentVolumeClaim/shop/web-data"],
    ["PodSecret", "Secret/shop/web-secret"],
    ["PodServiceAccount", "ServiceAccount/shop/web"],
  ]);
  expect(relations("Kubernetes::Deployment", "web")).toEqual([
    ["DeploymentConfigMap", "ConfigMap/shop/web-config"],
    ["DeploymentPersistentVolumeClaim", "PersistentVolumeClaim/shop/web-data"],
    ["DeploymentSecret", "Secret/shop/web-secret"],
    ["DeploymentServiceAccount", "ServiceAccount/shop/web"],
    ["KustomizationDeployment", "Kustomization/flux-system/apps", "in"],
    ["ApplicationDeployment", "ArgoApplication/shop-app", "in"],
  ]);
  expect(relations("Kubernetes::Node", "n1")).toEqual([
    ["InstanceNode", "aws:///eu-central-1a/i-01", "in"],
  ]);
  expect(relations("Kubernetes::Ingress", "web")).toEqual([
    ["IngressService", "Service/shop/web"],
    ["IngressSecret", "Secret/shop/web-tls"],
  ]);
  expect(relations("Kubernetes::HorizontalPodAutoscaler", "web")).toEqual([
    ["HorizontalPodAutoscalerDeployment", "Deployment/shop/web"],
  ]);
  expect(relations("Kubernetes::PersistentVolumeClaim", "web-data")).toEqual([
    ["PersistentVolumeClaimPersistentVolume", "PersistentVolume//pv-1"],
    ["PersistentVolumeClaimStorageClass", "StorageClass//fast"],
  ]);
  expect(found.item("Kubernetes::Application", "shop-app").aliases).toContain(
    "Kubernetes/prod/ArgoApplication/shop-app",
  );
  expect(relations("Kubernetes::Certificate", "web-tls")).toEqual([
    ["CertificateSecret", "Secret/shop/web-tls"],
    ["CertificateClusterIssuer", "ClusterIssuer//letsencrypt"],
  ]);
});

test("a document's own relationships are found by fields of the object", async () => {
  const evaluator = createEvaluator();
  onTestFinished(() => evaluator.close());
  const { items, notices } = await scrapeWith(
    "kubernetes",
    {
      clusterName: "prod",
      kubeconfig: shop.kubeconfig,
      exclusions: { kind: ["!PersistentVolumeClaim"] },
      relationships: [
        {
          kind: { expr: "has(spec.volumeName) ? 'PersistentVolume' : ''" },
          name: { expr: "spec.volumeName" },
          namespace: { value: "" },
        },
        { kind: { value: "Pod" }, name: { label: "not-there" }, namespace: { label: "x" } },
        { kind: { expr: "nonsense(" }, name: { value: "a" }, namespace: { value: "a" } },
      ],
    },
    { evaluator },
  );
  const claim = items.find(({ name }) => name === "web-data")!;
  expect(claim.relations.at(-1)).toEqual({
    to: { externalId: "Kubernetes/prod/PersistentVolume//pv-1" },
    relation: "PersistentVolumeClaimPersistentVolume",
  });
  expect(notices).toEqual([expect.stringContaining("relationships.2.kind.expr: cel:")]);
});

test("what is left out", async () => {
  const types = async (more: object) => (await scrape(more)).types;
  expect(
    await types({
      exclusions: {
        kind: ["leases.coordination.k8s.io", "Secret", "config*", "rs", "ingresses.example.org"],
        name: ["*-gone"],
        namespace: ["kube-*", "argocd"],
        labels: { "kustomize.toolkit.fluxcd.io/name": "apps" },
      },
      selector: "",
    }),
  ).toEqual({
    ...(await types({})),
    "Kubernetes::Application": undefined,
    "Kubernetes::ConfigMap": undefined,
    "Kubernetes::Deployment": undefined,
    "Kubernetes::Lease": undefined,
    "Kubernetes::Namespace": 1,
    "Kubernetes::Pod": 1,
    "Kubernetes::ReplicaSet": undefined,
    "Kubernetes::Secret": undefined,
  });
  expect(await types({ selector: "app=web" })).toEqual({
    "Kubernetes::Cluster": 1,
    "Kubernetes::Pod": 2,
  });
  // Kinds that have no such field are asked without it, and sorted out here.
  expect(await types({ fieldSelector: "status.phase=Running" })).toEqual({
    "Kubernetes::Cluster": 1,
    "Kubernetes::Pod": 1,
  });
  const { "Kubernetes::Pod": pods, "Kubernetes::Lease": leases } = await types({
    fieldSelector: "status.phase!=Failed",
  });
  expect([pods, leases]).toEqual([1, 1]);
  const namespaced = await types({ scope: "namespaced" });
  expect(namespaced["Kubernetes::Node"]).toBeUndefined();
  expect(namespaced["Kubernetes::Pod"]).toBe(2);
  const own = await scrape({ namespace: "flux-system" });
  expect(own.types).toEqual({ "Kubernetes::Cluster": 1, "Kubernetes::Kustomization": 1 });
  expect(own.notices).toEqual([expect.stringContaining('get Namespace "flux-system"')]);
  shop.update("Widget/wheel", ({ metadata }) => {
    metadata.annotations = { "config-db.flanksource.com/ignore": "true" };
  });
  expect((await types({}))["Kubernetes::Widget"]).toBeUndefined();
});

test("events are changes of the objects that they are about", async () => {
  const cluster = await startShop();
  onTestFinished(() => cluster.server.close());
  const of = (name: string) => cluster.objects.get(name)!;
  cluster.update("Pod/web-7f9c-x1", ({ metadata }) => {
    metadata.annotations = {
      "config-db.flanksource.com/ignore-changes": "Pull*,Created",
      "config-db.flanksource.com/ignore-change-severity": "high",
    };
  });
  const pod = of("Pod/web-7f9c-x1");
  const old = { lastTimestamp: "2026-06-13T12:00:00Z" };
  const backOff = cluster.add(
    eventOf(pod, "BackOff", { type: "Warning", count: 17, message: "Back-off restarting" }),
  );
  for (const event of [
    eventOf(pod, "Pulled"),
    eventOf(pod, "FailedMount", { type: "Warning" }),
    eventOf(pod, "Killing"),
    eventOf(of("Node/n1"), "NodeNotReady"),
    eventOf(of("Deployment/web"), "ScalingReplicaSet", old),
    eventOf(of("Deployment/web"), "Left", { reason: "LeftOut" }),
    eventOf(of("Lease/leader"), "LeaderElection"),
    eventOf(of("Service/web"), "DeletedLoadBalancer", {
      lastTimestamp: null,
      eventTime: "2026-06-15T11:00:00.000000Z",
      series: { count: 4, lastObservedTime: "2026-06-15T11:45:00.000000Z" },
    }),
  ])
    cluster.add(event);
  const { changes, items } = await scrapeWith("kubernetes", {
    clusterName: "prod",
    kubeconfig: cluster.kubeconfig,
    since: "1d",
    exclusions: { kind: ["Lease"] },
    event: {
      exclusions: { reason: ["Left*"] },
      severityKeywords: { error: ["failed"], warn: ["notready"] },
    },
  });
  expect(items.some(({ configClass }) => configClass === "Event")).toBe(false);
  const told = changes.map(({ changeType, severity, count, item, action }) => [
    changeType,
    severity,
    count,
    item.externalId,
    action,
  ]);
  expect(told.toSorted(([one], [other]) => (String(one) < String(other) ? -1 : 1))).toEqual([
    ["BackOff", "medium", 17, pod.metadata.uid, "keep"],
    ["DeletedLoadBalancer", "info", 4, of("Service/web").metadata.uid, "keep"],
    ["Killing", "info", 1, pod.metadata.uid, "keep"],
    ["NodeNotReady", "medium", 1, "Kubernetes/prod/Node//n1", "keep"],
  ]);
  expect(changes.find(({ changeType }) => changeType === "BackOff")).toMatchObject({
    externalChangeId: backOff.metadata.uid,
    source: "kubernetes/kubelet",
    summary: "Back-off restarting",
    createdAt: new Date("2026-06-15T11:30:00Z"),
    details: { involvedObject: { kind: "Pod", name: "web-7f9c-x1" } },
  });
});

test("a kind that cannot be read is told, and the others are read", async () => {
  const cluster = await startShop({
    accounts: {
      [shopToken]: {
        user: "reader",
        rules: [{ verbs: ["list"], resources: ["pods", "services", "namespaces"] }],
      },
    },
  });
  onTestFinished(() => cluster.server.close());
  const spec = { clusterName: "prod", kubeconfig: cluster.kubeconfig };
  const { types, failures } = await scrapeWith("kubernetes", spec);
  expect(types).toMatchObject({ "Kubernetes::Pod": 2, "Kubernetes::Namespace": 2 });
  expect(failures).toContainEqual(
    expect.stringMatching(/cannot list Secret: .* answered 403 .*User "reader" cannot list/),
  );
  const asked = await scrapeWith("kubernetes", { ...spec, allowIncomplete: true });
  expect([asked.failures, asked.types]).toEqual([[], types]);
  expect(asked.notices).toContainEqual(expect.stringContaining("cannot list Secret"));
  // A cluster that is away is another thing.
  cluster.server.intercept = ({ path }, response) => {
    if (!path.endsWith("/pods")) return false;
    response.writeHead(502).end("bad gateway");
    return true;
  };
  const away = await scrapeWith("kubernetes", { ...spec, allowIncomplete: true });
  expect(away.failures).toEqual([expect.stringMatching(/cannot list Pod: .* answered 502/)]);
});

test("a page that ends in its middle is a failure of its kind alone", async () => {
  const cluster = await startShop();
  onTestFinished(() => cluster.server.close());
  for (let number = 0; number < 400; number += 1)
    cluster.add({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: `c-${number}`, namespace: "shop" },
    });
  const scrapeIt = () =>
    scrapeWith("kubernetes", { clusterName: "prod", kubeconfig: cluster.kubeconfig });
  const whole = await scrapeIt();
  expect([whole.failures, whole.types["Kubernetes::ConfigMap"]]).toEqual([[], 401]);
  const half =
    '{"kind":"ConfigMapList","apiVersion":"v1","metadata":{},"items":[{"metadata":{"name":';
  for (const [headers, message] of [
    [{ "content-length": `${half.length + 100}` }, /./],
    // Whoever stands between may end it well.
    [
      { "content-length": `${half.length}` },
      /cannot list ConfigMap: .* does not answer as a Kubernetes cluster/,
    ],
  ] as const) {
    cluster.server.intercept = ({ path, query }, response) => {
      if (!path.endsWith("/configmaps") || !query.has("continue")) return false;
      response.writeHead(200, { "content-type": "application/json", ...headers });
      response.write(half);
      setImmediate(() => response.destroy());
      return true;
    };
    const told = await scrapeIt();
    expect(told.failures).toEqual([expect.stringMatching(message)]);
    expect(told.unseen).toEqual(["Kubernetes::ConfigMap"]);
    expect(told.types).toEqual({ ...whole.types, "Kubernetes::ConfigMap": 250 });
  }
  cluster.server.intercept = undefined;
  expect((await scrapeIt()).types).toEqual(whole.types);
});

test("a kind of which there is no list has no objects", async () => {
  const cluster = await startShop();
  onTestFinished(() => cluster.server.close());
  cluster.server.intercept = ({ path }, response) => {
    if (!path.endsWith("/widgets")) return false;
    response.writeHead(405).end("");
    return true;
  };
  const told = await scrapeWith("kubernetes", { clusterName: "p", kubeconfig: cluster.kubeconfig });
  expect(told.failures).toEqual([]);
  expect(told.notices).toEqual([expect.stringMatching(/cannot list Widget: .* answered 405/)]);
});

test("no more is read ahead than a page of each kind that is under way", async () => {
  const cluster = await startShop();
  onTestFinished(() => cluster.server.close());
  let pages = 0;
  // A kind without end, of which nothing is kept.
  cluster.server.intercept = ({ path }, response) => {
    if (path !== "/api/v1/configmaps") return false;
    pages += 1;
    const items = Array.from({ length: 250 }, (_, number) => ({
      metadata: { name: `c${pages}-${number}`, namespace: "shop", uid: `${pages}/${number}` },
    }));
    response.end(JSON.stringify({ metadata: { continue: "more", resourceVersion: "1" }, items }));
    return true;
  };
  let taken = 0;
  for await (const found of findScraperType("kubernetes")!.scrape({
    spec: scraperSpecs.kubernetes.parse({ clusterName: "p", kubeconfig: cluster.kubeconfig }),
    signal: AbortSignal.timeout(20_000),
    connector: createConnector(),
    document: { name: "test", namespace: "default" },
    now: new Date(),
  } as never)) {
    if (found.kind === "item" && found.item.type === "Kubernetes::ConfigMap") taken += 1;
    expect(pages).toBeLessThanOrEqual(Math.ceil(taken / 250) + 1);
    if (taken === 5000) break;
  }
  expect(pages).toBeGreaterThan(18);
});

test("old clusters, groups that are away, and lists that are forgotten", async () => {
  const old = await startShop({ isOld: true });
  onTestFinished(() => old.server.close());
  const spec = { clusterName: "prod", kubeconfig: old.kubeconfig };
  old.server.intercept = ({ path }, response) => {
    if (path !== "/apis/example.org/v1beta1") return false;
    response.writeHead(503).end("");
    return true;
  };
  const found = await scrapeWith("kubernetes", spec);
  expect(found.failures).toEqual([expect.stringContaining("kinds of example.org/v1beta1")]);
  expect(found.types["Kubernetes::Ingress"]).toBe(1);
  for (let number = 0; number < 600; number += 1)
    old.add({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: `c${String(number).padStart(3, "0")}`, namespace: "shop" },
    });
  let pages = 0;
  old.server.intercept = ({ path, query }) => {
    if (path.endsWith("/configmaps") && query.get("continue") && (pages += 1) === 1)
      old.server.store.compact();
    return false;
  };
  const again = await scrapeWith("kubernetes", spec);
  expect(again.types["Kubernetes::ConfigMap"]).toBe(601);
  expect(again.failures).toEqual([]);
  expect(pages).toBeGreaterThan(2);
  const other = { ...spec, kubeconfig: { value: kubeconfigOf(old.server, { token: "wrong" }) } };
  await expect(scrapeWith("kubernetes", other)).rejects.toThrow(/answered 401/);
});
