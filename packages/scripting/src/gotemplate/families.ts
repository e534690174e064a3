import { matchesQuery } from "../functions/match-query.ts";
import { arnToMap, fromAwsMap } from "../functions/aws.ts";
import { asList, toFloat, toInteger, toText } from "../functions/conversions.ts";
import * as kubernetesHealth from "../functions/kubernetes-health.ts";
import * as kubernetesResources from "../functions/kubernetes-resources.ts";
import { isInCidr, isValidIp } from "../functions/net.ts";
import * as random from "../functions/random.ts";
import { parseVersion, satisfies } from "../functions/semver.ts";
import * as time from "../functions/time.ts";
import { Duration, type Value } from "../values.ts";
import { type Callable, callable, textArgument as text } from "./callable.ts";

/** Families of functions that look outside of text and numbers: time, chance, addresses, Kubernetes, Amazon. */

const integer = (value: Value | undefined): number => Number(toInteger(value ?? null));
const float = (value: Value): number => toFloat(value);

const layouts = {
  ANSIC: "Mon Jan _2 15:04:05 2006",
  UnixDate: "Mon Jan _2 15:04:05 MST 2006",
  RubyDate: "Mon Jan 02 15:04:05 -0700 2006",
  RFC822: "02 Jan 06 15:04 MST",
  RFC822Z: "02 Jan 06 15:04 -0700",
  RFC850: "Monday, 02-Jan-06 15:04:05 MST",
  RFC1123: "Mon, 02 Jan 2006 15:04:05 MST",
  RFC1123Z: "Mon, 02 Jan 2006 15:04:05 -0700",
  RFC3339: "2006-01-02T15:04:05Z07:00",
  RFC3339Nano: "2006-01-02T15:04:05.999999999Z07:00",
  Kitchen: "3:04PM",
  Stamp: "Jan _2 15:04:05",
  StampMilli: "Jan _2 15:04:05.000",
  StampMicro: "Jan _2 15:04:05.000000",
  StampNano: "Jan _2 15:04:05.000000000",
};

const dateOf = (nanoseconds: bigint): Date => new Date(Number(nanoseconds / 1_000_000n));

/** A time, or the text of one. */
function moment(value: Value | undefined): Date {
  if (value instanceof Date) return value;
  const parsed = time.parseTimestamp(text(value));
  if (parsed === undefined) throw new Error(`${JSON.stringify(value)} is not a time of RFC 3339`);
  return dateOf(parsed);
}

const between = (from: number, to: number): Duration =>
  new Duration(BigInt(to - from) * 1_000_000n);

function duration(value: Value | undefined): Duration {
  if (value instanceof Duration) return value;
  const parsed = time.parseDuration(toText(value ?? null), { days: true });
  if (parsed === undefined)
    throw new Error(`invalid duration ${JSON.stringify(toText(value ?? null))}`);
  return new Duration(parsed);
}

const units = (name: string, nanoseconds: bigint): Callable =>
  callable(name, 1, ([amount = null]) => new Duration(toInteger(amount) * nanoseconds));

/** Seconds since 1970, with a fraction when it is text. */
function unix(value: Value | undefined): Date {
  if (typeof value === "string" && !/^[+-]?\d+(?:\.\d+)?$/.test(value)) {
    throw new Error(`can not parse ${JSON.stringify(value)} as a number`);
  }
  return new Date(toFloat(value ?? null) * 1000);
}

export const ofTime: Record<string, Callable> = {
  ...Object.fromEntries(
    Object.entries(layouts).map(([name, layout]) => [name, callable(name, 0, () => layout)]),
  ),
  Now: callable("Now", 0, () => new Date()),
  Parse: callable("Parse", 2, ([layout, value = null]) =>
    dateOf(time.parseByLayout(text(layout), toText(value), "UTC")),
  ),
  // The server has no zone of its own for scripts.
  ParseLocal: callable("ParseLocal", 2, ([layout, value = null]) =>
    dateOf(time.parseByLayout(text(layout), toText(value), "UTC")),
  ),
  ParseInLocation: callable("ParseInLocation", 3, ([layout, zone, value = null]) =>
    dateOf(time.parseByLayout(text(layout), toText(value), text(zone))),
  ),
  ParseDuration: callable("ParseDuration", 1, ([value]) => duration(value)),
  Unix: callable("Unix", 1, ([value]) => unix(value)),
  Since: callable("Since", 1, ([value]) => between(moment(value).getTime(), Date.now())),
  Until: callable("Until", 1, ([value]) => between(Date.now(), moment(value).getTime())),
  ZoneName: callable("ZoneName", 0, () => "UTC"),
  ZoneOffset: callable("ZoneOffset", 0, () => 0n),
  InTimeRange: callable("InTimeRange", 3, ([value, start, end]) =>
    time.isInTimeRange(moment(value).getTime(), text(start), text(end)),
  ),
  Nanosecond: units("Nanosecond", 1n),
  Microsecond: units("Microsecond", 1_000n),
  Millisecond: units("Millisecond", 1_000_000n),
  Second: units("Second", 1_000_000_000n),
  Minute: units("Minute", 60_000_000_000n),
  Hour: units("Hour", 3_600_000_000_000n),
};

