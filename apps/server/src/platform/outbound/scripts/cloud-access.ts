import type { ExecSpec } from "@mainstay/contract";
import { awsAccess } from "../aws/aws-access.ts";
import { roleCredentials } from "../aws/aws-client.ts";
import type { Connector } from "../connector.ts";
import type { ScriptFile } from "../programs.ts";

type Connections = NonNullable<ExecSpec["connections"]>;

export interface CloudAccess {
  env: Record<string, string>;
  files: ScriptFile[];
}

type Values = Record<string, string | undefined>;

const given = (values: Values): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, string] => Boolean(entry[1])),
  );

/**
 * Credentials as the command-line programs of the clouds look for them: in variables, and in files that the script alone
 * may read. None is an argument of anything.
 */
export function cloudAccess({ aws, gcp, azure, kubernetes }: Connections): CloudAccess {
  const env: Record<string, string> = {};
  const files: ScriptFile[] = [];
  if (aws) {
    Object.assign(
      env,
      given({
        AWS_ACCESS_KEY_ID: aws.accessKey?.value,
        AWS_SECRET_ACCESS_KEY: aws.secretKey?.value,
        AWS_SESSION_TOKEN: aws.sessionToken?.value,
        AWS_REGION: aws.region,
        AWS_DEFAULT_REGION: aws.region,
        AWS_ENDPOINT_URL: aws.endpoint,
        // What the machine itself may do is not the script's.
        AWS_EC2_METADATA_DISABLED: "true",
      }),
    );
  }
  if (gcp) {
    Object.assign(
      env,
      given({ GOOGLE_CLOUD_PROJECT: gcp.project, CLOUDSDK_CORE_PROJECT: gcp.project }),
    );
    const key = gcp.credentials?.value;
    if (key) {
      files.push(
        { name: "google.json", text: key, variable: "GOOGLE_APPLICATION_CREDENTIALS" },
        {
          name: "gcloud.json",
          text: key,
          variable: "CLOUDSDK_AUTH_CREDENTIAL_FILE_OVERRIDE",
        },
      );
    }
  }
  if (azure) {
    Object.assign(
      env,
      given({
        AZURE_CLIENT_ID: azure.clientID?.value,
        AZURE_CLIENT_SECRET: azure.clientSecret?.value,
        AZURE_TENANT_ID: azure.tenantID,
      }),
    );
  }
  const kubeconfig = kubernetes?.kubeconfig?.value;
  if (kubeconfig) files.push({ name: "kubeconfig", text: kubeconfig, variable: "KUBECONFIG" });
  return { env, files };
}

/**
 * The same, with what is lent to the role of Amazon in the place of who takes it on. `lent` are secrets that stand in no
 * document.
 */
export async function withRole(
  connections: Connections,
  options: { connector: Connector; signal: AbortSignal },
): Promise<{ connections: Connections; lent: string[] }> {
  const { aws } = connections;
  if (!aws?.assumeRole) return { connections, lent: [] };
  const access = awsAccess(aws);
  if (typeof access === "string") throw new Error(`connections.aws: ${access}`);
  const { accessKey, secretKey, sessionToken } = await roleCredentials(access, options);
  const filled = {
    ...aws,
    accessKey: { value: accessKey },
    secretKey: { value: secretKey },
    ...(sessionToken && { sessionToken: { value: sessionToken } }),
  };
  const lent = [secretKey, ...(sessionToken ? [sessionToken] : [])];
  return { connections: { ...connections, aws: filled }, lent };
}
