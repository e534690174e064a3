import type { AwsConfigSpec } from "@mainstay/contract";
import { type AwsAccess, awsClient, type AwsClient } from "#platform/outbound/aws/aws-client.ts";
import { readableAddress } from "#platform/outbound/http/address.ts";
import { attempt, type CheckInput, type CheckOutcome, failed } from "../check-type.ts";

/** What the specs of all checks of Amazon hold. */
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

/** Where a check of Amazon asks, for people. */
export const awsEndpoint = (spec: AwsFields): string =>
  spec.endpoint ? readableAddress(spec.endpoint) : (spec.region ?? "");

/** Runs a check of Amazon with a client for it. */
export function askAws<Spec extends AwsFields>(
  input: CheckInput<Spec>,
  work: (client: AwsClient) => Promise<CheckOutcome>,
): Promise<CheckOutcome> {
  const access = awsAccess(input.spec);
  if (typeof access === "string") return Promise.resolve(failed(access, { invalid: true }));
  return attempt(input, async () => work(await awsClient(access, input)));
}

/** As many of these as fit into a result. */
export function keptOf<Item>(
  items: readonly Item[],
  most: { items: number; bytes: number },
): Item[] {
  let room = most.bytes;
  const kept: Item[] = [];
  for (const item of items.slice(0, most.items)) {
    room -= JSON.stringify(item).length;
    if (room < 0) break;
    kept.push(item);
  }
  return kept;
}
