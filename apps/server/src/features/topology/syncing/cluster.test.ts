// Takes long: topologies are applied and run by the program's own worker.
import sql from "sql-template-tag";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  clusterKinds,
  everything,
  kubeconfigOf,
  type KubernetesServer,
  startKubernetes,
} from "@mainstay/testkit/servers/index.ts";
import { startTestApp, type TestApp } from "../../../testing/app.ts";
import { topologyRuns } from "../testing/topology-runs.ts";

/** A topology of a cluster, as older documents write it: components and what they use by the helpers of JavaScript. */

const token = "sesame-token";
let app: TestApp;
let cluster: KubernetesServer;
let { apply, again, componentsOf } = {} as ReturnType<typeof topologyRuns>;

const metrics = (kind: string, plural: string, isNamespaced: boolean) => ({
  group: "metrics.k8s.io",
  version: "v1beta1",
  kind,
  plural,
  isNamespaced,
});

beforeAll(async () => {
  cluster = await startKubernetes({
    accounts: { [token]: { user: "reader", rules: [everything] } },
    kinds: [
      ...clusterKinds,
      metrics("NodeMetrics", "nodes", false),
      metrics("PodMetrics", "pods", true),
    ],
  });
  app = await startTestApp();
  ({ apply, again, componentsOf } = topologyRuns(app));
});
afterAll(async () => {
  await app.stop();
  await cluster.close();
});

const pod = (name: string, isReady: boolean, nodeName = "node-1") => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "shop", labels: { app: "web" } },
  spec: {
    nodeName,
    restartPolicy: "Always",
    containers: [{ name: "web", image: "shop/web:1.2", resources: { limits: { cpu: "500m" } } }],
  },
  status: {
    podIP: "10.0.0.9",
    conditions: [{ type: "Ready", status: isReady ? "True" : "False" }],
  },
});

test("nodes with the pods that run on them, each with what it may use and what it uses", async () => {
  cluster.add({
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: "node-1", labels: { "topology.kubernetes.io/zone": "a" } },
    status: {
      allocatable: { cpu: "2", memory: "4Gi" },
      conditions: [{ type: "Ready", status: "True" }],
      nodeInfo: { osImage: "Debian", architecture: "amd64" },
    },
  });
  cluster.add(pod("web-1", true));
  cluster.add(pod("web-2", false));
  cluster.add({
    apiVersion: "metrics.k8s.io/v1beta1",
    kind: "NodeMetrics",
    metadata: { name: "node-1" },
    usage: { cpu: "250m", memory: "1Gi" },
  });
  cluster.add({
    apiVersion: "metrics.k8s.io/v1beta1",
    kind: "PodMetrics",
    metadata: { name: "web-1", namespace: "shop" },
    containers: [{ name: "web", usage: { cpu: "100m", memory: "64Mi" } }],
  });
  const asked = (kind: string, helper: string) => ({
    kubernetes: [
      {
        name: kind,
        kind,
        ready: false,
        ...(kind.startsWith("Pod") && { namespaceSelector: { name: "*" } }),
        kubeconfig: { value: kubeconfigOf(cluster, { token }) },
        display: { javascript: `JSON.stringify(k8s.${helper}(results))` },
      },
    ],
  });
  const { id, run } = await apply(
    {
      type: "KubernetesCluster",
      components: [
        {
          name: "nodes",
          type: "KubernetesNodes",
          components: [
            {
              name: "found",
              id: { javascript: 'properties.zone + "/" + self.name' },
              lookup: asked("Node", "getNodeTopology"),
              properties: [
                { name: "node-metrics", lookup: asked("NodeMetrics", "getNodeMetrics") },
              ],
            },
          ],
        },
        {
          name: "pods",
          type: "KubernetesPods",
          components: [
            {
              name: "found",
              icon: "pod",
              lookup: asked("Pod", "getPodTopology"),
              properties: [{ name: "pod-metrics", lookup: asked("PodMetrics", "getPodMetrics") }],
            },
          ],
        },
      ],
    },
    "cluster",
  );
  expect(run).toMatchObject({ status: "SUCCESS", success_count: 6 });
  const rows = await componentsOf(id);
  const of = (name: string) => rows.find((row) => row.name === name);
  expect(of("node-1")).toMatchObject({
    type: "KubernetesNode",
    // What says who it is itself needs no script for it.
    external_id: "node-1",
    properties: expect.arrayContaining([
      expect.objectContaining({ name: "cpu", max: 2000, value: 250 }),
      expect.objectContaining({ name: "memory", max: 4 * 2 ** 30, value: 2 ** 30 }),
      { name: "zone", text: "a" },
    ]) as unknown,
  });
  expect(of("web-1")).toMatchObject({
    health: "healthy",
    external_id: "shop/web-1",
    properties: expect.arrayContaining([
      { name: "version", text: "1.2", headline: true },
      expect.objectContaining({ name: "cpu", max: 500, value: 100 }),
      { name: "ip", text: "10.0.0.9" },
    ]) as unknown,
  });
  expect(of("web-2")).toMatchObject({ health: "unhealthy" });
  const why = await app.db.first(
    sql`select status_reason, icon from components where id = ${of("web-2")!.id}`,
  );
  expect(why).toEqual({ status_reason: "Ready", icon: "pod" });
  // By the property that says on which node they run.
  const adopted = await app.db.rows<{ name: string }>(sql`
    select c.name from component_relationships r
      join components c on c.id = r.component_id join components p on p.id = r.relationship_id
     where p.name = 'node-1' and r.deleted_at is null order by 1`);
  expect(adopted.map(({ name }) => name)).toEqual(["web-1", "web-2"]);
  // A pod that is well again turns its card, and no other row is written.
  const kind = cluster.kinds.find((one) => one.kind === "Pod")!;
  cluster.store.update(cluster.store.get(kind, "shop", "web-2"), (object) =>
    Object.assign(object, { status: pod("web-2", true).status }),
  );
  expect((await again(id)).details.summary).toMatchObject({ changed: 1, added: 0, removed: 0 });
  expect((await componentsOf(id)).find(({ name }) => name === "web-2")?.health).toBe("healthy");
});
