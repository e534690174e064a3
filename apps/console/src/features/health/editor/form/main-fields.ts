import type { SupportedCheckType } from "@mainstay/contract/canary/index.ts";
import { namesSecret } from "@mainstay/contract/secrets/secret-names.ts";

/** What a check of each type is pointed at: the fields that a new one asks for first; the compiler asks for the next. */
const byType = {
  http: ["url"],
  multistep: ["url", "steps"],
  tcp: ["endpoint"],
  dns: ["query", "server"],
  domain: ["domain"],
  icmp: ["endpoint"],
  exec: ["script"],
  postgres: ["connection", "query"],
  mysql: ["connection", "query"],
  mssql: ["connection", "query"],
  redis: ["connection"],
  mongodb: ["connection"],
  ldap: ["connection", "bindDN"],
  folder: ["path"],
  s3: ["connection", "bucket"],
  s3Bucket: ["connection", "bucket", "objectPath"],
  docker: ["image", "expectedDigest"],
  containerd: ["image", "expectedDigest"],
  restic: ["repository", "password"],
  databaseBackup: ["gcp"],
  heartbeat: ["every", "grace"],
  kubernetes: ["kind", "namespaceSelector", "resource"],
  kubernetesResource: ["resources"],
  pod: ["spec"],
  namespace: ["podSpec"],
  junit: ["testResults", "spec"],
  helm: ["chartmuseum"],
  awsConfig: ["connection", "query"],
  awsConfigRule: ["connection", "rules"],
  cloudwatch: ["connection", "alarms"],
  ec2: ["connection", "ami"],
  jmeter: ["jmx"],
  catalog: ["selector"],
  prometheus: ["url", "query"],
  alertmanager: ["url", "alerts"],
  elasticsearch: ["url", "index", "query"],
  opensearch: ["url", "index", "query"],
  dynatrace: ["host", "apiKey"],
  azureDevops: ["organization", "project", "pipeline"],
  gitProtocol: ["repository"],
  webhook: ["token"],
  github: ["query", "connection"],
} satisfies Record<SupportedCheckType, readonly string[]>;

/** Blocks that say whose storage a folder is in: asked for where they are begun. */
const storages = ["awsConnection", "gcpConnection", "smbConnection", "sftpConnection"];

export function mainFields(
  type: SupportedCheckType,
  check: Readonly<Record<string, unknown>>,
): readonly string[] {
  const own: readonly string[] = byType[type];
  return type === "folder" ? [...own, ...storages.filter((key) => check[key] !== undefined)] : own;
}

/** What a check asks, in one line: what stands in its main fields, but for what is kept secret. */
export function askedBy(
  type: SupportedCheckType,
  check: Readonly<Record<string, unknown>>,
): string {
  return mainFields(type, check)
    .flatMap((key) => {
      const value = check[key];
      if (namesSecret(key)) return [];
      if (typeof value !== "string" || value.trim() === "" || value.includes("********")) return [];
      return [value.replaceAll(/\/\/[^/@\s]*:[^/@\s]*@/g, "//********@").split("\n")[0]!];
    })
    .join(" · ");
}
