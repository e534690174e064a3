import type { AwsObject } from "#platform/outbound/aws/aws-value.ts";
import { queryPages } from "../apis.ts";
import { type Area, type AwsKind, found, arnOf, number, parent, to } from "../area.ts";
import { numberIn, objectsIn, textIn, textsIn, without } from "../read-object.ts";

const vpcType = "AWS::EC2::VPC";
const subnetType = "AWS::EC2::Subnet";
const groupType = "AWS::EC2::SecurityGroup";
export const networkTypes = { vpc: vpcType, subnet: subnetType, group: groupType };

/** Where a thing that has a VPC, and perhaps a subnet, stands. */
export const inVpc = (vpc: string, subnet = "") => [
  ...parent(subnetType, subnet),
  ...parent(vpcType, vpc),
];
export const inGroups = (ids: readonly string[], relation: string) =>
  ids.map((id) => to(groupType, id, relation));

/** Everything of one kind that EC2 describes, page by page. */
export async function* described(
  { client }: Area,
  action: string,
  list: string,
  { size = 200, ...parameters }: Record<string, string | number> = {},
): AsyncGenerator<AwsObject> {
  const asked = Object.fromEntries(
    Object.entries({ ...parameters, MaxResults: size }).map(([key, value]) => [key, String(value)]),
  );
  for await (const page of queryPages(client, "ec2", action, { parameters: asked }))
    yield* objectsIn(page, list);
}

const vpcs: AwsKind = {
  names: ["VPC"],
  types: [vpcType],
  async *read(area) {
    for await (const vpc of described(area, "DescribeVpcs", "Vpcs")) {
      const id = textIn(vpc, "VpcId");
      const options = textIn(vpc, "DhcpOptionsId");
      yield found(area, {
        type: vpcType,
        id,
        arn: arnOf(area, "ec2", `vpc/${id}`),
        config: vpc,
        status: textIn(vpc, "State"),
        description: textIn(vpc, "CidrBlock"),
        relations: [
          options === "default"
            ? undefined
            : to("AWS::EC2::DHCPOptions", options, "VPCDHCPOptions"),
        ],
      });
    }
  },
};

const subnets: AwsKind = {
  names: ["subnet"],
  types: [subnetType],
  async *read(area) {
    for await (const subnet of described(area, "DescribeSubnets", "Subnets")) {
      const zone = textIn(subnet, "AvailabilityZone");
      yield found(area, {
        type: subnetType,
        id: textIn(subnet, "SubnetId"),
        arn: textIn(subnet, "SubnetArn"),
        // How many are free says how busy it is, not what it is.
        config: without(subnet, "AvailableIpAddressCount"),
        status: textIn(subnet, "State"),
        description: textIn(subnet, "CidrBlock"),
        zone,
        parents: inVpc(textIn(subnet, "VpcId")),
        relations: [
          to("AWS::AvailabilityZone", `${area.account}/${zone}`, "AvailabilityZoneSubnet", {
            isIncoming: true,
          }),
        ],
        properties: [number("free addresses", numberIn(subnet, "AvailableIpAddressCount"))],
      });
    }
  },
};

const groups: AwsKind = {
  names: ["SecurityGroup"],
  types: [groupType],
  async *read(area) {
    for await (const group of described(area, "DescribeSecurityGroups", "SecurityGroups")) {
      const id = textIn(group, "GroupId");
      const others = ["IpPermissions", "IpPermissionsEgress"]
        .flatMap((key) => objectsIn(group, key))
        .flatMap((rule) => objectsIn(rule, "UserIdGroupPairs"))
        .map((pair) => textIn(pair, "GroupId"))
        .filter((other) => other !== id);
      yield found(area, {
        type: groupType,
        id,
        name: textIn(group, "GroupName"),
        arn: textIn(group, "SecurityGroupArn") || arnOf(area, "ec2", `security-group/${id}`),
        config: group,
        health: "healthy",
        description: textIn(group, "Description"),
        parents: inVpc(textIn(group, "VpcId")),
        relations: [...new Set(others)].map((other) => to(groupType, other, "SecurityGroupRule")),
      });
    }
  },
};

