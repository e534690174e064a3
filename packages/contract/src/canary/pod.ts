import { z } from "zod";
import { commonShape, portNumber } from "./fields.ts";
import { clusterShape, milliseconds } from "./kubernetes-fields.ts";

const manifestText = (what: string) => z.string().min(1).max(262_144).describe(what);

/** How long each step may take, and what must answer in the end. */
const podShape = {
  kubeconfig: clusterShape.kubeconfig,
  connection: clusterShape.connection,
  scheduleTimeout: milliseconds("Longest until the pod is given a node"),
  readyTimeout: milliseconds("Longest until the pod is ready"),
  httpTimeout: milliseconds("Longest for one request; 5000 when absent"),
  deleteTimeout: milliseconds("Longest until the pod is gone"),
  ingressTimeout: milliseconds("Longest until the pod answers; 5000 when absent"),
  httpRetryInterval: milliseconds("Time between requests; 750 when absent"),
  deadline: milliseconds("Longest for all of it"),
  port: portNumber.optional().describe("Port of the pod that is asked over HTTP."),
  path: z.string().max(4096).optional().describe("Path that is asked for; / when absent."),
  ingressName: z
    .string()
    .max(253)
    .optional()
    .describe("Name of the ingress that is made; that of the pod when absent."),
  ingressHost: z
    .string()
    .max(1000)
    .optional()
    .describe("Host under which an ingress is made; the pod itself is asked when absent."),
  ingressClass: z.string().max(253).optional().describe("Class of the ingress."),
  expectedContent: z.string().max(65_536).optional().describe("Text that the answer must contain."),
  expectedHttpStatuses: z
    .array(z.int().min(0).max(999))
    .max(100)
    .optional()
    .describe("Codes of a good answer; 2xx when empty."),
  priorityClass: z.string().max(253).optional().describe("Priority class of the pod."),
} as const;

export const podSpec = z
  .looseObject({
    ...commonShape,
    ...podShape,
    spec: manifestText("Manifest of the pod, in YAML.").optional(),
    roundRobinNodes: z
      .boolean()
      .optional()
      .describe("Take another node each time; otherwise the scheduler decides."),
  })
  .describe("Makes a pod, waits until it answers, deletes it.");

export type PodSpec = z.output<typeof podSpec>;

export const namespaceSpec = z
  .looseObject({
    ...commonShape,
    ...podShape,
    podSpec: manifestText("Manifest of the pod that is made in it, in YAML."),
    namespaceNamePrefix: z
      .string()
      .max(50)
      .regex(/^[a-z0-9]?[-a-z0-9]*$/, "Small letters, digits and - make the name of a namespace.")
      .optional()
      .describe("What the name of the namespace begins with; some letters follow."),
    namespaceLabels: z
      .record(z.string(), z.string())
      .optional()
      .describe("Labels of the namespace."),
    namespaceAnnotations: z
      .record(z.string(), z.string())
      .optional()
      .describe("Annotations of the namespace."),
    schedule_timeout: milliseconds("Another spelling of scheduleTimeout"),
  })
  .transform(({ schedule_timeout, ...spec }) => ({
    ...spec,
    scheduleTimeout: spec.scheduleTimeout ?? schedule_timeout,
  }))
  .describe("Makes a namespace with a pod, waits until it answers, deletes them.");

export type NamespaceSpec = z.output<typeof namespaceSpec>;
