import { z } from "zod";
import { durationText, envVar } from "../canary/fields.ts";
import { secret, secretIn } from "../secrets/marks.ts";
import { baseShape } from "./base-fields.ts";
import { textList } from "./texts.ts";

const names = textList(1000, 1000);

const permissions = z
  .looseObject({
    enabled: z.boolean().optional().describe("Read them; they stand in what an item is."),
    // A stored one that is no duration stops no scraper.
    rateLimit: z.string().max(100).optional().describe("How often they are read; 24h when absent."),
    groups: z.boolean().optional().describe("Members of groups, too."),
    roles: z
      .record(z.string().max(256), names)
      .optional()
      .describe("Permissions that make a role, by its name: Git:Contribute, Pipeline:QueueBuilds."),
  })
  .describe("Who may do what with pipelines, releases and repositories.");

const auditLog = z
  .looseObject({
    enabled: z.boolean().optional().describe("Read it."),
    exclusions: names.optional().describe("Beginnings of actions that are left out."),
  })
  .describe("The audit log of the organization, as changes.");

export const azureDevopsScraper = z
  .looseObject({
    ...baseShape,
    connection: secretIn("address", z.string().max(2048))
      .optional()
      .describe("A stored connection (connection://namespace/name) with organization and token."),
    url: secretIn("address", z.string().max(8192))
      .optional()
      .describe(
        "Our addition: address of a server of your own; https://dev.azure.com when absent.",
      ),
    organization: z.string().max(500).optional().describe("Name of the organization."),
    personalAccessToken: secret(envVar)
      .optional()
      .describe("Token that may read builds, and what else the document wants."),
    projects: names.optional().describe("Names of projects, with * and !; all when absent."),
    pipelines: names.optional().describe("Names of pipelines, with * and !; all when absent."),
    maxAge: durationText.optional().describe("Only runs so young; 7d when absent."),
    releases: names
      .optional()
      .describe("Names of release pipelines, with * and !; none when absent."),
    repositories: names
      .optional()
      .describe("Names of repositories of Git, with * and !; none when absent."),
    permissions: permissions.optional(),
    auditLog: auditLog.optional(),
  })
  .superRefine(({ organization, connection }, context) => {
    if (!organization && !connection)
      context.addIssue({
        code: "custom",
        path: [],
        message: "An azureDevops scraper needs an organization or a connection.",
      });
  })
  .describe(
    "Pipelines, releases and repositories of Azure DevOps, with runs and the audit log as changes.",
  );

export type AzureDevopsScraper = z.output<typeof azureDevopsScraper>;
