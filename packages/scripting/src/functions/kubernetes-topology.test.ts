import { expect, test } from "vitest";
import type { Value } from "../values.ts";
import {
  isReadyByCondition,
  nodeMetrics,
  nodeTopology,
  podMetrics,
  podTopology,
  unmetConditions,
  whyUnmet,
} from "./kubernetes-topology.ts";

/** Shapes: what the reference's script library gives; where it is wrong, what its documents need (docs/deviations.md). */

const found = (...objects: Value[]): Value => objects.map((Object) => ({ Object }));
const ready = { conditions: [{ type: "Ready", status: "True" }] };

test("a pod, with what it may use and where it is", () => {
  const pod = {
    kind: "Pod",
    metadata: {
      name: "web-5d9-x",
      namespace: "shop",
      creationTimestamp: "2026-11-01T00:00:00Z",
      labels: { app: "web", "pod-template-hash": "5d9" },
    },
    spec: {
      nodeName: "ip-10-0-0-1",
      containers: [
        {
          image: "registry:5000/shop/web:1.2",
          resources: { limits: { cpu: "1", memory: "128Mi" } },
        },
        { image: "proxy", resources: { limits: { cpu: "250m", memory: "64Mi" } } },
      ],
    },
    status: { ...ready, podIP: "10.1.2.3" },
  };
  expect(podTopology(found(pod))).toEqual([
    {
      name: "web-5d9-x",
      namespace: "shop",
      type: "KubernetesPod",
      labels: { app: "web", namespace: "shop" },
      logs: [{ name: "Kubernetes", type: "KubernetesPod" }],
      external_id: "shop/web-5d9-x",
      configs: [{ name: "web-5d9-x", type: "Kubernetes::Pod" }],
      properties: [
        { name: "version", text: "1.2", headline: true },
        { name: "cpu", headline: true, unit: "millicores", max: 1250n },
        { name: "memory", headline: true, unit: "bytes", max: 201_326_592n },
        { name: "node", text: "ip-10-0-0-1" },
        { name: "created", text: "2026-11-01T00:00:00Z" },
        { name: "ip", text: "10.1.2.3" },
      ],
      status: "healthy",
      health: "healthy",
    },
  ]);
});

test("a pod that is not ready says which conditions do not hold; without limits there is no bar", () => {
  const conditions = [
    { type: "Initialized", status: "True" },
    { type: "Ready", status: "False" },
    { type: "ContainersReady", status: "False" },
  ];
  const pod = {
    kind: "Pod",
    metadata: { name: "a", namespace: "b" },
    spec: { containers: [{ image: "redis@sha256:0" }] },
    status: { conditions },
  };
  expect(podTopology(found(pod))).toMatchObject([
    { status: "unhealthy", health: "unhealthy", status_reason: "Ready ContainersReady" },
  ]);
  const [{ properties }] = podTopology(found(pod)) as [{ properties: object[] }];
  expect(properties.slice(0, 3)).toEqual([
    { name: "version", text: "", headline: true },
    { name: "cpu", headline: true, unit: "millicores" },
    { name: "memory", headline: true, unit: "bytes" },
  ]);
});

test("a node, with what it has, its addresses and what runs on it", () => {
  const node = {
    kind: "Node",
    metadata: {
      name: "ip-10-0-0-1.eu-west-1.compute.internal",
      labels: {
        "topology.kubernetes.io/zone": "eu-west-1a",
        "node.kubernetes.io/instance-type": "m5.large",
      },
    },
    status: {
      ...ready,
      allocatable: { cpu: "1930m", memory: "7Gi", "ephemeral-storage": "18242267924" },
      addresses: [
        { type: "Hostname", address: "x" },
        { type: "InternalIP", address: "10.0.0.1" },
        { type: "ExternalIP", address: "192.0.2.1" },
      ],
      nodeInfo: {
        machineID: "m",
        osImage: "Debian",
        architecture: "arm64",
        kubeletVersion: "v1.31",
        kernelVersion: "6.1",
      },
    },
  };
  const name = "ip-10-0-0-1.eu-west-1.compute.internal";
  expect(nodeTopology(found(node))).toMatchObject([
    {
      name: "ip-10-0-0-1.eu-west-1",
      type: "KubernetesNode",
      external_id: name,
      selectors: [{ fieldSelector: `node=${name}` }],
      configs: [{ name, type: "Kubernetes::Node" }],
      properties: [
        { name: "cpu", min: 0, unit: "millicores", headline: true, max: 1930n },
        { name: "memory", unit: "bytes", headline: true, max: 7_516_192_768n },
        { name: "ephemeral-storage", unit: "bytes", max: 18_242_267_924n },
        { name: "instance-type", text: "m5.large" },
        { name: "zone", text: "eu-west-1a" },
        { name: "ami", text: "" },
        { name: "ip", text: "10.0.0.1" },
        { name: "externalIp", text: "192.0.2.1" },
        { name: "os", text: "Debian (arm64)" },
        { name: "kubelet", text: "v1.31" },
        { name: "kernel", text: "6.1" },
      ],
      health: "healthy",
    },
  ]);
});

test("what nodes and pods use, by the names of their components", () => {
  expect(
    nodeMetrics(
      found({
        kind: "NodeMetrics",
        metadata: { name: "a.compute.internal" },
        usage: { cpu: "156340n", memory: "2Ki" },
      }),
    ),
  ).toEqual([
    {
      name: "a",
      properties: [
        { name: "cpu", value: 0n },
        { name: "memory", value: 2048n },
      ],
    },
  ]);
  const use = (cpu: string, memory: string) => ({ usage: { cpu, memory } });
  expect(
    podMetrics(
      found({
        kind: "PodMetrics",
        metadata: { name: "web" },
        containers: [use("100m", "1Mi"), use("0.05", "1Mi")],
      }),
    ),
  ).toEqual([
    {
      name: "web",
      properties: [
        { name: "cpu", value: 150n },
        { name: "memory", value: 2_097_152n },
      ],
    },
  ]);
});

test("conditions in words", () => {
  const at = (lastTransitionTime: string, type: string, more: object) => ({
    type,
    status: "False",
    lastTransitionTime,
    ...more,
  });
  const conditions = [
    at("2026-11-02", "Ready", { reason: "Late", message: "slow" }),
    at("2026-11-01", "Issued", { reason: "Wrong" }),
    { type: "Known", status: "True" },
  ];
  const resource = { kind: "Certificate", status: { conditions } };
  expect(unmetConditions(resource)).toBe("Ready Issued");
  expect(whyUnmet(resource)).toBe(
    "2026-11-01: Issued is Wrong, 2026-11-02: Ready is Late with slow",
  );
  const others: Value[] = [{}, { status: {} }, { healthStatus: { status: "Healthy" } }];
  expect([resource, ...others].map((one) => isReadyByCondition(one))).toEqual([
    false,
    false,
    false,
    true,
  ]);
  expect([unmetConditions({}), whyUnmet({ status: {} })]).toEqual([
    "No status found",
    "no conditions found",
  ]);
});

test("what is no list of resources is no component, and breaks nothing", () => {
  for (const make of [podTopology, nodeTopology, podMetrics, nodeMetrics]) {
    expect(make(null)).toEqual([]);
    expect(make("x")).toEqual([]);
    expect(make([{ Object: { kind: "Pod" } }, 5, null])).toHaveLength(3);
  }
});
