import { z } from "zod";
import { awsConfigRuleSpec, awsConfigSpec, cloudwatchSpec, ec2Spec } from "./aws.ts";
import { type CheckAlias, checkAliases, singleTypes } from "./check-lists.ts";
import { catalogSpec } from "./catalog.ts";
import { databaseBackupSpec } from "./database-backup.ts";
import { prometheusSpec } from "./prometheus.ts";
import { alertmanagerSpec } from "./alertmanager.ts";
import { elasticsearchSpec, opensearchSpec } from "./elasticsearch.ts";
import { dynatraceSpec } from "./dynatrace.ts";
import { azureDevopsSpec } from "./azure-devops.ts";
import { gitProtocolSpec } from "./git-protocol.ts";
import { webhookSpec } from "./webhook.ts";
import { githubSpec } from "./github.ts";
import { dnsSpec } from "./dns.ts";
import { domainSpec } from "./domain.ts";
import { execSpec } from "./exec.ts";
import { listUnder } from "../documents/list-under.ts";
import { documentEnvelope, documentMetadata, labels, longestName } from "../documents/metadata.ts";
import {
  durationText,
  retries,
  scheduleText,
  severity,
  timeZoneName,
  valueFrom,
} from "./fields.ts";
import { containerdSpec, dockerSpec } from "./image.ts";
import { folderSpec } from "./folder.ts";
import { secret } from "../secrets/marks.ts";
import { heartbeatRules, heartbeatSpec } from "./heartbeat.ts";
import { httpSpec } from "./http.ts";
import { helmSpec } from "./helm.ts";
import { icmpSpec } from "./icmp.ts";
import { junitSpec } from "./junit.ts";
import { jmeterSpec } from "./jmeter.ts";
import { kubernetesResourceSpec, kubernetesSpec } from "./kubernetes.ts";
import { ldapSpec } from "./ldap.ts";
import { mongodbSpec } from "./mongodb.ts";
import { multistepSpec } from "./multistep.ts";
import { namespaceSpec, podSpec } from "./pod.ts";
import { redisSpec } from "./redis.ts";
import { mssqlSpec, mysqlSpec, postgresSpec } from "./sql.ts";
import { resticSpec } from "./restic.ts";
import { s3BucketSpec } from "./s3-bucket.ts";
import { s3Spec } from "./s3.ts";
import { tcpSpec } from "./tcp.ts";

/** Checks in one document, over all types. */
export const mostChecks = 1000;

/** The schema of one check, by the key that holds the list of them. */
export const checkSpecs = {
  http: httpSpec,
  multistep: multistepSpec,
  tcp: tcpSpec,
  domain: domainSpec,
  dns: dnsSpec,
  icmp: icmpSpec,
  exec: execSpec,
  postgres: postgresSpec,
  mysql: mysqlSpec,
  redis: redisSpec,
  folder: folderSpec,
  s3: s3Spec,
  s3Bucket: s3BucketSpec,
  docker: dockerSpec,
  containerd: containerdSpec,
  restic: resticSpec,
  databaseBackup: databaseBackupSpec,
  heartbeat: heartbeatSpec,
  kubernetes: kubernetesSpec,
  kubernetesResource: kubernetesResourceSpec,
  pod: podSpec,
  namespace: namespaceSpec,
  junit: junitSpec,
  helm: helmSpec,
  ldap: ldapSpec,
  mongodb: mongodbSpec,
  mssql: mssqlSpec,
  awsConfig: awsConfigSpec,
  awsConfigRule: awsConfigRuleSpec,
  cloudwatch: cloudwatchSpec,
  ec2: ec2Spec,
  jmeter: jmeterSpec,
  catalog: catalogSpec,
  prometheus: prometheusSpec,
  alertmanager: alertmanagerSpec,
  elasticsearch: elasticsearchSpec,
  opensearch: opensearchSpec,
  dynatrace: dynatraceSpec,
  azureDevops: azureDevopsSpec,
  gitProtocol: gitProtocolSpec,
  webhook: webhookSpec,
  github: githubSpec,
} as const;

export type SupportedCheckType = keyof typeof checkSpecs;
export const supportedCheckTypes = Object.keys(checkSpecs) as SupportedCheckType[];
export const isSupportedCheckType = (type: string): type is SupportedCheckType =>
  Object.hasOwn(checkSpecs, type);

/** What is judged of documents alone: a check that is stored and breaks it goes on running. */
const documentRules = { heartbeat: heartbeatRules, webhook: heartbeatRules };

/** Keys of the family that are kept and not run by this version. */
export const unsupportedCheckTypes = [
  "amqp",
  "argo",
  "containerdPush",
  "dockerPush",
  "pubsub",
] as const;
export type UnsupportedCheckType = (typeof unsupportedCheckTypes)[number];

/** One check where a list of them could stand, for the types that documents hold one of. */
const listOf = (type: string, spec: z.ZodType) =>
  singleTypes.includes(type) ? z.union([z.array(spec), spec]) : z.array(spec);

/** A list of each, described as its schema is. */
const supportedShape = Object.fromEntries(
  Object.entries<z.ZodType>(checkSpecs).map(([type, spec]) => [
    type,
    listOf(type, spec)
      .optional()
      .describe(spec.description ?? ""),
  ]),
) as unknown as {
  [Type in SupportedCheckType]: z.ZodOptional<z.ZodArray<(typeof checkSpecs)[Type]>>;
};

