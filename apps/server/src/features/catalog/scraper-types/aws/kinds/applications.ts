import type { AwsObject, AwsValue } from "#platform/outbound/aws/aws-value.ts";
import { readJson } from "#platform/outbound/http/read-json.ts";
import type { Health } from "@mainstay/contract";
import {
  askJson,
  askPath,
  askQuery,
  each,
  isCode,
  jsonPages,
  pathPages,
  queryPages,
} from "../apis.ts";
import { type Area, type AwsKind, found, number, parent, to } from "../area.ts";
import { hideVariables } from "../hide-variables.ts";
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
import { inGroups, inVpc, networkTypes } from "./network.ts";

const functionType = "AWS::Lambda::Function";
const topicType = "AWS::SNS::Topic";
const queueType = "AWS::SQS::Queue";
const stackType = "AWS::CloudFormation::Stack";

/** What has gone between being listed and being asked about. */
async function there(answer: Promise<AwsObject>): Promise<AwsObject | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (isCode(error, /NotFound|NonExistentQueue|QueueDoesNotExist/)) return undefined;
    throw error;
  }
}

const functions: AwsKind = {
  names: ["lambda"],
  types: [functionType],
  async *read(area) {
    const { client } = area;
    const pages = pathPages(client, "lambda", "/2015-03-31/functions", {
      query: { MaxItems: "50" },
      asked: "Marker",
      told: "NextMarker",
    });
    for await (const page of pages)
      for await (const [one, tags] of each(objectsIn(page, "Functions"), async (found) => {
        const path = `/2017-03-31/tags/${encodeURIComponent(textIn(found, "FunctionArn"))}`;
        const answer = await there(askPath(client, "lambda", path));
        return [found, answer ? tagsIn(answer, "Tags") : {}] as const;
      })) {
        const net = objectIn(one, "VpcConfig");
        yield found(area, {
          type: functionType,
          id: textIn(one, "FunctionArn"),
          name: textIn(one, "FunctionName"),
          config: hideVariables(one),
          status: textIn(one, "State"),
          ...(textIn(one, "State") === "" && { health: "healthy" as const }),
          description: textIn(one, "Description") || textIn(one, "Runtime"),
          tags,
          parents: inVpc(textIn(net, "VpcId")),
          relations: [
            to("AWS::IAM::Role", textIn(one, "Role"), "FunctionRole"),
            ...textsIn(net, "SubnetIds").map((id) => to(networkTypes.subnet, id, "FunctionSubnet")),
            ...inGroups(textsIn(net, "SecurityGroupIds"), "FunctionSecurityGroup"),
            to(
              queueType,
              textIn(objectIn(one, "DeadLetterConfig"), "TargetArn"),
              "FunctionDeadLetters",
            ),
          ],
        });
      }
  },
};

/** Attributes are texts, some of which hold JSON. */
const parsed = (attributes: AwsObject): AwsObject =>
  Object.fromEntries(
    Object.entries(attributes).map(([key, value]) => [
      key,
      typeof value === "string" && value.startsWith("{")
        ? ((readJson(value) as AwsValue | undefined) ?? value)
        : value,
    ]),
  );

/** What a topic is sent on to, where that is an item. */
function receiverOf(endpoint: string) {
  if (endpoint.includes(":lambda:")) return to(functionType, endpoint, "TopicSubscription");
  if (endpoint.includes(":sqs:")) return to(queueType, endpoint, "TopicSubscription");
  return undefined;
}

