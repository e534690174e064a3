import { expect, test } from "vitest";
import type { Value } from "../values.ts";
import { JavaScript } from "./engine.ts";

/** Components out of objects of Kubernetes; the expectations are written by hand. */

async function run(script: string, results: Value): Promise<unknown> {
  const javascript = new JavaScript();
  await javascript.ready();
  const { value } = javascript.compile(script).runWithText!({ results });
  return typeof value === "string" ? JSON.parse(value) : value;
}

const pod = (name: string, status: Record<string, Value>, containers: Value[]): Value => ({
  Object: {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      namespace: "shop",
      labels: { app: "web", "pod-template-hash": "abc" },
      creationTimestamp: "2026-11-01T10:00:00Z",
    },
    spec: { nodeName: "n1.eu.compute.internal", containers },
    status,
  },
});
const ready = (status: string) => ({ type: "Ready", status });

test("pods: what they may use, where they run, and how they are", async () => {
  const results = [
    pod("web-1", { phase: "Running", podIPs: [{ ip: "10.1.0.7" }], conditions: [ready("True")] }, [
      {
        image: "registry:5000/shop/web:1.2@sha256:ab",
        resources: { limits: { cpu: "250m", memory: "64Mi" } },
      },
      { image: "proxy", resources: { limits: { cpu: "1" } } },
    ]),
    pod(
      "web-2",
      { podIP: "10.1.0.8", conditions: [ready("False"), { type: "Initialized", status: "True" }] },
      [{ image: "registry:5000/shop/web" }],
    ),
    pod("job", { phase: "Succeeded", conditions: [ready("False")] }, []),
  ];
  const found = await run("JSON.stringify(k8s.getPodTopology(results))", results);
  expect(found).toMatchObject([
    { name: "web-1" },
    { name: "web-2" },
    { name: "job", status: "healthy" },
  ]);
  const [first, second] = found as [object, object];
  expect(first).toEqual({
    name: "web-1",
    namespace: "shop",
    type: "KubernetesPod",
    external_id: "shop/web-1",
    labels: { namespace: "shop", app: "web" },
    logs: [{ name: "Kubernetes", type: "KubernetesPod" }],
    configs: [{ name: "web-1", type: "Kubernetes::Pod" }],
    properties: [
      { name: "version", text: "1.2", headline: true },
      { name: "cpu", headline: true, unit: "millicores", max: 1250 },
      { name: "memory", headline: true, unit: "bytes", max: 67_108_864 },
      { name: "node", text: "n1.eu.compute.internal" },
      { name: "created", text: "2026-11-01T10:00:00Z" },
      { name: "ip", text: "10.1.0.7" },
    ],
    status: "healthy",
  });
  expect(second).toMatchObject({
    status: "unhealthy",
    status_reason: "Ready",
    properties: [
      { name: "version", headline: true },
      { name: "cpu", headline: true, unit: "millicores" },
      { name: "memory", headline: true, unit: "bytes" },
      { name: "node" },
      { name: "created" },
      { name: "ip", text: "10.1.0.8" },
    ],
  });
  expect(JSON.stringify(second)).not.toContain('"max"');
});

const node: Value = {
  Object: {
    kind: "Node",
    metadata: {
      name: "n1.eu.compute.internal",
      labels: {
        "topology.kubernetes.io/zone": "eu-1a",
        "beta.kubernetes.io/instance-type": "m5.large",
      },
    },
    status: {
      allocatable: { cpu: "1930m", memory: "7Gi", "ephemeral-storage": "18242267924" },
      addresses: [
        { type: "InternalIP", address: "10.0.0.1" },
        { type: "ExternalIP", address: "203.0.113.9" },
      ],
      nodeInfo: {
        architecture: "amd64",
        bootID: "b",
        kernelVersion: "6.1.0",
        kubeletVersion: "v1.33.1",
        osImage: "Debian 12",
      },
      conditions: [{ type: "MemoryPressure", status: "False" }, ready("True")],
    },
  },
};

test("nodes: what they have, where they stand, their addresses and versions", async () => {
  expect(await run("JSON.stringify(k8s.getNodeTopology(results))", [node])).toEqual([
    {
      name: "n1.eu",
      type: "KubernetesNode",
      external_id: "n1.eu.compute.internal",
      labels: {
        "topology.kubernetes.io/zone": "eu-1a",
        "beta.kubernetes.io/instance-type": "m5.large",
      },
      selectors: [{ fieldSelector: "node=n1.eu.compute.internal" }],
      logs: [{ name: "Kubernetes", type: "KubernetesNode" }],
      configs: [{ name: "n1.eu.compute.internal", type: "Kubernetes::Node" }],
      properties: [
        { name: "cpu", min: 0, unit: "millicores", headline: true, max: 1930 },
        { name: "memory", unit: "bytes", headline: true, max: 7_516_192_768 },
        { name: "ephemeral-storage", unit: "bytes", max: 18_242_267_924 },
        { name: "instance-type", text: "m5.large" },
        { name: "zone", text: "eu-1a" },
        { name: "ami" },
        { name: "ip", text: "10.0.0.1" },
        { name: "externalIp", text: "203.0.113.9" },
        { name: "os", text: "Debian 12(amd64)" },
        { name: "kernel", text: "6.1.0" },
        { name: "kubelet", text: "v1.33.1" },
      ],
      status: "healthy",
    },
  ]);
});

test.each<[string, Value, unknown]>([
  ["k8s.getPodTopology(results)", [], []],
  ["k8s.getPodTopology(results).length", [{}], 1],
  [
    "k8s.getNodeTopology(results).map(n => n.status)",
    [{ Object: { kind: "Node" } }],
    ["unhealthy"],
  ],
  ["k8s.conditions.isReady(results)", { kind: "Pod" }, false],
  ["JSON.stringify(k8s.conditions.getMessage(results))", { kind: "Pod" }, "No status found"],
  [
    "JSON.stringify(k8s.conditions.getError(results))",
    {
      kind: "Pod",
      status: {
        conditions: [
          { type: "B", status: "False", lastTransitionTime: "2", reason: "late" },
          { type: "A", status: "False", lastTransitionTime: "1", reason: "early", message: "m" },
        ],
      },
    },
    "1: A is early with m, 2: B is late",
  ],
  ["[fromMillicores('250m'), fromSI('1Ki')]", null, [250, 1024]],
  [
    "k8s.getPodMetrics(results)",
    [
      {
        Object: {
          kind: "PodMetrics",
          metadata: { name: "a" },
          containers: [
            { usage: { cpu: "5m", memory: "1Ki" } },
            { usage: { cpu: "7m", memory: "2Ki" } },
          ],
        },
      },
    ],
    [
      {
        name: "a",
        properties: [
          { name: "cpu", value: 12 },
          { name: "memory", value: 3072 },
        ],
      },
    ],
  ],
  [
    "k8s.getNodeMetrics(results)",
    [
      {
        Object: {
          kind: "NodeMetrics",
          metadata: { name: "n.compute.internal" },
          usage: { cpu: "1", memory: "1Ki" },
        },
      },
    ],
    [
      {
        name: "n",
        properties: [
          { name: "cpu", value: 1000 },
          { name: "memory", value: 1024 },
        ],
      },
    ],
  ],
])("%s", async (script, results, expected) => {
  expect(await run(script, results)).toEqual(expected);
});

test("an amount that is none is told", async () => {
  const bad = pod("a", {}, [{ resources: { limits: { cpu: "lots" } } }]);
  await expect(run("k8s.getPodTopology(results)", [bad])).rejects.toThrow('"lots" is no quantity');
});
