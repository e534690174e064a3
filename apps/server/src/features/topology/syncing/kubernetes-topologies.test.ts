// Takes long: a topology is applied and run by the program's own worker, against the stand-in of an API server.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import {
  everything,
  kubeconfigOf,
  type KubernetesServer,
  startKubernetes,
} from "@mainstay/testkit/servers/index.ts";
import sql from "sql-template-tag";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../../../testing/app.ts";
import { topologyRuns } from "../testing/topology-runs.ts";

/** A cluster as public documents show it: JavaScript makes components of nodes and pods, Prometheus says what they use. */

const token = "sesame-token-of-the-cluster";
let app: TestApp;
let cluster: KubernetesServer;
let prometheus: Server;
let url: string;

/** What the stand-in of Prometheus's API answers to a query: labels and a value each. */
const samples: Readonly<Record<string, readonly (readonly [Record<string, string>, string])[]>> = {
  "node cpu": [[{ node: "n1" }, "812.4"]],
  "pod memory": [[{ pod: "web-1" }, "52428800"]],
};

beforeAll(async () => {
  cluster = await startKubernetes({ accounts: { [token]: { user: "a", rules: [everything] } } });
  cluster.add({ apiVersion: "v1", kind: "Namespace", metadata: { name: "default" } });
  cluster.add({
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: "n1", labels: { "topology.kubernetes.io/zone": "eu-1a" } },
    status: {
      allocatable: { cpu: "2", memory: "4Gi", "ephemeral-storage": "10Gi" },
      addresses: [{ type: "InternalIP", address: "10.0.0.1" }],
      nodeInfo: { osImage: "Debian 12", architecture: "amd64", kubeletVersion: "v1.33.1" },
      conditions: [{ type: "Ready", status: "True" }],
    },
  });
  for (const [name, status] of [
    ["web-1", "True"],
    ["web-2", "False"],
    ["junit-fail-1", "False"],
  ] as const)
    cluster.add({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name, namespace: "default", labels: { app: "web" } },
      spec: {
        nodeName: "n1",
        containers: [
          { name: "app", image: "shop/web:1.2", resources: { limits: { memory: "64Mi" } } },
        ],
      },
      status: {
        phase: "Running",
        podIPs: [{ ip: "10.1.0.7" }],
        conditions: [{ type: "Ready", status }],
      },
    });
  prometheus = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (part: string) => (body += part));
    request.on("end", () => {
      const asked = new URL(request.url ?? "", "http://a").searchParams;
      const query = asked.get("query") ?? new URLSearchParams(body).get("query") ?? "";
      const result = (samples[query] ?? []).map(([metric, value]) => ({
        metric,
        value: [0, value],
      }));
      response
        .writeHead(200, { "content-type": "application/json" })
        .end(JSON.stringify({ status: "success", data: { resultType: "vector", result } }));
    });
  });
  await new Promise<void>((resolve) => prometheus.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(prometheus.address() as AddressInfo).port}`;
  app = await startTestApp();
});
afterAll(async () => {
  await app.stop();
  prometheus.closeAllConnections();
  await new Promise((resolve) => prometheus.close(resolve));
  await cluster.close();
});

test("nodes and pods of a cluster, with what they have and what they use", async () => {
  const { apply, componentsOf } = topologyRuns(app);
  const kubeconfig = { value: kubeconfigOf(cluster, { token }) };
  const used = (query: string, label: string, name: string) => ({
    name,
    lookup: {
      prometheus: [
        {
          url,
          query,
          display: {
            javascript: `var all = []; for (i in results) all.push({name: results[i].${label},
              properties: [{name: '${name}', value: parseInt(results[i].value)}]}); JSON.stringify(all)`,
          },
        },
      ],
    },
  });
  const { id, run } = await apply({
    type: "KubernetesCluster",
    id: { javascript: "properties.id" },
    components: [
      {
        name: "nodes",
        type: "KubernetesNode",
        components: [
          {
            name: "all nodes",
            type: "virtual",
            lookup: {
              kubernetes: [
                {
                  name: "nodes",
                  kind: "Node",
                  kubeconfig,
                  display: { javascript: "JSON.stringify(k8s.getNodeTopology(results))" },
                },
              ],
            },
            properties: [used("node cpu", "node", "cpu")],
          },
        ],
      },
      {
        name: "pods",
        type: "KubernetesPods",
        components: [
          {
            name: "all pods",
            type: "virtual",
            lookup: {
              kubernetes: [
                {
                  name: "pods",
                  kind: "Pod",
                  ready: false,
                  ignore: ["junit-fail**"],
                  kubeconfig,
                  display: { javascript: "JSON.stringify(k8s.getPodTopology(results))" },
                },
              ],
            },
            properties: [used("pod memory", "pod", "memory")],
          },
        ],
      },
    ],
  });
  expect(run.details.errors ?? []).toEqual([]);
  expect(run.status).toBe("SUCCESS");
  const rows = await componentsOf(id);
  const of = (name: string) => rows.find((row) => row.name === name);
  expect(rows.map(({ name, parent }) => `${parent ?? ""}/${name}`).toSorted()).toEqual([
    "/topology-1",
    "nodes/n1",
    "pods/web-1",
    "pods/web-2",
    "topology-1/nodes",
    "topology-1/pods",
  ]);
  // It is ready itself; the pods that run on it are selected by their node, and one of them is not.
  expect(of("n1")).toMatchObject({ type: "KubernetesNode", health: "unhealthy" });
  const related = await app.db.rows<{ name: string; given_status: string }>(sql`
    select p.name, n.given_status from component_relationships r join components p on p.id = r.component_id
      join components n on n.id = r.relationship_id
     where r.deleted_at is null and n.id = ${of("n1")!.id} order by p.name`);
  expect(related).toEqual([
    { name: "web-1", given_status: "healthy" },
    { name: "web-2", given_status: "healthy" },
  ]);
  expect(of("n1")?.properties).toEqual(
    expect.arrayContaining([
      { name: "cpu", min: 0, unit: "millicores", headline: true, max: 2000, value: 812 },
      { name: "memory", unit: "bytes", headline: true, max: 4_294_967_296 },
      { name: "zone", text: "eu-1a" },
      { name: "ip", text: "10.0.0.1" },
      { name: "kubelet", text: "v1.33.1" },
    ]),
  );
  expect(of("web-1")).toMatchObject({ external_id: "default/web-1", health: "healthy" });
  expect(of("web-1")?.properties).toEqual(
    expect.arrayContaining([
      { name: "version", text: "1.2", headline: true },
      { name: "memory", headline: true, unit: "bytes", max: 67_108_864, value: 52_428_800 },
      { name: "node", text: "n1" },
      { name: "ip", text: "10.1.0.7" },
    ]),
  );
  expect(of("web-2")).toMatchObject({ health: "unhealthy" });
});