const topics: AwsKind = {
  names: ["sns"],
  types: [topicType],
  async *read(area) {
    const { client } = area;
    const subscribed = new Map<string, string[]>();
    for await (const page of queryPages(client, "sns", "ListSubscriptions"))
      for (const one of objectsIn(page, "Subscriptions")) {
        const topic = textIn(one, "TopicArn");
        subscribed.set(topic, [...(subscribed.get(topic) ?? []), textIn(one, "Endpoint")]);
      }
    for await (const page of queryPages(client, "sns", "ListTopics"))
      for await (const topic of each(objectsIn(page, "Topics"), async (one) => {
        const arn = textIn(one, "TopicArn");
        const [answer, tags] = await Promise.all([
          there(askQuery(client, "sns", "GetTopicAttributes", { TopicArn: arn })),
          there(askQuery(client, "sns", "ListTagsForResource", { ResourceArn: arn })),
        ]);
        // How many listen says how it is used, not what it is.
        const attributes = without(
          objectIn(answer, "Attributes"),
          "SubscriptionsConfirmed",
          "SubscriptionsPending",
          "SubscriptionsDeleted",
        );
        return answer && { arn, config: parsed(attributes), tags };
      })) {
        if (!topic) continue;
        const { arn, config, tags = {} } = topic;
        yield found(area, {
          type: topicType,
          id: arn,
          name: arn.slice(arn.lastIndexOf(":") + 1),
          config,
          health: "healthy",
          tags: tagsIn(tags, "Tags"),
          relations: (subscribed.get(arn) ?? []).map(receiverOf),
        });
      }
  },
};

const queues: AwsKind = {
  names: ["sqs"],
  types: [queueType],
  async *read(area) {
    const { client } = area;
    const pages = jsonPages(client, "sqs", "ListQueues", {
      input: { MaxResults: 1000 },
      asked: "NextToken",
    });
    for await (const page of pages)
      for await (const queue of each(textsIn(page, "QueueUrls"), async (QueueUrl) => {
        const input = { QueueUrl, AttributeNames: ["All"] };
        const [answer, tags] = await Promise.all([
          there(askJson(client, "sqs", "GetQueueAttributes", input)),
          there(askJson(client, "sqs", "ListQueueTags", { QueueUrl })),
        ]);
        return answer && { url: QueueUrl, attributes: objectIn(answer, "Attributes"), tags };
      })) {
        if (!queue) continue;
        const { url, attributes, tags = {} } = queue;
        const counts = Object.keys(attributes).filter((key) => key.startsWith("Approximate"));
        const config = parsed(without(attributes, ...counts));
        yield found(area, {
          type: queueType,
          id: textIn(attributes, "QueueArn"),
          aliases: [url],
          name: url.slice(url.lastIndexOf("/") + 1),
          config: { QueueUrl: url, ...config },
          health: "healthy",
          tags: tagsIn(tags, "Tags"),
          createdAt: timeOf(numberIn(attributes, "CreatedTimestamp")),
          relations: [
            to(
              queueType,
              textIn(objectIn(config, "RedrivePolicy"), "deadLetterTargetArn"),
              "QueueDeadLetters",
            ),
          ],
          properties: [number("messages", numberIn(attributes, "ApproximateNumberOfMessages"))],
        });
      }
  },
};

const timeOf = (seconds: number | undefined) =>
  seconds === undefined ? undefined : new Date(seconds * 1000);

/** What has been done to a stack, and how that ended. */
function stackHealth(status: string): Health {
  if (/ROLLBACK|_CLEANUP_/.test(status)) return status.endsWith("FAILED") ? "unhealthy" : "warning";
  if (status.endsWith("_FAILED")) return "unhealthy";
  return status.endsWith("_COMPLETE") ? "healthy" : "unknown";
}

const stacks: AwsKind = {
  names: ["cloudformation"],
  types: [stackType],
  async *read(area: Area) {
    for await (const page of queryPages(area.client, "cloudFormation", "DescribeStacks"))
      for (const stack of objectsIn(page, "Stacks")) {
        const status = textIn(stack, "StackStatus");
        const deletedAt = timeIn(stack, "DeletionTime");
        yield found(area, {
          type: stackType,
          id: textIn(stack, "StackId"),
          name: textIn(stack, "StackName"),
          config: without(stack, "DriftInformation"),
          status,
          health: stackHealth(status),
          description: textIn(stack, "StackStatusReason") || textIn(stack, "Description"),
          createdAt: timeIn(stack, "CreationTime"),
          ...(status === "DELETE_COMPLETE" && deletedAt && { deletedAt }),
          parents: parent(stackType, textIn(stack, "ParentId")),
          relations: [to("AWS::IAM::Role", textIn(stack, "RoleARN"), "StackRole")],
        });
      }
  },
};

export const applications: readonly AwsKind[] = [functions, topics, queues, stacks];
