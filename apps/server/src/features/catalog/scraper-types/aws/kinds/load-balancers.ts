import type { Health } from "@mainstay/contract";
import type { AwsObject } from "#platform/outbound/aws/aws-value.ts";
import { askQuery, chunksOf, each, isCode, queryPages } from "../apis.ts";
import { type Area, arnOf, type AwsKind, found, to } from "../area.ts";
import { objectIn, objectsIn, tagsIn, textIn, textsIn, timeIn } from "../read-object.ts";
import { instanceType } from "./machines.ts";
import { inGroups, inVpc, networkTypes } from "./network.ts";

const classicType = "AWS::ElasticLoadBalancing::LoadBalancer";
const newType = "AWS::ElasticLoadBalancingV2::LoadBalancer";
const targetsType = "AWS::ElasticLoadBalancingV2::TargetGroup";

/** Tags are asked for so many at a time. */
const tagsTogether = 20;

/** Tags of load balancers and target groups, by what names them. */
async function tagsOf(
  { client }: Area,
  api: "elb" | "elbV2",
  names: readonly string[],
): Promise<Map<string, Record<string, string>>> {
  const [parameter, key] =
    api === "elb" ? ["LoadBalancerNames", "LoadBalancerName"] : ["ResourceArns", "ResourceArn"];
  const tags = new Map<string, Record<string, string>>();
  for await (const answer of each(chunksOf(names, tagsTogether), (some) =>
    askQuery(
      client,
      api,
      "DescribeTags",
      Object.fromEntries(some.map((name, at) => [`${parameter}.member.${at + 1}`, name])),
    ),
  ))
    for (const one of objectsIn(answer, "TagDescriptions"))
      tags.set(textIn(one, key), tagsIn(one, "Tags"));
  return tags;
}

/** Of so many that should answer, how many do. */
function healthOf(all: number, well: number): { status: string; health: Health } {
  return {
    status: all === 0 ? "no targets" : `${well}/${all} healthy`,
    health: all === 0 ? "unknown" : well === all ? "healthy" : well === 0 ? "unhealthy" : "warning",
  };
}

async function* classic(area: Area) {
  const pages = queryPages(area.client, "elb", "DescribeLoadBalancers", {
    parameters: { PageSize: "100" },
    asked: "Marker",
    told: "NextMarker",
  });
  for await (const page of pages) {
    const balancers = objectsIn(page, "LoadBalancerDescriptions");
    const nameOf = (one: AwsObject) => textIn(one, "LoadBalancerName");
    const tags = await tagsOf(area, "elb", balancers.map(nameOf));
    for await (const [balancer, states] of each(balancers, async (one) => {
      const asked = { LoadBalancerName: nameOf(one) };
      const answer = await gone(askQuery(area.client, "elb", "DescribeInstanceHealth", asked));
      return [one, objectsIn(answer, "InstanceStates")] as const;
    })) {
      const name = nameOf(balancer);
      yield found(area, {
        type: classicType,
        id: arnOf(area, "elasticloadbalancing", `loadbalancer/${name}`),
        aliases: [textIn(balancer, "DNSName").toLowerCase()],
        name,
        config: balancer,
        ...healthOf(
          states.length,
          states.filter((one) => textIn(one, "State") === "InService").length,
        ),
        tags: tags.get(name) ?? {},
        createdAt: timeIn(balancer, "CreatedTime"),
        parents: inVpc(textIn(balancer, "VPCId")),
        relations: [
          ...objectsIn(balancer, "Instances").map((one) =>
            to(instanceType, textIn(one, "InstanceId"), "LoadBalancerInstance"),
          ),
          ...textsIn(balancer, "Subnets").map((id) =>
            to(networkTypes.subnet, id, "LoadBalancerSubnet"),
          ),
          ...inGroups(textsIn(balancer, "SecurityGroups"), "LoadBalancerSecurityGroup"),
        ],
      });
    }
  }
}

