import { type OutputUnit, type Schema as CheckedSchema, Validator } from "@cfworker/json-schema";
import { type Document, isCollection, isMap, isNode, isScalar, parseAllDocuments } from "yaml";
import type { EditorProblem } from "./editor-api.ts";

/**
 * What a JSON Schema has against a YAML text, with the places in the text. The validator interprets schemas: one that
 * compiles them would need `new Function`, which the content security policy refuses.
 */

type Path = readonly (string | number)[];
type Extent = readonly [from: number, to: number];

const longest = 1_000_000;
const mostProblems = 100;
const mostNamed = 12;
const unknownKey = "unknown key";

/** These only say that something below them has a problem. */
const wrappers = new Set([
  "$ref",
  "$recursiveRef",
  "$dynamicRef",
  "allOf",
  "if",
  "properties",
  "patternProperties",
  "additionalProperties",
  "unevaluatedProperties",
  "propertyNames",
  "dependentSchemas",
  "prefixItems",
  "items",
  "additionalItems",
  "unevaluatedItems",
]);

const isUnion = ({ keyword }: OutputUnit) => keyword === "anyOf" || keyword === "oneOf";
const depthOf = ({ instanceLocation }: OutputUnit) => instanceLocation.split("/").length;

/** A key that may not be there comes as two: the rule, and the `false` that stands for its value. */
function withUnknownKeys(units: readonly OutputUnit[]): OutputUnit[] {
  return units.map((unit, index) => {
    const rule = unit.keyword === "false" ? units[index - 1] : undefined;
    return rule ? { ...unit, keyword: unknownKey, keywordLocation: rule.keywordLocation } : unit;
  });
}

/** Of several alternatives the one that was meant: whose problems lie deepest, then the one with the fewest. */
function meant(alternatives: readonly (readonly OutputUnit[])[]): readonly OutputUnit[] {
  const ranked = alternatives
    .map((units) => ({ units, depth: Math.max(...units.map(depthOf)) }))
    .toSorted((a, b) => b.depth - a.depth || a.units.length - b.units.length);
  return ranked[0]?.units ?? [];
}

/** The problems that say something by themselves. */
function leaves(units: readonly OutputUnit[]): readonly OutputUnit[] {
  const at = units.findIndex(isUnion);
  const union = units[at];
  if (!union) return units.filter(({ keyword }) => !wrappers.has(keyword));
  const prefix = `${union.keywordLocation}/`;
  // What an alternative has against the value follows its union, at the value or inside of it.
  let end = at + 1;
  const groups = new Map<string, OutputUnit[]>();
  for (; end < units.length; end += 1) {
    const unit = units[end]!;
    const isInside = `${unit.instanceLocation}/`.startsWith(`${union.instanceLocation}/`);
    if (!isInside || !unit.keywordLocation.startsWith(prefix)) break;
    const which = unit.keywordLocation.slice(prefix.length).split("/")[0] ?? "";
    groups.set(which, [...(groups.get(which) ?? []), unit]);
  }
  const alternatives = [...groups.values()].map((group) => leaves(group));
  const rest = [...units.slice(0, at), ...units.slice(end)];
  return [...leaves(rest), ...describeUnion(union, alternatives)];
}

function describeUnion(
  union: OutputUnit,
  alternatives: readonly (readonly OutputUnit[])[],
): readonly OutputUnit[] {
  if (alternatives.length === 0) return [union];
  const isAllTypes = alternatives.every(
    ([first, ...others]) =>
      first?.keyword === "type" &&
      others.length === 0 &&
      first.instanceLocation === union.instanceLocation,
  );
  if (!isAllTypes) return meant(alternatives);
  const types = alternatives.flatMap(([first]) => expectedTypes(first?.error ?? ""));
  return [{ ...union, keyword: "type", error: `Expected "${[...new Set(types)].join('", "')}".` }];
}

const expectedTypes = (error: string): string[] =>
  /Expected "(.+)"\.$/.exec(error)?.[1]?.split('", "') ?? [];

const quoted = (error: string): string => /"(.+)"/.exec(error)?.[1] ?? "";

function choices(error: string): string {
  const list = /(\[.*\])\.$/.exec(error)?.[1];
  const values = list === undefined ? [] : (JSON.parse(list) as unknown[]);
  const named = values
    .slice(0, mostNamed)
    .map((value) => (typeof value === "string" ? value : JSON.stringify(value)));
  return `${named.join(", ")}${values.length > mostNamed ? ", …" : ""}`;
}

