import { z } from "zod";
import { artifactsOf } from "./artifact-fields.ts";
import { commonShape, durationText } from "./fields.ts";
import { clusterShape } from "./kubernetes-fields.ts";

export const junitSpec = z
  .looseObject({
    ...commonShape,
    kubeconfig: clusterShape.kubeconfig,
    connection: clusterShape.connection,
    testResults: z
      .string()
      .min(1)
      .max(4096)
      .describe("Folder or pattern of the results, in the pod, or on this server without one."),
    spec: z
      .looseObject({
        containers: z.array(z.looseObject({})).max(20).optional().describe("Its containers."),
      })
      .optional()
      .describe("Spec of the pod that runs the tests; without it results of this server are read."),
    timeout: z
      .union([z.int().min(1).max(1440), durationText])
      .optional()
      .describe("Longest for the tests, in minutes, or a duration; 5 when absent."),
    artifacts: artifactsOf(
      "Path or pattern (*, **, ?) in the pod, below the folder of the results.",
    ),
  })
  .describe("Runs tests in a pod and reads their JUnit results.");

export type JunitSpec = z.output<typeof junitSpec>;
