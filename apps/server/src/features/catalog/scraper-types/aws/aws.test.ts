import { afterEach, describe, expect, test } from "vitest";
import { broken, refuse } from "#platform/outbound/aws/testing/aws-server.ts";
import { scrapeWith } from "../testing/scrape.ts";
import {
  account,
  type answers,
  arn,
  ec2Answer,
  instance,
  queryAnswer,
  region,
  type Shop,
  startShop,
} from "./testing/shop-account.ts";

// Amazon is not on this machine: a stand-in verifies the signatures and answers in its protocols.

const open: Shop[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map(({ server }) => server.close()));
});

async function shop(own: typeof answers = {}, more = {}): Promise<Shop> {
  const started = await startShop(own, more);
  open.push(started);
  return started;
}
/** Nothing but what is named, so that little is asked. */
const only = (...include: string[]) => ({ include });
const denied = (action: string) => () =>
  refuse("AccessDenied", `User: reader is not authorized to perform: ${action}`, 403);

describe("the inventory", () => {
  test("of an account: everything stands where it belongs and leads to what it uses", async () => {
    const { spec, server } = await shop();
    const told = await scrapeWith("aws", spec());
    expect(told.failures).toEqual([]);
    expect(told.types).toEqual({
      "AWS::::Account": 1,
      "AWS::Region": 1,
      "AWS::AvailabilityZone": 1,
      "AWS::AvailabilityZoneID": 1,
      "AWS::EC2::VPC": 1,
      "AWS::EC2::Subnet": 1,
      "AWS::EC2::SecurityGroup": 1,
      "AWS::EC2::Instance": 3,
      "AWS::EBS::Volume": 1,
      "AWS::IAM::Role": 1,
      "AWS::IAM::Policy": 1,
      "AWS::IAM::InstanceProfile": 1,
      "AWS::RDS::DBInstance": 1,
      "AWS::S3::Bucket": 1,
      "AWS::Lambda::Function": 1,
    });
    const [first] = told.items;
    expect(first).toMatchObject({ type: "AWS::::Account", name: "shop", externalId: account });
    const web = told.item("AWS::EC2::Instance", "web i-01");
    expect(web).toMatchObject({
      externalId: "i-01",
      aliases: [arn("ec2", "instance/i-01"), "ip-i-01.internal", `aws:///${region}a/i-01`],
      status: "running",
      health: "healthy",
      configClass: "Instance",
      labels: { Name: "web i-01", port: "8080", flag: "true" },
      tags: { account, region, zone: `${region}a` },
      createdAt: new Date("2026-06-01T10:00:00Z"),
      parents: [
        { externalId: "subnet-01", type: "AWS::EC2::Subnet" },
        { externalId: "vpc-01", type: "AWS::EC2::VPC" },
        { externalId: `${account}/${region}`, type: "AWS::Region" },
        { externalId: account, type: "AWS::::Account" },
      ],
    });
    expect(web.relations.map(({ to, relation }) => [relation, to])).toEqual([
      ["InstanceSecurityGroup", { externalId: "sg-01", type: "AWS::EC2::SecurityGroup" }],
      ["InstanceVolume", { externalId: "vol-01", type: "AWS::EBS::Volume" }],
      [
        "InstanceProfile",
        {
          externalId: `arn:aws:iam::${account}:instance-profile/web`,
          type: "AWS::IAM::InstanceProfile",
        },
      ],
      ["InstanceImage", { externalId: "ami-0aaaaaaaaaaaaaaa1", type: "AWS::EC2::AMI" }],
    ]);
    // As the command line of Amazon names it.
    expect(web.config).toMatchObject({
      State: { Code: 16, Name: "running" },
      SecurityGroups: [{ GroupId: "sg-01", GroupName: "web" }],
      BlockDeviceMappings: [{ DeviceName: "/dev/xvda", Ebs: { VolumeId: "vol-01" } }],
      Tags: [
        { Key: "Name", Value: "web i-01" },
        { Key: "port", Value: "8080" },
        { Key: "flag", Value: "true" },
      ],
    });
    expect(told.item("AWS::EC2::Instance", "web i-02")).toMatchObject({
      status: "stopped",
      health: "unknown",
    });
    expect(told.item("AWS::EC2::Instance", "web i-03")).toMatchObject({
      deletedAt: new Date("2026-06-15T11:00:00Z"),
      deleteReason: "FROM_ATTRIBUTE",
    });
    const subnet = told.item("AWS::EC2::Subnet", "subnet-01");
    expect(subnet.config).not.toHaveProperty("AvailableIpAddressCount");
    expect(subnet.properties).toEqual([{ name: "free addresses", value: 250 }]);
    expect(told.item("AWS::EC2::SecurityGroup", "web").relations).toEqual([
      {
        to: { externalId: "sg-02", type: "AWS::EC2::SecurityGroup" },
        relation: "SecurityGroupRule",
      },
    ]);
    const role = told.item("AWS::IAM::Role", "web");
    // Amazon's own policies are no items.
    expect(role.relations).toEqual([
      {
        to: { externalId: `arn:aws:iam::${account}:policy/read`, type: "AWS::IAM::Policy" },
        relation: "RolePolicy",
      },
    ]);
    expect(role.config).toMatchObject({ AssumeRolePolicyDocument: { Version: "2012-10-17" } });
    expect(role.config).not.toHaveProperty("RoleLastUsed");
    expect(told.item("AWS::RDS::DBInstance", "orders")).toMatchObject({
      externalId: arn("rds", "db:orders"),
      aliases: [
        "db-ABCDEFGHIJKLMNOPQRSTUVWXYZ",
        "orders.x.rds.amazonaws.com",
        `AWS::RDS::DBInstance/${account}/${region}/orders`,
      ],
      labels: { stage: "prod" },
      config: { AllocatedStorage: 20, EngineVersion: "16", Endpoint: { Port: 5432 } },
    });
    expect(told.item("AWS::S3::Bucket", "assets")).toMatchObject({
      tags: { region: "us-east-1" },
      labels: { stage: "prod" },
      config: { Versioning: { Status: "Enabled" } },
    });
    expect(told.notices).toEqual(["The encryption of 1 bucket may not be read."]);
    const resize = told.item("AWS::Lambda::Function", "resize");
    expect(resize.config).toMatchObject({ Environment: { Variables: { API_KEY: "[hidden]" } } });
    expect(JSON.stringify(told)).not.toContain("very-secret");
    // What belongs to no region is signed for the one that it is in.
    expect(server.asked.find(({ service }) => service === "iam")?.region).toBe("us-east-1");
    // Task definitions come by the thousand: only who names them has them.
    expect(server.asked.some(({ action }) => action === "ListTaskDefinitions")).toBe(false);
  });

  test("of several regions, and only of what is wanted", async () => {
    const { spec, server } = await shop();
    const told = await scrapeWith(
      "aws",
      spec({
        region: [region, "eu-west-1"],
        include: ["ec2_instance", "AWS::RDS::DBInstance", "Sailboat"],
        exclusions: [{ type: "AWS::EC2::*", tags: { Name: "*02" } }],
      }),
    );
    expect(told.types).toEqual({
      "AWS::::Account": 1,
      "AWS::Region": 2,
      "AWS::AvailabilityZone": 2,
      "AWS::AvailabilityZoneID": 2,
      "AWS::EC2::Instance": 2,
      "AWS::RDS::DBInstance": 2,
    });
    expect(told.notices).toEqual([
      '"Sailboat" is not the name of anything that is read of Amazon.',
    ]);
    expect(new Set(server.asked.map(({ service }) => service))).toEqual(
      new Set(["sts", "iam", "ec2", "rds"]),
    );
  });

  test("what may not be read is named, and what is known of it stays", async () => {
    const { spec } = await shop({ DescribeDBInstances: denied("rds:DescribeDBInstances") });
    const told = await scrapeWith("aws", spec(only("RDS", "VPC")));
    expect(told.failures).toEqual([
      expect.stringMatching(
        /^RDS in eu-central-1: 127\.0\.0\.1:\d+ refused: not allowed: AccessDenied: User: reader is not authorized to perform: rds:DescribeDBInstances \(exclude: \[RDS\] leaves it out\)$/,
      ),
    ]);
    expect(told.unseen).toEqual([
      `AWS::RDS::DBInstance ${account} ${region}`,
      `AWS::RDS::DBCluster ${account} ${region}`,
    ]);
    expect(told.types).toMatchObject({ "AWS::EC2::VPC": 1 });
  });

  test("throttling, an answer that breaks off and a service that fails are waited out", async () => {
    let asked = 0;
    const { spec } = await shop(
      {
        DescribeVpcs: ({ action }) => {
          asked += 1;
          if (asked === 1) return broken;
          if (asked === 2) return refuse("InternalError", "try again", 500);
          return ec2Answer(action, { vpcSet: [{ vpcId: "vpc-01", state: "available" }] });
        },
      },
      { throttled: 1 },
    );
    const told = await scrapeWith("aws", spec(only("VPC")));
    expect(told.failures).toEqual([]);
    expect(told.types).toMatchObject({ "AWS::EC2::VPC": 1 });
    expect(asked).toBe(3);
  });

  test("a page that comes again ends its listing, and nothing of its type is gone", async () => {
    const { spec } = await shop({
      DescribeInstances: ({ action }) =>
        ec2Answer(action, {
          reservationSet: [{ instancesSet: [instance("i-01")] }],
          nextToken: "same",
        }),
    });
    const told = await scrapeWith("aws", spec(only("EC2instance")));
    expect(told.failures).toEqual([
      "EC2instance in eu-central-1: the same page of a listing was given again",
    ]);
    expect(told.unseen).toEqual([`AWS::EC2::Instance ${account} ${region}`]);
  });

  test.each<[string, object, typeof answers, RegExp]>([
    ["a region is missing", { region: [] }, {}, /^the region is missing/],
    [
      "a key is not known",
      { accessKey: { value: "AKIDANOTHER" } },
      {},
      /the access key is not known/,
    ],
    [
      "credentials expire on the way",
      only("VPC"),
      { DescribeVpcs: () => refuse("RequestExpired", "Request has expired.") },
      /RequestExpired/,
    ],
  ])("when %s, the scrape says so and ends", async (_what, more, own, why) => {
    const { spec } = await shop(own);
    await expect(scrapeWith("aws", spec(more))).rejects.toThrow(why);
  });

  test("a scrape that is stopped asks nothing more", async () => {
    const stop = new AbortController();
    const { spec, server } = await shop({
      DescribeVpcs: ({ action }) => {
        stop.abort(new Error("enough"));
        return ec2Answer(action, { vpcSet: [] });
      },
    });
    await expect(scrapeWith("aws", spec(only("VPC")), { signal: stop.signal })).rejects.toThrow(
      "enough",
    );
    expect(server.asked.at(-1)?.action).toBe("DescribeVpcs");
  });

  test("a role is taken on first, and asked with", async () => {
    const role = { accessKey: "ASIAROLE", secretKey: "lent", sessionToken: "token" };
    const { spec, server } = await shop({
      AssumeRole: ({ action }) =>
        queryAnswer(action, {
          Credentials: {
            AccessKeyId: role.accessKey,
            SecretAccessKey: role.secretKey,
            SessionToken: role.sessionToken,
          },
        }),
    });
    server.keys.push(role);
    const told = await scrapeWith(
      "aws",
      spec({ ...only("VPC"), assumeRole: `arn:aws:iam::${account}:role/reader` }),
    );
    expect(told.failures).toEqual([]);
    expect(server.asked.map(({ action, who }) => [action, who]).slice(0, 2)).toEqual([
      ["AssumeRole", "AKIDEXAMPLE"],
      ["GetCallerIdentity", "ASIAROLE"],
    ]);
  });
});

