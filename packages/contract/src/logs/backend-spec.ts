import { z } from "zod";
import { documentEnvelope } from "../documents/metadata.ts";
import { logBackendSpecs, type LogBackendType, logBackendTypes } from "./backend-types.ts";

/** Backends of one document. */
export const mostLogBackends = 50;

/** Described as its schema is. */
const shape = Object.fromEntries(
  Object.entries<z.ZodType>(logBackendSpecs).map(([type, spec]) => [
    type,
    spec.optional().describe(spec.description ?? ""),
  ]),
) as unknown as { [Type in LogBackendType]: z.ZodOptional<(typeof logBackendSpecs)[Type]> };

const backend = z
  .looseObject(shape)
  .superRefine((found, context) => {
    const types = logBackendTypes.filter((type) => found[type] !== undefined);
    if (types.length === 1) return;
    const message =
      types.length === 0
        ? `There is no backend here. Known are ${logBackendTypes.join(", ")}.`
        : `There are ${types.length} backends here (${types.join(", ")}): write each as an element of its own.`;
    context.addIssue({ code: "custom", path: [], message });
  })
  .describe("One backend, under the name of its type.");

export const loggingBackendSpec = z.looseObject({
  backends: z
    .array(backend)
    .max(mostLogBackends)
    .describe("Programs that hold lines; of routes that fit, the first counts."),
});
export type LoggingBackendSpec = z.output<typeof loggingBackendSpec>;

export const loggingBackendApiVersion = "apm-hub.flanksource.com/v1";

export const loggingBackendEnvelope = documentEnvelope({
  kind: "LoggingBackend",
  apiVersions: [loggingBackendApiVersion],
  spec: loggingBackendSpec.describe("Where lines are, and which of them are asked for what."),
});
