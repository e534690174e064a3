import { z } from "zod";
import { commonShape, envVar, millis } from "./fields.ts";
import { secret, secretIn } from "../secrets/marks.ts";

const scalar = z.union([z.string(), z.number(), z.boolean()]).transform((value) => String(value));

export const azureDevopsSpec = z
  .looseObject({
    ...commonShape,
    connection: secretIn("address", z.string().max(2048))
      .optional()
      .describe("A stored connection (connection://namespace/name) with organization and token."),
    url: secretIn("address", z.string().max(8192))
      .optional()
      .describe("Address of a server of your own; https://dev.azure.com when absent."),
    organization: z.string().max(500).optional().describe("Name of the organization."),
    personalAccessToken: secret(envVar).optional().describe("Token that may read builds."),
    username: envVar.optional().describe("Another name for organization, as connections have it."),
    password: secret(envVar).optional().describe("Another name for personalAccessToken."),
    project: z.string().min(1).max(500).describe("Name or id of the project."),
    pipeline: z
      .string()
      .min(1)
      .max(1000)
      .describe("Name of the pipeline, or a regular expression of names."),
    variables: z
      .record(z.string().max(500), scalar)
      .optional()
      .describe("Variables that the run must have been given."),
    variable: z
      .record(z.string().max(500), scalar)
      .optional()
      .describe("Another spelling of variables."),
    branch: z
      .union([z.array(z.string().max(500)).max(100), z.string().max(500)])
      .transform((value) => (typeof value === "string" ? [value] : value))
      .optional()
      .describe("Branches of which runs count; all when absent."),
    thresholdMillis: millis.optional().describe("Longest time a run may take, in milliseconds."),
  })
  .superRefine((spec, context) => {
    if (spec.organization || spec.connection || spec.username?.value) return;
    context.addIssue({
      code: "custom",
      path: [],
      message: "An azureDevops check needs an organization.",
    });
  })
  .describe("The last run of a pipeline of Azure DevOps.");

export type AzureDevopsSpec = z.output<typeof azureDevopsSpec>;
