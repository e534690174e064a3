import type { Health } from "@mainstay/contract";
import type { AwsObject } from "#platform/outbound/aws/aws-value.ts";
import { askJson, askPath, chunksOf, each, isCode, jsonPages, pathPages } from "../apis.ts";
import { type Area, type AwsKind, found, parent, to } from "../area.ts";
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
import { hideVariables } from "../hide-variables.ts";
import { inGroups, networkTypes } from "./network.ts";

const ecsCluster = "AWS::ECS::Cluster";
const ecsService = "AWS::ECS::Service";
const ecsTask = "AWS::ECS::Task";
const ecsDefinition = "AWS::ECS::TaskDefinition";
const eksCluster = "AWS::EKS::Cluster";

/** As many as are described at once. */
const together = { clusters: 100, services: 10, tasks: 100 };

async function* clusterArns({ client }: Area): AsyncGenerator<string[]> {
  for await (const page of jsonPages(client, "ecs", "ListClusters", { input: { maxResults: 100 } }))
    yield textsIn(page, "clusterArns");
}

async function* described(
  { client }: Area,
  {
    action,
    list,
    size,
    names,
    input,
  }: {
    action: string;
    list: string;
    size: number;
    names: readonly string[];
    input(some: string[]): object;
  },
): AsyncGenerator<AwsObject> {
  for await (const answer of each(chunksOf(names, size), (some) =>
    askJson(client, "ecs", action, input(some)),
  ))
    yield* objectsIn(answer, list);
}

const ecs: AwsKind = {
  names: ["ecs", "ECSCluster"],
  types: [ecsCluster],
  async *read(area) {
    for await (const names of clusterArns(area))
      for await (const cluster of described(area, {
        action: "DescribeClusters",
        list: "clusters",
        size: together.clusters,
        names,
        input: (clusters) => ({ clusters, include: ["TAGS", "SETTINGS"] }),
      }))
        yield found(area, {
          type: ecsCluster,
          id: textIn(cluster, "clusterArn"),
          name: textIn(cluster, "clusterName"),
          config: without(cluster, "runningTasksCount", "pendingTasksCount", "statistics"),
          status: textIn(cluster, "status"),
          tags: tagsIn(cluster, "tags"),
        });
  },
};

/** How many of the tasks that a service wants are there. */
function serviceHealth(service: AwsObject): { status: string; health: Health } {
  const status = textIn(service, "status");
  const wanted = numberIn(service, "desiredCount") ?? 0;
  const running = numberIn(service, "runningCount") ?? 0;
  if (status !== "ACTIVE") return { status, health: "unknown" };
  if (wanted === 0) return { status: "Scaled to Zero", health: "unknown" };
  return {
    status: `${running}/${wanted} running`,
    health: running >= wanted ? "healthy" : running === 0 ? "unhealthy" : "warning",
  };
}

const awsvpc = (of: AwsObject) =>
  objectIn(objectIn(of, "networkConfiguration"), "awsvpcConfiguration");

const services: AwsKind = {
  names: ["ECSService"],
  types: [ecsService],
  async *read(area) {
    for await (const clusters of clusterArns(area))
      for (const cluster of clusters) {
        const input = { cluster, maxResults: 100 };
        for await (const page of jsonPages(area.client, "ecs", "ListServices", { input }))
          for await (const service of described(area, {
            action: "DescribeServices",
            list: "services",
            size: together.services,
            names: textsIn(page, "serviceArns"),
            input: (some) => ({ cluster, services: some, include: ["TAGS"] }),
          })) {
            const net = awsvpc(service);
            yield found(area, {
              type: ecsService,
              id: textIn(service, "serviceArn"),
              name: textIn(service, "serviceName"),
              config: without(
                service,
                "events",
                "deployments",
                "taskSets",
                "runningCount",
                "pendingCount",
              ),
              ...serviceHealth(service),
              tags: tagsIn(service, "tags"),
              createdAt: timeIn(service, "createdAt"),
              parents: parent(ecsCluster, cluster),
              relations: [
                to(ecsDefinition, textIn(service, "taskDefinition"), "ServiceTaskDefinition"),
                to("AWS::IAM::Role", textIn(service, "roleArn"), "ServiceRole"),
                ...objectsIn(service, "loadBalancers").map((one) =>
                  to(
                    "AWS::ElasticLoadBalancingV2::TargetGroup",
                    textIn(one, "targetGroupArn"),
                    "TargetGroupService",
                    { isIncoming: true },
                  ),
                ),
                ...textsIn(net, "subnets").map((id) =>
                  to(networkTypes.subnet, id, "ServiceSubnet"),
                ),
                ...inGroups(textsIn(net, "securityGroups"), "ServiceSecurityGroup"),
              ],
            });
          }
      }
  },
};

