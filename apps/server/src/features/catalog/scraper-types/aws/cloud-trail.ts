import {
  type AwsScraper,
  type ChangeSeverity,
  isInMatchList,
  parseDuration,
  parseMatchList,
} from "@mainstay/contract";
import { z } from "zod";
import type { AwsObject } from "#platform/outbound/aws/aws-value.ts";
import { asObject, readJson } from "#platform/outbound/http/read-json.ts";
import type { Found } from "../../scraping/scraped.ts";
import { denied, isCode, jsonPages, refuseSignedOut } from "./apis.ts";
import type { Area } from "./area.ts";
import { referenceOf } from "./known-as.ts";
import { objectIn, objectsIn, textIn, timeIn } from "./read-object.ts";

const defaultMaxAge = "7d";
/** Events come to the trail in any order, and late. */
const lateMs = 15 * 60_000;
/** Of one look in one region, newest first; what is older then is told to be left out. */
const mostEvents = 20_000;

/** When the trail was looked at last, and until when it was read, by region. */
export const trailShape = z.object({
  asked: z.string(),
  until: z.record(z.string(), z.string()),
});
export type TrailPosition = z.output<typeof trailShape>;

/** What matters more than that it happened. */
const severities: readonly (readonly [RegExp, ChangeSeverity])[] = [
  [/^(?:Delete|Terminate|Destroy|Purge)/, "medium"],
  [
    /^(?:AuthorizeSecurityGroup|Put(?:Role|User|Group|Bucket|Key)Policy|Attach(?:Role|User|Group)Policy|CreateAccessKey|StopLogging|DisableKey|ScheduleKeyDeletion)/,
    "medium",
  ],
  [/^(?:Stop|Reboot|Detach|Disassociate|Revoke|Remove)/, "low"],
];

/** Ids that nobody ever has again: what is deleted under one of them is gone for good. */
const isNeverAgain = (type: string) => /^AWS::(?:EC2|EBS)::/.test(type);

/** Whether an event is the end of a thing of this type, and not of something that hangs on it. */
function endsIt(event: string, type: string): boolean {
  const noun = type.slice(type.lastIndexOf(":") + 1).toLowerCase();
  const said = event.replace(/\d+$/, "").toLowerCase();
  return [`delete${noun}`, `terminate${noun}`, `terminate${noun}s`].includes(said);
}

/** What an event says of itself, which is a text of JSON; nothing where it is none that is read. */
const readEvent = (event: AwsObject): AwsObject =>
  asObject(readJson(textIn(event, "CloudTrailEvent"))) as AwsObject;

/** Without credentials that an answer has lent; those that are asked with are not told by the trail itself. */
function withoutCredentials(event: AwsObject): AwsObject {
  const { credentials: lent, ...answer } = objectIn(event, "responseElements");
  return lent === undefined ? event : { ...event, responseElements: answer };
}

interface Parts {
  area: Area;
  isExcluded(name: string): boolean;
  /** Told between two scrapes: what has ended has not been seen since. */
  isFollowed: boolean;
}

