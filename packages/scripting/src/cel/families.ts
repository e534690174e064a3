import { arnToMap, fromAwsMap } from "../functions/aws.ts";
import * as collections from "../functions/collections.ts";
import { compareText } from "../functions/go-format.ts";
import * as kubernetesHealth from "../functions/kubernetes-health.ts";
import * as kubernetesResources from "../functions/kubernetes-resources.ts";
import { jmespath, jq, jsonpath, xpath } from "../functions/query.ts";
import { matchesQuery } from "../functions/match-query.ts";
import * as math from "../functions/math.ts";
import { isInCidr, isValidIp } from "../functions/net.ts";
import * as random from "../functions/random.ts";
import { compareVersions, parseVersion, satisfies } from "../functions/semver.ts";
import * as times from "../functions/time.ts";
import type { Value } from "../values.ts";
import {
  CelMap,
  type CelValue,
  fromAnswer,
  isList,
  Timestamp,
  toValue,
  typeName,
  Uint,
  Whole,
} from "./cel-values.ts";
import { Mistake } from "./mistake.ts";
import { arithmetic, compare, duration, equal, timestamp } from "./operators.ts";
import type { FunctionTable } from "./overloads.ts";
import type { Run } from "./run.ts";
import { isEmpty } from "./standard.ts";

/** Functions that documents call beside those of CEL, by the names of the engine they were written for. */
export function addFamilies(globals: FunctionTable, methods: FunctionTable): void {
  addCollections(globals, methods);
  addTimes(globals, methods);
  addKubernetes(globals);
  addMath(globals);
  addRandom(globals);
  addQueries(globals);
  addOthers(globals, methods);
}

const MOST_NUMBERS = 100_000;
const QUERY_STEPS = 5_000;

const texts = (list: readonly CelValue[]): string[] =>
  list.map((item) => {
    if (typeof item !== "string")
      throw new Mistake(`a list of strings is wanted, and there is a ${typeName(item)} in it`);
    return item;
  });

/** Sorting and comparing every item with every other costs more than a step. */
const counted = ({ meter }: Run, size: number) => meter.step(size);

function sorted(list: readonly CelValue[], run: Run): CelValue[] {
  counted(run, list.length * 4);
  return list.toSorted((left, right) => compare("sort", left, right));
}

