import type { Health } from "@mainstay/contract";
import type { AwsObject } from "#platform/outbound/aws/aws-value.ts";
import { chunksOf, queryPages } from "../apis.ts";
import { type Area, arnOf, type AwsKind, found, type Made, parent, to } from "../area.ts";
import { objectIn, objectsIn, tagsIn, textIn, timeIn, without } from "../read-object.ts";
import { described, groupsIn, inGroups, inVpc, networkTypes } from "./network.ts";

export const instanceType = "AWS::EC2::Instance";
const volumeType = "AWS::EBS::Volume";
const imageType = "AWS::EC2::AMI";

/** When it was ended stands in a sentence: `User initiated (2026-06-15 11:00:00 GMT)`. */
function endedAt(reason: string): Date | undefined {
  const [, day, time] = /\((\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d) GMT\)/.exec(reason) ?? [];
  return day === undefined ? undefined : new Date(`${day}T${time}Z`);
}

const isImpaired = (status: AwsObject) => textIn(status, "Status") === "impaired";

/** What their own checks say of machines that run, by their ids; nothing of those that are well. */
async function impairedIn(area: Area): Promise<Map<string, string>> {
  const impaired = new Map<string, string>();
  for (const check of ["instance-status.status", "system-status.status"])
    for await (const status of described(area, "DescribeInstanceStatus", "InstanceStatuses", {
      size: 1000,
      "Filter.1.Name": check,
      "Filter.1.Value.1": "impaired",
    }))
      if (["InstanceStatus", "SystemStatus"].some((key) => isImpaired(objectIn(status, key))))
        impaired.set(textIn(status, "InstanceId"), "impaired");
  return impaired;
}

function instanceOf(
  area: Area,
  instance: AwsObject,
  impaired: ReadonlyMap<string, string>,
): Made | undefined {
  const id = textIn(instance, "InstanceId");
  const state = textIn(objectIn(instance, "State"), "Name");
  const deletedAt =
    state === "terminated" ? endedAt(textIn(instance, "StateTransitionReason")) : undefined;
  // They are told for an hour after their end; without saying when, they are simply not there.
  if (state === "terminated" && !deletedAt) return undefined;
  const zone = textIn(objectIn(instance, "Placement"), "AvailabilityZone");
  const tags = tagsIn(instance, "Tags");
  const cluster =
    tags["eks:cluster-name"] ??
    Object.keys(tags)
      .find((key) => key.startsWith("kubernetes.io/cluster/"))
      ?.slice("kubernetes.io/cluster/".length) ??
    "";
  const status = state === "running" ? (impaired.get(id) ?? state) : state;
  const health: Health | undefined = status === "impaired" ? "unhealthy" : undefined;
  return {
    type: instanceType,
    id,
    arn: arnOf(area, "ec2", `instance/${id}`),
    // The last is how Kubernetes names the machine of a node.
    aliases: [
      textIn(instance, "PrivateDnsName"),
      textIn(instance, "PublicDnsName"),
      `aws:///${zone}/${id}`,
    ],
    config: instance,
    status,
    health,
    zone,
    tags,
    description: [textIn(instance, "InstanceType"), textIn(instance, "PrivateIpAddress")]
      .filter(Boolean)
      .join(" "),
    createdAt: timeIn(instance, "LaunchTime"),
    deletedAt,
    parents: inVpc(textIn(instance, "VpcId"), textIn(instance, "SubnetId")),
    relations: [
      ...inGroups(groupsIn(instance), "InstanceSecurityGroup"),
      ...objectsIn(instance, "BlockDeviceMappings").map((device) =>
        to(volumeType, textIn(objectIn(device, "Ebs"), "VolumeId"), "InstanceVolume"),
      ),
      to(
        "AWS::IAM::InstanceProfile",
        textIn(objectIn(instance, "IamInstanceProfile"), "Arn"),
        "InstanceProfile",
      ),
      to(imageType, textIn(instance, "ImageId"), "InstanceImage"),
      to(
        "AWS::EKS::Cluster",
        cluster === "" ? "" : arnOf(area, "eks", `cluster/${cluster}`),
        "ClusterInstance",
        { isIncoming: true },
      ),
    ],
  };
}

/** Images asked for at once. */
const imagesTogether = 100;

