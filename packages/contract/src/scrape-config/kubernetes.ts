import { z } from "zod";
import { durationText } from "../canary/fields.ts";
import { clusterShape } from "../canary/kubernetes-fields.ts";
import { baseShape } from "./base-fields.ts";
import { lookup } from "../resource-selector/lookup.ts";
import { textList, wordOf } from "./texts.ts";

const patterns = textList(1000, 1000).optional();

const watched = z.looseObject({
  apiVersion: z.string().min(1).max(253).describe("For example v1 or apps/v1."),
  kind: z.string().min(1).max(253).describe("For example Pod."),
});

/** What is looked at between scrapes when a document does not say it. Source: spec formats, section 7.6. */
export const defaultWatch = [
  { apiVersion: "apps/v1", kind: "DaemonSet" },
  { apiVersion: "apps/v1", kind: "Deployment" },
  { apiVersion: "apps/v1", kind: "ReplicaSet" },
  { apiVersion: "apps/v1", kind: "StatefulSet" },
  { apiVersion: "batch/v1", kind: "CronJob" },
  { apiVersion: "batch/v1", kind: "Job" },
  { apiVersion: "v1", kind: "Node" },
  { apiVersion: "v1", kind: "Event" },
  { apiVersion: "v1", kind: "Pod" },
] as const;

const eventExclusionFields = z
  .looseObject({
    name: patterns.describe("Names of the objects they are about, with * and !."),
    namespace: patterns.describe("Their namespaces, with * and !."),
    reason: patterns.describe("Reasons of the events, with * and !."),
  })
  .describe("Events that are left out.");
/** Older documents list reasons alone. */
const eventExclusions = z.union([
  eventExclusionFields,
  textList(1000, 1000).transform((reason): z.output<typeof eventExclusionFields> => ({ reason })),
]);

const event = z
  .looseObject({
    exclusions: eventExclusions
      .optional()
      .describe("Events that are left out; a list is one of reasons."),
    severityKeywords: z
      .looseObject({
        warn: patterns.describe("Words in a reason that make its change one of severity medium."),
        error: patterns.describe("Words in a reason that make its change one of severity high."),
      })
      .optional()
      .describe("Words that tell how much an event matters."),
  })
  .describe("How events become changes.");

const exclusionFields = z.looseObject({
  name: patterns.describe("Names, with * and !."),
  kind: patterns.describe("Kinds, with * and !."),
  namespace: patterns.describe("Namespaces, with * and !."),
  labels: z
    .record(z.string().max(1000), z.string().max(1000))
    .optional()
    .describe("Labels with their values; one that fits is enough."),
});
/** Older documents list kinds alone, form editors names; no name has capital letters. */
const exclusions = z.union([
  exclusionFields,
  textList(1000, 1000).transform((kind): z.output<typeof exclusionFields> => ({
    kind,
    name: kind.filter((text) => text === text.toLowerCase()),
  })),
]);

const relationship = z
  .looseObject({
    kind: lookup.describe("Kind of the other objects."),
    name: lookup.describe("Their name."),
    namespace: lookup.describe("Their namespace."),
  })
  .describe("Fields of an object that name another one.");

const most = z.int().min(1).max(10_000).optional();

export const kubernetesScraper = z
  .looseObject({
    ...baseShape,
    ...clusterShape,
    clusterName: z
      .string()
      .min(1)
      .max(253)
      .describe("Name of the cluster: a tag of every item, and a part of their aliases."),
    namespace: z
      .string()
      .max(1000)
      .optional()
      .describe("Only objects of this namespace; of all when absent."),
    scope: wordOf(["cluster", "namespaced"] as const, "scope")
      .optional()
      .describe("cluster (when absent), or namespaced: objects that belong to a namespace alone."),
    since: durationText.optional().describe("Only events so young."),
    selector: z.string().max(4096).optional().describe("Labels, as Kubernetes selects them."),
    fieldSelector: z.string().max(4096).optional().describe("Fields, as Kubernetes selects them."),
    maxInflight: most.describe("Requests at the same time; 64 when absent."),
    maxInFlight: most.describe("Another spelling of maxInflight."),
    useCache: z.boolean().optional().describe("Accepted and ignored."),
    allowIncomplete: z
      .boolean()
      .optional()
      .describe("Store what could be read where some of it could not."),
    watch: z
      .array(watched)
      .max(500)
      .optional()
      .describe("Kinds that are looked at between scrapes."),
    event: event.optional(),
    exclusions: exclusions
      .optional()
      .describe("Objects that are left out; a list is one of kinds and names."),
    relationships: z
      .array(relationship)
      .max(500)
      .optional()
      .describe("Fields by which objects are related to each other."),
  })
  .transform(({ maxInFlight, ...spec }) => ({
    ...spec,
    maxInflight: spec.maxInflight ?? maxInFlight,
  }))
  .describe("Objects and events of a Kubernetes cluster.");

export type KubernetesScraper = z.output<typeof kubernetesScraper>;

const podFile = z
  .looseObject({
    path: textList(4096, 1000).describe("Files to read in the container."),
    format: z
      .string()
      .max(100)
      .optional()
      .describe("What they are: json, yaml, properties; any other is kept as a text."),
  })
  .describe("Files of one format.");

const podSelector = z
  .looseObject({
    namespace: z.string().max(1000).optional().describe("Their namespace."),
    kind: z
      .string()
      .max(253)
      .optional()
      .describe("Pod (when absent), or Deployment or StatefulSet: one of the pods of each."),
    name: z.string().max(1000).optional().describe("Their name."),
    labelSelector: z.string().max(4096).optional().describe("Labels, as Kubernetes selects them."),
    fieldSelector: z.string().max(4096).optional().describe("Fields, as Kubernetes selects them."),
  })
  .describe("Pods whose files are read; all that is given must hold.");

export const kubernetesFileScraper = z
  .looseObject({
    ...baseShape,
    ...clusterShape,
    selector: podSelector,
    container: z.string().max(253).optional().describe("Container; the first when absent."),
    files: z.array(podFile).max(1000).optional().describe("The files."),
  })
  .describe("Files inside the pods of a Kubernetes cluster.");

export type KubernetesFileScraper = z.output<typeof kubernetesFileScraper>;