function addCollections(globals: FunctionTable, methods: FunctionTable): void {
  const filtered = (map: CelMap, isKept: (key: CelValue) => boolean) =>
    CelMap.of(map.entries().filter(([key]) => isKept(key)));
  const isOf = (names: readonly CelValue[]) => (key: CelValue) =>
    names.some((name) => equal(name, key));
  for (const table of [methods, globals])
    table
      .add("keys", ["map"], (map) => map.keys())
      .add("values", ["map"], (map) => map.values())
      .addWithRun("merge", ["map", "map"], (run, left, right) => {
        counted(run, left.size + right.size);
        return CelMap.of([...left.entries(), ...right.entries()]);
      })
      .add("sort", ["string"], (text) => Array.from(text).sort(compareText).join(""))
      .addWithRun("uniq", ["list"], (run, list) =>
        collections.distinct(list, equal, () => run.meter.step()),
      )
      .add("flatten", ["list"], (list) => collections.flatten(list, Infinity))
      .add("mapToKeyVal", ["map"], (map) =>
        map
          .entries()
          .map(([key, value]) => [textOf(key), textOf(value)] as const)
          .sort(([left], [right]) => compareText(left, right))
          .map((pair) => pair.join("="))
          .join(","),
      )
      .add("keyValToMap", ["string"], (text) => {
        const pairs = text
          .split(",")
          .map((pair) => pair.trim())
          .filter(Boolean);
        return CelMap.of(
          pairs.map((pair) => {
            const [, key, value] = /^([^=]+)=(.*)$/s.exec(pair) ?? [];
            if (key === undefined) throw new Mistake(`"${pair}" is no key=value`);
            return [key.trim(), value!.trim()];
          }),
        );
      });
  methods
    .add("omit", ["map", "list"], (map, names) => filtered(map, (key) => !isOf(names)(key)))
    .add("pick", ["map", "list"], (map, names) => filtered(map, isOf(names)))
    .addWithRun("sort", ["list"], (run, list) => sorted(list, run))
    .addWithRun("sortBy", ["list", "string"], (run, list, name) => {
      counted(run, list.length * 4);
      return list
        .map((item) => ({ item, by: fieldOf(item, name) }))
        .sort((left, right) => compare("sortBy", left.by, right.by))
        .map(({ item }) => item);
    })
    .addWithRun("distinct", ["list"], (run, list) =>
      collections.distinct(list, equal, () => run.meter.step()),
    )
    .add("flatten", ["list", "int"], (list, depth) => collections.flatten(list, Number(depth)))
    .add("reverse", ["list"], (list) => list.toReversed())
    .add("slice", ["list", "int"], (list, from) => collections.slice(list, Number(from)))
    .add("slice", ["list", "int", "int"], (list, from, to) =>
      collections.slice(list, Number(from), Number(to)),
    )
    .add("first", ["list"], (list) => list[0] ?? null)
    .add("last", ["list"], (list) => list.at(-1) ?? null)
    .addWithRun("isSorted", ["list"], (run, list) => {
      counted(run, list.length);
      return list.every(
        (item, place) => place === 0 || compare("isSorted", list[place - 1]!, item) <= 0,
      );
    })
    .addWithRun("sum", ["list"], ({ meter }, list) => {
      meter.step(list.length);
      return list.length === 0 ? 0n : list.reduce((sum, item) => arithmetic("+", sum, item, meter));
    })
    .addWithRun("min", ["list"], (run, list) => extreme("min", list, run, -1))
    .addWithRun("max", ["list"], (run, list) => extreme("max", list, run, 1))
    .addWithRun("indexOf", ["list", "any"], (run, list, item) => {
      counted(run, list.length);
      return BigInt(list.findIndex((one) => equal(one, item)));
    })
    .addWithRun("lastIndexOf", ["list", "any"], (run, list, item) => {
      counted(run, list.length);
      return BigInt(list.findLastIndex((one) => equal(one, item)));
    })
    .addWithRun("contains", ["list", "any"], (run, list, item) => {
      counted(run, list.length);
      return list.some((one) => equal(one, item));
    });
  const range = (from: bigint, to: bigint, step: bigint) =>
    collections.range(Number(from), Number(to), Number(step), MOST_NUMBERS).map(BigInt);
  for (const name of ["range", "lists.range"])
    globals
      .add(name, ["int"], (to) => range(0n, to, 1n))
      .add(name, ["int", "int"], (from, to) => range(from, to, 1n))
      .add(name, ["int", "int", "int"], range);
  globals.addVariadic("coalesce", (args) => {
    const all = args.length === 1 && isList(args[0]!) ? args[0] : args;
    return all.find((one) => !isEmpty(one)) ?? null;
  });
}

const textOf = (value: CelValue): string => {
  const text = toValue(value);
  return typeof text === "string" ? text : JSON.stringify(text);
};

function extreme(name: string, list: readonly CelValue[], { meter }: Run, sign: number): CelValue {
  meter.step(list.length);
  if (list.length === 0) throw new Mistake(`${name} of a list without items`);
  return list.reduce((best, item) => (compare(name, item, best) * sign > 0 ? item : best));
}

function fieldOf(item: CelValue, path: string): CelValue {
  let one: CelValue = item;
  for (const part of path.replace(/^\$?\./, "").split("."))
    one = one instanceof CelMap ? (one.get(part) ?? null) : null;
  return one;
}

const nowInNanoseconds = () => BigInt(Date.now()) * 1_000_000n;

