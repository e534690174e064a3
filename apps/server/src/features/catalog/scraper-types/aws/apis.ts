import {
  type AwsPath,
  type AwsClient,
  AwsRefusal,
  type AwsService,
} from "#platform/outbound/aws/aws-client.ts";
import { type AwsObject, awsObject } from "#platform/outbound/aws/aws-value.ts";
import { childOf } from "#platform/xml/read-xml.ts";
import { withTimes } from "./read-object.ts";

/** Which protocol a service speaks, and under which names. */
interface QueryApi extends AwsService {
  version: string;
}
interface JsonApi extends AwsService {
  target: string;
}

const ec2 = { name: "ec2", version: "2016-11-15" };

export const queryApis = {
  ec2,
  rds: { name: "rds", version: "2014-10-31" },
  elastiCache: { name: "elasticache", version: "2015-02-02" },
  elb: { name: "elasticloadbalancing", version: "2012-06-01" },
  elbV2: { name: "elasticloadbalancing", version: "2015-12-01" },
  iam: { name: "iam", version: "2010-05-08", isGlobal: true },
  cloudFormation: { name: "cloudformation", version: "2010-05-15" },
  sns: { name: "sns", version: "2010-03-31" },
  autoScaling: { name: "autoscaling", version: "2011-01-01" },
  sts: { name: "sts", version: "2011-06-15" },
} as const satisfies Record<string, QueryApi>;

export const jsonApis = {
  ecs: { name: "ecs", target: "AmazonEC2ContainerServiceV20141113" },
  ecr: { name: "ecr", host: "api.ecr", target: "AmazonEC2ContainerRegistry_V20150921" },
  dynamoDb: { name: "dynamodb", target: "DynamoDB_20120810", jsonVersion: "1.0" },
  sqs: { name: "sqs", target: "AmazonSQS", jsonVersion: "1.0" },
  cloudTrail: {
    name: "cloudtrail",
    target: "com.amazonaws.cloudtrail.v20131101.CloudTrail_20131101",
  },
  config: { name: "config", target: "StarlingDoveService" },
  ssm: { name: "ssm", target: "AmazonSSM" },
  support: { name: "support", target: "AWSSupport_20130415" },
  athena: { name: "athena", target: "AmazonAthena" },
} as const satisfies Record<string, JsonApi>;

export const restApis = {
  eks: { name: "eks" },
  lambda: { name: "lambda" },
  efs: { name: "elasticfilesystem" },
  backup: { name: "backup" },
  s3: { name: "s3" },
  route53: { name: "route53", isGlobal: true },
} as const satisfies Record<string, AwsService>;

export type Parameters = Readonly<Record<string, string>>;

export async function askQuery(
  client: AwsClient,
  api: keyof typeof queryApis,
  action: string,
  parameters: Parameters = {},
): Promise<AwsObject> {
  const { version, ...service }: QueryApi = queryApis[api];
  const root = await client.query(service, version, { Action: action, ...parameters });
  return awsObject(childOf(root, `${action}Result`) ?? root, { isEc2: api === "ec2" });
}

export async function askJson(
  client: AwsClient,
  api: keyof typeof jsonApis,
  action: string,
  input: object = {},
): Promise<AwsObject> {
  const { target, ...service }: JsonApi = jsonApis[api];
  return withTimes(
    (await client.json(service, `${target}.${action}`, input)) as AwsObject,
  ) as AwsObject;
}

export async function askPath(
  client: AwsClient,
  api: "eks" | "lambda" | "efs" | "backup",
  path: string,
  query: Parameters = {},
): Promise<AwsObject> {
  return withTimes(
    (await client.restJson(restApis[api], { path, query })) as AwsObject,
  ) as AwsObject;
}

export const askXmlPath = async (
  client: AwsClient,
  api: "s3" | "route53",
  asked: AwsPath,
): Promise<AwsObject> => awsObject(await client.restXml(restApis[api], asked));

