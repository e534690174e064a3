import { labelOf } from "@mainstay/ui/schema-form/schema-fields.ts";

/** Check types as people call them (document 3, section 2). */
const labels: Readonly<Record<string, string>> = {
  alertManager: "Alert Manager",
  alertmanager: "Alert Manager",
  awsConfig: "AWS Config",
  awsConfigRule: "AWS Config Rule",
  azureDevops: "Azure DevOps",
  cloudwatch: "Cloud Watch",
  dns: "DNS",
  ec2: "EC2",
  gcs: "GCS",
  github: "GitHub",
  http: "HTTP",
  icmp: "ICMP Ping",
  jmeter: "JMeter",
  junit: "JUnit",
  ldap: "LDAP",
  mongo: "Mongo DB",
  mongodb: "Mongo DB",
  multistep: "Multi-step HTTP",
  mssql: "SQL Server query",
  mysql: "MySQL query",
  namespace: "Kubernetes Namespace",
  opensearch: "OpenSearch",
  postgres: "PostgreSQL query",
  s3: "AWS S3",
  sftp: "SFTP",
  smb: "SMB",
  tcp: "TCP",
};

export const checkTypeLabel = (type: string): string => labels[type] ?? labelOf(type);
