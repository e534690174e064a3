import type { AwsObject } from "#platform/outbound/aws/aws-value.ts";
import { askJson, each, isCode, jsonPages, queryPages } from "../apis.ts";
import { type Area, arnOf, type AwsKind, found, number, to } from "../area.ts";
import {
  numberIn,
  objectIn,
  objectsIn,
  tagsIn,
  textIn,
  textsIn,
  timeIn,
  without,
} from "../read-object.ts";
import { groupsIn, inGroups, inVpc, networkTypes } from "./network.ts";

const instanceType = "AWS::RDS::DBInstance";
const clusterType = "AWS::RDS::DBCluster";

const marked = (area: Area, api: "rds" | "elastiCache", action: string, parameters = {}) =>
  queryPages(area.client, api, action, {
    parameters: { MaxRecords: "100", ...parameters },
    asked: "Marker",
  });

const rds: AwsKind = {
  names: ["RDS"],
  types: [instanceType, clusterType],
  async *read(area) {
    for await (const page of marked(area, "rds", "DescribeDBClusters"))
      for (const cluster of objectsIn(page, "DBClusters"))
        yield found(area, {
          type: clusterType,
          id: textIn(cluster, "DBClusterArn"),
          aliases: [
            textIn(cluster, "DbClusterResourceId"),
            textIn(cluster, "Endpoint").toLowerCase(),
          ],
          name: textIn(cluster, "DBClusterIdentifier"),
          config: without(cluster, "LatestRestorableTime", "EarliestRestorableTime"),
          status: textIn(cluster, "Status"),
          tags: tagsIn(cluster, "TagList"),
          description: `${textIn(cluster, "Engine")} ${textIn(cluster, "EngineVersion")}`,
          createdAt: timeIn(cluster, "ClusterCreateTime"),
          relations: [
            ...inGroups(groupsIn(cluster, "VpcSecurityGroups"), "DBClusterSecurityGroup"),
            ...objectsIn(cluster, "DBClusterMembers").map((member) =>
              to(
                instanceType,
                arnOf(area, "rds", `db:${textIn(member, "DBInstanceIdentifier")}`),
                "DBClusterInstance",
              ),
            ),
          ],
        });
    for await (const page of marked(area, "rds", "DescribeDBInstances"))
      for (const db of objectsIn(page, "DBInstances")) {
        const net = objectIn(db, "DBSubnetGroup");
        yield found(area, {
          type: instanceType,
          id: textIn(db, "DBInstanceArn"),
          aliases: [
            textIn(db, "DbiResourceId"),
            textIn(objectIn(db, "Endpoint"), "Address").toLowerCase(),
          ],
          name: textIn(db, "DBInstanceIdentifier"),
          config: without(db, "LatestRestorableTime"),
          status: textIn(db, "DBInstanceStatus"),
          zone: textIn(db, "AvailabilityZone"),
          tags: tagsIn(db, "TagList"),
          description: `${textIn(db, "Engine")} ${textIn(db, "EngineVersion")} ${textIn(db, "DBInstanceClass")}`,
          createdAt: timeIn(db, "InstanceCreateTime"),
          parents: inVpc(textIn(net, "VpcId")),
          relations: [
            ...inGroups(groupsIn(db, "VpcSecurityGroups"), "DBInstanceSecurityGroup"),
            ...objectsIn(net, "Subnets").map((subnet) =>
              to(networkTypes.subnet, textIn(subnet, "SubnetIdentifier"), "DBInstanceSubnet"),
            ),
          ],
        });
      }
  },
};

const elastiCache: AwsKind = {
  names: ["ElastiCache"],
  types: ["AWS::ElastiCache::CacheCluster", "AWS::ElastiCache::ReplicationGroup"],
  async *read(area) {
    for await (const page of marked(area, "elastiCache", "DescribeReplicationGroups"))
      for (const group of objectsIn(page, "ReplicationGroups"))
        yield found(area, {
          type: "AWS::ElastiCache::ReplicationGroup",
          id:
            textIn(group, "ARN") ||
            arnOf(area, "elasticache", `replicationgroup:${textIn(group, "ReplicationGroupId")}`),
          name: textIn(group, "ReplicationGroupId"),
          config: group,
          status: textIn(group, "Status"),
          description: textIn(group, "Description"),
        });
    for await (const page of marked(area, "elastiCache", "DescribeCacheClusters", {
      ShowCacheNodeInfo: "true",
    }))
      for (const cluster of objectsIn(page, "CacheClusters")) {
        const group = textIn(cluster, "ReplicationGroupId");
        const groupId = group === "" ? "" : arnOf(area, "elasticache", `replicationgroup:${group}`);
        yield found(area, {
          type: "AWS::ElastiCache::CacheCluster",
          id:
            textIn(cluster, "ARN") ||
            arnOf(area, "elasticache", `cluster:${textIn(cluster, "CacheClusterId")}`),
          aliases: objectsIn(cluster, "CacheNodes").map((node) =>
            textIn(objectIn(node, "Endpoint"), "Address").toLowerCase(),
          ),
          name: textIn(cluster, "CacheClusterId"),
          config: cluster,
          status: textIn(cluster, "CacheClusterStatus"),
          zone: textIn(cluster, "PreferredAvailabilityZone"),
          description: `${textIn(cluster, "Engine")} ${textIn(cluster, "EngineVersion")} ${textIn(cluster, "CacheNodeType")}`,
          createdAt: timeIn(cluster, "CacheClusterCreateTime"),
          parents:
            groupId === ""
              ? []
              : [{ externalId: groupId, type: "AWS::ElastiCache::ReplicationGroup" }],
          relations: inGroups(groupsIn(cluster), "CacheClusterSecurityGroup"),
        });
      }
  },
};

const tables: AwsKind = {
  names: ["DynamoDB"],
  types: ["AWS::DynamoDB::Table"],
  async *read(area) {
    const { client } = area;
    const pages = jsonPages(client, "dynamoDb", "ListTables", {
      asked: "ExclusiveStartTableName",
      told: "LastEvaluatedTableName",
    });
    for await (const page of pages)
      for await (const table of each(textsIn(page, "TableNames"), async (name) => {
        try {
          const answer = await askJson(client, "dynamoDb", "DescribeTable", { TableName: name });
          return objectIn(answer, "Table");
        } catch (error) {
          // It has gone meanwhile.
          if (isCode(error, /^ResourceNotFound/)) return undefined;
          throw error;
        }
      }))
        if (table)
          yield found(area, {
            ...tableOf(table),
            tags: await tableTags(area, textIn(table, "TableArn")),
          });
  },
};

const tableOf = (table: AwsObject) => ({
  type: "AWS::DynamoDB::Table",
  id: textIn(table, "TableArn"),
  name: textIn(table, "TableName"),
  config: without(table, "ItemCount", "TableSizeBytes"),
  status: textIn(table, "TableStatus"),
  createdAt: timeIn(table, "CreationDateTime"),
  properties: [
    number("items", numberIn(table, "ItemCount")),
    number("size", numberIn(table, "TableSizeBytes"), "bytes"),
  ],
});

async function tableTags({ client }: Area, arn: string): Promise<Record<string, string>> {
  const answer = await askJson(client, "dynamoDb", "ListTagsOfResource", { ResourceArn: arn });
  return tagsIn(answer, "Tags");
}

export const databases: readonly AwsKind[] = [rds, elastiCache, tables];