describe("CloudTrail", () => {
  const event = (id: string, name: string, resources: [string, string][], more: object = {}) => ({
    EventId: id,
    EventName: name,
    EventTime: 1781524800,
    Username: "ann@example.org",
    Resources: resources.map(([ResourceType, ResourceName]) => ({ ResourceType, ResourceName })),
    CloudTrailEvent: JSON.stringify({
      awsRegion: region,
      sourceIPAddress: "192.0.2.7",
      responseElements: { credentials: { secretAccessKey: "lent" }, ok: true },
      ...more,
    }),
  });
  const events = [
    event("e1", "ModifyDBInstance", [["AWS::RDS::DBInstance", "orders"]]),
    event("e2", "TerminateInstances", [
      ["AWS::EC2::Instance", "i-01"],
      ["AWS::EC2::SecurityGroup", "sg-01"],
    ]),
    event("e3", "DeleteTags", [["AWS::EC2::Instance", "i-02"]]),
    event("e4", "StopInstances", [["AWS::EC2::Instance", "i-02"]], {
      errorCode: "Client.UnauthorizedOperation",
    }),
    event("e5", "CreateTags", [["AWS::EC2::Instance", "i-02"]]),
  ];
  const trail: typeof answers = {
    LookupEvents: ({ region: at, parameters }) =>
      at !== region
        ? { Events: [] }
        : parameters.NextToken === undefined
          ? { Events: events.slice(0, 2), NextToken: "more" }
          : { Events: events.slice(2) },
  };
  const document = { include: ["CloudTrail"], cloudtrail: { exclude: ["Create*"], maxAge: "2d" } };

  test("of an event that says nothing, or nests too deeply to be read, no more is told than its name", async () => {
    const instance: [string, string][] = [["AWS::EC2::Instance", "i-01"]];
    const nested = `{"awsRegion":"${region}","a":${"[".repeat(5_000)}${"]".repeat(5_000)}}`;
    const { spec } = await shop({
      LookupEvents: ({ region: at }) => ({
        Events:
          at === region
            ? [
                { ...event("e1", "StartInstances", instance), CloudTrailEvent: nested },
                { ...event("e2", "StopInstances", instance), CloudTrailEvent: "[1]" },
                event("e3", "RebootInstances", instance, { responseElements: null }),
              ]
            : [],
      }),
    });
    const told = await scrapeWith("aws", spec(document));
    expect(told.failures).toEqual([]);
    expect(told.changes.map(({ changeType, details }) => [changeType, details])).toEqual([
      ["StartInstances", {}],
      ["StopInstances", {}],
      [
        "RebootInstances",
        { awsRegion: region, sourceIPAddress: "192.0.2.7", responseElements: null },
      ],
    ]);
  });

  test("events are changes of what they name: who, when, and how much it matters", async () => {
    const { spec, server } = await shop(trail);
    const told = await scrapeWith("aws", spec(document));
    expect(told.failures).toEqual([]);
    expect(
      told.changes.map(({ changeType, item, severity, action, summary }) => [
        changeType,
        item.externalId,
        severity,
        action,
        summary,
      ]),
    ).toEqual([
      [
        "ModifyDBInstance",
        `AWS::RDS::DBInstance/${account}/${region}/orders`,
        "info",
        "keep",
        "ModifyDBInstance by ann@example.org from 192.0.2.7",
      ],
      ["TerminateInstances", "i-01", "medium", "keep", expect.any(String)],
      ["TerminateInstances", "sg-01", "medium", "keep", expect.any(String)],
      ["DeleteTags", "i-02", "medium", "keep", expect.any(String)],
      [
        "StopInstances",
        "i-02",
        "low",
        "keep",
        "StopInstances failed: Client.UnauthorizedOperation by ann@example.org from 192.0.2.7",
      ],
    ]);
    expect(told.changes[0]).toMatchObject({
      externalChangeId: "e1",
      source: "CloudTrail",
      createdBy: "ann@example.org",
      createdAt: new Date("2026-06-15T12:00:00Z"),
      details: { responseElements: { ok: true } },
    });
    expect(JSON.stringify(told.changes)).not.toContain("lent");
    const asked = server.asked.filter(({ action }) => action === "LookupEvents");
    // What belongs to no region is told in us-east-1.
    expect(asked.map(({ region: at }) => at)).toEqual([region, region, "us-east-1"]);
    expect(asked[0]?.parameters).toMatchObject({
      StartTime: Date.parse("2026-06-13T12:00:00Z") / 1000,
      LookupAttributes: [{ AttributeKey: "ReadOnly", AttributeValue: "false" }],
    });
  });

  test("is read on from where it stood, a quarter of an hour earlier: events come late", async () => {
    const { spec, server } = await shop(trail);
    const { position } = await scrapeWith("aws", spec(document));
    const later = new Date("2026-06-15T13:00:00Z");
    const since = () =>
      server.asked.findLast(({ action }) => action === "LookupEvents")?.parameters;
    await scrapeWith("aws", spec(document), { now: later, stood: position });
    expect(since()?.StartTime).toBe(Date.parse("2026-06-15T11:45:00Z") / 1000);

    const followed = await scrapeWith("aws", spec(document), { now: later, from: position });
    expect(followed.items).toEqual([]);
    // Nobody has seen the machine since; of what hangs on it nothing is said.
    expect(
      followed.changes
        .filter(({ action }) => action === "delete")
        .map(({ item }) => item.externalId),
    ).toEqual(["i-01"]);
    expect(followed.position).toMatchObject({ until: { [region]: later.toISOString() } });

    const count = server.asked.length;
    const soon = new Date(later.getTime() + 15_000);
    const again = await scrapeWith("aws", spec(document), { now: soon, from: followed.position });
    expect(again.position).toEqual(followed.position);
    expect(server.asked).toHaveLength(count);
  });

  test("that may not be read in one region is read in the others", async () => {
    const refused: typeof answers = {
      LookupEvents: (asked) =>
        asked.region === region ? trail.LookupEvents!(asked) : denied("cloudtrail:LookupEvents")(),
    };
    const { spec, server } = await shop(refused);
    const told = await scrapeWith("aws", spec({ ...document, include: ["VPC", "CloudTrail"] }));
    expect(told.failures).toEqual([
      expect.stringMatching(/^CloudTrail in us-east-1: .*AccessDenied/),
    ]);
    expect([told.unseen, told.unjudged, told.changes.length]).toEqual([[], [], 5]);
    expect(told.position).toMatchObject({ until: { [region]: expect.any(String) as string } });
    // Who is refused is not asked again and again between two scrapes.
    const later = new Date("2026-06-15T13:00:00Z");
    server.asked.length = 0;
    const followed = await scrapeWith("aws", spec(document), { now: later, from: told.position });
    expect([followed.failures, followed.changes.length]).toEqual([[], 5]);
    const asked = server.asked.filter(({ action }) => action === "LookupEvents");
    expect(new Set(asked.map((one) => one.region))).toEqual(new Set([region]));
  });

  test("that may be read nowhere is not looked at between scrapes, and is when it only fails", async () => {
    const { spec, server, answers: told } = await shop({ LookupEvents: denied("no") });
    const none = await scrapeWith("aws", spec(document));
    expect(none.failures).toHaveLength(2);
    const later = new Date("2026-06-15T13:00:00Z");
    server.asked.length = 0;
    const from = { position: none.position };
    const followed = await scrapeWith("aws", spec(document), { now: later, from: from.position });
    expect([followed.position, server.asked]).toEqual([none.position, []]);

    told.LookupEvents = trail.LookupEvents!;
    const { position } = await scrapeWith("aws", spec(document));
    told.LookupEvents = () => refuse("InvalidTimeRangeException", "no", 400);
    await expect(scrapeWith("aws", spec(document), { now: later, from: position })).rejects.toThrow(
      /InvalidTimeRange/,
    );
  });
});

