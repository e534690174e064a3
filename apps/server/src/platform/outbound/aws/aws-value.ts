import type { XmlElement } from "#platform/xml/read-xml.ts";

/**
 * Makes of XML what the services themselves mean by it, with the names that their command line shows. XML does not tell a
 * list of one from a structure, or a number from a text: what does is written down here, after their public descriptions.
 */

export type AwsValue =
  | string
  | number
  | boolean
  | readonly AwsValue[]
  | { readonly [key: string]: AwsValue };
export type AwsObject = Readonly<Record<string, AwsValue>>;

/** Members that are numbers, in whatever service. */
const numbers = new Set(
  `AllocatedStorage AmiLaunchIndex AttachmentCount AvailableIpAddressCount BacktrackWindow BackupRetentionPeriod Capacity
   CookieExpirationPeriod CoreCount DbInstancePort DefaultCooldown DefaultInstanceWarmup DesiredCapacity DeviceIndex
   DurationSeconds From FromPort HealthCheckGracePeriod HealthCheckIntervalSeconds HealthCheckTimeoutSeconds
   HealthyThreshold HealthyThresholdCount HttpPutResponseHopLimit IOPS InstancePort Interval Iops LoadBalancerPort Max
   MaxAllocatedStorage MaxCapacity MaxHealthyPercentage MaxInstanceLifetime MaxSessionDuration MaxSize Min MinCapacity
   MinHealthyPercentage MinSize MonitoringInterval MonitoringTimeInMinutes NetworkCardIndex NumCacheNodes Order
   PartitionNumber PerformanceInsightsRetentionPeriod PermissionsBoundaryUsageCount Port PredictedCapacity
   ProgressPercentage PromotionTier ResourceRecordSetCount RuleNumber SecondsUntilAutoPause SessionTimeout Size
   SnapshotRetentionLimit StorageThroughput TTL TcpEstablishedTimeout ThreadsPerCore Throughput Timeout TimeoutInMinutes
   To ToPort UdpStreamTimeout UdpTimeout UnhealthyThreshold UnhealthyThresholdCount VolumeSize Weight`.split(
    /\s+/,
  ),
);
/** Those of them that are texts somewhere, by where. */
const textsAfterAll = new Set(["RedirectConfig/Port"]);
const numbersHere = new Set(["State/Code", "InstanceState/Code"]);

/** Members that hold texts of people: what looks like a number or a truth in them is none. */
const words =
  /^(?:Key|Value|Name|Description|UserName|RoleName|Tag[A-Za-z]*|OutputValue|ParameterValue|Path)$/;

/** Lists whose elements are called otherwise than the list. */
const elementsOf: Readonly<Record<string, string>> = {
  VpcSecurityGroups: "VpcSecurityGroupMembership",
  StatusInfos: "DBClusterStatusInfo",
  AssociatedRoles: "DBClusterRole",
  DBClusterOptionGroupMemberships: "DBClusterOptionGroup",
  CacheNodeIdsToRemove: "CacheNodeId",
  CacheNodeIdsToReboot: "CacheNodeId",
  MemberClusters: "ClusterId",
  MemberClustersOutpostArns: "ReplicationGroupOutpostArn",
  TagSet: "Tag",
};

/** Members of EC2 whose name on the wire is another one; by what they stand in, where that matters. */
const renamed: Readonly<Record<string, string>> = {
  availabilityZoneInfo: "AvailabilityZones",
  blockDeviceMapping: "BlockDeviceMappings",
  instanceStatusSet: "InstanceStatuses",
  securityGroupInfo: "SecurityGroups",
  "attachmentSet/status": "State",
  "availabilityZoneInfo/geographySet": "Geography",
  "availabilityZoneInfo/subGeographySet": "SubGeography",
  "availabilityZoneInfo/zoneState": "State",
  "imagesSet/imageOwnerId": "OwnerId",
  "imagesSet/imageState": "State",
  "imagesSet/isPublic": "Public",
  "instancesSet/dnsName": "PublicDnsName",
  "instancesSet/groupSet": "SecurityGroups",
  "instancesSet/instanceState": "State",
  "instancesSet/ipAddress": "PublicIpAddress",
  "instancesSet/reason": "StateTransitionReason",
  "ipPermissions/groups": "UserIdGroupPairs",
  "ipPermissionsEgress/groups": "UserIdGroupPairs",
  "natGatewaySet/natGatewayAddressSet": "NatGatewayAddresses",
  "networkInterfaceSet/ipv4PrefixSet": "Ipv4Prefixes",
  "networkInterfaceSet/ipv6AddressesSet": "Ipv6Addresses",
  "networkInterfaceSet/ipv6PrefixSet": "Ipv6Prefixes",
  "networkInterfaceSet/privateIpAddressesSet": "PrivateIpAddresses",
  "productCodes/productCode": "ProductCodeId",
  "productCodes/type": "ProductCodeType",
  "securityGroupInfo/groupDescription": "Description",
  "subnetSet/ipv6CidrBlockAssociationSet": "Ipv6CidrBlockAssociationSet",
  "volumeSet/status": "State",
  "vpcSet/cidrBlockAssociationSet": "CidrBlockAssociationSet",
  "vpcSet/ipv6CidrBlockAssociationSet": "Ipv6CidrBlockAssociationSet",
};

