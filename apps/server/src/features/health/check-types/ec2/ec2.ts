import { randomUUID } from "node:crypto";
import { checkSpecs, type Ec2Spec } from "@mainstay/contract";
import { awsAccess } from "#platform/outbound/aws/aws-access.ts";
import { type AwsClient, awsClient } from "#platform/outbound/aws/aws-client.ts";
import { pause } from "#platform/outbound/aws/pause.ts";
import { childOf, childrenOf, textIn, type XmlElement } from "#platform/xml/read-xml.ts";
import { awsEndpoint } from "../aws/aws-check.ts";
import {
  attempt,
  type CheckInput,
  type CheckOutcome,
  checkType,
  failed,
  inMs,
  passed,
} from "../check-type.ts";

const version = "2016-11-15";
const service = { name: "ec2" };
const defaultType = "t3.micro";
const defaultLimitMs = 300_000;
/** Between two looks at the machine: at first, and at most. */
const firstPauseMs = 250;
const longestPauseMs = 5000;
/** What starts and ends the machine is not cut short by the check's own time. */
const ownLimitMs = 60_000;

type Ask = (parameters: Record<string, string>) => Promise<XmlElement>;

const asker =
  (client: AwsClient): Ask =>
  (parameters) =>
    client.query(service, version, parameters);

async function start(ask: Ask, spec: Ec2Spec): Promise<string> {
  const answer = await ask({
    Action: "RunInstances",
    ImageId: spec.ami ?? "",
    InstanceType: spec.instanceType ?? defaultType,
    MinCount: "1",
    MaxCount: "1",
    // A request that is sent again starts no second one.
    ClientToken: randomUUID(),
    InstanceInitiatedShutdownBehavior: "terminate",
    ...(spec.userData && { UserData: Buffer.from(spec.userData).toString("base64") }),
    ...(spec.securityGroup && { "SecurityGroupId.1": spec.securityGroup }),
    "TagSpecification.1.ResourceType": "instance",
    "TagSpecification.1.Tag.1.Key": "Name",
    "TagSpecification.1.Tag.1.Value": "mainstay check",
  });
  const [item] = childrenOf(childOf(answer, "instancesSet"), "item");
  const id = textIn(item, "instanceId");
  if (!id) throw new Error("the answer to the start of a machine names none");
  return id;
}

/** pending, running, shutting-down, terminated, stopping, stopped; with why, where it is said. */
async function stateOf(ask: Ask, id: string): Promise<{ state: string; why: string }> {
  const answer = await ask({ Action: "DescribeInstances", "InstanceId.1": id });
  const [reservation] = childrenOf(childOf(answer, "reservationSet"), "item");
  const [item] = childrenOf(childOf(reservation, "instancesSet"), "item");
  return {
    state: textIn(childOf(item, "instanceState"), "name") ?? "",
    why: textIn(childOf(item, "stateReason"), "message") ?? "",
  };
}

const notThereYet = /InvalidInstanceID\.NotFound/;

async function untilRunning(ask: Ask, id: string, signal: AbortSignal): Promise<void> {
  for (let ms = firstPauseMs; ; ms = Math.min(ms * 2, longestPauseMs)) {
    const seen = await stateOf(ask, id).catch((error: unknown) => {
      // A machine that was just started may not be known everywhere yet.
      if (notThereYet.test((error as Error).message)) return { state: "pending", why: "" };
      throw error;
    });
    if (seen.state === "running") return;
    if (seen.state !== "pending")
      throw new Error(
        `the machine ${id} is ${seen.state || "gone"} instead of running${seen.why ? `: ${seen.why}` : ""}`,
      );
    await pause(ms, signal);
  }
}

async function startAndEnd(input: CheckInput<Ec2Spec>, signal: AbortSignal): Promise<CheckOutcome> {
  const { spec, connector } = input;
  const access = awsAccess(spec);
  if (typeof access === "string") throw new Error(access);
  const client = asker(await awsClient(access, { connector, signal }));
  const own = async () =>
    asker(await awsClient(access, { connector, signal: AbortSignal.timeout(ownLimitMs) }));
  const started = performance.now();
  const id = await start(await own(), spec);
  let outcome: CheckOutcome | undefined;
  try {
    await untilRunning(client, id, signal);
    const durationMs = performance.now() - started;
    await pause((spec.waitTime ?? 0) * 1000, signal);
    outcome = passed(`${id} ran after ${inMs(durationMs)}`, {
      durationMs,
      details: { instance: id, kept: spec.keepAlive === true },
    });
    return outcome;
  } finally {
    // Whatever happened, it ends: a machine that is forgotten costs money.
    if (!outcome || !spec.keepAlive) await end(await own(), id);
  }
}

async function end(ask: Ask, id: string): Promise<void> {
  try {
    await ask({ Action: "TerminateInstances", "InstanceId.1": id });
  } catch (error) {
    throw new Error(`the machine ${id} could not be ended: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

export const ec2 = checkType<Ec2Spec>({
  type: "ec2",
  spec: checkSpecs.ec2,
  network: true,
  endpoint: awsEndpoint,
  async run(input) {
    const { spec } = input;
    const access = awsAccess(spec);
    if (typeof access === "string") return failed(access, { invalid: true });
    if (!spec.ami) return failed("the image (ami) is missing", { invalid: true });
    const limitMs = Math.min(
      input.timeoutMs,
      (spec.timeOut ? spec.timeOut * 1000 : defaultLimitMs) + (spec.waitTime ?? 0) * 1000,
    );
    const signal = AbortSignal.any([input.signal, AbortSignal.timeout(limitMs)]);
    return attempt({ signal, timeoutMs: limitMs }, () => startAndEnd(input, signal));
  },
});
