import { z } from "zod";

/** The longest name of a document, a part of one, or a namespace. */
export const longestName = 253;
/** Labels on one document or one part of it. */
export const mostLabels = 256;
const longestLabel = 1024;

export const defaultNamespace = "default";

export const nameText = z
  .string()
  .min(1, "The name is empty.")
  .max(longestName, `The name is longer than ${longestName} characters.`);

export const labels = z
  .record(
    z.string().max(longestLabel),
    z
      .union([z.string().max(longestLabel), z.number(), z.boolean()], {
        error: "A label's value is a text.",
      })
      .transform((value) => String(value)),
    {
      error: (issue) =>
        issue.code === "invalid_type" ? "Labels are a mapping of names to texts." : undefined,
    },
  )
  .refine((value) => Object.keys(value).length <= mostLabels, {
    error: (issue) =>
      `There are ${Object.keys(issue.input as object).length} labels, at most ${mostLabels} are allowed.`,
  });

const annotations = z.record(
  z.string(),
  z.union([z.string(), z.number(), z.boolean()]).transform((value) => String(value)),
);

export const documentMetadata = z.looseObject({
  name: nameText.describe("Name of the document, unique in its namespace."),
  namespace: z
    .string()
    .min(1)
    .max(longestName)
    .optional()
    .describe("Namespace of the document; default when absent."),
  uid: z.guid("The uid must be a UUID.").optional().describe("Id to keep across servers."),
  labels: labels.optional().describe("Labels of the document."),
  annotations: annotations.optional().describe("Notes for the program."),
});

export type DocumentMetadata = z.output<typeof documentMetadata>;

/** What stands around the spec of every kind of document. */
export const documentEnvelope = <Spec extends z.ZodType>({
  kind,
  apiVersions,
  metadata = documentMetadata,
  spec,
}: {
  kind: string;
  apiVersions: readonly [string, ...string[]];
  /** With what the kind says of its labels and annotations. */
  metadata?: typeof documentMetadata;
  spec: Spec;
}) =>
  z.looseObject({
    apiVersion: z
      .literal([...apiVersions], { error: `Expected ${apiVersions.join(" or ")}.` })
      .describe("Version of the document format."),
    kind: z.literal(kind, { error: `Expected ${kind}.` }).describe("Kind of the document."),
    metadata: metadata.describe("What the document is called."),
    spec,
    status: z.looseObject({}).optional().describe("Ignored: written by servers."),
  });