/** What has gone between being listed and being asked about says nothing. */
async function gone(answer: Promise<AwsObject>): Promise<AwsObject> {
  try {
    return await answer;
  } catch (error) {
    if (isCode(error, /NotFound/)) return {};
    throw error;
  }
}

async function* listed(area: Area, action: string, list: string) {
  const pages = queryPages(area.client, "elbV2", action, {
    parameters: { PageSize: "100" },
    asked: "Marker",
    told: "NextMarker",
  });
  for await (const page of pages) yield objectsIn(page, list);
}

async function* balancers(area: Area) {
  for await (const some of listed(area, "DescribeLoadBalancers", "LoadBalancers")) {
    const tags = await tagsOf(
      area,
      "elbV2",
      some.map((one) => textIn(one, "LoadBalancerArn")),
    );
    for (const balancer of some) {
      const id = textIn(balancer, "LoadBalancerArn");
      const state = objectIn(balancer, "State");
      yield found(area, {
        type: newType,
        id,
        aliases: [textIn(balancer, "DNSName").toLowerCase()],
        name: textIn(balancer, "LoadBalancerName"),
        config: balancer,
        status: textIn(state, "Code"),
        ...(textIn(state, "Code") === "active_impaired" && { health: "warning" as const }),
        description: textIn(state, "Reason"),
        tags: tags.get(id) ?? {},
        createdAt: timeIn(balancer, "CreatedTime"),
        parents: inVpc(textIn(balancer, "VpcId")),
        relations: [
          ...objectsIn(balancer, "AvailabilityZones").map((one) =>
            to(networkTypes.subnet, textIn(one, "SubnetId"), "LoadBalancerSubnet"),
          ),
          ...inGroups(textsIn(balancer, "SecurityGroups"), "LoadBalancerSecurityGroup"),
        ],
      });
    }
  }
}

/** A target is a machine, a function, another load balancer, or an address that names nothing. */
function targetOf(id: string) {
  if (id.startsWith("i-")) return to(instanceType, id, "TargetGroupTarget");
  if (id.includes(":lambda:")) return to("AWS::Lambda::Function", id, "TargetGroupTarget");
  if (id.includes(":loadbalancer/")) return to(newType, id, "TargetGroupTarget");
  return undefined;
}

async function* targetGroups(area: Area) {
  for await (const some of listed(area, "DescribeTargetGroups", "TargetGroups")) {
    const tags = await tagsOf(
      area,
      "elbV2",
      some.map((one) => textIn(one, "TargetGroupArn")),
    );
    for await (const [group, targets] of each(some, async (one) => {
      const asked = { TargetGroupArn: textIn(one, "TargetGroupArn") };
      const answer = await gone(askQuery(area.client, "elbV2", "DescribeTargetHealth", asked));
      return [one, objectsIn(answer, "TargetHealthDescriptions")] as const;
    })) {
      const id = textIn(group, "TargetGroupArn");
      const states = targets.map((one) => textIn(objectIn(one, "TargetHealth"), "State"));
      // Those that nobody asks are neither.
      const judged = states.filter(
        (state) => !["unused", "unavailable", "draining"].includes(state),
      );
      yield found(area, {
        type: targetsType,
        id,
        name: textIn(group, "TargetGroupName"),
        config: group,
        ...healthOf(judged.length, judged.filter((state) => state === "healthy").length),
        tags: tags.get(id) ?? {},
        parents: inVpc(textIn(group, "VpcId")),
        relations: [
          ...textsIn(group, "LoadBalancerArns").map((arn) =>
            to(newType, arn, "LoadBalancerTargetGroup", { isIncoming: true }),
          ),
          ...targets.map((one) => targetOf(textIn(objectIn(one, "Target"), "Id"))),
        ],
      });
    }
  }
}

const all: AwsKind = {
  names: ["LoadBalancer"],
  types: [classicType, newType, targetsType],
  async *read(area) {
    yield* classic(area);
    yield* balancers(area);
    yield* targetGroups(area);
  },
};

export const loadBalancers: readonly AwsKind[] = [all];
