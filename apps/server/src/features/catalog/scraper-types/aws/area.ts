import type { AwsScraper, Health } from "@mainstay/contract";
import { healthOfStatus } from "@mainstay/scripting/functions/kubernetes-health.ts";
import type { AwsClient, AwsSession } from "#platform/outbound/aws/aws-client.ts";
import type { AwsObject } from "#platform/outbound/aws/aws-value.ts";
import type {
  Found,
  ItemReference,
  Property,
  Relation,
  ScrapedItem,
} from "../../scraping/scraped.ts";
import type { ScrapeInput } from "../scraper-type.ts";
import type { Costs } from "./costs.ts";
import { hasShortName, shortName } from "./known-as.ts";
import { tagsIn } from "./read-object.ts";

/** One region of an account, as everything that is read in it knows it. */
export interface Area {
  input: ScrapeInput<AwsScraper>;
  session: AwsSession;
  client: AwsClient;
  /** The number of the account. */
  account: string;
  /** Of names (ARN): `aws`, `aws-cn`, `aws-us-gov`. */
  partition: string;
  region: string;
  costs: Costs;
}

export interface Made {
  type: string;
  id: string;
  name?: string | undefined;
  config: AwsObject;
  /** The full name (ARN), by which others know it. */
  arn?: string | undefined;
  aliases?: readonly (string | undefined)[];
  status?: string | undefined;
  health?: Health | undefined;
  description?: string | undefined;
  /** As Amazon knows them; `Tags` of the configuration when absent. */
  tags?: Record<string, string> | undefined;
  zone?: string | undefined;
  /** Nearest first; the region is always the last of them. */
  parents?: readonly ItemReference[];
  relations?: readonly (Relation | undefined)[];
  createdAt?: Date | undefined;
  deletedAt?: Date | undefined;
  properties?: readonly (Property | undefined)[];
  /** Belongs to the account and to no region. */
  isGlobal?: boolean;
}

export const accountType = "AWS::::Account";
export const regionType = "AWS::Region";

export const regionId = (account: string, region: string): string => `${account}/${region}`;

/** Another item by its id, where there is one. */
export const to = (
  type: string,
  externalId: string,
  relation: string,
  more: { isIncoming?: boolean } = {},
): Relation | undefined =>
  externalId === "" ? undefined : { to: { externalId, type }, relation, ...more };

export const parent = (type: string, externalId: string): ItemReference[] =>
  externalId === "" ? [] : [{ externalId, type }];

export const number = (name: string, value: number | undefined, unit?: string) =>
  value === undefined ? undefined : { name, value, ...(unit !== undefined && { unit }) };

const isThere = <One>(one: One | undefined): one is One => one !== undefined;

/** An item of an account, with what all of them have. */
export function itemOf(area: Area, made: Made): ScrapedItem {
  const { account, region, costs } = area;
  const { config, type, id, arn = "", status = "", isGlobal = false, zone = "" } = made;
  const tags = made.tags ?? tagsIn(config, "Tags");
  const told = status === "" ? undefined : healthOfStatus(status);
  const health = made.health ?? told?.health ?? "unknown";
  const name = made.name || tags.Name || id.replace(/^arn:.*[:/]/, "");
  const short = id.startsWith("arn:") && hasShortName(type) ? shortName(type, name, area) : "";
  const aliases = [arn, ...(made.aliases ?? []), short].filter(
    (alias): alias is string => alias !== undefined && alias !== "" && alias !== id,
  );
  const cost =
    [id, ...aliases].map((key) => costs.of(key)).find(isThere) ?? (costs.isWhole ? {} : undefined);
  return {
    externalId: id,
    aliases: [...new Set(aliases)],
    type,
    configClass: type.slice(type.lastIndexOf(":") + 1),
    name,
    config,
    ...(status !== "" && { status }),
    health,
    ready: made.health === undefined ? (told?.ready ?? true) : true,
    ...(made.description && { description: made.description }),
    labels: tags,
    tags: { account, ...(!isGlobal && { region }), ...(zone !== "" && { zone }) },
    properties: (made.properties ?? []).filter(isThere),
    ...(made.createdAt && { createdAt: made.createdAt }),
    ...(made.deletedAt && { deletedAt: made.deletedAt, deleteReason: "FROM_ATTRIBUTE" as const }),
    parents: [
      ...(made.parents ?? []),
      ...(isGlobal ? [] : [{ externalId: regionId(account, region), type: regionType }]),
      { externalId: account, type: accountType },
    ],
    relations: [...(made.relations ?? []), stackOf(tags)].filter(isThere),
    ...(cost && { costs: cost }),
  };
}

/** The stack that has made it says so by a tag. */
const stackOf = (tags: Readonly<Record<string, string>>) =>
  to("AWS::CloudFormation::Stack", tags["aws:cloudformation:stack-id"] ?? "", "StackResource", {
    isIncoming: true,
  });

export const found = (area: Area, made: Made): Found => ({
  kind: "item",
  item: itemOf(area, made),
});

/** Full name of something in this region. */
export const arnOf = (
  { partition, account, region }: Area,
  service: string,
  path: string,
): string => `arn:${partition}:${service}:${region}:${account}:${path}`;

/** A kind of things that are read together. */
export interface AwsKind {
  /** What documents call it in `include` and `exclude`. */
  names: readonly string[];
  /** Of the items that it makes. */
  types: readonly string[];
  /** Read once for the account. */
  isGlobal?: boolean;
  /** Read only where a document names it. */
  isLeftOut?: boolean;
  read(area: Area): AsyncIterable<Found>;
}
