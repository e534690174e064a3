import { type AwsScraper, parseDuration } from "@mainstay/contract";
import { z } from "zod";
import { awsAccess } from "#platform/outbound/aws/aws-access.ts";
import { awsSession } from "#platform/outbound/aws/aws-client.ts";
import type { AwsObject } from "#platform/outbound/aws/aws-value.ts";
import type { Json } from "../../changes/json-patch.ts";
import type { Found } from "../../scraping/scraped.ts";
import { merge } from "../merge.ts";
import { type ScrapeInput, scraperType } from "../scraper-type.ts";
import { askQuery, denied, isCode, refuseSignedOut } from "./apis.ts";
import {
  accountType,
  type Area,
  type AwsKind,
  found,
  itemOf,
  regionId,
  regionType,
  to,
} from "./area.ts";
import { readTrail, type TrailPosition, trailShape } from "./cloud-trail.ts";
import { noCosts, readCosts } from "./costs.ts";
import { readAdvice, readCompliance, readPatches, sources } from "./insights.ts";
import { awsKinds } from "./kinds/index.ts";
import { objectsIn, textIn, textsIn } from "./read-object.ts";
import { besides, wantedBy, type Wanted } from "./wanted.ts";

/*
 * One document reads one account: who asks says which (STS). What belongs to the account is read once, the rest in each
 * region, a few kinds at a time. A kind that cannot be read takes nothing from the others, and what is known of it stays.
 */

type Input = ScrapeInput<AwsScraper>;

/** Listings that are read at a time: each holds a page. */
const together = 6;
/** Events are looked for so often between two scrapes; the service answers two questions a second. */
const trailEveryMs = 60_000;

const zoneType = "AWS::AvailabilityZone";
const zoneIdType = "AWS::AvailabilityZoneID";

/** The regions of a document, each with a client; and whose account it is. @throws Error when nobody can ask */
async function openAccount(input: Input): Promise<Area[]> {
  const { spec, signal, connector } = input;
  const regions = [
    ...new Set(
      [spec.region ?? []]
        .flat()
        .map((name) => name.trim())
        .filter(Boolean),
    ),
  ];
  const accesses = regions.map((region) => awsAccess({ ...spec, region }));
  const first = accesses[0] ?? awsAccess({ ...spec, region: undefined });
  const wrong = [first, ...accesses].find((access) => typeof access === "string");
  if (wrong !== undefined || typeof first === "string") throw new Error(wrong ?? "");
  const session = await awsSession(first, { signal, connector, isPatient: true });
  const client = session.in(first.region);
  const who = await askQuery(client, "sts", "GetCallerIdentity");
  const account = textIn(who, "Account");
  if (!/^\d{12}$/.test(account)) throw new Error("The service does not say whose account it is.");
  const [, partition = "aws"] = textIn(who, "Arn").split(":");
  return regions.map((region) => ({
    input,
    session,
    client: session.in(region),
    account,
    partition,
    region,
    costs: noCosts,
  }));
}

const positionShape = trailShape.extend({
  costs: z.object({ id: z.string(), at: z.string() }).optional().catch(undefined),
});
const readPosition = (position: Json | undefined) => positionShape.safeParse(position).data;