const kept = z.looseObject({ name: z.string().max(longestName).optional() });
/** Whatever is kept may be one object where a list is meant. */
const keptList = z.union([z.array(kept), kept]);

const unsupportedShape = Object.fromEntries(
  unsupportedCheckTypes.map((type) => [
    type,
    keptList.optional().describe("Kept; not run by this version."),
  ]),
) as Record<UnsupportedCheckType, z.ZodOptional<typeof keptList>>;

const aliasShape = Object.fromEntries(
  Object.entries(checkAliases).map(([alias, type]) => [
    alias,
    (isSupportedCheckType(type) ? z.array(checkSpecs[type]) : keptList)
      .optional()
      .describe(`Another spelling of ${type}.`),
  ]),
) as Record<CheckAlias, z.ZodOptional<typeof keptList>>;

/** Every key that holds checks. */
export const checkKeys = [
  ...supportedCheckTypes,
  ...unsupportedCheckTypes,
  ...(Object.keys(checkAliases) as CheckAlias[]),
] as const;

const { secretKeyRef, configMapKeyRef } = valueFrom.shape;
const variable = z.looseObject({
  value: secret(z.union([z.string(), z.number(), z.boolean()]))
    .optional()
    .describe("The value itself."),
  valueFrom: valueFrom.optional(),
  secretKeyRef,
  configMapKeyRef,
  fieldRef: z
    .looseObject({ fieldPath: z.string().optional() })
    .optional()
    .describe("Accepted: a field of the document itself."),
});

export const canarySpec = z
  .looseObject({
    schedule: scheduleText
      .optional()
      .describe(
        "When the checks run: five-field cron, @every 1m, @hourly, @daily, @weekly, @monthly, @yearly or @never.",
      ),
    interval: z
      .int()
      .min(1)
      .max(31_536_000)
      .optional()
      .describe(
        "Seconds between runs, where there is no schedule. With neither, the checks run every 5 minutes.",
      ),
    timeZone: timeZoneName
      .optional()
      .describe("Time zone of a cron schedule, for example Europe/Berlin; UTC when absent."),
    timeout: durationText
      .optional()
      .describe("A check of this document fails after this long, unless it says otherwise."),
    consecutiveFailures: z
      .int()
      .min(1)
      .max(1000)
      .optional()
      .describe("Failures in a row until a check counts as unhealthy; 1 when absent."),
    consecutiveSuccesses: z
      .int()
      .min(1)
      .max(1000)
      .optional()
      .describe("Passes in a row until a check counts as healthy again; 1 when absent."),
    icon: z.string().max(longestName).optional().describe("Icon of all checks of this document."),
    severity: severity.optional().describe("How bad a failure is, where a check does not say it."),
    owner: z.string().max(longestName).optional().describe("Who owns the checks; also a label."),
    labels: labels.optional().describe("Labels of all checks of this document."),
    env: z.record(z.string(), variable).optional().describe("Variables for templates."),
    replicas: z.int().min(0).optional().describe("0 pauses the document."),
    resultMode: z.string().optional().describe("Accepted; only junit checks read it."),
    retries: retries.optional(),
    agentSelector: z
      .array(z.string())
      .optional()
      .describe("Agents that run the checks instead of this server."),
    ...supportedShape,
    ...unsupportedShape,
    ...aliasShape,
  })
  .superRefine((spec, context) => {
    const total = checkKeys.reduce((sum, key) => sum + listUnder(spec[key]).length, 0);
    for (const [type, judge] of Object.entries(documentRules)) {
      const found: unknown = spec[type];
      for (const [index, check] of listUnder(found).entries()) {
        const place = Array.isArray(found) ? [type, index] : [type];
        for (const { path, message } of judge(check as Parameters<typeof judge>[0]))
          context.addIssue({ code: "custom", path: [...place, ...path], message });
      }
    }
    if (total > mostChecks) {
      context.addIssue({
        code: "custom",
        path: [],
        message: `There are ${total} checks, at most ${mostChecks} fit in one document.`,
      });
    }
  });

export type CanarySpec = z.output<typeof canarySpec>;

/** Types that were kept unread by earlier versions: whatever mapping is stored of one, the checks beside it run. */
const formerlyKept = ["docker", "containerd", "s3Bucket"] as const;

/** As what is stored is read; a check that its own schema refuses is held. */
export const storedCanarySpec = canarySpec.safeExtend(
  Object.fromEntries(
    formerlyKept.map((type) => {
      const check = z.union([checkSpecs[type], kept]);
      return [type, z.union([z.array(check), check]).optional()];
    }),
  ),
) as unknown as typeof canarySpec;

export const canaryApiVersion = "canaries.flanksource.com/v1";

const { shape } = documentMetadata;

const envelopeOf = (spec: typeof canarySpec) =>
  documentEnvelope({
    kind: "Canary",
    apiVersions: [canaryApiVersion],
    metadata: documentMetadata.extend({
      labels: shape.labels.describe("Labels of all checks of this document."),
      annotations: shape.annotations.describe(
        'Notes for the program; template: "false" turns templates off.',
      ),
    }),
    spec: spec.describe("The checks and when they run."),
  });

export const canaryEnvelope = envelopeOf(canarySpec);
export const storedCanaryEnvelope = envelopeOf(storedCanarySpec);
