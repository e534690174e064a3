import { z } from "zod";
import { secret, secretIn } from "../secrets/marks.ts";
import { artifactsOf } from "./artifact-fields.ts";
import { awsShape, gcpShape } from "./cloud-fields.ts";
import { commonShape, connectionShape, envVar, secretVar } from "./fields.ts";

export const checkout = z
  .looseObject({
    ...connectionShape,
    url: secretIn("address", z.string().max(8192))
      .optional()
      .describe("Address of the repository: https://, ssh://, git@host:path or file://."),
    certificate: secret(envVar).optional().describe("Private key (PEM) to sign in with over ssh."),
    type: z.string().max(256).optional().describe("Accepted and ignored."),
    branch: z
      .string()
      .max(1024)
      .optional()
      .describe("Branch, tag or commit; what the repository points at when absent."),
    depth: z
      .int()
      .min(0)
      .max(1_000_000)
      .optional()
      .describe("Commits to fetch; 1 when absent, 0 for all."),
    destination: z
      .string()
      .max(1024)
      .optional()
      .describe("Folder inside the script's own; the script starts there."),
  })
  .describe("Repository to check out before the script runs.");

const azure = z
  .looseObject({
    connection: secretIn("address", z.string().max(2048))
      .optional()
      .describe("A stored connection (connection://namespace/name)."),
    clientID: envVar.optional().describe("Id of the application."),
    clientSecret: secret(envVar).optional().describe("Secret of the application."),
    tenantID: z.string().max(256).optional().describe("Id of the tenant."),
  })
  .describe("Credentials of Azure, in AZURE_CLIENT_ID, AZURE_CLIENT_SECRET and AZURE_TENANT_ID.");

const kubernetes = z
  .looseObject({
    connection: secretIn("address", z.string().max(2048))
      .optional()
      .describe("A stored connection (connection://namespace/name)."),
    kubeconfig: secret(envVar)
      .optional()
      .describe("A kubeconfig, in the file that KUBECONFIG names."),
  })
  .describe("Access to a cluster.");

export const connections = z
  .looseObject({
    aws: z
      .looseObject({ ...awsShape })
      .optional()
      .describe("Credentials of Amazon, in the variables that its programs read."),
    gcp: z
      .looseObject({ ...gcpShape })
      .optional()
      .describe("Credentials of Google, in the file that GOOGLE_APPLICATION_CREDENTIALS names."),
    azure: azure.optional(),
    kubernetes: kubernetes.optional(),
  })
  .describe(
    "Cloud credentials for the script, in its environment or in files that it alone may read.",
  );

export const execSpec = z
  .looseObject({
    ...commonShape,
    script: z
      .string()
      .min(1)
      .max(262_144)
      .describe("Shell script, run by bash unless its first line names another interpreter."),
    env: z
      .array(secretVar)
      .max(256)
      .optional()
      .describe("Variables for the script; their values are secret."),
    checkout: checkout.optional(),
    connections: connections.optional(),
    artifacts: artifactsOf(
      "Path or pattern (*, **, ?) below the folder that the script starts in, which is its TMPDIR unless something is checked out; or /dev/stdout, /dev/stderr.",
    ),
  })
  .describe("Shell scripts.");

export type ExecSpec = z.output<typeof execSpec>;
