import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type AwsAsked,
  type AwsServer,
  refuse,
  serveAws,
} from "#platform/outbound/aws/testing/aws-server.ts";
import { scrapeWith, type Told } from "../testing/scrape.ts";
import { account, key, region } from "./testing/shop-account.ts";

// What moto 5.2 answered to the scraper, word for word, of an account that boto3 1.44 had filled. The stand-in gives it
// again: whoever asks otherwise than then is refused.

type Recorded = Record<string, string | { status: number; text: string }>;
const recorded = JSON.parse(
  readFileSync(new URL("testing/moto-account.json", import.meta.url), "utf8"),
) as Recorded;

/** How much is asked for at once does not matter. */
const sizes =
  /^(?:Version|Action|MaxResults|MaxRecords|MaxItems|PageSize|maxResults|maxitems|max-buckets)$/;

function nameOf({ service, action, parameters }: AwsAsked): string {
  const said = Object.keys(parameters)
    .filter((name) => !sizes.test(name))
    .toSorted()
    .map((name) => {
      const value = parameters[name];
      return `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`;
    });
  // Load balancers of two kinds are two services by the same name.
  const isBalancer = service === "elasticloadbalancing";
  const name = isBalancer ? `${service}-${String(parameters.Version)}` : service;
  return [name, action, ...said].join(" ");
}

function answer(asked: AwsAsked): object | string {
  const found = recorded[nameOf(asked)];
  if (found === undefined) return refuse("NotRecorded", nameOf(asked));
  if (typeof found !== "string")
    return refuse(/<Code>(\w+)/.exec(found.text)?.[1] ?? "", "none", found.status);
  return found.startsWith("{") ? (JSON.parse(found) as object) : found;
}

let server: AwsServer;
let told: Told;
beforeAll(async () => {
  server = await serveAws({ keys: [key], answer });
  told = await scrapeWith("aws", {
    accessKey: { value: key.accessKey },
    secretKey: { value: key.secretKey },
    region: [region],
    endpoint: server.url,
    // moto has no answers of these; all else is read, task definitions too.
    exclude: ["CloudTrail", "Backup"],
  });
});
afterAll(() => server.close());

test("everything that the account has is there, and all of it was asked for", () => {
  expect(told.failures).toEqual([]);
  expect(told.notices).toEqual([]);
  expect(told.types).toEqual({
    "AWS::::Account": 1,
    "AWS::Region": 1,
    "AWS::AvailabilityZone": 3,
    "AWS::AvailabilityZoneID": 3,
    "AWS::EC2::VPC": 2,
    "AWS::EC2::Subnet": 5,
    "AWS::EC2::SecurityGroup": 5,
    "AWS::EC2::RouteTable": 3,
    "AWS::EC2::DHCPOptions": 1,
    "AWS::EC2::InternetGateway": 1,
    "AWS::EC2::NatGateway": 1,
    "AWS::EC2::Instance": 3,
    "AWS::EC2::AMI": 2,
    "AWS::EBS::Volume": 4,
    "AWS::AutoScaling::AutoScalingGroup": 1,
    "AWS::IAM::Role": 1,
    "AWS::IAM::User": 1,
    "AWS::IAM::Group": 1,
    "AWS::IAM::Policy": 1,
    "AWS::IAM::InstanceProfile": 1,
    "AWS::RDS::DBCluster": 1,
    "AWS::RDS::DBInstance": 1,
    "AWS::ElastiCache::CacheCluster": 1,
    "AWS::ElastiCache::ReplicationGroup": 1,
    "AWS::DynamoDB::Table": 3,
    "AWS::S3::Bucket": 2,
    "AWS::EFS::FileSystem": 1,
    "AWS::ElasticLoadBalancing::LoadBalancer": 1,
    "AWS::ElasticLoadBalancingV2::LoadBalancer": 1,
    "AWS::ElasticLoadBalancingV2::TargetGroup": 1,
    "AWS::ECS::Cluster": 1,
    "AWS::ECS::Service": 1,
    "AWS::ECS::TaskDefinition": 1,
    "AWS::EKS::Cluster": 1,
    "AWS::EKS::Nodegroup": 1,
    "AWS::EKS::FargateProfile": 1,
    "AWS::ECR::Repository": 1,
    "AWS::Lambda::Function": 1,
    "AWS::SNS::Topic": 2,
    "AWS::SQS::Queue": 2,
    "AWS::CloudFormation::Stack": 1,
    "AWS::Route53::HostedZone": 1,
    "AWS::Route53::RecordSet": 4,
  });
  const asked = new Set(server.asked.map(nameOf));
  expect(Object.keys(recorded).filter((name) => !asked.has(name))).toEqual([]);
});

test("every parent and every relationship leads to an item of the type that it names", () => {
  const types = new Map<string, Set<string>>();
  for (const { externalId, aliases, type } of told.items)
    for (const id of [externalId, ...aliases])
      types.set(id, (types.get(id) ?? new Set()).add(type));
  const isThere = ({ externalId = "", type }: { externalId?: string; type?: string }) =>
    type === undefined ? types.has(externalId) : types.get(externalId)?.has(type) === true;
  const relations = told.items.flatMap((item) =>
    item.relations.map(({ to, relation }) => ({ of: item.externalId, relation, to })),
  );
  expect(relations.length).toBeGreaterThan(50);
  expect(relations.filter(({ to }) => !isThere(to))).toEqual([]);
  const lost = told.items.filter(({ parents }) => parents.length > 0 && !parents.some(isThere));
  expect(lost).toEqual([]);
});

test("health is what each service says of its own", () => {
  const states = (...types: string[]) =>
    told.items
      .filter(({ type }) => types.includes(type))
      .map(({ name, status, health }) => [name, status, health]);
  expect(states("AWS::EC2::Instance")).toEqual([
    ["web-1", "running", "healthy"],
    ["web-1", "stopped", "unknown"],
    [expect.stringMatching(/^i-/), "running", "healthy"],
  ]);
  expect(states("AWS::ECS::Service")).toEqual([["mail", "0/2 running", "unhealthy"]]);
  expect(states("AWS::ElasticLoadBalancing::LoadBalancer")).toEqual([
    ["old", "1/1 healthy", "healthy"],
  ]);
  expect(states("AWS::ElasticLoadBalancingV2::TargetGroup")).toEqual([
    ["web", "1/1 healthy", "healthy"],
  ]);
  expect(states("AWS::CloudFormation::Stack")).toEqual([["base", "CREATE_COMPLETE", "healthy"]]);
});

test("variables of programs are named and not shown, tags are labels", () => {
  const definition = told.item("AWS::ECS::TaskDefinition", "mail:1");
  expect(definition.config).toMatchObject({
    containerDefinitions: [{ environment: [{ name: "TOKEN", value: "[hidden]" }] }],
  });
  expect(JSON.stringify(told.items)).not.toContain("very-secret");
  for (const [type, name] of [
    ["AWS::SQS::Queue", "orders"],
    ["AWS::SNS::Topic", "ordered"],
    ["AWS::Lambda::Function", "resize"],
    ["AWS::ElasticLoadBalancingV2::LoadBalancer", "front"],
    ["AWS::S3::Bucket", "shop-assets"],
  ] as const)
    expect(told.item(type, name).labels).toMatchObject({ stage: "prod" });
  expect(told.item("AWS::DynamoDB::Table", "orders-0").properties).toEqual([
    { name: "items", value: 0 },
    { name: "size", value: 0, unit: "bytes" },
  ]);
  expect(told.item("AWS::Route53::RecordSet", "*.shop.example CNAME").tags).toEqual({ account });
});