const capital = (name: string) => `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;

/** As the service calls a member of EC2, from how it is written. */
function ec2Name(name: string, owner: string): string {
  const known = renamed[`${owner}/${name}`] ?? renamed[name];
  return known ?? capital(name).replace(/s?Set$/, "s");
}

/** Elements of lists say only that they are. */
const isElement = (name: string) => name === "item" || name === "member";

/** Whether a list of this name has elements of that name. */
const isListOf = (list: string, element: string) =>
  isElement(element) ||
  elementsOf[list] === element ||
  list === `${element}s` ||
  list === `${element}es` ||
  list === `${element.slice(0, -1)}ies` ||
  list === `${element}List`;

function leaf(text: string, name: string, owner: string): AwsValue {
  const place = `${owner}/${name}`;
  if ((numbers.has(name) && !textsAfterAll.has(place)) || numbersHere.has(place)) {
    const number = Number(text);
    return text !== "" && Number.isFinite(number) ? number : text;
  }
  if (words.test(name)) return text;
  return text === "true" ? true : text === "false" ? false : text;
}

interface Place {
  /** As it stands in the answer, and as it is called. */
  wire: string;
  name: string;
  /** Around it, lists apart. */
  owner: { wire: string; name: string };
  isEc2: boolean;
}

function valueAt(element: XmlElement, place: Place): AwsValue | undefined {
  const { children } = element;
  const [first] = children;
  if (!first) {
    const text = element.text.trim();
    // Lists and texts that are empty cannot be told apart, and say nothing.
    return text === "" ? undefined : leaf(text, place.name, place.owner.name);
  }
  const { isEc2 } = place;
  if (children.every(({ name }) => name === first.name) && isListOf(place.wire, first.name))
    return children.flatMap((child) => {
      // Within a list everything is as if it stood in what holds the list.
      const value = valueAt(child, place);
      return value === undefined ? [] : [value];
    });
  if (first.name === "entry" && children.every(({ name }) => name === "entry"))
    return Object.fromEntries(
      children.flatMap(({ children: pair }) => {
        const [key, value] = ["key", "value"].map((wanted) =>
          pair.find(({ name }) => name === wanted),
        );
        return key && value ? [[key.text, value.text]] : [];
      }),
    );
  const value = objectOf(element, { isEc2, owner: place });
  return Object.keys(value).length > 0 ? value : undefined;
}

function objectOf(
  { children }: XmlElement,
  { isEc2, owner }: { isEc2: boolean; owner: { wire: string; name: string } },
): AwsObject {
  const found = new Map<string, AwsValue>();
  /** Members that came again, as lists that grow. */
  const lists = new Map<string, AwsValue[]>();
  for (const child of children) {
    const name = isEc2 ? ec2Name(child.name, owner.wire) : child.name;
    const value = valueAt(child, { wire: child.name, name, owner, isEc2 });
    if (value === undefined) continue;
    const known = found.get(name);
    // A member that comes again is a list that has no element of its own.
    if (known === undefined) {
      found.set(name, value);
      continue;
    }
    let list = lists.get(name);
    if (!list) {
      list = Array.isArray(known) ? [...(known as readonly AwsValue[])] : [known];
      lists.set(name, list);
      found.set(name, list);
    }
    list.push(value);
  }
  return Object.fromEntries(found);
}

/** What an element holds, by the names of EC2 or by those on the wire. */
export const awsObject = (element: XmlElement, { isEc2 = false } = {}): AwsObject =>
  objectOf(element, { isEc2, owner: { wire: element.name, name: element.name } });
