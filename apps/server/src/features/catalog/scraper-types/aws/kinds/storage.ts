import type { AwsClient } from "#platform/outbound/aws/aws-client.ts";
import type { AwsObject } from "#platform/outbound/aws/aws-value.ts";
import type { Found } from "../../../scraping/scraped.ts";
import { askXmlPath, denied, each, isCode, pages, pathPages, tokenIn } from "../apis.ts";
import { type Area, type AwsKind, found, number, to } from "../area.ts";
import { numberIn, objectIn, objectsIn, tagsIn, textIn, timeIn, without } from "../read-object.ts";
import { networkTypes } from "./network.ts";

const bucketType = "AWS::S3::Bucket";

/** What is asked of each bucket, and where of its configuration that stands. */
const asked = [
  { query: "tagging", member: "Tags" },
  { query: "versioning", member: "Versioning" },
  { query: "encryption", member: "Encryption" },
  { query: "publicAccessBlock", member: "PublicAccessBlock" },
] as const;

/** It has none, or has gone meanwhile. */
const isNone =
  /^(NoSuch|ServerSideEncryptionConfigurationNotFound|MethodNotAllowed|NotImplemented)/;

async function partOf(client: AwsClient, bucket: string, query: string): Promise<AwsObject> {
  try {
    return await askXmlPath(client, "s3", { path: `/${bucket}`, query: { [query]: "" } });
  } catch (error) {
    if (isCode(error, isNone)) return {};
    throw error;
  }
}

/** What is known of a bucket; and which of its parts may not be read. */
async function bucketOf(area: Area, bucket: AwsObject): Promise<{ item: Found; unread: string[] }> {
  const name = textIn(bucket, "Name");
  const region = textIn(bucket, "BucketRegion") || (await regionOf(area, name));
  const client = area.session.in(region);
  const unread: string[] = [];
  const parts: Record<string, AwsObject> = {};
  for (const { query, member } of asked)
    try {
      const part = await partOf(client, name, query);
      if (Object.keys(part).length > 0) parts[member] = part;
    } catch (error) {
      if (!isCode(error, denied)) throw error;
      unread.push(query);
    }
  const { Tags: tagging, ...rest } = parts;
  const item = found(
    { ...area, region },
    {
      type: bucketType,
      id: name,
      arn: `arn:${area.partition}:s3:::${name}`,
      aliases: [`${name}.s3.amazonaws.com`, `${name}.s3.${region}.amazonaws.com`],
      config: { ...bucket, BucketRegion: region, ...rest },
      status: "available",
      tags: tagging ? tagsIn(tagging, "TagSet") : {},
      createdAt: timeIn(bucket, "CreationDate"),
    },
  );
  return { item, unread };
}

/** Where a bucket is; an empty answer means the first region there was. */
async function regionOf({ client }: Area, name: string): Promise<string> {
  const asked = { path: `/${name}`, query: { location: "" } };
  const answer = await client.restXml({ name: "s3" }, asked);
  const told = answer.text.trim();
  return told === "" ? "us-east-1" : told === "EU" ? "eu-west-1" : told;
}

const buckets: AwsKind = {
  names: ["S3Bucket", "S3"],
  types: [bucketType],
  isGlobal: true,
  async *read(area) {
    const unread = new Map<string, number>();
    const all = pages(
      (token: string | undefined) =>
        askXmlPath(area.client, "s3", {
          path: "/",
          query: {
            "max-buckets": "1000",
            ...(token !== undefined && { "continuation-token": token }),
          },
        }),
      tokenIn("ContinuationToken"),
    );
    for await (const page of all)
      for await (const bucket of each(objectsIn(page, "Buckets"), (one) => bucketOf(area, one))) {
        for (const part of bucket.unread) unread.set(part, (unread.get(part) ?? 0) + 1);
        yield bucket.item;
      }
    for (const [part, count] of unread)
      yield {
        kind: "notice",
        message: `The ${part} of ${count} ${count === 1 ? "bucket" : "buckets"} may not be read.`,
        type: bucketType,
      };
  },
};