function momentOf(value: CelValue): Timestamp {
  if (value instanceof Timestamp) return value;
  if (typeof value === "string") {
    const found =
      times.parseTimestamp(value) ??
      times.parseTimestamp(`${value.replace(" ", "T")}Z`) ??
      times.parseTimestamp(`${value}T00:00:00Z`);
    if (found !== undefined) return timestamp(found);
    throw new Mistake(`"${value}" is no time: 2026-11-22T10:00:00Z`);
  }
  throw new Mistake(`a ${typeName(value)} is no time`);
}

const millisecondsOf = ({ nanoseconds }: Timestamp) => Number(nanoseconds / 1_000_000n);

function addTimes(globals: FunctionTable, methods: FunctionTable): void {
  const parse = (layout: string, text: string, zone: string) =>
    timestamp(times.parseByLayout(layout, text, zone));
  const lenient = (text: string) => times.lenientDuration(text);
  const age = (value: CelValue) => duration(nowInNanoseconds() - momentOf(value).nanoseconds);
  globals
    .add("Duration", ["string"], lenient)
    .add("Duration", ["duration"], (value) => value)
    .add("Duration", ["int"], (value) => duration(value))
    .add(["Age", "age"], ["any"], age)
    .add("time.Now", [], () => timestamp(nowInNanoseconds()))
    .add("time.Parse", ["string", "string"], (layout, text) => parse(layout, text, "UTC"))
    .add("time.ParseLocal", ["string", "string"], (layout, text) => parse(layout, text, "Local"))
    .add("time.ParseInLocation", ["string", "string", "string"], (layout, zone, text) =>
      parse(layout, text, zone),
    )
    .add("time.ParseDuration", ["string"], (text) => {
      const found = times.parseDuration(text, { days: true });
      if (found === undefined) throw new Mistake(`"${text}" is no duration: 1h30m, 7d`);
      return duration(found);
    })
    .add("time.Since", ["any"], age)
    .add("time.Until", ["any"], (value) =>
      duration(momentOf(value).nanoseconds - nowInNanoseconds()),
    )
    // Scripts mean the same wherever the server runs.
    .add("time.ZoneName", [], () => "UTC")
    .add("time.ZoneOffset", [], () => 0n)
    .add("time.InTimeRange", ["any", "string", "string"], (value, start, end) =>
      times.isInTimeRange(millisecondsOf(momentOf(value)), start, end),
    )
    .add("time.Unix", ["int"], (seconds) => timestamp(seconds * 1_000_000_000n))
    .add(["in_business_hours", "in_business_hour"], ["any"], (value) =>
      times.isInBusinessHours(millisecondsOf(momentOf(value))),
    )
    .add(["in_business_hours", "in_business_hour"], ["any", "string"], (value, zone) =>
      times.isInBusinessHours(millisecondsOf(momentOf(value)), zone),
    );
  const units = {
    Nanosecond: 1n,
    Microsecond: 1_000n,
    Millisecond: 1_000_000n,
    Second: 1_000_000_000n,
    Minute: 60_000_000_000n,
    Hour: 3_600_000_000_000n,
  };
  for (const [name, unit] of Object.entries(units))
    globals.add(`time.${name}`, ["int"], (count) => duration(count * unit));
  methods.add("age", ["timestamp"], age).add("getDate", ["string"], (text) => {
    const date = new Date(millisecondsOf(momentOf(text)));
    return date.toISOString().slice(0, 10);
  });
}

