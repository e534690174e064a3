import type { AwsObject } from "#platform/outbound/aws/aws-value.ts";
import type { Relation } from "../../../scraping/scraped.ts";
import { askXmlPath, chunksOf, pages, tokenIn } from "../apis.ts";
import { type Area, type AwsKind, found, number, parent, to } from "../area.ts";
import { numberIn, objectIn, objectsIn, tagsIn, textIn } from "../read-object.ts";
import { networkTypes } from "./network.ts";

const zoneType = "AWS::Route53::HostedZone";
const recordType = "AWS::Route53::RecordSet";

/** Of one zone; of more the first are items, and it is said. */
const mostRecords = 10_000;
/** Zones whose tags are asked for at once. */
const tagsTogether = 10;

/** `/hostedzone/Z1` is Z1. */
const zoneId = (zone: AwsObject) => textIn(zone, "Id").replace(/^.*\//, "");
const withoutDot = (name: string) => name.replace(/\.$/, "").toLowerCase();
/** Names are written with what is unusual in octal: `\052` for a star. */
const readable = (name: string) =>
  name.replaceAll(/\\(\d{3})/g, (_, octal: string) =>
    String.fromCharCode(Number.parseInt(octal, 8)),
  );

async function tagsOf(
  { client }: Area,
  zones: readonly AwsObject[],
): Promise<Map<string, Record<string, string>>> {
  const tags = new Map<string, Record<string, string>>();
  for (const some of chunksOf(zones.map(zoneId), tagsTogether)) {
    const ids = some.map((id) => `<ResourceId>${id}</ResourceId>`).join("");
    const answer = await askXmlPath(client, "route53", {
      method: "POST",
      path: "/2013-04-01/tags/hostedzone",
      body: `<ListTagsForResourcesRequest xmlns="https://route53.amazonaws.com/doc/2013-04-01/"><ResourceIds>${ids}</ResourceIds></ListTagsForResourcesRequest>`,
    });
    for (const set of objectsIn(answer, "ResourceTagSets"))
      tags.set(textIn(set, "ResourceId"), tagsIn(set, "Tags"));
  }
  return tags;
}

interface Next {
  name: string;
  type?: string;
  identifier?: string;
}

/** Sets of records, from the first of the page after. */
const recordsOf = ({ client }: Area, zone: string) =>
  pages<Next>(
    (next) =>
      askXmlPath(client, "route53", {
        path: `/2013-04-01/hostedzone/${zone}/rrset`,
        query: {
          maxitems: "300",
          ...(next && { name: next.name }),
          ...(next?.type && { type: next.type }),
          ...(next?.identifier && { identifier: next.identifier }),
        },
      }),
    (answer) => {
      const name = tokenIn("NextRecordName")(answer);
      if (answer.IsTruncated !== true || name === undefined) return undefined;
      const type = textIn(answer, "NextRecordType");
      const identifier = textIn(answer, "NextRecordIdentifier");
      return { name, ...(type && { type }), ...(identifier && { identifier }) };
    },
  );

/** Whatever in the account has the name that a record leads to. */
function targetsOf(record: AwsObject): Relation[] {
  const alias = withoutDot(textIn(objectIn(record, "AliasTarget"), "DNSName"));
  const values =
    textIn(record, "Type") === "CNAME"
      ? objectsIn(record, "ResourceRecords").map((one) => withoutDot(textIn(one, "Value")))
      : [];
  return [alias.replace(/^dualstack\./, ""), ...values]
    .filter((name) => name !== "")
    .map((externalId) => ({ to: { externalId }, relation: "RecordTarget" }));
}

const zones: AwsKind = {
  names: ["DNSZone", "Route53"],
  types: [zoneType, recordType],
  isGlobal: true,
  async *read(area) {
    const all = pages(
      (marker: string | undefined) =>
        askXmlPath(area.client, "route53", {
          path: "/2013-04-01/hostedzone",
          query: { maxitems: "100", ...(marker !== undefined && { marker }) },
        }),
      tokenIn("NextMarker"),
    );
    for await (const page of all) {
      const some = objectsIn(page, "HostedZones");
      const tags = await tagsOf(area, some);
      for (const zone of some) {
        const id = zoneId(zone);
        const { ResourceRecordSetCount: count, ...config } = zone;
        yield found(area, {
          type: zoneType,
          id,
          arn: `arn:${area.partition}:route53:::hostedzone/${id}`,
          name: withoutDot(textIn(zone, "Name")),
          config,
          health: "healthy",
          isGlobal: true,
          description: textIn(objectIn(zone, "Config"), "Comment"),
          tags: tags.get(id) ?? {},
          relations: objectsIn(zone, "VPCs").map((vpc) =>
            to(networkTypes.vpc, textIn(vpc, "VPCId"), "HostedZoneVPC"),
          ),
          properties: [number("records", typeof count === "number" ? count : undefined)],
        });
        yield* records(area, id);
      }
    }
  },
};

async function* records(area: Area, zone: string) {
  let count = 0;
  for await (const page of recordsOf(area, zone))
    for (const record of objectsIn(page, "ResourceRecordSets")) {
      count += 1;
      if (count > mostRecords) {
        yield {
          kind: "notice" as const,
          message: `The zone ${zone} has more than ${mostRecords} sets of records; the first are items.`,
          type: recordType,
        };
        return;
      }
      const name = withoutDot(readable(textIn(record, "Name")));
      const type = textIn(record, "Type");
      const set = textIn(record, "SetIdentifier");
      yield found(area, {
        type: recordType,
        id: [zone, name, type, set].filter(Boolean).join("/"),
        name: `${name} ${type}`,
        config: record,
        health: "healthy",
        isGlobal: true,
        tags: {},
        parents: parent(zoneType, zone),
        relations: targetsOf(record),
        properties: [number("TTL", numberIn(record, "TTL"), "s")],
      });
    }
}

export const dns: readonly AwsKind[] = [zones];
