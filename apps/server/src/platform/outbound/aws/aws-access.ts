import type { AwsConfigSpec } from "@mainstay/contract";
import type { AwsAccess } from "./aws-client.ts";

/** How documents say who asks Amazon, and where. */
export type AwsFields = Pick<
  AwsConfigSpec,
  | "accessKey"
  | "secretKey"
  | "sessionToken"
  | "assumeRole"
  | "region"
  | "endpoint"
  | "skipTLSVerify"
>;

/** Who asks; or why nobody can. */
export function awsAccess(spec: AwsFields): AwsAccess | string {
  const accessKey = spec.accessKey?.value ?? "";
  const secretKey = spec.secretKey?.value ?? "";
  // The credentials of the machine that this server runs on are not the document's.
  if (accessKey === "" || secretKey === "") return "accessKey and secretKey are missing";
  if (!spec.region) return "the region is missing, for example eu-central-1";
  if (!/^[a-z0-9-]{1,64}$/.test(spec.region))
    return `"${spec.region.slice(0, 64)}" is not the name of a region such as eu-central-1`;
  const sessionToken = spec.sessionToken?.value;
  return {
    credentials: { accessKey, secretKey, ...(sessionToken && { sessionToken }) },
    region: spec.region,
    ...(spec.endpoint && { endpoint: spec.endpoint }),
    ...(spec.skipTLSVerify !== undefined && { skipTLSVerify: spec.skipTLSVerify }),
    ...(spec.assumeRole && { assumeRole: spec.assumeRole }),
  };
}