const tasks: AwsKind = {
  names: ["ECSTask"],
  types: [ecsTask],
  async *read(area) {
    for await (const clusters of clusterArns(area))
      for (const cluster of clusters) {
        const input = { cluster, maxResults: 100 };
        for await (const page of jsonPages(area.client, "ecs", "ListTasks", { input }))
          for await (const task of described(area, {
            action: "DescribeTasks",
            list: "tasks",
            size: together.tasks,
            names: textsIn(page, "taskArns"),
            input: (some) => ({ cluster, tasks: some, include: ["TAGS"] }),
          })) {
            const group = textIn(task, "group");
            const clusterName = cluster.slice(cluster.lastIndexOf("/") + 1);
            const serviceArn = group.startsWith("service:")
              ? cluster.replace(
                  /:cluster\/.*$/,
                  `:service/${clusterName}/${group.slice("service:".length)}`,
                )
              : "";
            const isBad = textIn(task, "healthStatus") === "UNHEALTHY";
            yield found(area, {
              type: ecsTask,
              id: textIn(task, "taskArn"),
              name: textIn(task, "taskArn").replace(/^.*\//, ""),
              config: hideVariables(task),
              status: isBad ? "UNHEALTHY" : textIn(task, "lastStatus"),
              description: textIn(task, "stoppedReason") || group,
              zone: textIn(task, "availabilityZone"),
              tags: tagsIn(task, "tags"),
              createdAt: timeIn(task, "createdAt"),
              parents: [...parent(ecsService, serviceArn), ...parent(ecsCluster, cluster)],
              relations: [
                to(ecsDefinition, textIn(task, "taskDefinitionArn"), "TaskTaskDefinition"),
              ],
            });
          }
      }
  },
};

const definitions: AwsKind = {
  names: ["ECSTaskDefinition"],
  types: [ecsDefinition],
  isLeftOut: true,
  async *read(area) {
    const input = { status: "ACTIVE", maxResults: 100 };
    for await (const page of jsonPages(area.client, "ecs", "ListTaskDefinitions", { input }))
      for await (const answer of each(textsIn(page, "taskDefinitionArns"), (taskDefinition) =>
        askJson(area.client, "ecs", "DescribeTaskDefinition", {
          taskDefinition,
          include: ["TAGS"],
        }),
      )) {
        const definition = objectIn(answer, "taskDefinition");
        yield found(area, {
          type: ecsDefinition,
          id: textIn(definition, "taskDefinitionArn"),
          name: `${textIn(definition, "family")}:${textIn(definition, "revision")}`,
          config: hideVariables(definition),
          status: textIn(definition, "status"),
          tags: tagsIn(answer, "tags"),
          createdAt: timeIn(definition, "registeredAt"),
          relations: [
            to("AWS::IAM::Role", textIn(definition, "taskRoleArn"), "TaskDefinitionRole"),
            to("AWS::IAM::Role", textIn(definition, "executionRoleArn"), "TaskDefinitionRole"),
          ],
        });
      }
  },
};

const part = (text: string) => encodeURIComponent(text);

async function* eksNames({ client }: Area): AsyncGenerator<string> {
  for await (const page of pathPages(client, "eks", "/clusters", { query: { maxResults: "100" } }))
    yield* textsIn(page, "clusters");
}

/** What has gone between being listed and being asked about. */
async function there(answer: Promise<AwsObject>): Promise<AwsObject | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (isCode(error, /^ResourceNotFound/)) return undefined;
    throw error;
  }
}