/** Of one listing. A service that has more than this many pages is read no further, and it is said. */
const mostPages = 5000;

/**
 * Page by page. `next` says what is to be asked for the page after an answer; nothing at the end.
 * @throws Error when a service gives the same page again, or pages without end
 */
export async function* pages<Token>(
  ask: (token: Token | undefined) => Promise<AwsObject>,
  next: (answer: AwsObject) => Token | undefined,
): AsyncGenerator<AwsObject> {
  const seen = new Set<string>();
  let token: Token | undefined;
  for (let page = 1; ; page += 1) {
    const answer = await ask(token);
    yield answer;
    token = next(answer);
    if (token === undefined) return;
    const key = JSON.stringify(token);
    if (seen.has(key)) throw new Error("the same page of a listing was given again");
    if (page === mostPages)
      throw new Error(`a listing has more than ${mostPages} pages; the first are read`);
    seen.add(key);
  }
}

/** The member of an answer that names the next page. */
export const tokenIn =
  (name: string) =>
  (answer: AwsObject): string | undefined => {
    const value = answer[name];
    return typeof value === "string" && value !== "" ? value : undefined;
  };

/** Pages of the query protocol: what names the next page is given back under `asked`. */
export const queryPages = (
  client: AwsClient,
  api: keyof typeof queryApis,
  action: string,
  {
    parameters = {},
    asked = "NextToken",
    told = asked,
  }: { parameters?: Parameters; asked?: string; told?: string } = {},
): AsyncGenerator<AwsObject> =>
  pages(
    (token: string | undefined) =>
      askQuery(client, api, action, {
        ...parameters,
        ...(token !== undefined && { [asked]: token }),
      }),
    tokenIn(told),
  );

export const jsonPages = (
  client: AwsClient,
  api: keyof typeof jsonApis,
  action: string,
  {
    input = {},
    asked = "nextToken",
    told = asked,
  }: { input?: object; asked?: string; told?: string } = {},
): AsyncGenerator<AwsObject> =>
  pages(
    (token: string | undefined) =>
      askJson(client, api, action, { ...input, ...(token !== undefined && { [asked]: token }) }),
    tokenIn(told),
  );

export const pathPages = (
  client: AwsClient,
  api: "eks" | "lambda" | "efs" | "backup",
  path: string,
  {
    query = {},
    asked = "nextToken",
    told = asked,
  }: { query?: Parameters; asked?: string; told?: string } = {},
): AsyncGenerator<AwsObject> =>
  pages(
    (token: string | undefined) =>
      askPath(client, api, path, { ...query, ...(token !== undefined && { [asked]: token }) }),
    tokenIn(told),
  );

/** Requests that are under way at once for the parts of one listing. */
const together = 8;

/** What is asked of each, a few at a time, in their order. */
export async function* each<One, Answer>(
  all: readonly One[],
  ask: (one: One) => Promise<Answer>,
): AsyncGenerator<Answer> {
  for (let from = 0; from < all.length; from += together)
    yield* await Promise.all(all.slice(from, from + together).map(ask));
}

/** So many of them together. */
export function chunksOf<One>(all: readonly One[], size: number): One[][] {
  const chunks: One[][] = [];
  for (let from = 0; from < all.length; from += size) chunks.push(all.slice(from, from + size));
  return chunks;
}

export const isCode = (error: unknown, codes: RegExp): error is AwsRefusal =>
  error instanceof AwsRefusal && codes.test(error.code);

export const denied = /^(AccessDenied|UnauthorizedOperation|NotAuthorized|AuthorizationError)/;
/** Nobody who asks so is heard: nothing else needs to be asked. */
const signedOut = /^(Expired|ExpiredToken|RequestExpired|TokenRefreshRequired)/;

/** What belongs to somebody who is heard no more is heard nowhere, nor after the end of the scrape. @throws */
export function refuseSignedOut(error: unknown, { signal }: { signal: AbortSignal }): void {
  signal.throwIfAborted();
  if (isCode(error, signedOut)) throw error;
}