function addKubernetes(globals: FunctionTable): void {
  const of = (names: string[], work: (value: Value) => Value) =>
    globals.add(names, ["any"], (value) => fromAnswer(work(toValue(value))));
  of(["k8s.isHealthy", "k8s.is_healthy", "IsHealthy"], (value) =>
    kubernetesHealth.isHealthy(value),
  );
  of(["k8s.isReady", "k8s.is_ready", "IsReady"], (value) => kubernetesHealth.isReady(value));
  of(["k8s.getHealth", "k8s.health", "GetHealth"], (value) => ({
    ...kubernetesHealth.healthOf(value),
  }));
  of(["k8s.getStatus", "GetStatus"], (value) => kubernetesHealth.statusOf(value));
  of(["k8s.cpuAsMillicores"], kubernetesResources.cpuAsMillicores);
  of(["k8s.memoryAsBytes"], kubernetesResources.memoryAsBytes);
  of(["k8s.labels"], kubernetesResources.labelsOf);
  of(["k8s.neat"], kubernetesResources.neat);
  of(["k8s.podProperties"], kubernetesResources.podProperties);
  of(["k8s.nodeProperties"], kubernetesResources.nodeProperties);
  const resources = (which: "limits" | "requests") => (resource: CelValue, name: string) =>
    kubernetesResources.resourcesOf(toValue(resource), which, name);
  globals
    .add(
      ["k8s.getResourcesLimit", "k8s.getResourcesLimits"],
      ["any", "string"],
      resources("limits"),
    )
    .add(
      ["k8s.getResourcesRequests", "k8s.getResourcesRequest"],
      ["any", "string"],
      resources("requests"),
    )
    .add("matchLabel", ["any", "string", "string"], (labels, key, patterns) =>
      kubernetesResources.matchesLabel(toValue(labels), key, patterns),
    )
    .add("matchQuery", ["any", "string"], (resource, search) =>
      matchesQuery(toValue(resource), search),
    );
}

function numberOf(value: CelValue): math.Numeric {
  if (typeof value === "bigint" || typeof value === "number") return value;
  if (value instanceof Whole) return BigInt(value.value);
  if (value instanceof Uint) return value.value;
  if (typeof value === "string" && value.trim() !== "" && !Number.isNaN(Number(value)))
    return /^\s*[-+]?\d+\s*$/.test(value) ? BigInt(value.replace("+", "")) : Number(value);
  throw new Mistake(`a ${typeName(value)} is no number`);
}

function addMath(globals: FunctionTable): void {
  const numbers = (args: readonly CelValue[]) =>
    (args.length === 1 && isList(args[0]!) ? args[0] : args).map(numberOf);
  const double = (name: string, work: (value: number) => number) =>
    globals.add(name, ["any"], (value) => work(Number(numberOf(value))));
  const two = (name: string, work: (left: math.Numeric, right: math.Numeric) => math.Numeric) =>
    globals.add(name, ["any", "any"], (left, right) => work(numberOf(left), numberOf(right)));
  globals
    .addVariadic("math.Add", (args) => math.add(numbers(args)))
    .addVariadic("math.Mul", (args) => math.multiply(numbers(args)))
    .addVariadic("math.Seq", (args) => math.sequence(numbers(args)))
    .addVariadic(["math.Max"], (args) =>
      numbers(args).reduce((left, right) => (right > left ? right : left)),
    )
    .addVariadic(["math.Min"], (args) =>
      numbers(args).reduce((left, right) => (right < left ? right : left)),
    )
    .add("math.Abs", ["any"], (value) => {
      const number = numberOf(value);
      return typeof number === "bigint" ? (number < 0n ? -number : number) : Math.abs(number);
    })
    .add("math.Sign", ["any"], (value) => BigInt(Math.sign(Number(numberOf(value)))))
    .add("math.IsNaN", ["any"], (value) => Number.isNaN(numberOf(value)))
    .add("math.IsInf", ["any"], (value) => Math.abs(Number(numberOf(value))) === Infinity)
    .add("math.IsFinite", ["any"], (value) => Number.isFinite(Number(numberOf(value))))
    .add("math.IsInt", ["any"], (value) => isNumber(value) && typeof numberOf(value) === "bigint")
    .add("math.IsFloat", ["any"], (value) => isNumber(value) && typeof numberOf(value) === "number")
    .add("math.IsNum", ["any"], isNumber);
  two("math.Sub", math.subtract);
  two("math.Div", math.divide);
  two("math.Rem", math.remainder);
  two("math.Pow", math.power);
  double("math.Ceil", Math.ceil);
  double("math.Floor", Math.floor);
  double("math.Round", math.round);
  double("math.Trunc", Math.trunc);
  double("math.Sqrt", Math.sqrt);
}