const routes: AwsKind = {
  names: ["Route", "RouteTable"],
  types: ["AWS::EC2::RouteTable"],
  async *read(area) {
    for await (const table of described(area, "DescribeRouteTables", "RouteTables", {
      size: 100,
    })) {
      const id = textIn(table, "RouteTableId");
      const parts = objectsIn(table, "Associations").map((one) => textIn(one, "SubnetId"));
      const ways = objectsIn(table, "Routes");
      const over = (key: string, type: string) =>
        [...new Set(ways.map((way) => textIn(way, key)))].map((other) =>
          other === "local" || other.startsWith("vpce-")
            ? undefined
            : to(type, other, "RouteTableGateway"),
        );
      yield found(area, {
        type: "AWS::EC2::RouteTable",
        id,
        arn: arnOf(area, "ec2", `route-table/${id}`),
        config: table,
        health: ways.some((way) => textIn(way, "State") === "blackhole") ? "warning" : "healthy",
        status: ways.some((way) => textIn(way, "State") === "blackhole") ? "blackhole" : "active",
        parents: inVpc(textIn(table, "VpcId")),
        relations: [
          ...parts.map((subnet) =>
            to(subnetType, subnet, "SubnetRouteTable", { isIncoming: true }),
          ),
          ...over("GatewayId", "AWS::EC2::InternetGateway"),
          ...over("NatGatewayId", "AWS::EC2::NatGateway"),
          ...over("InstanceId", "AWS::EC2::Instance"),
        ],
      });
    }
  },
};

const dhcp: AwsKind = {
  names: ["DHCP"],
  types: ["AWS::EC2::DHCPOptions"],
  async *read(area) {
    for await (const options of described(area, "DescribeDhcpOptions", "DhcpOptions")) {
      const id = textIn(options, "DhcpOptionsId");
      yield found(area, {
        type: "AWS::EC2::DHCPOptions",
        id,
        arn: arnOf(area, "ec2", `dhcp-options/${id}`),
        config: options,
        health: "healthy",
      });
    }
  },
};

const gateways: AwsKind = {
  names: ["Gateway", "InternetGateway", "NatGateway"],
  types: ["AWS::EC2::InternetGateway", "AWS::EC2::NatGateway"],
  async *read(area) {
    for await (const gateway of described(area, "DescribeInternetGateways", "InternetGateways")) {
      const id = textIn(gateway, "InternetGatewayId");
      const attached = objectsIn(gateway, "Attachments");
      yield found(area, {
        type: "AWS::EC2::InternetGateway",
        id,
        arn: arnOf(area, "ec2", `internet-gateway/${id}`),
        config: gateway,
        status: textIn(attached[0], "State") || "detached",
        health: attached.length > 0 ? "healthy" : "unknown",
        parents: inVpc(textIn(attached[0], "VpcId")),
      });
    }
    for await (const gateway of described(area, "DescribeNatGateways", "NatGateways")) {
      const id = textIn(gateway, "NatGatewayId");
      const state = textIn(gateway, "State");
      // They are told for an hour after their end.
      if (state === "deleted") continue;
      yield found(area, {
        type: "AWS::EC2::NatGateway",
        id,
        arn: arnOf(area, "ec2", `natgateway/${id}`),
        config: gateway,
        status: state,
        description: textIn(gateway, "FailureMessage"),
        parents: inVpc(textIn(gateway, "VpcId"), textIn(gateway, "SubnetId")),
      });
    }
  },
};

export const network: readonly AwsKind[] = [vpcs, subnets, groups, routes, dhcp, gateways];

/** Ids of the security groups of something. */
export const groupsIn = (of: AwsObject, key = "SecurityGroups"): string[] => [
  ...objectsIn(of, key).map(
    (one) =>
      textIn(one, "GroupId") || textIn(one, "VpcSecurityGroupId") || textIn(one, "SecurityGroupId"),
  ),
  ...textsIn(of, key),
];
