import { expect, test } from "vitest";
import type { Value } from "../values.ts";
import { healthOf, healthOfStatus, isHealthy, isReady, statusOf } from "./kubernetes-health.ts";
import {
  labelsOf,
  neat,
  nodeProperties,
  podProperties,
  resourcesOf,
} from "./kubernetes-resources.ts";

/** The rules are those of spec-formats.md, section 13, and engine-facts.md, 24 and 25. */

const now = Date.parse("2026-11-22T12:00:00Z");
const ago = (minutes: number) => new Date(now - minutes * 60_000).toISOString();
const old = { name: "a", creationTimestamp: ago(10_000) };
const condition = (type: string, status: string, reason = "", message = "") => ({
  type,
  status,
  reason,
  message,
});

const pod = (status: Value, rest: Record<string, Value> = {}): Value => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: old,
  status,
  ...rest,
});
const ended = (minutes: number, exitCode: number, reason = "Error") => ({
  terminated: { exitCode, reason, finishedAt: ago(minutes) },
});
const running = (container: Record<string, Value>, ready = "True") =>
  pod({
    phase: "Running",
    startTime: ago(10_000),
    conditions: [condition("Ready", ready)],
    containerStatuses: [{ name: "app", ready: ready === "True", restartCount: 0, ...container }],
  });
const of = (kind: string, spec: Value, status: Value, metadata: Value = old): Value => ({
  apiVersion: "any/v1",
  kind,
  metadata,
  spec,
  status,
});

