import {
  type AwsAsked,
  type AwsServer,
  refuse,
  serveAws,
} from "#platform/outbound/aws/testing/aws-server.ts";

/**
 * The account of a shop, at a stand-in that speaks as Amazon does. Names and shapes of what it answers are those that
 * moto 5.2 answered to the same questions, read by boto3 1.44.
 */

export const key = { accessKey: "AKIDEXAMPLE", secretKey: "sesame/secret+key" };
export const account = "123456789012";
export const region = "eu-central-1";
export const arn = (service: string, path: string, at = region): string =>
  `arn:aws:${service}:${at}:${account}:${path}`;

type Content = string | number | boolean | Content[] | { [key: string]: Content };

const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

/** XML of a mapping; lists have elements of the given name. */
const xmlOf = (value: Content, element: string): string =>
  typeof value !== "object"
    ? escaped(String(value))
    : Array.isArray(value)
      ? value.map((one) => `<${element}>${xmlOf(one, element)}</${element}>`).join("")
      : Object.entries(value)
          .map(([name, one]) => `<${name}>${xmlOf(one, element)}</${name}>`)
          .join("");

export const ec2Answer = (action: string, content: Content): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<${action}Response xmlns="http://ec2.amazonaws.com/doc/2016-11-15/"><requestId>r</requestId>${xmlOf(content, "item")}</${action}Response>`;
export const queryAnswer = (action: string, content: Content, element = "member"): string =>
  `<${action}Response xmlns="https://x.amazonaws.com/"><${action}Result>${xmlOf(content, element)}</${action}Result><ResponseMetadata><RequestId>r</RequestId></ResponseMetadata></${action}Response>`;
export const xmlAnswer = (root: string, content: Content, element: string): string =>
  `<?xml version="1.0"?>\n<${root}>${xmlOf(content, element)}</${root}>`;

const tags = (of: Record<string, string>) =>
  Object.entries(of).map(([name, value]) => ({ key: name, value }));

export const instance = (id: string, more: { [key: string]: Content } = {}): Content => ({
  instanceId: id,
  imageId: "ami-0aaaaaaaaaaaaaaa1",
  instanceState: { code: 16, name: "running" },
  privateDnsName: `ip-${id}.internal`,
  instanceType: "t3.micro",
  launchTime: "2026-06-01T10:00:00.000Z",
  placement: { availabilityZone: `${region}a`, tenancy: "default" },
  subnetId: "subnet-01",
  vpcId: "vpc-01",
  groupSet: [{ groupId: "sg-01", groupName: "web" }],
  blockDeviceMapping: [
    { deviceName: "/dev/xvda", ebs: { volumeId: "vol-01", status: "attached" } },
  ],
  iamInstanceProfile: { arn: `arn:aws:iam::${account}:instance-profile/web`, id: "AIPA1" },
  tagSet: tags({ Name: `web ${id}`, port: "8080", flag: "true" }),
  ...more,
});

const pageOf = (asked: AwsAsked) => asked.parameters.NextToken ?? asked.parameters.Marker;

/** What the shop answers, by action; a test puts its own in the place of some. */
export const answers: Record<string, (asked: AwsAsked) => object | string> = {
  GetCallerIdentity: ({ action }) =>
    queryAnswer(action, {
      UserId: "AIDA1",
      Account: account,
      Arn: `arn:aws:iam::${account}:user/reader`,
    }),
  ListAccountAliases: ({ action }) =>
    queryAnswer(action, { AccountAliases: ["shop"], IsTruncated: false }),
  DescribeAvailabilityZones: ({ action, region: at }) =>
    ec2Answer(action, {
      availabilityZoneInfo: [
        { zoneName: `${at}a`, zoneId: `${at}-az1`, zoneState: "available", regionName: at },
      ],
    }),
  DescribeVpcs: ({ action, region: at }) =>
    ec2Answer(action, {
      vpcSet:
        at === region
          ? [
              {
                vpcId: "vpc-01",
                state: "available",
                cidrBlock: "10.0.0.0/16",
                isDefault: false,
                tagSet: tags({ Name: "shop" }),
              },
            ]
          : [],
    }),
  DescribeSubnets: ({ action, region: at }) =>
    ec2Answer(action, {
      subnetSet:
        at === region
          ? [
              {
                subnetId: "subnet-01",
                state: "available",
                vpcId: "vpc-01",
                availableIpAddressCount: 250,
                availabilityZone: `${region}a`,
              },
            ]
          : [],
    }),
  DescribeSecurityGroups: ({ action, region: at }) =>
    ec2Answer(action, {
      securityGroupInfo:
        at === region
          ? [
              {
                groupId: "sg-01",
                groupName: "web",
                groupDescription: "web servers",
                vpcId: "vpc-01",
                ipPermissions: [
                  { ipProtocol: "tcp", fromPort: 443, toPort: 443, groups: [{ groupId: "sg-02" }] },
                ],
              },
            ]
          : [],
    }),
  DescribeInstances: (asked) => {
    if (asked.region !== region) return ec2Answer(asked.action, { reservationSet: [] });
    return pageOf(asked) === undefined
      ? ec2Answer(asked.action, {
          reservationSet: [{ reservationId: "r-1", instancesSet: [instance("i-01")] }],
          nextToken: "two",
        })
      : ec2Answer(asked.action, {
          reservationSet: [
            {
              reservationId: "r-2",
              instancesSet: [
                instance("i-02", { instanceState: { code: 80, name: "stopped" } }),
                instance("i-03", {
                  instanceState: { code: 48, name: "terminated" },
                  reason: "User initiated (2026-06-15 11:00:00 GMT)",
                }),
              ],
            },
          ],
        });
  },
  DescribeInstanceStatus: ({ action }) => ec2Answer(action, { instanceStatusSet: [] }),
  DescribeVolumes: ({ action, region: at }) =>
    ec2Answer(action, {
      volumeSet:
        at === region
          ? [
              {
                volumeId: "vol-01",
                size: 8,
                status: "in-use",
                volumeType: "gp3",
                availabilityZone: `${region}a`,
                attachmentSet: [{ instanceId: "i-01", status: "attached" }],
              },
            ]
          : [],
    }),
  GetAccountAuthorizationDetails: ({ action, parameters }) =>
    queryAnswer(action, {
      IsTruncated: false,
      ...(parameters["Filter.member.1"] === "Role" && {
        RoleDetailList: [
          {
            RoleName: "web",
            RoleId: "AROA1AAAAAAAAAAAAAAAA",
            Arn: `arn:aws:iam::${account}:role/web`,
            Path: "/",
            CreateDate: "2026-01-01T00:00:00Z",
            AssumeRolePolicyDocument: encodeURIComponent('{"Version":"2012-10-17"}'),
            AttachedManagedPolicies: [
              { PolicyName: "read", PolicyArn: `arn:aws:iam::${account}:policy/read` },
              {
                PolicyName: "AdministratorAccess",
                PolicyArn: "arn:aws:iam::aws:policy/AdministratorAccess",
              },
            ],
            RoleLastUsed: { LastUsedDate: "2026-06-15T00:00:00Z", Region: region },
          },
        ],
      }),
      ...(parameters["Filter.member.1"] === "LocalManagedPolicy" && {
        Policies: [
          {
            PolicyName: "read",
            Arn: `arn:aws:iam::${account}:policy/read`,
            PolicyVersionList: [
              { VersionId: "v1", Document: encodeURIComponent('{"Statement":[]}') },
            ],
          },
        ],
      }),
    }),
  ListInstanceProfiles: ({ action }) =>
    queryAnswer(action, {
      IsTruncated: false,
      InstanceProfiles: [
        {
          InstanceProfileName: "web",
          InstanceProfileId: "AIPA1",
          Arn: `arn:aws:iam::${account}:instance-profile/web`,
          Roles: [{ RoleName: "web", Arn: `arn:aws:iam::${account}:role/web` }],
        },
      ],
    }),
  DescribeDBClusters: ({ action }) => queryAnswer(action, { DBClusters: [] }),
  DescribeDBInstances: (asked) =>
    `<DescribeDBInstancesResponse><DescribeDBInstancesResult>${
      pageOf(asked) === undefined
        ? `<DBInstances><DBInstance><DBInstanceIdentifier>orders</DBInstanceIdentifier><DBInstanceArn>${arn("rds", "db:orders", asked.region)}</DBInstanceArn><DbiResourceId>db-ABCDEFGHIJKLMNOPQRSTUVWXYZ</DbiResourceId><DBInstanceStatus>available</DBInstanceStatus><Engine>postgres</Engine><EngineVersion>16</EngineVersion><DBInstanceClass>db.t3.micro</DBInstanceClass><AllocatedStorage>20</AllocatedStorage><Endpoint><Address>Orders.x.rds.amazonaws.com</Address><Port>5432</Port></Endpoint><VpcSecurityGroups><VpcSecurityGroupMembership><VpcSecurityGroupId>sg-01</VpcSecurityGroupId><Status>active</Status></VpcSecurityGroupMembership></VpcSecurityGroups><DBSubnetGroup><VpcId>vpc-01</VpcId><Subnets><Subnet><SubnetIdentifier>subnet-01</SubnetIdentifier></Subnet></Subnets></DBSubnetGroup><TagList><Tag><Key>stage</Key><Value>prod</Value></Tag></TagList><LatestRestorableTime>2026-06-15T11:55:00Z</LatestRestorableTime></DBInstance></DBInstances><Marker>next</Marker>`
        : "<DBInstances/>"
    }</DescribeDBInstancesResult></DescribeDBInstancesResponse>`,
  "GET /": () =>
    xmlAnswer(
      "ListAllMyBucketsResult",
      {
        Buckets: [
          { Name: "assets", BucketRegion: "us-east-1", CreationDate: "2026-01-01T00:00:00.000Z" },
        ],
      },
      "Bucket",
    ),
  "GET /assets": ({ parameters, region: at }) => {
    if (at !== "us-east-1") return refuse("PermanentRedirect", "elsewhere", 301);
    if ("tagging" in parameters)
      return xmlAnswer("Tagging", { TagSet: [{ Key: "stage", Value: "prod" }] }, "Tag");
    if ("versioning" in parameters)
      return xmlAnswer("VersioningConfiguration", { Status: "Enabled" }, "x");
    if ("encryption" in parameters) return refuse("AccessDenied", "Access Denied", 403);
    return refuse("NoSuchPublicAccessBlockConfiguration", "none", 404);
  },
  "GET /2015-03-31/functions": () => ({
    Functions: [
      {
        FunctionName: "resize",
        FunctionArn: arn("lambda", "function:resize"),
        Runtime: "nodejs24.x",
        Role: `arn:aws:iam::${account}:role/web`,
        Environment: { Variables: { API_KEY: "very-secret" } },
        VpcConfig: { VpcId: "vpc-01", SubnetIds: ["subnet-01"], SecurityGroupIds: ["sg-01"] },
      },
    ],
    NextMarker: null,
  }),
  [`GET /2017-03-31/tags/${arn("lambda", "function:resize")}`]: () => ({ Tags: { stage: "prod" } }),
};

const inJson = new Set(
  "ecs ecr dynamodb sqs cloudtrail config ssm support athena eks lambda elasticfilesystem backup".split(
    " ",
  ),
);
/** What the shop has nothing of. */
const nothing = ({ service, action }: AwsAsked): object | string =>
  service === "ec2"
    ? ec2Answer(action, {})
    : inJson.has(service)
      ? {}
      : service === "route53" || service === "s3"
        ? "<Answer/>"
        : queryAnswer(action, {});

export interface Shop {
  server: AwsServer;
  /** A scraper of it. */
  spec(more?: object): object;
  answers: typeof answers;
}

export async function startShop(
  own: typeof answers = {},
  more: { throttled?: number } = {},
): Promise<Shop> {
  const all = { ...answers, ...own };
  const server = await serveAws({
    keys: [key],
    ...more,
    answer: (asked) => (all[asked.action] ?? nothing)(asked),
  });
  return {
    server,
    answers: all,
    spec: (spec = {}) => ({
      accessKey: { value: key.accessKey },
      secretKey: { value: key.secretKey },
      region: [region],
      endpoint: server.url,
      ...spec,
    }),
  };
}
