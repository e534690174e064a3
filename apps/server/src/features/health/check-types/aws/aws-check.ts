import { type AwsFields, awsAccess } from "#platform/outbound/aws/aws-access.ts";
import { awsClient, type AwsClient } from "#platform/outbound/aws/aws-client.ts";
import { readableAddress } from "#platform/outbound/http/address.ts";
import { attempt, type CheckInput, type CheckOutcome, failed } from "../check-type.ts";

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