function words({ keyword, error }: OutputUnit): string {
  switch (keyword) {
    case unknownKey:
      return "This key is not known here";
    case "type":
      return `Expected ${expectedTypes(error).join(" or ")}`;
    case "required":
      return `${quoted(error)} is missing`;
    case "enum":
      return `Expected one of ${choices(error)}`;
    case "const":
      return error.replace(/^Instance does not match (.+)\.$/, "Expected $1");
    case "oneOf":
      return "Fits more than one of the forms that are possible here";
    default:
      return error.replace(/^Instance/, "This").replace(/\.$/, "");
  }
}

const pathOf = (location: string): string[] =>
  location
    .split("/")
    .slice(1)
    .map((step) => decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~"));

const extent = (node: unknown): Extent | undefined =>
  isNode(node) && node.range ? [node.range[0], node.range[1]] : undefined;

/** Where a key is written, or where its value is; for a part of a list, the part. */
function placeOf(document: Document, path: Path, wantsKey: boolean): Extent {
  const name = path.at(-1);
  const holder = path.length === 0 ? undefined : document.getIn(path.slice(0, -1), true);
  const holding = path.length === 1 ? document.contents : holder;
  const pair = isMap(holding)
    ? holding.items.find(({ key }) => isScalar(key) && String(key.value) === name)
    : undefined;
  const own = path.length === 0 ? document.contents : document.getIn(path, true);
  // A whole mapping would be underlined from end to end; its key says where it is.
  const prefersKey = wantsKey || isCollection(own);
  const first = isMap(own) ? own.items[0]?.key : own;
  return (
    (prefersKey ? extent(pair?.key) : undefined) ??
    extent(prefersKey ? first : own) ??
    extent(pair?.key) ?? [0, 1]
  );
}

const draftOf = (schema: { $schema?: string }) => {
  const named = schema.$schema ?? "";
  if (named.includes("draft-04")) return "4";
  if (/draft-0[67]/.test(named)) return "7";
  return named.includes("2019-09") ? "2019-09" : "2020-12";
};

/** A checker for documents of a schema: problems in the order of the text, at most a hundred. */
export function schemaChecker(schema: object): (text: string) => EditorProblem[] {
  // The validator writes into the schema that it is given.
  const own = structuredClone(schema) as CheckedSchema;
  const validator = new Validator(own, draftOf(own), false);

  const check = (document: Document): EditorProblem[] => {
    const problem = (severity: "error" | "warning", [from, to]: Extent, message: string) => ({
      severity,
      from,
      to: Math.max(to, from + 1),
      message,
    });
    if (document.errors.length > 0)
      return document.errors.map(({ pos, message }) => problem("error", pos, message));
    const warnings = document.warnings.map(({ pos, message }) => problem("warning", pos, message));
    if (document.contents === null) return warnings;
    let value: unknown;
    try {
      value = document.toJS({ maxAliasCount: 100 });
    } catch (error) {
      // A document of few lines can stand for billions of them.
      const message = error instanceof Error ? error.message : String(error);
      return [...warnings, problem("error", [0, 1], message)];
    }
    const { errors } = validator.validate(value);
    const found = leaves(withUnknownKeys(errors)).map((unit) => {
      const path = pathOf(unit.instanceLocation);
      const message = path.length === 0 ? words(unit) : `${path.join(".")}: ${words(unit)}`;
      return problem("error", placeOf(document, path, unit.keyword === unknownKey), message);
    });
    return [...warnings, ...found];
  };

  return (text) => {
    if (text.trim() === "") return [];
    if (text.length > longest)
      return [
        { from: 0, to: 1, severity: "warning", message: "This is too long to be checked here" },
      ];
    const documents = parseAllDocuments(text, { prettyErrors: false });
    const problems = Array.isArray(documents)
      ? documents.flatMap((document) => check(document))
      : [];
    const seen = new Set<string>();
    return problems
      .filter(
        ({ from, message }) => !seen.has(`${from} ${message}`) && seen.add(`${from} ${message}`),
      )
      .toSorted((a, b) => a.from - b.from)
      .slice(0, mostProblems);
  };
}