const instances: AwsKind = {
  names: ["EC2instance", "EC2"],
  types: [instanceType],
  async *read(area) {
    const impaired = await impairedIn(area);
    const pages = queryPages(area.client, "ec2", "DescribeInstances", {
      parameters: { MaxResults: "200" },
    });
    for await (const page of pages)
      for (const reservation of objectsIn(page, "Reservations"))
        for (const instance of objectsIn(reservation, "Instances")) {
          const made = instanceOf(area, instance, impaired);
          if (made) yield found(area, made);
        }
  },
};

const imageOf = (area: Area, image: AwsObject): Made => {
  const id = textIn(image, "ImageId");
  return {
    type: imageType,
    id,
    name: textIn(image, "Name"),
    arn: `arn:${area.partition}:ec2:${area.region}::image/${id}`,
    config: image,
    status: textIn(image, "State"),
    description: textIn(image, "Description"),
    createdAt: timeIn(image, "CreationDate"),
  };
};

/** Those of the account, and those of others that its machines were made of. */
const images: AwsKind = {
  names: ["AMI", "Image"],
  types: [imageType],
  async *read(area) {
    for await (const image of described(area, "DescribeImages", "Images", { "Owner.1": "self" }))
      yield found(area, imageOf(area, image));
    const used = new Set<string>();
    const pages = queryPages(area.client, "ec2", "DescribeInstances", {
      parameters: { MaxResults: "1000" },
    });
    for await (const page of pages)
      for (const reservation of objectsIn(page, "Reservations"))
        for (const instance of objectsIn(reservation, "Instances"))
          used.add(textIn(instance, "ImageId"));
    for (const chunk of chunksOf([...used], imagesTogether)) {
      const names = chunk.map((id, at) => [`Filter.1.Value.${at + 1}`, id] as const);
      const asked = { "Filter.1.Name": "image-id", ...Object.fromEntries(names) };
      for await (const image of described(area, "DescribeImages", "Images", asked))
        if (textIn(image, "OwnerId") !== area.account) yield found(area, imageOf(area, image));
    }
  },
};

const volumes: AwsKind = {
  names: ["EBS", "Volume"],
  types: [volumeType],
  async *read(area) {
    for await (const volume of described(area, "DescribeVolumes", "Volumes", { size: 500 })) {
      const id = textIn(volume, "VolumeId");
      const zone = textIn(volume, "AvailabilityZone");
      yield found(area, {
        type: volumeType,
        id,
        arn: arnOf(area, "ec2", `volume/${id}`),
        config: volume,
        status: textIn(volume, "State"),
        zone,
        description: `${textIn(volume, "Size")} GiB ${textIn(volume, "VolumeType")}`,
        createdAt: timeIn(volume, "CreateTime"),
        parents: parent("AWS::AvailabilityZone", `${area.account}/${zone}`),
      });
    }
  },
};

const scaling: AwsKind = {
  names: ["AutoScaling", "ASG"],
  types: ["AWS::AutoScaling::AutoScalingGroup"],
  async *read(area) {
    const pages = queryPages(area.client, "autoScaling", "DescribeAutoScalingGroups", {
      parameters: { MaxRecords: "100" },
    });
    for await (const page of pages)
      for (const group of objectsIn(page, "AutoScalingGroups")) {
        const members = objectsIn(group, "Instances");
        const well = members.filter(
          (one) => textIn(one, "HealthStatus").toLowerCase() === "healthy",
        );
        const subnets = textIn(group, "VPCZoneIdentifier").split(",").filter(Boolean);
        const deleting = textIn(group, "Status");
        yield found(area, {
          type: "AWS::AutoScaling::AutoScalingGroup",
          id: textIn(group, "AutoScalingGroupARN"),
          name: textIn(group, "AutoScalingGroupName"),
          config: without(group, "Instances"),
          status: deleting || `${well.length}/${textIn(group, "DesiredCapacity") || "0"} healthy`,
          health:
            members.length === 0
              ? "unknown"
              : well.length === members.length
                ? "healthy"
                : well.length === 0
                  ? "unhealthy"
                  : "warning",
          createdAt: timeIn(group, "CreatedTime"),
          relations: [
            ...members.map((one) =>
              to(instanceType, textIn(one, "InstanceId"), "AutoScalingGroupInstance"),
            ),
            ...subnets.map((one) => to(networkTypes.subnet, one, "AutoScalingGroupSubnet")),
          ],
        });
      }
  },
};

export const machines: readonly AwsKind[] = [instances, images, volumes, scaling];