export const inBusinessHours = callable("in_business_hours", 1, ([value]) =>
  time.isInBusinessHours(moment(value).getTime()),
);

/** `3 hours ago`, `in 2 days`: the largest unit that is whole. */
export const humanizeTime = callable("humanizeTime", 1, ([value]) => {
  const seconds = Math.round((moment(value).getTime() - Date.now()) / 1000);
  const names: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
    ["year", 31_536_000],
    ["month", 2_592_000],
    ["week", 604_800],
    ["day", 86_400],
    ["hour", 3_600],
    ["minute", 60],
  ];
  const [unit, length] = names.find(([, size]) => Math.abs(seconds) >= size) ?? ["second", 1];
  if (seconds === 0) return "now";
  return new Intl.RelativeTimeFormat("en").format(Math.trunc(seconds / length), unit);
});

/** `"a"` and `"z"`, or the numbers of the characters. */
const character = (value: Value): string =>
  typeof value === "string" && Array.from(value).length === 1
    ? value
    : String.fromCodePoint(Math.min(Math.max(integer(value), 0), 0x10ffff));

export const ofRandom = {
  ASCII: callable("ASCII", 1, ([count]) => random.randomAscii(integer(count))),
  Alpha: callable("Alpha", 1, ([count]) => random.randomAlpha(integer(count))),
  AlphaNum: callable("AlphaNum", 1, ([count]) => random.randomAlphanumeric(integer(count))),
  String: callable("String", [1, 3], ([count, first, second]) =>
    random.randomString(
      integer(count),
      second === undefined
        ? first === undefined
          ? []
          : [posixClass(text(first))]
        : [character(first ?? null), character(second)],
    ),
  ),
  Item: callable("Item", 1, ([list = null]) => random.item(asList(list))),
  Number: callable("Number", [0, 2], (args) =>
    BigInt(
      args.length === 2
        ? random.randomNumber(...(args.map(float) as [number, number]))
        : random.randomNumber(0, args.length === 1 ? integer(args[0]) : 100),
    ),
  ),
  Float: callable("Float", [0, 2], (args) =>
    args.length === 2
      ? random.randomFloat(...(args.map(float) as [number, number]))
      : random.randomFloat(0, args[0] === undefined ? 1 : float(args[0])),
  ),
};

/** `[[:xdigit:]]` as the ranges it stands for. */
const posixClass = (expression: string): string =>
  expression
    .replaceAll("[:xdigit:]", "0-9A-Fa-f")
    .replaceAll("[:alnum:]", "0-9A-Za-z")
    .replaceAll("[:alpha:]", "A-Za-z")
    .replaceAll("[:digit:]", "0-9")
    .replaceAll("[:upper:]", "A-Z")
    .replaceAll("[:lower:]", "a-z");

export const ofNet = {
  ContainsCIDR: callable("ContainsCIDR", 2, ([cidr, address]) =>
    isInCidr(text(cidr), text(address)),
  ),
  IsValidIP: callable("IsValidIP", 1, ([address]) => isValidIp(text(address))),
};

export const ofAws = {
  arnToMap: callable("arnToMap", 1, ([arn]) => arnToMap(text(arn))),
  fromAWSMap: callable("fromAWSMap", 1, ([list = null]) => fromAwsMap(asList(list))),
};

const ofResource = (name: string, run: (value: Value) => Value): Callable =>
  callable(name, 1, ([value = null]) => run(value));

const health = (value: Value): Value => ({ ...kubernetesHealth.healthOf(value) });

export const ofKubernetes = {
  isHealthy: ofResource("isHealthy", (value) => kubernetesHealth.isHealthy(value)),
  isReady: ofResource("isReady", (value) => kubernetesHealth.isReady(value)),
  getHealth: ofResource("getHealth", health),
  getStatus: ofResource("getStatus", (value) => kubernetesHealth.statusOf(value)),
  cpuAsMillicores: ofResource("cpuAsMillicores", kubernetesResources.cpuAsMillicores),
  memoryAsBytes: ofResource("memoryAsBytes", kubernetesResources.memoryAsBytes),
  labels: ofResource("labels", kubernetesResources.labelsOf),
  neat: ofResource("neat", kubernetesResources.neat),
  nodeProperties: ofResource("nodeProperties", kubernetesResources.nodeProperties),
  podProperties: ofResource("podProperties", kubernetesResources.podProperties),
};

export const semver = callable("semver", 1, ([version]) => ({ ...parseVersion(text(version)) }));

export const semverCompare = callable("semverCompare", 2, ([version, constraint]) =>
  satisfies(text(version), text(constraint)),
);

export const matchQuery = callable("matchQuery", 2, ([resource = null, search]) =>
  matchesQuery(resource, text(search)),
);

export const matchLabel = callable(
  "matchLabel",
  [3, Infinity],
  ([labels = null, key, ...patterns]) =>
    kubernetesResources.matchesLabel(labels, text(key), patterns.map(text).join(",")),
);