async function* scrape(input: Input): AsyncIterable<Found> {
  const { spec, now } = input;
  const before = readPosition(input.stood);
  const wanted = wantedBy(spec);
  const opened = await openAccount(input);
  for (const name of wanted.unknown(awsKinds))
    yield {
      kind: "notice",
      message: `"${name}" is not the name of anything that is read of Amazon.`,
    };
  let areas = opened;
  let asked = before?.costs;
  const report = spec.costReporting;
  if (report?.table) {
    const [first] = opened as [Area, ...Area[]];
    const client = report.region ? first.session.in(report.region) : first.client;
    try {
      const read = await readCosts(client, report, {
        account: first.account,
        signal: input.signal,
        now,
        before: asked,
      });
      asked = read.asked;
      areas = opened.map((area) => ({ ...area, costs: read.costs }));
      const { unread } = read.costs;
      if (unread > 0)
        yield {
          kind: "notice",
          message: `costs: ${unread} ${unread === 1 ? "line" : "lines"} of the bill whose costs are no numbers ${unread === 1 ? "was" : "were"} left out.`,
        };
    } catch (error) {
      refuseSignedOut(error, input);
      yield {
        kind: "failure",
        message: `costs: ${(error as Error).message}`,
        unseen: [],
        unjudged: [],
      };
    }
  }
  for await (const one of everything(areas, wanted))
    if (one.kind !== "item" || wanted.holds(one.item)) yield one;
  const trail = yield* readBesides(areas, wanted, before);
  if (trail || asked)
    yield {
      kind: "position",
      position: { asked: now.toISOString(), until: {}, ...trail, ...(asked && { costs: asked }) },
    };
}

async function* everything(areas: readonly Area[], wanted: Wanted): AsyncGenerator<Found> {
  const [first] = areas as readonly [Area, ...Area[]];
  yield* accountOf(first);
  for (const area of areas) yield* regionOf(area);
  const kinds = wanted.kinds(awsKinds);
  const listings = kinds.flatMap((kind) =>
    kind.isGlobal ? [{ kind, area: first }] : areas.map((area) => ({ kind, area })),
  );
  yield* merge(listings, together, ({ kind, area }) => readKind(kind, area));
}

/** The account, by the name that it has given itself. */
async function* accountOf(area: Area): AsyncGenerator<Found> {
  const { account, client, partition } = area;
  let name: string | undefined;
  try {
    [name] = textsIn(await askQuery(client, "iam", "ListAccountAliases"), "AccountAliases");
  } catch (error) {
    refuseSignedOut(error, area.input);
    // It has its number.
  }
  yield found(area, {
    type: accountType,
    id: account,
    arn: `arn:${partition}:iam::${account}:root`,
    name: name ?? account,
    config: { Account: account, ...(name !== undefined && { Alias: name }) },
    health: "healthy",
    isGlobal: true,
    tags: {},
  });
}

async function* regionOf(area: Area): AsyncGenerator<Found> {
  const { account, region, client } = area;
  const made = itemOf(area, {
    type: regionType,
    id: regionId(account, region),
    name: region,
    config: { RegionName: region },
    health: "healthy",
    tags: {},
  });
  yield {
    kind: "item",
    item: { ...made, parents: [{ externalId: account, type: accountType }] },
  };
  yield* guarded(
    { name: "availability zones", types: [zoneType, zoneIdType] },
    area,
    async function* () {
      const answer = await askQuery(client, "ec2", "DescribeAvailabilityZones");
      for (const zone of objectsIn(answer, "AvailabilityZones")) yield* zonesOf(area, zone);
    },
  );
}

/** A zone by the name that the account has for it, and by the id that all accounts have. */
function* zonesOf(area: Area, zone: AwsObject): Generator<Found> {
  const { account } = area;
  const name = textIn(zone, "ZoneName");
  const id = textIn(zone, "ZoneId");
  const problems = objectsIn(zone, "Messages").map((one) => textIn(one, "Message"));
  yield found(area, {
    type: zoneType,
    id: `${account}/${name}`,
    name,
    config: zone,
    status: textIn(zone, "State"),
    description: problems.join("; "),
    zone: name,
    tags: {},
    relations: [to(zoneIdType, `${account}/${id}`, "AvailabilityZoneID")],
  });
  yield found(area, {
    type: zoneIdType,
    id: `${account}/${id}`,
    name: id,
    config: { ZoneId: id, RegionName: area.region },
    health: "healthy",
    tags: {},
  });
}

const readKind = (kind: AwsKind, area: Area): AsyncGenerator<Found> =>
  guarded(
    { name: kind.names[0] ?? "", types: kind.types, isGlobal: kind.isGlobal === true },
    area,
    () => kind.read(area),
  );