const fileSystems: AwsKind = {
  names: ["EFS"],
  types: ["AWS::EFS::FileSystem"],
  async *read(area) {
    const { client } = area;
    const all = pathPages(client, "efs", "/2015-02-01/file-systems", {
      query: { MaxItems: "100" },
      asked: "Marker",
      told: "NextMarker",
    });
    for await (const page of all)
      for await (const [system, targets] of each(objectsIn(page, "FileSystems"), async (one) => {
        const mounted: AwsObject[] = [];
        for await (const answer of pathPages(client, "efs", "/2015-02-01/mount-targets", {
          query: { FileSystemId: textIn(one, "FileSystemId"), MaxItems: "100" },
          asked: "Marker",
          told: "NextMarker",
        }))
          mounted.push(...objectsIn(answer, "MountTargets"));
        return [one, mounted] as const;
      }))
        yield found(area, {
          type: "AWS::EFS::FileSystem",
          id: textIn(system, "FileSystemId"),
          arn: textIn(system, "FileSystemArn"),
          aliases: [`${textIn(system, "FileSystemId")}.efs.${area.region}.amazonaws.com`],
          name: textIn(system, "Name"),
          config: { ...without(system, "SizeInBytes"), MountTargets: targets },
          status: textIn(system, "LifeCycleState"),
          createdAt: timeIn(system, "CreationTime"),
          parents: textIn(targets[0], "VpcId")
            ? [{ externalId: textIn(targets[0], "VpcId"), type: networkTypes.vpc }]
            : [],
          relations: targets.map((target) =>
            to(networkTypes.subnet, textIn(target, "SubnetId"), "FileSystemSubnet"),
          ),
          properties: [number("size", numberIn(objectIn(system, "SizeInBytes"), "Value"), "bytes")],
        });
  },
};

/** How a backup ended, as a change of what was backed up. */
const backupJobs: Readonly<Record<string, readonly [type: string, severity: "info" | "high"]>> = {
  COMPLETED: ["BackupCompleted", "info"],
  FAILED: ["BackupFailed", "high"],
  EXPIRED: ["BackupFailed", "high"],
  ABORTED: ["BackupFailed", "high"],
};
const backupsSinceMs = 7 * 86_400_000;

const backups: AwsKind = {
  names: ["Backup", "Backups"],
  types: ["AWS::Backup::BackupVault", "AWS::Backup::BackupPlan"],
  async *read(area) {
    const { client, input } = area;
    const listed = (path: string, query = {}) =>
      pathPages(client, "backup", path, {
        query: { maxResults: "1000", ...query },
        asked: "nextToken",
        told: "NextToken",
      });
    for await (const page of listed("/backup-vaults/"))
      for (const vault of objectsIn(page, "BackupVaultList"))
        yield found(area, {
          type: "AWS::Backup::BackupVault",
          id: textIn(vault, "BackupVaultArn"),
          name: textIn(vault, "BackupVaultName"),
          config: without(vault, "NumberOfRecoveryPoints"),
          status: textIn(vault, "VaultState") || "available",
          createdAt: timeIn(vault, "CreationDate"),
          properties: [number("recovery points", numberIn(vault, "NumberOfRecoveryPoints"))],
        });
    for await (const page of listed("/backup/plans/"))
      for (const plan of objectsIn(page, "BackupPlansList"))
        yield found(area, {
          type: "AWS::Backup::BackupPlan",
          id: textIn(plan, "BackupPlanArn"),
          aliases: [textIn(plan, "BackupPlanId")],
          name: textIn(plan, "BackupPlanName"),
          config: without(plan, "LastExecutionDate"),
          health: "healthy",
          createdAt: timeIn(plan, "CreationDate"),
        });
    const since = new Date(input.now.getTime() - backupsSinceMs).toISOString();
    for await (const page of listed("/backup-jobs/", { createdAfter: since }))
      for (const job of objectsIn(page, "BackupJobs")) {
        const [changeType, severity] = backupJobs[textIn(job, "State")] ?? [];
        if (!changeType || !severity) continue;
        const createdAt = timeIn(job, "CompletionDate") ?? timeIn(job, "CreationDate");
        yield {
          kind: "change",
          change: {
            item: { externalId: textIn(job, "ResourceArn") },
            externalChangeId: textIn(job, "BackupJobId"),
            changeType,
            severity,
            source: "AWS Backup",
            summary: textIn(job, "StatusMessage") || textIn(job, "BackupVaultName"),
            details: job,
            ...(createdAt && { createdAt }),
          },
        };
      }
  },
};

export const storage: readonly AwsKind[] = [buckets, fileSystems, backups];