const cases: [name: string, resource: Value, health: string, status: string, ready: boolean][] = [
  ["pod that is ready", running({}), "healthy", "Running", true],
  ["pod that succeeded", pod({ phase: "Succeeded" }), "healthy", "Completed", true],
  ["pod that failed", pod({ phase: "Failed" }), "unhealthy", "Failed", true],
  ["pod that was evicted", pod({ phase: "Failed", reason: "Evicted" }), "warning", "Evicted", true],
  ["pod that waits", pod({ phase: "Pending" }), "unknown", "Pending", false],
  [
    "pod that fits nowhere",
    pod({ phase: "Pending", conditions: [condition("PodScheduled", "False", "Unschedulable")] }),
    "unhealthy",
    "Unschedulable",
    false,
  ],
  ...["CrashLoopBackOff", "ImagePullBackOff", "ErrImagePull", "CreateContainerConfigError"].map(
    (reason): (typeof cases)[number] => [
      `pod that waits for ${reason}`,
      running({ restartCount: 5, state: { waiting: { reason } } }, "False"),
      "unhealthy",
      reason,
      false,
    ],
  ),
  [
    "pod that waits for an image and only began",
    pod({
      phase: "Pending",
      startTime: ago(1),
      containerStatuses: [{ state: { waiting: { reason: "ErrImagePull" } } }],
    }),
    "unknown",
    "Starting",
    false,
  ],
  [
    "pod whose probes may still fail",
    pod(
      { phase: "Running", startTime: ago(4), conditions: [condition("Ready", "False")] },
      {
        spec: {
          containers: [
            {
              readinessProbe: { initialDelaySeconds: 120, periodSeconds: 30, failureThreshold: 5 },
            },
          ],
        },
      },
    ),
    "unknown",
    "Starting",
    false,
  ],
  ["pod that is long not ready", running({}, "False"), "unhealthy", "Not Ready", false],
  [
    "ready pod that restarted an hour ago",
    running({ restartCount: 1, lastState: ended(59, 1) }),
    "unhealthy",
    "CrashedOnce",
    true,
  ],
  [
    "ready pod that restarted today",
    running({ restartCount: 4, lastState: ended(90, 1) }),
    "warning",
    "CrashLoopBackOff",
    true,
  ],
  [
    "ready pod that ended well",
    running({ restartCount: 1, lastState: ended(90, 0, "Completed") }),
    "warning",
    "Restarted",
    true,
  ],
  [
    "ready pod that ends well again and again",
    running({ restartCount: 3, lastState: ended(90, 0, "Completed") }),
    "warning",
    "RestartLoop",
    true,
  ],
  [
    "ready pod that ran out of memory",
    running({ restartCount: 3, lastState: ended(30, 137, "OOMKilled") }),
    "unhealthy",
    "OOMKilled",
    true,
  ],
  [
    "ready pod that restarted long ago",
    running({ restartCount: 9, lastState: ended(1500, 1) }),
    "healthy",
    "Running",
    true,
  ],
  [
    "pod that is deleted",
    pod({}, { metadata: { deletionTimestamp: ago(1) } }),
    "unknown",
    "Terminating",
    false,
  ],
  [
    "pod that is long deleted",
    pod({}, { metadata: { deletionTimestamp: ago(16) } }),
    "warning",
    "Terminating",
    false,
  ],
  [
    "anything long deleted",
    of("Anything", {}, {}, { deletionTimestamp: ago(61) }),
    "warning",
    "TerminatingStalled",
    false,
  ],

  [
    "deployment of nothing",
    of("Deployment", { replicas: 0 }, {}),
    "unknown",
    "Scaled to Zero",
    true,
  ],
  [
    "deployment",
    of("Deployment", { replicas: 2 }, { replicas: 2, readyReplicas: 2, updatedReplicas: 2 }),
    "healthy",
    "Running",
    true,
  ],
  [
    "deployment that begins",
    of(
      "Deployment",
      { replicas: 2 },
      { replicas: 2, updatedReplicas: 2, conditions: [condition("Progressing", "True")] },
    ),
    "unknown",
    "Starting",
    false,
  ],
  [
    "deployment of which half runs",
    of("Deployment", { replicas: 2 }, { replicas: 2, readyReplicas: 1, updatedReplicas: 2 }),
    "warning",
    "Starting",
    false,
  ],
  [
    "deployment that nothing of is there",
    of(
      "Deployment",
      { replicas: 2 },
      { replicas: 2, updatedReplicas: 2, conditions: [condition("Available", "False")] },
    ),
    "unhealthy",
    "Starting",
    false,
  ],
  [
    "deployment that rolls out",
    of("Deployment", { replicas: 2 }, { replicas: 3, readyReplicas: 2, updatedReplicas: 1 }),
    "healthy",
    "Rolling Out",
    false,
  ],
  [
    "deployment that does not roll out",
    of(
      "Deployment",
      { replicas: 2 },
      {
        readyReplicas: 1,
        conditions: [condition("Progressing", "False", "ProgressDeadlineExceeded")],
      },
    ),
    "warning",
    "Rollout Failed",
    false,
  ],
  [
    "replica set that cannot",
    of("ReplicaSet", { replicas: 1 }, { conditions: [condition("ReplicaFailure", "True")] }),
    "unhealthy",
    "Failed Create",
    false,
  ],
  [
    "stateful set that shrinks",
    of("StatefulSet", { replicas: 1 }, { replicas: 2, readyReplicas: 2 }),
    "healthy",
    "Scaling Down",
    false,
  ],
  [
    "daemon set of nothing",
    of("DaemonSet", {}, { desiredNumberScheduled: 0 }),
    "unknown",
    "Scaled to Zero",
    true,
  ],
  [
    "daemon set",
    of("DaemonSet", {}, { desiredNumberScheduled: 2, numberReady: 2 }),
    "healthy",
    "Running",
    true,
  ],
  [
    "daemon set of which half runs",
    of("DaemonSet", {}, { desiredNumberScheduled: 2, numberReady: 1 }),
    "warning",
    "Starting",
    false,
  ],
  [
    "daemon set that none of runs",
    of("DaemonSet", {}, { desiredNumberScheduled: 2 }),
    "unhealthy",
    "Starting",
    false,
  ],

  [
    "job that failed",
    of("Job", {}, { conditions: [condition("Failed", "True")] }),
    "unhealthy",
    "Failed",
    true,
  ],
  [
    "job that is done",
    of("Job", {}, { conditions: [condition("Complete", "True")] }),
    "healthy",
    "Completed",
    true,
  ],
  [
    "job that is suspended",
    of("Job", {}, { conditions: [condition("Suspended", "True")] }),
    "unknown",
    "Suspended",
    false,
  ],
  ["job that has not begun", of("Job", {}, {}), "healthy", "Running", false],
  ["cron job never scheduled", of("CronJob", {}, {}), "unknown", "Pending", false],
  [
    "cron job that runs",
    of("CronJob", {}, { lastScheduleTime: ago(1), active: [{}] }),
    "healthy",
    "Running",
    false,
  ],
  [
    "cron job that never succeeded",
    of("CronJob", {}, { lastScheduleTime: ago(1) }),
    "unhealthy",
    "Failed",
    true,
  ],
  [
    "cron job that failed",
    of("CronJob", {}, { lastScheduleTime: ago(1), lastSuccessfulTime: ago(60) }),
    "unhealthy",
    "Failed",
    true,
  ],
  [
    "cron job",
    of("CronJob", {}, { lastScheduleTime: ago(5), lastSuccessfulTime: ago(4) }),
    "healthy",
    "Completed",
    true,
  ],

  ["node", of("Node", {}, { conditions: [condition("Ready", "True")] }), "healthy", "Ready", true],
  [
    "node that is not ready",
    of("Node", {}, { conditions: [condition("Ready", "False")] }),
    "unhealthy",
    "NotReady",
    true,
  ],
  [
    "node under pressure",
    of("Node", {}, { conditions: [condition("Ready", "True"), condition("DiskPressure", "True")] }),
    "warning",
    "DiskPressure",
    true,
  ],
  [
    "node without network",
    of(
      "Node",
      {},
      { conditions: [condition("Ready", "True"), condition("NetworkUnavailable", "True")] },
    ),
    "unhealthy",
    "NetworkUnavailable",
    true,
  ],
  [
    "node that is cordoned",
    of(
      "Node",
      { taints: [{ key: "node.kubernetes.io/unschedulable" }] },
      { conditions: [condition("Ready", "True")] },
    ),
    "warning",
    "Unschedulable",
    true,
  ],

  ["service inside", of("Service", { type: "ClusterIP" }, {}), "unknown", "", true],
  [
    "service with an address",
    of("Service", { type: "LoadBalancer" }, { loadBalancer: { ingress: [{ ip: "1.2.3.4" }] } }),
    "healthy",
    "Running",
    true,
  ],
  [
    "service that waits for one",
    of("Service", { type: "LoadBalancer" }, {}, { creationTimestamp: ago(5) }),
    "unknown",
    "Creating",
    false,
  ],
  [
    "service that waits in vain",
    of("Service", { type: "LoadBalancer" }, {}, { creationTimestamp: ago(65) }),
    "unhealthy",
    "Creating",
    false,
  ],
  ["ingress without an address", of("Ingress", {}, {}), "healthy", "Pending", false],
  ["volume claim", of("PersistentVolumeClaim", {}, { phase: "Bound" }), "healthy", "Bound", true],
  [
    "volume claim that waits",
    of("PersistentVolumeClaim", {}, { phase: "Pending" }),
    "healthy",
    "Progressing",
    false,
  ],
  [
    "volume claim that is lost",
    of("PersistentVolumeClaim", {}, { phase: "Lost" }),
    "unhealthy",
    "Lost",
    true,
  ],
  ["volume", of("PersistentVolume", {}, { phase: "Bound" }), "unknown", "Bound", true],
  ["namespace", of("Namespace", {}, { phase: "Active" }), "unknown", "Active", true],
  [
    "autoscaler",
    of(
      "HorizontalPodAutoscaler",
      {},
      { conditions: [condition("AbleToScale", "True", "ReadyForNewScale")] },
    ),
    "healthy",
    "ReadyForNewScale",
    true,
  ],
  [
    "autoscaler without numbers",
    of(
      "HorizontalPodAutoscaler",
      {},
      {
        conditions: [
          condition("AbleToScale", "True"),
          condition("ScalingActive", "False", "FailedGetResourceMetric"),
        ],
      },
    ),
    "unhealthy",
    "FailedGetResourceMetric",
    true,
  ],

  [
    "kustomization",
    of(
      "Kustomization",
      {},
      { conditions: [condition("Ready", "True", "ReconciliationSucceeded")] },
    ),
    "healthy",
    "ReconciliationSucceeded",
    true,
  ],
  [
    "kustomization that fails",
    of("Kustomization", {}, { conditions: [condition("Ready", "False", "BuildFailed")] }),
    "unhealthy",
    "BuildFailed",
    true,
  ],
  [
    "kustomization without its source",
    of("Kustomization", {}, { conditions: [condition("Ready", "False", "ArtifactFailed")] }),
    "warning",
    "ArtifactFailed",
    true,
  ],
  [
    "kustomization on its way",
    of("Kustomization", {}, { conditions: [condition("Ready", "Unknown", "Progressing")] }),
    "unknown",
    "Progressing",
    false,
  ],
  [
    "application",
    of("Application", {}, { health: { status: "Degraded" } }),
    "unhealthy",
    "Degraded",
    false,
  ],
  [
    "certificate",
    of("Certificate", {}, { conditions: [condition("Ready", "True")] }),
    "healthy",
    "Issued",
    true,
  ],
  [
    "canary",
    of("Canary", {}, { status: "Passed", uptime1h: "100/0 (100.0%)" }),
    "healthy",
    "Passed",
    true,
  ],
  [
    "canary that failed of late",
    of("Canary", {}, { status: "Passed", uptime1h: "7/3 (70.0%)" }),
    "warning",
    "Passed",
    true,
  ],
  ["canary that fails", of("Canary", {}, { status: "Failed" }), "unhealthy", "Failed", true],
  [
    "anything with a condition",
    of("Anything", {}, { conditions: [condition("Ready", "False", "Broken")] }),
    "unhealthy",
    "Broken",
    true,
  ],
  ["anything without", of("Anything", {}, {}), "unknown", "", false],

  ["state of something else", { state: "running" }, "healthy", "running", true],
  ["some status", { dbInstanceStatus: "failed" }, "unhealthy", "failed", true],
  ["phase says nothing", { phase: "running", power_state: "running" }, "unknown", "", false],
  ["text of a resource", JSON.stringify(pod({ phase: "Succeeded" })), "healthy", "Completed", true],
  ["no resource", "nonsense", "unknown", "", false],
  ["nothing", null, "unknown", "", false],
];