/** Something that is read by itself. */
interface Part {
  /** As documents name it. */
  name: string;
  /** Of its items. */
  types?: readonly string[];
  /** Of its insights. */
  source?: string;
  /** It belongs to no region. */
  isGlobal?: boolean;
}

/** What cannot be read takes nothing from the rest; what is known of it stays as it is. */
async function* guarded(
  { name, types = [], source, isGlobal = false }: Part,
  area: Area,
  read: () => AsyncIterable<Found>,
): AsyncGenerator<Found> {
  try {
    yield* read();
  } catch (error) {
    refuseSignedOut(error, area.input);
    const { account, region } = area;
    const place = isGlobal ? name : `${name} in ${region}`;
    const tags = { account, ...(!isGlobal && { region }) };
    const why = (error as Error).message;
    const hint = isCode(error, denied) ? ` (exclude: [${name}] leaves it out)` : "";
    const [type] = types;
    yield {
      kind: "failure",
      message: `${place}: ${why}${types.length > 0 ? hint : ""}`,
      ...(type !== undefined && { type }),
      unseen: types.map((one) => ({ type: one, tags })),
      unjudged: source === undefined ? [] : [source],
    };
  }
}

/** What is no item: what has happened, and what is wrong. Where the trail stands then, when it was looked at. */
async function* readBesides(
  areas: readonly Area[],
  wanted: Wanted,
  from: TrailPosition | undefined,
): AsyncGenerator<Found, TrailPosition | undefined> {
  const [first] = areas as readonly [Area, ...Area[]];
  const { spec } = first.input;
  const isNamed = (names: readonly string[]) =>
    Boolean(spec.include?.length) && wanted.includes(names);
  for (const area of areas) {
    if (spec.compliance || isNamed(besides.config))
      yield* guarded({ name: "Config", source: sources.config }, area, () => readCompliance(area));
    const patches = {
      states: Boolean(spec.patch_states) || isNamed(besides.patches),
      details: Boolean(spec.patch_details),
    };
    if (patches.states || patches.details)
      yield* guarded({ name: "SSM", source: sources.patches }, area, () =>
        readPatches(area, patches),
      );
  }
  const wantsAdvice = spec.trusted_advisor_check || isNamed(besides.trustedAdvisor);
  if (wantsAdvice && !wanted.excludes(besides.trustedAdvisor))
    yield* guarded({ name: "TrustedAdvisor", source: sources.advice, isGlobal: true }, first, () =>
      readAdvice(first, wanted.excludes),
    );
  if (!hasTrail(spec, wanted)) return undefined;
  return yield* readTrail(trailAreas(areas), { spec, from, isFollowed: false });
}

const hasTrail = (spec: AwsScraper, wanted: Wanted) =>
  wanted.includes(besides.cloudTrail) ||
  (spec.cloudtrail !== undefined && !wanted.excludes(besides.cloudTrail));

/** What belongs to no region is told in one of them. */
function trailAreas(areas: readonly Area[]): Area[] {
  const [first] = areas as readonly [Area, ...Area[]];
  const home = "us-east-1";
  if (first.partition !== "aws" || areas.some(({ region }) => region === home)) return [...areas];
  return [...areas, { ...first, region: home, client: first.session.in(home) }];
}

/** What has happened since, where somebody looks for it; so often at most. */
async function* follow(input: Input, position: Json): AsyncIterable<Found> {
  const from = readPosition(position);
  const { spec, now } = input;
  const maxAge = parseDuration(spec.cloudtrail?.maxAge ?? "7d");
  const isNone = !from || Object.keys(from.until).length === 0;
  if (isNone || now.getTime() - Date.parse(from.asked) < Math.min(trailEveryMs, maxAge)) {
    yield { kind: "position", position };
    return;
  }
  const areas = await openAccount(input);
  const trail = yield* readTrail(trailAreas(areas), { spec, from, isFollowed: true });
  yield { kind: "position", position: { ...trail, ...(from.costs && { costs: from.costs }) } };
}

/** Resources of an account of Amazon. */
export const awsScraper = scraperType<AwsScraper>({ type: "aws", scrape, follow });