/** Changes of everything that an event names. */
function* changesOf(event: AwsObject, { area, isExcluded, isFollowed }: Parts): Generator<Found> {
  const name = textIn(event, "EventName");
  if (name === "" || isExcluded(name)) return;
  const whole = readEvent(event);
  const error = textIn(whole, "errorCode");
  const who = textIn(event, "Username") || textIn(objectIn(whole, "userIdentity"), "arn");
  const address = textIn(whole, "sourceIPAddress");
  const createdAt = timeIn(event, "EventTime");
  const severity = severities.find(([pattern]) => pattern.test(name))?.[1] ?? "info";
  const summary = [
    error === "" ? name : `${name} failed: ${error}`,
    who && `by ${who}`,
    address && `from ${address}`,
  ]
    .filter(Boolean)
    .join(" ");
  const region = textIn(whole, "awsRegion") || area.region;
  const told = new Set<string>();
  for (const resource of objectsIn(event, "Resources")) {
    const type = textIn(resource, "ResourceType");
    const id = textIn(resource, "ResourceName");
    if (type === "" || id === "") continue;
    const item = referenceOf(type, id, { account: area.account, region });
    if (told.has(item.externalId)) continue;
    told.add(item.externalId);
    const isEnd =
      isFollowed && error === "" && isNeverAgain(item.type ?? "") && endsIt(name, item.type ?? "");
    yield {
      kind: "change",
      change: {
        item,
        externalChangeId: textIn(event, "EventId"),
        changeType: name,
        severity: error === "" ? severity : "low",
        source: "CloudTrail",
        summary,
        details: withoutCredentials(whole),
        ...(createdAt && { createdAt }),
        ...(who && { createdBy: who }),
        // That something of it was deleted is not its end; what a scrape has just seen is there.
        action: isEnd ? "delete" : "keep",
      },
    };
  }
}

/** A whole look at the trails of an account, or what has happened since. */
interface Look {
  spec: AwsScraper;
  from: TrailPosition | undefined;
  /** Between two scrapes: only regions that stood somewhere are asked. */
  isFollowed: boolean;
}

/**
 * Changes of the regions since a position, or as far back as the document says; and where they stand then. A region that
 * refuses takes nothing from the others and is not followed; one that fails is read from where it stood the next time.
 * @throws Error when no region that is followed answers
 */
export async function* readTrail(
  areas: readonly Area[],
  look: Look,
): AsyncGenerator<Found, TrailPosition> {
  const stood = look.from?.until ?? {};
  const asked = areas.filter(({ region }) => !look.isFollowed || region in stood);
  const until: Record<string, string> = {};
  let failed = 0;
  for (const area of asked)
    try {
      yield* readRegion(area, look);
      until[area.region] = area.input.now.toISOString();
    } catch (error) {
      refuseSignedOut(error, area.input);
      failed += 1;
      const isRefused = isCode(error, denied);
      if (look.isFollowed && !isRefused && failed === asked.length) throw error;
      const before = stood[area.region];
      if (!isRefused && before !== undefined) until[area.region] = before;
      yield {
        kind: "failure",
        message: `CloudTrail in ${area.region}: ${(error as Error).message}`,
        unseen: [],
        unjudged: [],
      };
    }
  const { now } = areas[0]!.input;
  return { asked: now.toISOString(), until };
}

async function* readRegion(area: Area, { spec, from, isFollowed }: Look): AsyncGenerator<Found> {
  const { exclude = [], maxAge = defaultMaxAge } = spec.cloudtrail ?? {};
  const excluded = exclude.length > 0 ? parseMatchList(exclude) : undefined;
  const isExcluded = (name: string) => excluded !== undefined && isInMatchList(excluded, name);
  const { now } = area.input;
  const oldest = now.getTime() - parseDuration(maxAge);
  const stood = from?.until[area.region];
  const since = Math.max(oldest, stood === undefined ? oldest : Date.parse(stood) - lateMs);
  let count = 0;
  const pages = jsonPages(area.client, "cloudTrail", "LookupEvents", {
    input: {
      StartTime: Math.floor(since / 1000),
      EndTime: Math.ceil(now.getTime() / 1000),
      // What only reads changes nothing.
      LookupAttributes: [{ AttributeKey: "ReadOnly", AttributeValue: "false" }],
      MaxResults: 50,
    },
    asked: "NextToken",
  });
  for await (const page of pages)
    for (const event of objectsIn(page, "Events")) {
      count += 1;
      if (count > mostEvents) {
        yield {
          kind: "notice",
          message: `CloudTrail of ${area.region} has more than ${mostEvents} events since ${new Date(since).toISOString()}; the newest are changes.`,
        };
        return;
      }
      yield* changesOf(event, { area, isExcluded, isFollowed });
    }
}