describe("insights", () => {
  test("of AWS Config, Trusted Advisor and patches, each about the item that it means", async () => {
    const { spec } = await shop({
      DescribeComplianceByConfigRule: () => ({
        ComplianceByConfigRules: [{ ConfigRuleName: "encrypted-volumes" }],
      }),
      GetComplianceDetailsByConfigRule: ({ parameters }) => ({
        EvaluationResults: [
          parameters.NextToken === undefined
            ? evaluation("AWS::EC2::Volume", "vol-01")
            : evaluation("AWS::Lambda::Function", "resize"),
        ],
        ...(parameters.NextToken === undefined && { NextToken: "two" }),
      }),
      DescribeTrustedAdvisorChecks: () => ({
        checks: [
          { id: "c0", name: "Savings Plan", category: "cost_optimizing", metadata: [] },
          {
            id: "c1",
            name: "Idle machines",
            category: "cost_optimizing",
            metadata: ["Id", "Cost"],
          },
        ],
      }),
      DescribeTrustedAdvisorCheckResult: () => ({
        result: {
          flaggedResources: [
            { resourceId: "f1", status: "warning", metadata: ["i-0123456789abcdef0 (web)", "$12"] },
            { resourceId: "f2", status: "error", metadata: ["everything", null] },
            { resourceId: "f3", status: "ok", metadata: ["i-0123456789abcdef1", "$0"] },
            { resourceId: "f4", status: "error", isSuppressed: true, metadata: ["x", "y"] },
          ],
        },
      }),
      DescribeInstanceInformation: () => ({
        InstanceInformationList: [{ InstanceId: "i-01" }, { InstanceId: "i-02" }],
      }),
      DescribeInstancePatchStates: ({ parameters }) => ({
        InstancePatchStates: (parameters.InstanceIds as string[]).map((id) => ({
          InstanceId: id,
          MissingCount: id === "i-01" ? 2 : 0,
          FailedCount: 0,
          SecurityNonCompliantCount: 1,
          OperationEndTime: 1781524800,
        })),
      }),
      DescribeInstancePatches: () => ({
        Patches: [{ Title: "openssl 3", KBId: "openssl", Severity: "Critical", State: "Missing" }],
      }),
    });
    const told = await scrapeWith(
      "aws",
      spec({
        include: ["VPC"],
        // A check by its name.
        exclude: ["Savings Plan"],
        compliance: true,
        trusted_advisor_check: true,
        patch_states: true,
        patch_details: true,
      }),
    );
    expect(told.failures).toEqual([]);
    expect(
      told.insights.map(({ analyzer, item, severity, analysisType, summary }) => [
        analyzer,
        item,
        severity,
        analysisType,
        summary,
      ]),
    ).toEqual([
      [
        "encrypted-volumes",
        { externalId: "vol-01", type: "AWS::EBS::Volume" },
        "medium",
        "compliance",
        "it is open",
      ],
      [
        "encrypted-volumes",
        {
          externalId: `AWS::Lambda::Function/${account}/${region}/resize`,
          type: "AWS::Lambda::Function",
        },
        "medium",
        "compliance",
        "it is open",
      ],
      [
        "Patches",
        { externalId: "i-01", type: "AWS::EC2::Instance" },
        "high",
        "security",
        "2 patches are missing, 0 failed",
      ],
      [
        "Patches",
        { externalId: "i-01", type: "AWS::EC2::Instance" },
        "critical",
        "security",
        "openssl 3 (Missing)",
      ],
      [
        "Idle machines",
        { externalId: "i-0123456789abcdef0", type: "AWS::EC2::Instance" },
        "medium",
        "cost",
        "Idle machines: i-0123456789abcdef0 (web): $12",
      ],
      [
        "Idle machines",
        { externalId: account, type: "AWS::::Account" },
        "high",
        "cost",
        "Idle machines: everything",
      ],
    ]);
    const aliases = told.items.flatMap(({ aliases: known }) => known);
    expect(aliases).not.toContain("");
  });

  const evaluation = (ResourceType: string, ResourceId: string) => ({
    EvaluationResultIdentifier: {
      EvaluationResultQualifier: { ConfigRuleName: "encrypted-volumes", ResourceType, ResourceId },
    },
    Annotation: "it is open",
  });

  test("an account without a support plan is told so, and nothing fails", async () => {
    const { spec } = await shop({
      DescribeTrustedAdvisorChecks: () => refuse("SubscriptionRequiredException", "no plan"),
    });
    const told = await scrapeWith("aws", spec({ include: ["VPC"], trusted_advisor_check: true }));
    expect(told.failures).toEqual([]);
    expect(told.notices).toEqual([
      "Trusted Advisor needs a support plan, which this account does not have.",
    ]);
  });
});

