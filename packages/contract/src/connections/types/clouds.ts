import type { ConnectionType } from "../connection-type.ts";
import { checkbox, hidden, insecureTls, required, text, url, value } from "../fields.ts";

const awsFields = [
  text("properties.region", "Region", { help: "For example eu-central-1" }),
  text("properties.profile", "Profile", { help: "One of this server's own AWS configuration." }),
  value("username", "Access Key"),
  hidden("password", "Secret Key"),
] as const;

export const aws: ConnectionType = {
  type: "aws",
  label: "AWS",
  help: "An account of Amazon Web Services.",
  kind: "connection",
  fields: [...awsFields, checkbox("properties.insecureTLS", "Insecure TLS")],
};

export const s3: ConnectionType = {
  type: "s3",
  label: "AWS S3",
  help: "A bucket of S3, or of a store with its API.",
  kind: "connection",
  fields: [text("properties.bucket", "Bucket", required), ...awsFields, insecureTls],
};

export const azure: ConnectionType = {
  type: "azure",
  label: "Azure",
  help: "A tenant of Microsoft Azure, by an application of it.",
  kind: "connection",
  fields: [
    value("username", "Client ID", required),
    hidden("password", "Client Secret", required),
    text("properties.tenant", "Tenant ID", required),
  ],
};

export const azureDevops: ConnectionType = {
  type: "azure_devops",
  label: "Azure DevOps",
  help: "An organization of Azure DevOps.",
  kind: "connection",
  fields: [
    url("Address of your own Azure DevOps Server; https://dev.azure.com when empty."),
    value("username", "Organization", required),
    hidden("password", "Personal Access Token", required),
  ],
};

const credentials = hidden("certificate", "Credentials", {
  help: "The key file of a service account, as JSON.",
  input: "multiline",
  ...required,
});

export const googleCloud: ConnectionType = {
  type: "google_cloud",
  label: "Google Cloud",
  help: "A project of Google Cloud.",
  kind: "connection",
  fields: [
    value("url", "Endpoint", { help: "For example https://www.googleapis.com", ...required }),
    credentials,
  ],
};

export const gcs: ConnectionType = {
  ...googleCloud,
  type: "gcs",
  label: "Google Cloud Storage",
  help: "A bucket of Google Cloud Storage.",
  fields: [
    value("url", "Endpoint", { help: "For example https://storage.googleapis.com", ...required }),
    credentials,
    text("properties.bucket", "Bucket"),
  ],
};

export const github: ConnectionType = {
  type: "github",
  label: "GitHub",
  help: "GitHub, by a personal access token.",
  kind: "connection",
  fields: [
    url("Address of the API of your own GitHub; https://api.github.com when empty."),
    hidden("password", "Personal Access Token", required),
  ],
};

export const gitlab: ConnectionType = {
  type: "gitlab",
  label: "GitLab",
  help: "GitLab, by a personal access token.",
  kind: "connection",
  fields: [
    url("Address of your own GitLab; https://gitlab.com when empty."),
    hidden("password", "Personal Access Token", required),
  ],
};

const keys = (type: string, label: string, help: string): ConnectionType => ({
  type,
  label,
  help,
  kind: "connection",
  hidden: true,
  fields: [
    url("Address of the key."),
    value("username", "Access Key"),
    hidden("password", "Secret Key"),
    hidden("certificate", "Credentials", { input: "multiline" }),
  ],
});

export const clouds = [
  aws,
  s3,
  azure,
  azureDevops,
  googleCloud,
  gcs,
  github,
  gitlab,
  keys("aws_kms", "AWS KMS", "A key of the AWS Key Management Service."),
  keys("gcp_kms", "Google Cloud KMS", "A key of the Cloud Key Management Service."),
  keys("azure_key_vault", "Azure Key Vault", "A key of an Azure Key Vault."),
] as const;
