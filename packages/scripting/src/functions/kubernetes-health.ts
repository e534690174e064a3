import { isMapping, type Mapping, type Value } from "../values.ts";
import { at, list, number, resourceOf, text, time } from "./kubernetes-fields.ts";

/**
 * How a resource of Kubernetes is, by what it says of itself (spec-formats.md, section 13; engine-facts.md 24 and 25).
 * A resource is plain JSON; `now` decides how long something has been so.
 */

export type Health = "healthy" | "warning" | "unhealthy" | "unknown";

export interface HealthStatus {
  health: Health;
  /** A word or two: `Running`, `CrashLoopBackOff`. */
  status: string;
  message: string;
  /** It has settled, for better or worse. */
  ready: boolean;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const is = (
  health: Health,
  status: string,
  { message = "", ready = health === "healthy" }: { message?: string; ready?: boolean } = {},
): HealthStatus => ({ health, status, message, ready });

interface Condition {
  type: string;
  status: string;
  reason: string;
  message: string;
}

const conditionsOf = (resource: Value): Condition[] =>
  list(resource, "status", "conditions").map((one) => ({
    type: text(one, "type"),
    status: text(one, "status"),
    reason: text(one, "reason"),
    message: text(one, "message"),
  }));

const conditionOf = (resource: Value, type: string): Condition | undefined =>
  conditionsOf(resource).find((one) => one.type === type);

export function healthOf(value: Value, now: number = Date.now()): HealthStatus {
  const resource = resourceOf(value);
  if (!isMapping(resource)) return is("unknown", "");
  const kind = text(resource, "kind");
  const deleted = time(resource, "metadata", "deletionTimestamp");
  if (deleted !== undefined) return terminating(kind, now - deleted);
  const rule = Object.hasOwn(rules, kind) ? rules[kind] : undefined;
  if (rule && isKubernetes(resource)) return rule(resource, now);
  if (isKubernetes(resource)) return byCondition(resource) ?? is("unknown", "");
  return byStatusName(resource);
}

const isKubernetes = (resource: Mapping): boolean =>
  text(resource, "apiVersion") !== "" || isMapping(at(resource, "metadata"));

function terminating(kind: string, since: number): HealthStatus {
  const limit = kind === "Pod" ? 15 * MINUTE : HOUR;
  if (since < limit) return is("unknown", "Terminating");
  const status = kind === "Pod" ? "Terminating" : "TerminatingStalled";
  return is("warning", status, {
    message: `stuck in 'Terminating' for ${lengthOf(since)}`,
  });
}

function lengthOf(milliseconds: number): string {
  const minutes = Math.floor(milliseconds / MINUTE);
  if (minutes < 60) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours}h${minutes % 60}m` : `${Math.floor(hours / 24)}d${hours % 24}h`;
}

/** A message of `healthOf` as it is whenever it is asked for: without how long ago something was. */
export const withoutAge = (message: string): string =>
  message.replace(/(?: for)? (?:\d+d\d+h|\d+h\d+m|\d+m)(?: ago)?$/, "");

type Rule = (resource: Mapping, now: number) => HealthStatus;

function pod(resource: Mapping, now: number): HealthStatus {
  const phase = text(resource, "status", "phase");
  const reason = text(resource, "status", "reason");
  const message = text(resource, "status", "message");
  if (reason === "Evicted") return is("warning", "Evicted", { message, ready: true });
  if (phase === "Succeeded") return is("healthy", "Completed", { message });
  const containers = [
    ...list(resource, "status", "initContainerStatuses"),
    ...list(resource, "status", "containerStatuses"),
  ];
  if (phase === "Failed") {
    const ended = containers
      .map((one) => at(one, "state", "terminated"))
      .find((one) => isMapping(one) && number(one, "exitCode") !== 0);
    return is("unhealthy", "Failed", {
      message:
        message ||
        (ended
          ? text(ended, "message") ||
            text(ended, "reason") ||
            `exit code ${number(ended, "exitCode")}`
          : ""),
      ready: true,
    });
  }
  const unschedulable = conditionsOf(resource).find((one) => one.reason === "Unschedulable");
  if (unschedulable && phase !== "Running")
    return is("unhealthy", "Unschedulable", { message: unschedulable.message });

  const isReady = conditionOf(resource, "Ready")?.status === "True";
  const found =
    waitingInVain(containers) ?? restarted(containers, now, isReady) ?? oomKilled(containers);
  if (found) {
    // Nothing is wrong yet with what may still be starting.
    if (
      found.health === "unhealthy" &&
      !isReady &&
      isStarting(resource, now) &&
      restartsOf(containers) < 2
    )
      return is("unknown", "Starting", { message: found.message || found.status });
    return found;
  }
  if (isReady) return is("healthy", "Running", { message });
  if (phase === "Pending") return is("unknown", "Pending", { message });
  if (phase !== "Running") return is("unknown", phase || "Unknown", { message });
  const notReady = containers.find((one) => at(one, "ready") === false);
  if (isStarting(resource, now)) return is("unknown", "Starting", { message });
  return is("unhealthy", "Not Ready", {
    message: message || (notReady ? `container ${text(notReady, "name")} is not ready` : ""),
  });
}

function waitingInVain(containers: readonly Value[]): HealthStatus | undefined {
  for (const container of containers) {
    const waiting = at(container, "state", "waiting");
    const reason = text(waiting, "reason");
    if (/^Err|Error$|BackOff$/.test(reason))
      return is("unhealthy", reason, { message: text(waiting, "message") });
  }
  return undefined;
}

const restartsOf = (containers: readonly Value[]): number =>
  Math.max(0, ...containers.map((one) => number(one, "restartCount") ?? 0));

/** Ended not long ago, and began again. */
function restarted(
  containers: readonly Value[],
  now: number,
  isReady: boolean,
): HealthStatus | undefined {
  for (const container of containers) {
    const last = at(container, "lastState", "terminated");
    const finished = time(last, "finishedAt");
    if (finished === undefined || now - finished >= 24 * HOUR) continue;
    const restarts = number(container, "restartCount") ?? 0;
    const crashed = number(last, "exitCode") !== 0;
    const reason = text(last, "reason");
    const status =
      reason === "OOMKilled"
        ? "OOMKilled"
        : crashed
          ? restarts > 1
            ? "CrashLoopBackOff"
            : "CrashedOnce"
          : restarts > 1
            ? "RestartLoop"
            : "Restarted";
    return is(now - finished < HOUR ? "unhealthy" : "warning", status, {
      message: text(last, "message") || `${reason || "ended"} ${lengthOf(now - finished)} ago`,
      ready: isReady,
    });
  }
  return undefined;
}

function oomKilled(containers: readonly Value[]): HealthStatus | undefined {
  const killed = containers.find(
    (one) => text(one, "state", "terminated", "reason") === "OOMKilled",
  );
  return killed === undefined ? undefined : is("unhealthy", "OOMKilled");
}

/** As long as its probes may still fail, and two minutes at least. */
function isStarting(resource: Mapping, now: number): boolean {
  const started =
    time(resource, "status", "startTime") ?? time(resource, "metadata", "creationTimestamp");
  if (started === undefined) return false;
  const budgets = list(resource, "spec", "containers").flatMap((container) =>
    ["startupProbe", "readinessProbe"].map((name) => {
      const probe = at(container, name);
      if (!isMapping(probe)) return 0;
      const period = number(probe, "periodSeconds") ?? 10;
      const tries = number(probe, "failureThreshold") ?? 3;
      return 1000 * ((number(probe, "initialDelaySeconds") ?? 0) + period * tries);
    }),
  );
  return now - started < Math.max(2 * MINUTE, ...budgets);
}

/** Deployment, ReplicaSet, StatefulSet. */
function replicas(resource: Mapping): HealthStatus {
  const kind = text(resource, "kind");
  const desired = number(resource, "spec", "replicas") ?? 1;
  const status = (name: string) => number(resource, "status", name) ?? 0;
  const ready = status("readyReplicas");
  const message = `${ready}/${desired} ready`;
  if (desired === 0 && status("replicas") === 0)
    return is("unknown", "Scaled to Zero", { ready: true });
  if (at(resource, "spec", "paused") === true) return is("unknown", "Suspended", { message });
  const failure = conditionOf(resource, "ReplicaFailure");
  if (failure?.status === "True")
    return is("unhealthy", "Failed Create", { message: failure.message || message });
  const progressing = conditionOf(resource, "Progressing");
  if (progressing?.reason === "ProgressDeadlineExceeded")
    return is(ready > 0 ? "warning" : "unhealthy", "Rollout Failed", {
      message: progressing.message || message,
    });
  const observed = number(resource, "status", "observedGeneration");
  const generation = number(resource, "metadata", "generation");
  if (observed !== undefined && generation !== undefined && observed < generation)
    return is(ready > 0 ? "healthy" : "unknown", "Rolling Out", { message, ready: false });
  const updated = number(resource, "status", "updatedReplicas");
  if (kind !== "ReplicaSet" && updated !== undefined && updated < desired)
    return is(ready > 0 ? "healthy" : "unknown", "Rolling Out", { message, ready: false });
  if (status("replicas") > desired) return is("healthy", "Scaling Down", { message, ready: false });
  if (ready >= desired) return is("healthy", "Running", { message });
  if (status("replicas") < desired && ready > 0)
    return is("healthy", "Scaling Up", { message, ready: false });
  if (ready > 0) return is("warning", "Starting", { message });
  const available = conditionOf(resource, "Available");
  return is(
    available?.status === "False" && progressing?.status !== "True" ? "unhealthy" : "unknown",
    status("replicas") === 0 ? "Pending" : "Starting",
    { message },
  );
}

function daemonSet(resource: Mapping): HealthStatus {
  const desired = number(resource, "status", "desiredNumberScheduled") ?? 0;
  const ready = number(resource, "status", "numberReady") ?? 0;
  const updated = number(resource, "status", "updatedNumberScheduled") ?? desired;
  const message = `${ready}/${desired} ready`;
  if (desired === 0) return is("unknown", "Scaled to Zero", { ready: true });
  if (updated < desired) return is(ready > 0 ? "warning" : "unhealthy", "Rolling Out", { message });
  if (ready >= desired) return is("healthy", "Running", { message });
  return is(ready > 0 ? "warning" : "unhealthy", "Starting", { message });
}

function job(resource: Mapping): HealthStatus {
  for (const { type, status, reason, message } of conditionsOf(resource)) {
    if (status !== "True") continue;
    if (type === "Failed")
      return is("unhealthy", "Failed", {
        message: [reason, message].filter(Boolean).join(": "),
        ready: true,
      });
    if (type === "Complete") return is("healthy", "Completed", { message });
    if (type === "Suspended") return is("unknown", "Suspended", { message });
  }
  return is("healthy", "Running", { ready: false });
}

function cronJob(resource: Mapping): HealthStatus {
  if (at(resource, "spec", "suspend") === true) return is("unknown", "Suspended", { ready: true });
  const scheduled = time(resource, "status", "lastScheduleTime");
  if (scheduled === undefined) return is("unknown", "Pending", { message: "not yet scheduled" });
  if (list(resource, "status", "active").length > 0)
    return is("healthy", "Running", { ready: false });
  const succeeded = time(resource, "status", "lastSuccessfulTime");
  if (succeeded === undefined)
    return is("unhealthy", "Failed", { message: "not yet successful", ready: true });
  if (succeeded < scheduled)
    return is("unhealthy", "Failed", { message: "the last run failed", ready: true });
  return is("healthy", "Completed");
}

function node(resource: Mapping): HealthStatus {
  const ready = conditionOf(resource, "Ready");
  if (ready && ready.status !== "True")
    return is("unhealthy", "NotReady", { message: ready.message, ready: true });
  const isTrue = (type: string) => {
    const found = conditionOf(resource, type);
    return found?.status === "True" ? found : undefined;
  };
  const network = isTrue("NetworkUnavailable");
  if (network)
    return is("unhealthy", "NetworkUnavailable", { message: network.message, ready: true });
  for (const type of ["MemoryPressure", "DiskPressure", "PIDPressure"]) {
    const pressure = isTrue(type);
    if (pressure) return is("warning", type, { message: pressure.message, ready: true });
  }
  const isTainted = list(resource, "spec", "taints").some(
    (taint) => text(taint, "key") === "node.kubernetes.io/unschedulable",
  );
  if (isTainted || at(resource, "spec", "unschedulable") === true)
    return is("warning", "Unschedulable", { ready: true });
  return ready ? is("healthy", "Ready") : is("unknown", "Unknown");
}

function service(resource: Mapping, now: number): HealthStatus {
  if (text(resource, "spec", "type") !== "LoadBalancer") return is("unknown", "", { ready: true });
  if (list(resource, "status", "loadBalancer", "ingress").length > 0)
    return is("healthy", "Running");
  const created = time(resource, "metadata", "creationTimestamp");
  return is(created !== undefined && now - created >= HOUR ? "unhealthy" : "unknown", "Creating");
}

function ingress(resource: Mapping): HealthStatus {
  const has = list(resource, "status", "loadBalancer", "ingress").length > 0;
  return is("healthy", has ? "Running" : "Pending", { ready: has });
}

function volumeClaim(resource: Mapping): HealthStatus {
  const phase = text(resource, "status", "phase");
  if (phase === "Bound") return is("healthy", "Bound");
  if (phase === "Pending") return is("healthy", "Progressing", { ready: false });
  if (phase === "Lost") return is("unhealthy", "Lost", { ready: true });
  return is("unknown", phase);
}

function autoscaler(resource: Mapping): HealthStatus {
  const conditions = conditionsOf(resource);
  const failed = conditions.find(
    ({ status, reason }) => status === "False" && /^(?:Failed|Invalid)/.test(reason),
  );
  if (failed) return is("unhealthy", failed.reason, { message: failed.message, ready: true });
  const able = conditions.find(
    ({ type, status }) =>
      (type === "AbleToScale" || type === "ScalingLimited") && status === "True",
  );
  if (able) return is("healthy", able.reason || "Running", { message: able.message });
  return is("unknown", "Progressing", { message: "waiting to be scaled" });
}

/** Flux, cert-manager, Argo CD, Crossplane and whoever else has conditions of the usual names. */
function byCondition(resource: Mapping): HealthStatus | undefined {
  const ready =
    conditionOf(resource, "Ready") ??
    conditionOf(resource, "Available") ??
    conditionOf(resource, "Healthy");
  if (!ready) return undefined;
  const { message, reason } = ready;
  if (conditionOf(resource, "Synced")?.status === "False") {
    const synced = conditionOf(resource, "Synced")!;
    return is("unhealthy", synced.reason || "Not Synced", { message: synced.message, ready: true });
  }
  if (ready.status === "True") return is("healthy", reason || "Ready", { message });
  if (
    ready.status === "Unknown" ||
    /^(?:Progressing|Creating|Pending|DependencyNotReady|Issuing|Deleting|Updating)/.test(reason)
  )
    return is("unknown", reason || "Progressing", { message });
  if (
    /Fetch|Download|Pull|Artifact.*Failed|Source.*(?:NotReady|NotFound)|Authentication/i.test(
      reason,
    )
  )
    return is("warning", reason, { message, ready: true });
  return is("unhealthy", reason || "Not Ready", { message, ready: true });
}

function suspendable(resource: Mapping): HealthStatus {
  if (at(resource, "spec", "suspend") === true) return is("unknown", "Suspended", { ready: true });
  return byCondition(resource) ?? is("unknown", "Pending");
}

function application(resource: Mapping): HealthStatus {
  const found = text(resource, "status", "health", "status");
  const message = text(resource, "status", "health", "message");
  const healths = new Map<string, Health>([
    ["Healthy", "healthy"],
    ["Degraded", "unhealthy"],
    ["Missing", "unhealthy"],
    ["Suspended", "unknown"],
    ["Progressing", "unknown"],
  ]);
  return is(healths.get(found) ?? "unknown", found || "Unknown", { message });
}

function certificate(resource: Mapping): HealthStatus {
  const ready = conditionOf(resource, "Ready");
  const issuing = conditionOf(resource, "Issuing");
  if (issuing?.status === "True" && ready?.status !== "True")
    return is(issuing.reason === "Failed" ? "unhealthy" : "unknown", "Issuing", {
      message: issuing.message,
    });
  if (issuing?.status === "False" && issuing.reason === "Failed")
    return is("unhealthy", "Failed", { message: issuing.message, ready: true });
  if (ready?.status === "True") return is("healthy", "Issued", { message: ready.message });
  return byCondition(resource) ?? is("unknown", "Pending");
}

function canary(resource: Mapping): HealthStatus {
  const status = text(resource, "status", "status");
  const message = text(resource, "status", "message") || text(resource, "status", "errorMessage");
  if (status === "Passed") {
    const [, passed, failed] =
      /(\d+)\s*\/\s*(\d+)/.exec(text(resource, "status", "uptime1h")) ?? [];
    const total = Number(passed) + Number(failed);
    const percent = /([\d.]+)\s*%/.exec(text(resource, "status", "uptime1h"))?.[1];
    const uptime =
      percent === undefined ? (total > 0 ? (100 * Number(passed)) / total : 100) : Number(percent);
    return is(uptime < 80 ? "warning" : "healthy", status, { message, ready: true });
  }
  if (status === "Failed" || status === "Invalid")
    return is("unhealthy", status, { message, ready: true });
  return is("unknown", status || "Pending", { message });
}

const rules: Readonly<Record<string, Rule>> = {
  Pod: pod,
  Deployment: replicas,
  ReplicaSet: replicas,
  StatefulSet: replicas,
  DaemonSet: daemonSet,
  Job: job,
  CronJob: cronJob,
  Node: node,
  Service: service,
  Ingress: ingress,
  PersistentVolumeClaim: volumeClaim,
  PersistentVolume: (resource) => is("unknown", text(resource, "status", "phase"), { ready: true }),
  HorizontalPodAutoscaler: autoscaler,
  Namespace: (resource) => is("unknown", text(resource, "status", "phase"), { ready: true }),
  Kustomization: suspendable,
  HelmRelease: suspendable,
  GitRepository: suspendable,
  HelmRepository: suspendable,
  OCIRepository: suspendable,
  Bucket: suspendable,
  HelmChart: suspendable,
  Application: application,
  Certificate: certificate,
  Canary: canary,
};

const statusNames: readonly (readonly [RegExp, Health, ready: boolean])[] = [
  [
    /^(?:running|active|available|ready|in-use|succeeded|completed|enabled|online|ok|healthy)$/,
    "healthy",
    true,
  ],
  [/^(?:stopped|terminated|deleted|disabled|inactive)$/, "unknown", true],
  [
    /^(?:creating|deleting|provisioning|pending|starting|stopping|shutting-down)$/,
    "unknown",
    false,
  ],
  [/^(?:failed|error|unhealthy|.*failed|.*error)$/, "unhealthy", true],
  [/^(?:maintenance|degraded|.*rollback.*|restoring|suspended|warning)$/, "warning", true],
  [/^(?:updating|modifying|upgrading)$/, "healthy", false],
];

/** What is no resource of Kubernetes says how it is under `status`, `state` or a name that ends in `status`. */
function byStatusName(resource: Mapping): HealthStatus {
  const key = Object.keys(resource).find(
    (name) => /^state$|status$/i.test(name) && text(resource, name) !== "",
  );
  return key === undefined ? is("unknown", "") : healthOfStatus(text(resource, key));
}

/** Of a word that some system says about something of its own. */
export function healthOfStatus(status: string): HealthStatus {
  const word = status
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_]+/g, "-");
  const [, health, ready] = statusNames.find(([pattern]) => pattern.test(word)) ?? [];
  return is(health ?? "unknown", status, { ready: ready ?? false });
}

export const isHealthy = (value: Value, now?: number): boolean =>
  healthOf(value, now).health === "healthy";

export const isReady = (value: Value, now?: number): boolean => healthOf(value, now).ready;

/** `Running`, or `CrashLoopBackOff: back-off 5m0s`. */
export function statusOf(value: Value, now?: number): string {
  const { status, message } = healthOf(value, now);
  return [status, message].filter(Boolean).join(": ");
}