test.each(cases)("%s", (_, resource, health, status, ready) => {
  expect(healthOf(resource, now)).toMatchObject({ health, status, ready });
});

test.each([
  ["in-use", "healthy"],
  ["Stopped", "unknown"],
  ["creating", "unknown"],
  ["update_failed", "unhealthy"],
  ["Degraded", "warning"],
  ["UPDATE_ROLLBACK_COMPLETE", "warning"],
  ["modifying", "healthy"],
  ["whatever", "unknown"],
])("the status %s is %s", (status, health) => {
  expect(healthOfStatus(status).health).toBe(health);
});

test("status and message in one text", () => {
  const failing = running(
    {
      restartCount: 3,
      state: { waiting: { reason: "CrashLoopBackOff", message: "back-off 5m0s" } },
    },
    "False",
  );
  expect(statusOf(failing, now)).toBe("CrashLoopBackOff: back-off 5m0s");
  expect(statusOf(running({}), now)).toBe("Running");
  expect(isReady(of("Job", {}, {}), now)).toBe(false);
});

test("what checks hand to scripts is the resource inside", () => {
  const pod = running({});
  expect([isHealthy({ Object: pod }, now), isReady({ Object: pod }, now)]).toEqual([true, true]);
  expect(isHealthy({ Object: of("Job", {}, {}) }, now)).toBe(isHealthy(of("Job", {}, {}), now));
  expect(isHealthy({ Object: "pod" }, now)).toBe(false);
});