describe("costs", () => {
  const report = {
    s3BucketPath: "s3://bills/athena",
    database: "reports",
    table: "cur",
    region: "us-east-1",
  };
  const rows = (...lines: string[][]) => ({
    ResultSet: {
      Rows: lines.map((line) => ({ Data: line.map((VarCharValue) => ({ VarCharValue })) })),
    },
  });
  const header = ["name", "account", "hour", "day", "week", "month"];

  test("of the bill stand with what is billed, by any name that it is known by", async () => {
    let looked = 0;
    const {
      spec,
      server,
      answers: all,
    } = await shop({
      StartQueryExecution: () => ({ QueryExecutionId: "q1" }),
      GetQueryExecution: () => {
        looked += 1;
        return {
          QueryExecution: { Status: { State: looked === 1 ? "RUNNING" : "SUCCEEDED" } },
        };
      },
      GetQueryResults: ({ parameters }) =>
        parameters.NextToken === undefined
          ? {
              ...rows(
                header,
                ["", account, "1", "24", "168", "720"],
                ["", "999999999999", "9", "9", "9", "9"],
              ),
              NextToken: "two",
            }
          : rows(
              ["i-01", account, "0.6", "14", "100", "430.5"],
              [arn("rds", "db:orders"), account, "0", "1", "7", "30"],
            ),
    });
    const told = await scrapeWith(
      "aws",
      spec({ ...only("EC2instance", "RDS"), costReporting: report }),
    );
    expect(told.failures).toEqual([]);
    expect(told.items[0]?.costs).toEqual({ perMinute: 1 / 60, day: 24, week: 168, month: 720 });
    expect(told.item("AWS::EC2::Instance", "web i-01").costs).toEqual({
      perMinute: 0.01,
      day: 14,
      week: 100,
      month: 430.5,
    });
    expect(told.item("AWS::RDS::DBInstance", "orders").costs).toMatchObject({ month: 30 });
    const asked = server.asked.find(({ action }) => action === "StartQueryExecution");
    expect(asked).toMatchObject({
      region: "us-east-1",
      parameters: {
        QueryExecutionContext: { Database: "reports" },
        ResultConfiguration: { OutputLocation: "s3://bills/athena" },
        QueryString: expect.stringContaining('from "reports"."cur"') as string,
      },
    });
    // What was billed for nothing has cost nothing.
    expect(told.item("AWS::EC2::Instance", "web i-02").costs).toEqual({});

    // Until Amazon has written another report its answer is read again; then, and when it is gone, it is asked anew.
    const questions = async (now: string, stood = told.position) => {
      server.asked.length = 0;
      const again = await scrapeWith("aws", spec({ ...only("VPC"), costReporting: report }), {
        now: new Date(now),
        stood,
      });
      expect([again.failures, again.items[0]?.costs?.day]).toEqual([[], 24]);
      return server.asked.filter(({ action }) => action === "StartQueryExecution").length;
    };
    expect(await questions("2026-06-15T19:59:00Z")).toBe(0);
    expect(await questions("2026-06-15T20:00:00Z")).toBe(1);
    const answer = all.GetQueryResults!;
    all.GetQueryResults = (request) =>
      request.parameters.QueryExecutionId === "gone"
        ? refuse("InvalidRequestException", "no such query", 400)
        : answer(request);
    const lost = { asked: "", until: {}, costs: { id: "gone", at: "2026-06-15T12:00:00Z" } };
    expect(await questions("2026-06-15T12:10:00Z", lost)).toBe(1);
  });

  test.each<[string, [string, string][], RegExp]>([
    ["nothing", [], /interval '40' day\)\n/],
    [
      "year and month",
      [
        ["year", "string"],
        ["month", "string"],
      ],
      / and \(year = '2026' and month in \('2', '02'\) or year = '2026' and month in \('1', '01'\) or year = '2025' and month in \('12'\)\)\)/,
    ],
    [
      "numbers of years and months",
      [
        ["year", "int"],
        ["month", "int"],
      ],
      / and \(year = 2026 and month in \(2\) or year = 2026 and month in \(1\) or year = 2025 and month in \(12\)\)\)/,
    ],
    [
      "billing periods",
      [["billing_period", "string"]],
      / in \('2026-02', '2026-01', '2025-12'\)\)/,
    ],
  ])("of a table divided by %s are asked of the months that matter", async (_by, keys, asked) => {
    const { spec, server } = await shop({
      GetTableMetadata: () => ({
        TableMetadata: { PartitionKeys: keys.map(([Name, Type]) => ({ Name, Type })) },
      }),
      StartQueryExecution: () => ({ QueryExecutionId: "q1" }),
      GetQueryExecution: () => ({ QueryExecution: { Status: { State: "SUCCEEDED" } } }),
      GetQueryResults: () => rows(header),
    });
    const told = await scrapeWith("aws", spec({ ...only("VPC"), costReporting: report }), {
      now: new Date("2026-02-20T12:00:00Z"),
    });
    expect([told.failures, told.items[0]?.costs]).toEqual([[], undefined]);
    const question = server.asked.find(({ action }) => action === "StartQueryExecution");
    expect(question?.parameters.QueryString).toMatch(asked);
  });

  test("a line that says no number is left out and told; it says nothing of what was not read", async () => {
    const { spec } = await shop({
      StartQueryExecution: () => ({ QueryExecutionId: "q1" }),
      GetQueryExecution: () => ({ QueryExecution: { Status: { State: "SUCCEEDED" } } }),
      GetQueryResults: () =>
        rows(
          header,
          ["", account, "1", "24", "168", "720"],
          ["i-01", account, "0", "NaN", "1", "1"],
          ["i-03", account, "", "0", "", "2"],
          ["i-09", account, "much", "Infinity", "1", "1"],
        ),
    });
    const told = await scrapeWith("aws", spec({ ...only("EC2instance"), costReporting: report }));
    expect(told.failures).toEqual([]);
    expect(told.notices).toContain(
      "costs: 2 lines of the bill whose costs are no numbers were left out.",
    );
    const costs = ["web i-01", "web i-02", "web i-03"].map(
      (name) => told.item("AWS::EC2::Instance", name).costs,
    );
    expect(costs).toEqual([undefined, undefined, { perMinute: 0, day: 0, week: 0, month: 2 }]);
  });

  test.each<[string, object, RegExp]>([
    ["Athena fails", {}, /^costs: Athena: TABLE_NOT_FOUND/],
    ["a name is no name", { table: 'cur" where 1=1 --' }, /^costs: costReporting\.table is not/],
  ])("when %s, the items are there without them", async (_what, more, why) => {
    const { spec } = await shop({
      StartQueryExecution: () => ({ QueryExecutionId: "q1" }),
      GetQueryExecution: () => ({
        QueryExecution: { Status: { State: "FAILED", StateChangeReason: "TABLE_NOT_FOUND: cur" } },
      }),
    });
    const told = await scrapeWith(
      "aws",
      spec({ ...only("VPC"), costReporting: { ...report, ...more } }),
    );
    expect(told.failures).toEqual([expect.stringMatching(why)]);
    expect(told.unseen).toEqual([]);
    expect(told.types).toMatchObject({ "AWS::EC2::VPC": 1 });
  });
});
