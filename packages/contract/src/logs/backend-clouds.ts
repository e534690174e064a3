import { z } from "zod";
import { awsShape, gcpShape } from "../canary/cloud-fields.ts";
import { envVar } from "../canary/fields.ts";
import { clusterShape } from "../canary/kubernetes-fields.ts";
import { textList } from "../scrape-config/texts.ts";
import { secret, secretIn } from "../secrets/marks.ts";
import { backendShape, fieldName } from "./backend-routes.ts";

export const kubernetesBackend = z
  .looseObject({
    ...backendShape,
    connection: clusterShape.connection,
    kubeconfig: clusterShape.kubeconfig,
    namespace: z.string().max(253).optional().describe("Namespace of the pods; any when absent."),
    labelSelector: z
      .string()
      .max(4096)
      .optional()
      .describe("Our addition: labels of the pods, as Kubernetes selects them: app=web,tier!=db."),
    container: z
      .string()
      .max(253)
      .optional()
      .describe("Our addition: container whose lines are read; all of a pod when absent."),
  })
  .describe("Pods of a Kubernetes cluster.");
export type KubernetesBackend = z.output<typeof kubernetesBackend>;

const awsAuth = z
  .looseObject({
    region: awsShape.region,
    access_key: awsShape.accessKey,
    secret_key: awsShape.secretKey,
  })
  .describe("Who asks Amazon.");

export const cloudwatchBackend = z
  .looseObject({
    ...backendShape,
    ...awsShape,
    auth: awsAuth.optional(),
    namespace: z
      .string()
      .max(253)
      .optional()
      .describe("Namespace of the Secrets that values are taken from; the document's when absent."),
    log_group: z.string().max(512).optional().describe("Name or ARN of the log group."),
    logGroup: z.string().max(512).optional().describe("Another spelling of log_group."),
    streamPrefix: z
      .string()
      .max(512)
      .optional()
      .describe("Our addition: only streams whose names begin so."),
    query: z
      .string()
      .max(10_000)
      .optional()
      .describe(
        "Query of Logs Insights whose fields, filter and parse choose the lines: filter @message like /shop/. All lines when absent.",
      ),
  })
  .superRefine((spec, context) => {
    if (!spec.log_group && !spec.logGroup)
      context.addIssue({
        code: "custom",
        path: [],
        message: '"log_group" is missing: it says which lines are meant.',
      });
  })
  .transform(({ auth, logGroup, ...spec }) => ({
    ...spec,
    log_group: (spec.log_group ?? logGroup)!,
    region: spec.region ?? auth?.region,
    accessKey: spec.accessKey ?? auth?.access_key,
    secretKey: spec.secretKey ?? auth?.secret_key,
  }))
  .describe("Amazon CloudWatch Logs.");
export type CloudwatchBackend = z.output<typeof cloudwatchBackend>;

export const gcpBackend = z
  .looseObject({
    ...backendShape,
    connection: gcpShape.connection,
    endpoint: gcpShape.endpoint,
    credentials: gcpShape.credentials,
    project: gcpShape.project.describe("Id of the project; that of the key when absent."),
    skipTLSVerify: gcpShape.skipTLSVerify,
    resourceNames: textList(512, 100)
      .optional()
      .describe("Projects, folders or buckets with lines; the project when absent."),
    filter: z
      .string()
      .max(20_000)
      .optional()
      .describe("Filter of Cloud Logging that all lines fit; all lines when absent."),
  })
  .describe("Our addition: Google Cloud Logging.");
export type GcpBackend = z.output<typeof gcpBackend>;

export const azureBackend = z
  .looseObject({
    ...backendShape,
    connection: secretIn("address", z.string().max(2048))
      .optional()
      .describe("A stored connection (connection://namespace/name) with the credentials."),
    tenantID: z.string().max(256).optional().describe("Id of the tenant."),
    clientID: envVar.optional().describe("Id of the application."),
    clientSecret: secret(envVar).optional().describe("Secret of the application."),
    workspaceID: z.string().min(1).max(256).describe("Id of the workspace of Log Analytics."),
    query: z
      .string()
      .min(1)
      .max(65_536)
      .describe("Table of the workspace, perhaps with a pipeline of KQL: ContainerLogV2 | where …"),
    columns: z
      .looseObject({
        timestamp: fieldName
          .optional()
          .describe("Column with the time; TimeGenerated when absent."),
        message: fieldName
          .optional()
          .describe(
            "Column with the message; Message, LogMessage, SyslogMessage, RenderedDescription or RawData when absent.",
          ),
        level: fieldName
          .optional()
          .describe(
            "Column with the level; LogLevel, Level, SeverityLevel, Severity or EventLevelName when absent.",
          ),
      })
      .optional()
      .describe("What the columns are."),
    endpoint: z
      .string()
      .max(2048)
      .optional()
      .describe("Address of the API of another cloud; https://api.loganalytics.io when absent."),
    loginEndpoint: z
      .string()
      .max(2048)
      .optional()
      .describe("Where another cloud signs in; https://login.microsoftonline.com when absent."),
  })
  .describe("Our addition: Azure Log Analytics.");
export type AzureBackend = z.output<typeof azureBackend>;