const eks: AwsKind = {
  names: ["EKS"],
  types: [eksCluster, "AWS::EKS::Nodegroup"],
  async *read(area) {
    const { client } = area;
    for await (const name of eksNames(area)) {
      const path = `/clusters/${part(name)}`;
      const answer = await there(askPath(client, "eks", path));
      if (!answer) continue;
      const cluster = objectIn(answer, "cluster");
      const net = objectIn(cluster, "resourcesVpcConfig");
      const arn = textIn(cluster, "arn");
      const problems = objectsIn(objectIn(cluster, "health"), "issues");
      yield found(area, {
        type: eksCluster,
        id: arn,
        aliases: [textIn(cluster, "endpoint").toLowerCase()],
        name,
        config: cluster,
        status: textIn(cluster, "status"),
        ...(problems.length > 0 && { health: "warning" as const }),
        description:
          problems.map((one) => textIn(one, "message")).join("; ") ||
          `Kubernetes ${textIn(cluster, "version")}`,
        tags: tagsIn(cluster, "tags"),
        createdAt: timeIn(cluster, "createdAt"),
        parents: parent(networkTypes.vpc, textIn(net, "vpcId")),
        relations: [
          to("AWS::IAM::Role", textIn(cluster, "roleArn"), "ClusterRole"),
          ...textsIn(net, "subnetIds").map((id) => to(networkTypes.subnet, id, "ClusterSubnet")),
          ...inGroups(
            [...textsIn(net, "securityGroupIds"), textIn(net, "clusterSecurityGroupId")],
            "ClusterSecurityGroup",
          ),
        ],
      });
      for await (const page of pathPages(client, "eks", `${path}/node-groups`, {
        query: { maxResults: "100" },
      }))
        for await (const one of each(textsIn(page, "nodegroups"), (group) =>
          there(askPath(client, "eks", `${path}/node-groups/${part(group)}`)),
        )) {
          if (!one) continue;
          const group = objectIn(one, "nodegroup");
          yield found(area, {
            type: "AWS::EKS::Nodegroup",
            id: textIn(group, "nodegroupArn"),
            name: textIn(group, "nodegroupName"),
            config: group,
            status: textIn(group, "status"),
            description: objectsIn(objectIn(group, "health"), "issues")
              .map((issue) => textIn(issue, "message"))
              .join("; "),
            tags: tagsIn(group, "tags"),
            createdAt: timeIn(group, "createdAt"),
            parents: parent(eksCluster, arn),
            relations: [
              to("AWS::IAM::Role", textIn(group, "nodeRole"), "NodegroupRole"),
              ...textsIn(group, "subnets").map((id) =>
                to(networkTypes.subnet, id, "NodegroupSubnet"),
              ),
            ],
          });
        }
    }
  },
};

const fargate: AwsKind = {
  names: ["FargateProfile"],
  types: ["AWS::EKS::FargateProfile"],
  async *read(area) {
    const { client } = area;
    for await (const name of eksNames(area)) {
      const path = `/clusters/${part(name)}/fargate-profiles`;
      for await (const page of pathPages(client, "eks", path, { query: { maxResults: "100" } }))
        for await (const one of each(textsIn(page, "fargateProfileNames"), (profile) =>
          there(askPath(client, "eks", `${path}/${part(profile)}`)),
        )) {
          if (!one) continue;
          const profile = objectIn(one, "fargateProfile");
          yield found(area, {
            type: "AWS::EKS::FargateProfile",
            id: textIn(profile, "fargateProfileArn"),
            name: textIn(profile, "fargateProfileName"),
            config: profile,
            status: textIn(profile, "status"),
            tags: tagsIn(profile, "tags"),
            createdAt: timeIn(profile, "createdAt"),
            parents: parent(
              eksCluster,
              `arn:${area.partition}:eks:${area.region}:${area.account}:cluster/${name}`,
            ),
            relations: [
              to("AWS::IAM::Role", textIn(profile, "podExecutionRoleArn"), "FargateProfileRole"),
              ...textsIn(profile, "subnets").map((id) =>
                to(networkTypes.subnet, id, "FargateProfileSubnet"),
              ),
            ],
          });
        }
    }
  },
};

const ecr: AwsKind = {
  names: ["ECR"],
  types: ["AWS::ECR::Repository"],
  async *read(area) {
    const input = { maxResults: 1000 };
    for await (const page of jsonPages(area.client, "ecr", "DescribeRepositories", { input }))
      for await (const [repository, tags] of each(objectsIn(page, "repositories"), async (one) => {
        const resourceArn = textIn(one, "repositoryArn");
        const answer = await there(
          askJson(area.client, "ecr", "ListTagsForResource", { resourceArn }),
        );
        return [one, answer ? tagsIn(answer, "tags") : {}] as const;
      }))
        yield found(area, {
          type: "AWS::ECR::Repository",
          id: textIn(repository, "repositoryArn"),
          aliases: [textIn(repository, "repositoryUri")],
          name: textIn(repository, "repositoryName"),
          config: repository,
          health: "healthy",
          tags,
          createdAt: timeIn(repository, "createdAt"),
        });
  },
};

export const containers: readonly AwsKind[] = [
  ecs,
  services,
  tasks,
  definitions,
  eks,
  fargate,
  ecr,
];
