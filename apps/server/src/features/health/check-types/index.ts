import {
  type checkSpecs,
  isSupportedCheckType,
  supportedCheckTypes,
  type SupportedCheckType,
} from "@mainstay/contract";
import type { z } from "zod";
import type { CheckType } from "./check-type.ts";
import { awsConfigRule } from "./aws-config-rule/aws-config-rule.ts";
import { awsConfig } from "./aws-config/aws-config.ts";
import { catalog } from "./catalog/catalog.ts";
import { cloudwatch } from "./cloudwatch/cloudwatch.ts";
import { databaseBackup } from "./databaseBackup/database-backup.ts";
import { prometheus } from "./prometheus/prometheus.ts";
import { alertmanager } from "./alertmanager/alertmanager.ts";
import { elasticsearch } from "./elasticsearch/elasticsearch.ts";
import { opensearch } from "./opensearch/opensearch.ts";
import { dynatrace } from "./dynatrace/dynatrace.ts";
import { azureDevops } from "./azure-devops/azure-devops.ts";
import { gitProtocol } from "./git-protocol/git-protocol.ts";
import { webhook } from "./webhook/webhook.ts";
import { github } from "./github/github.ts";
import { containerd, docker } from "./image/image.ts";
import { dns } from "./dns/dns.ts";
import { domain } from "./domain/domain.ts";
import { ec2 } from "./ec2/ec2.ts";
import { exec } from "./exec/exec.ts";
import { folder } from "./folder/folder.ts";
import { heartbeat } from "./heartbeat/heartbeat.ts";
import { helm } from "./helm/helm.ts";
import { http } from "./http/http.ts";
import { icmp } from "./icmp/icmp.ts";
import { jmeter } from "./jmeter/jmeter.ts";
import { ldap } from "./ldap/ldap.ts";
import { mongodb } from "./mongodb/mongodb.ts";
import { mssql } from "./mssql/mssql.ts";
import { junit } from "./junit/junit.ts";
import { kubernetes } from "./kubernetes/kubernetes.ts";
import { kubernetesResource } from "./kubernetes-resource/kubernetes-resource.ts";
import { multistep } from "./multistep/multistep.ts";
import { mysql } from "./mysql/mysql.ts";
import { namespace } from "./namespace/namespace.ts";
import { pod } from "./pod/pod.ts";
import { postgres } from "./postgres/postgres.ts";
import { redis } from "./redis/redis.ts";
import { restic } from "./restic/restic.ts";
import { s3Bucket } from "./s3-bucket/s3-bucket.ts";
import { s3 } from "./s3/s3.ts";
import { tcp } from "./tcp/tcp.ts";

/** Every check type that runs. A type of the contract without an entry here does not compile. */
export const checkTypes = {
  http,
  multistep,
  tcp,
  domain,
  dns,
  icmp,
  exec,
  postgres,
  mysql,
  redis,
  folder,
  s3,
  s3Bucket,
  docker,
  containerd,
  restic,
  databaseBackup,
  heartbeat,
  kubernetes,
  kubernetesResource,
  pod,
  namespace,
  junit,
  helm,
  ldap,
  mongodb,
  mssql,
  awsConfig,
  awsConfigRule,
  cloudwatch,
  ec2,
  jmeter,
  catalog,
  prometheus,
  alertmanager,
  elasticsearch,
  opensearch,
  dynatrace,
  azureDevops,
  gitProtocol,
  webhook,
  github,
} satisfies {
  [Type in SupportedCheckType]: CheckType<z.output<(typeof checkSpecs)[Type]>>;
};

/** The check type of a key, for callers that hold a spec of any type; undefined when this version does not run it. */
export function findCheckType(type: string): CheckType<unknown> | undefined {
  // `run` and `endpoint` are only ever given what the type's own `spec` schema has parsed.
  return isSupportedCheckType(type) ? checkTypes[type] : undefined;
}

/** The types whose checks wait to be called. */
export const awaitingTypes: readonly string[] = supportedCheckTypes.filter(
  (type) => findCheckType(type)?.awaits,
);

/** Those of them that look at what a call brings. */
export const keepingTypes: readonly string[] = awaitingTypes.filter(
  (type) => findCheckType(type)?.awaits?.keepsCalls,
);

export {
  type Calls,
  type CheckInput,
  type CheckOutcome,
  type CheckType,
  type ReceivedCall,
} from "./check-type.ts";
export {
  type AddressPolicy,
  type Connector,
  createConnector,
  deniedByDefault,
  parseNetwork,
} from "#platform/outbound/connector.ts";
