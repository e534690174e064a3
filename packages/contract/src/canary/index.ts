export {
  type AwsConfigRuleSpec,
  type AwsConfigSpec,
  type CloudwatchSpec,
  type Ec2Spec,
} from "./aws.ts";
export { canaryFormat, storedCanaryFormat } from "./canary-format.ts";
export {
  canarySecretPlaces,
  checkSecretPlaces,
  mapCanarySecrets,
  withoutRegistries,
} from "./canary-secrets.ts";
export {
  type CanarySpec,
  canaryApiVersion,
  canaryEnvelope,
  canarySpec,
  checkKeys,
  checkSpecs,
  isSupportedCheckType,
  mostChecks,
  type SupportedCheckType,
  supportedCheckTypes,
  type UnsupportedCheckType,
  unsupportedCheckTypes,
} from "./canary-spec.ts";
export { checkAliases, singleTypes, typeUnder } from "./check-lists.ts";
export { type CatalogSpec } from "./catalog.ts";
export { readCatalogQuery } from "./catalog-query.ts";
export { type CanaryCheck, type CanaryParts, checksOf, writtenTimeoutMs } from "./checks-of.ts";
export { codeInCanarySpec, codeInCheck } from "./code-in-spec.ts";
export { awsShape, bucketShape, gcpShape } from "./cloud-fields.ts";
export { type DatabaseBackupSpec } from "./database-backup.ts";
export { type PrometheusSpec } from "./prometheus.ts";
export { type AlertmanagerSpec } from "./alertmanager.ts";
export { type SearchSpec } from "./elasticsearch.ts";
export { type DynatraceSpec } from "./dynatrace.ts";
export { type AzureDevopsSpec } from "./azure-devops.ts";
export { type GitProtocolSpec } from "./git-protocol.ts";
export { type WebhookSpec } from "./webhook.ts";
export { type GithubSpec } from "./github.ts";
export { type DnsQueryType, type DnsSpec, dnsQueryTypes } from "./dns.ts";
export { defaultDomainDays, type DomainSpec, rdapBootstrap, readDomain } from "./domain.ts";
export { type ExecSpec } from "./exec.ts";
export { inOrder } from "./dependencies.ts";
export {
  deleteStrategies,
  type EnvVar,
  metricTypes,
  type Retries,
  relationships as checkRelationships,
  severities,
  spanMs,
} from "./fields.ts";
export { type FolderSpec } from "./folder.ts";
export { type HeartbeatSpec } from "./heartbeat.ts";
export { heldReason } from "./held.ts";
export { type HelmSpec } from "./helm.ts";
export { type CodeRange, type HttpSpec, parseResponseCode } from "./http.ts";
export { type IcmpSpec } from "./icmp.ts";
export { type ImageSpec } from "./image.ts";
export { type ImageReference, parseImage } from "./image-reference.ts";
export { type JunitSpec } from "./junit.ts";
export { type KubernetesResourceSpec, type KubernetesSpec } from "./kubernetes.ts";
export { type NamespaceSpec, type PodSpec } from "./pod.ts";
export { canaryJsonSchema, canarySpecJsonSchema, checkJsonSchema } from "./json-schema.ts";
export { type CanaryDocument, parseCanaryDocuments } from "./parse-canary.ts";
export { type JmeterSpec } from "./jmeter.ts";
export { type LdapSpec } from "./ldap.ts";
export { type MultistepSpec, type MultistepStep, stepVariables } from "./multistep.ts";
export { type MongodbSpec } from "./mongodb.ts";
export { type RedisSpec } from "./redis.ts";
export { type ResticSpec } from "./restic.ts";
export { type S3BucketSpec } from "./s3-bucket.ts";
export { type S3Spec } from "./s3.ts";
export { sftpConnection, smbConnection } from "./share-fields.ts";
export {
  type PlacedScript,
  readScript,
  type Script,
  type ScriptLanguage,
  scriptsOfCheck,
} from "./scripts.ts";
export { type MssqlSpec, type MysqlSpec, type PostgresSpec } from "./sql.ts";
export { splitHostPort, type TcpSpec } from "./tcp.ts";