const full: Value = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name: "db",
    namespace: "prod",
    uid: "1",
    resourceVersion: "2",
    creationTimestamp: "2026-11-22T10:00:00Z",
    managedFields: [],
    labels: { app: "db", "pod-template-hash": "abc", "topology.kubernetes.io/zone": "z1" },
    annotations: { "kubectl.kubernetes.io/last-applied-configuration": "{}" },
  },
  spec: {
    nodeName: "n1",
    containers: [
      {
        image: "postgres:14",
        resources: { limits: { cpu: "1.5", memory: "1Gi" }, requests: { cpu: "100m" } },
      },
      { image: "sidecar", resources: { limits: { cpu: "500m" } } },
    ],
  },
  status: { phase: "Running", allocatable: { cpu: "4", memory: "8Gi", "ephemeral-storage": "1G" } },
};

test("labels, amounts and properties", () => {
  expect(labelsOf(full)).toEqual({
    namespace: "prod",
    app: "db",
    "topology.kubernetes.io/zone": "z1",
  });
  expect(resourcesOf(full, "limits", "cpu")).toBe(2000n);
  expect(resourcesOf(full, "requests", "cpu")).toBe(100n);
  expect(resourcesOf(full, "limits", "memory")).toBe(2n ** 30n);
  expect(podProperties(full)).toMatchObject([
    { name: "image", text: "postgres:14" },
    { name: "cpu", max: 2000n, unit: "millicores" },
    { name: "memory", max: 2n ** 30n },
    { name: "node", text: "n1" },
    { name: "created_at", text: "2026-11-22T10:00:00Z" },
    { name: "namespace", text: "prod" },
  ]);
  expect(nodeProperties(full)).toMatchObject([
    { name: "cpu", max: 4000n },
    { name: "memory", max: 8n * 2n ** 30n },
    { name: "ephemeral-storage", max: 1_000_000_000n },
    { name: "zone", text: "z1" },
  ]);
});

test("neat is what somebody wrote", () => {
  expect(neat(full)).toEqual({
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: "db",
      namespace: "prod",
      labels: (full as { metadata: { labels: Value } }).metadata.labels,
    },
    spec: (full as { spec: Value }).spec,
  });
});
