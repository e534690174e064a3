import { tests as all } from "@bufbuild/cel-spec/testdata/conformance.js";
import { describe, expect, test } from "vitest";
import {
  CelMap,
  CelType,
  type CelValue,
  Timestamp,
  typeName,
  typeNames,
  Uint,
} from "./cel-values.ts";
import exceptions from "./conformance.exceptions.json" with { type: "json" };
import { parseDuration, parseTimestamp } from "../functions/time.ts";
import { defaultLimits } from "../language.ts";
import { Duration } from "../values.ts";
import { printCel } from "./format.ts";
import { compileCel } from "./engine.ts";
import { equal } from "./operators.ts";

/**
 * The conformance cases of the standard (github.com/google/cel-spec, as @bufbuild/cel-spec ships them), without those
 * about protobuf messages and enums, which no document has. `conformance.exceptions.json` says which cases answer
 * otherwise here, and why.
 */

interface Literal {
  [kind: string]: unknown;
}

interface Case {
  name: string;
  expr: string;
  value?: Literal;
  typedResult?: { result?: Literal };
  typeEnv?: { name: string; function?: unknown }[];
  evalError?: unknown;
  checkOnly?: boolean;
  bindings?: Record<string, { value: Literal }>;
}

type Suite = (typeof all.suites & object)[number];

/** Of protobuf, or of functions that only a case declares. */
const left =
  /"function":|proto[23]|TestAllTypes|TestRequired|google\.protobuf\.(?!Timestamp|Duration)|enumValue|GlobalEnum/;

const casesOf = (suite: Suite, path: string): Case[] => [
  ...(suite.suites ?? []).flatMap((one) => casesOf(one, `${path}/${one.name}`)),
  ...(suite.tests ?? [])
    .filter(({ original }) => !left.test(JSON.stringify(original)))
    .map(({ original }) => ({
      // The names of the standard's own format, whose types are those of protobuf.
      ...(original as unknown as Case),
      name: `${path}/${original.name ?? original.expr}`,
    })),
];

function read(literal: Literal): CelValue {
  const [[kind, value] = []] = Object.entries(literal);
  switch (kind as string) {
    case "int64Value":
      return BigInt(value as string);
    case "uint64Value":
      return new Uint(BigInt(value as string));
    case "doubleValue":
      return Number(value);
    case "bytesValue":
      return new Uint8Array(Buffer.from(value as string, "base64"));
    case "nullValue":
      return null;
    case "typeValue":
      return new CelType(value as string);
    case "listValue":
      return ((value as { values?: Literal[] }).values ?? []).map(read);
    case "mapValue":
      return CelMap.of(
        ((value as { entries?: { key: Literal; value: Literal }[] }).entries ?? []).map((entry) => [
          read(entry.key),
          read(entry.value),
        ]),
      );
    case "objectValue": {
      const object = value as { "@type": string; value: string };
      return object["@type"].endsWith(typeNames.timestamp)
        ? new Timestamp(parseTimestamp(object.value)!)
        : new Duration(parseDuration(object.value, { days: false })!);
    }
    default:
      return value as string | boolean;
  }
}

/** What came of a case; undefined when it is what the standard wants. */
function difference(one: Case): string | undefined {
  const { value = one.typedResult?.result, evalError } = one;
  // What says nothing about its result is true, unless only its type is asked for.
  const wanted = value ?? (one.typedResult ? "any" : evalError ? undefined : { boolValue: true });
  const bindings = new Map(
    Object.entries(one.bindings ?? {}).map(([name, { value }]) => [name, read(value)]),
  );
  let found: CelValue;
  try {
    found = compileCel(one.expr, {
      limits: defaultLimits,
    })((name) => bindings.get(name), [...bindings.keys()]);
  } catch (error) {
    return wanted && `error: ${(error as Error).message}`;
  }
  if (!wanted) return `an error was wanted, and it is ${printCel(found)}`;
  if (wanted === "any") return undefined;
  const right = read(wanted);
  const same =
    typeName(right) === typeName(found) &&
    (equal(right, found) || (Number.isNaN(right) && Number.isNaN(found)));
  return same ? undefined : `${printCel(found)} (${typeName(found)}), not ${printCel(right)}`;
}

const known = new Set(exceptions.flatMap(({ cases }: { cases: string[] }) => cases));
const messages = new Set(["proto2", "proto2_ext", "proto3", "enums", "dynamic", "wrappers"]);
const suites = all.suites!.filter(
  (suite) => !messages.has(suite.name) && casesOf(suite, suite.name).length > 0,
);

describe.each(suites.map((suite) => ({ name: suite.name, suite })))("$name", ({ name, suite }) => {
  const cases = casesOf(suite, name);

  test("answers as the standard, but for known exceptions", () => {
    const found = cases.flatMap((one) => {
      const unlike = difference(one);
      if (process.env.CEL_CONFORMANCE && unlike && !known.has(one.name))
        console.log(`${one.name}\t${one.expr}\t${unlike}`);
      return unlike === undefined ? [] : [one.name];
    });
    if (process.env.CEL_CONFORMANCE)
      console.log(`${name} ${cases.length - found.length}/${cases.length}`);
    expect(found.toSorted()).toEqual(
      [...known].filter((one) => one.startsWith(`${name}/`)).toSorted(),
    );
  });
});

test("cases were seen", () => {
  expect(suites.flatMap((suite) => casesOf(suite, suite.name)).length).toBeGreaterThan(1_500);
});
