import { z } from "zod";
import { commonShape, durationText } from "./fields.ts";
import { clusterShape, manifest, objectSelector } from "./kubernetes-fields.ts";

export const kubernetesSpec = z
  .looseObject({
    ...commonShape,
    ...clusterShape,
    kind: z
      .string()
      .min(1)
      .max(253)
      .describe("Kind of the objects: Pod, Node, Deployment, Certificate."),
    apiVersion: z
      .string()
      .max(253)
      .optional()
      .describe("Of the kind, where several groups have one of this name: apps/v1."),
    namespaceSelector: objectSelector(
      "Namespaces to look in, * for all; the one of the document when empty.",
    ).optional(),
    resource: objectSelector("Which of the objects; all when empty.").optional(),
    ignore: z
      .array(z.string().max(1000))
      .max(1000)
      .optional()
      .describe("Names that do not count; * stands for anything."),
    healthy: z.boolean().optional().describe("All of them must be healthy."),
    ready: z.boolean().optional().describe("All of them must be ready."),
  })
  .describe("Objects of a Kubernetes cluster, and their health.");

export type KubernetesSpec = z.output<typeof kubernetesSpec>;

/** Objects that one check may make. */
const mostResources = 10;

export const kubernetesResourceSpec = z
  .looseObject({
    ...commonShape,
    ...clusterShape,
    staticResources: z
      .array(manifest)
      .max(mostResources)
      .optional()
      .describe("Objects that are applied first and stay."),
    resources: z
      .array(manifest)
      .max(mostResources)
      .describe("Objects that are made, waited for, and deleted in the end."),
    clearResources: z
      .boolean()
      .optional()
      .describe("Delete objects of the same names first, whoever made them."),
    waitFor: z
      .looseObject({
        expr: z
          .string()
          .max(65_536)
          .optional()
          .describe("A CEL expression over resources that says when all is there."),
        disable: z.boolean().optional().describe("Wait for nothing."),
        delete: z.boolean().optional().describe("Wait until the objects are gone in the end."),
        timeout: durationText.optional().describe("Longest to wait; 10m when absent."),
        interval: durationText.optional().describe("How often to look; 5s when absent."),
      })
      .optional()
      .describe("What to wait for; until all are ready when absent."),
    checks: z
      .array(z.looseObject({}))
      .max(20)
      .optional()
      .describe("Checks to run then, as the spec of a canary holds them."),
    checkRetries: z
      .looseObject({
        delay: durationText.optional().describe("Wait so long before the checks."),
        timeout: durationText.optional().describe("Longest to try them again."),
        interval: durationText.optional().describe("How often to try them again."),
        maxRetries: z.int().min(0).max(1000).optional().describe("Tries after the first."),
      })
      .optional()
      .describe("How often the checks are tried before one that fails counts."),
  })
  .superRefine(({ resources, staticResources = [] }, context) => {
    if (resources.length + staticResources.length > mostResources)
      context.addIssue({
        code: "custom",
        path: ["resources"],
        message: `There are ${resources.length + staticResources.length} objects, at most ${mostResources} fit in one check.`,
      });
  })
  .describe("Makes objects in a Kubernetes cluster, checks them, deletes them.");

export type KubernetesResourceSpec = z.output<typeof kubernetesResourceSpec>;