function isNumber(value: CelValue): boolean {
  try {
    numberOf(value);
    return true;
  } catch {
    // What is no number is the answer here, and not a mistake.
    return false;
  }
}

function addRandom(globals: FunctionTable): void {
  globals
    .add("random.ASCII", ["int"], (count) => random.randomAscii(Number(count)))
    .add("random.Alpha", ["int"], (count) => random.randomAlpha(Number(count)))
    .add("random.AlphaNum", ["int"], (count) => random.randomAlphanumeric(Number(count)))
    .add("random.String", ["int"], (count) => random.randomString(Number(count)))
    .add("random.String", ["int", "list"], (count, set) =>
      random.randomString(Number(count), texts(set)),
    )
    .addVariadic("random.Item", (args) =>
      random.item(args.length === 1 && isList(args[0]!) ? args[0] : args),
    )
    .add("random.Number", [], () => BigInt(random.randomNumber()))
    .add("random.Number", ["double"], (most) => BigInt(random.randomNumber(0, most)))
    .add("random.Number", ["double", "double"], (least, most) =>
      BigInt(random.randomNumber(least, most)),
    )
    .add("random.Float", [], () => random.randomFloat())
    .add("random.Float", ["double"], (most) => random.randomFloat(0, most))
    .add("random.Float", ["double", "double"], random.randomFloat);
}

function addQueries(globals: FunctionTable): void {
  /** A document, also when it is still JSON text. */
  const documentOf = (value: CelValue): Value => {
    if (typeof value !== "string" || !/^\s*[[{]/.test(value)) return toValue(value);
    try {
      return JSON.parse(value) as Value;
    } catch (error) {
      throw new Mistake("the text is no JSON", { cause: error });
    }
  };
  for (const [name, query] of Object.entries({ jq, jsonpath, jmespath }))
    globals.addWithRun(name, ["string", "any"], ({ meter }, expression, value) => {
      // Other languages count no steps of theirs; a thousand queries are too many for one script.
      meter.step(QUERY_STEPS);
      return fromAnswer(query(expression, documentOf(value)));
    });
  globals.addWithRun("xpath", ["string", "string"], ({ meter }, expression, xml) => {
    meter.step(QUERY_STEPS);
    return fromAnswer(xpath(expression, xml));
  });
}

function addOthers(globals: FunctionTable, methods: FunctionTable): void {
  globals
    .add(["net.containsCIDR", "net.ContainsCIDR"], ["string", "string"], isInCidr)
    .add(["net.isValidIP", "net.IsValidIP"], ["string"], isValidIp)
    .add(["aws.arnToMap", "arnToMap"], ["string"], (arn) => fromAnswer(arnToMap(arn)))
    .add(["aws.fromAWSMap", "fromAWSMap"], ["list"], (list) =>
      fromAnswer(fromAwsMap(list.map((item) => toValue(item)))),
    );
  const version = (text: string) => {
    const { major, minor, patch, prerelease, metadata } = parseVersion(text);
    return fromAnswer({
      major: String(major),
      minor: String(minor),
      patch: String(patch),
      prerelease,
      metadata,
      original: text,
    });
  };
  /** A version and a constraint, in whichever order; two versions are the same or not. */
  const compares = (left: string, right: string) => {
    const isVersion = (text: string) => /^v?\d+(?:\.\d+){0,2}(?:[-+][0-9A-Za-z.+-]+)?$/.test(text);
    if (isVersion(left) && isVersion(right))
      return compareVersions(parseVersion(left), parseVersion(right)) === 0;
    return isVersion(left) ? satisfies(left, right) : satisfies(right, left);
  };
  for (const table of [globals, methods])
    table.add("Semver", ["string"], version).add("SemverCompare", ["string", "string"], compares);
}
