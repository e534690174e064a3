import * as conversions from "../functions/conversions.ts";
import { toText } from "../functions/conversions.ts";
import * as cryptography from "../functions/crypto.ts";
import * as data from "../functions/data.ts";
import { goQuote, goType } from "../functions/go-format.ts";
import { humanDuration, humanSize } from "../functions/human.ts";
import * as paths from "../functions/paths.ts";
import { jmespath, jq, jsonpath, xpath } from "../functions/query.ts";
import * as regexp from "../functions/regexp.ts";
import * as strings from "../functions/strings.ts";
import { Duration, isMapping, type Value } from "../values.ts";
import { builtins, isTrue } from "./builtins.ts";
import {
  type Callable,
  callable,
  type FunctionSet,
  Namespace,
  textArgument as text,
} from "./callable.ts";
import { collections } from "./collections.ts";
import * as families from "./families.ts";
import { numbers } from "./numbers.ts";

/** Every function that templates have without being given any, by its bare name or within its family. */

const any = Infinity;
const last = (args: readonly Value[]): Value => args[args.length - 1] ?? null;
const number = (value: Value | undefined): number => Number(conversions.toInteger(value ?? null));

/** A function of one text. */
const ofText = (name: string, run: (text: string) => Value): Callable =>
  callable(name, 1, ([value = null]) => run(toText(value)));

const allTexts = (args: readonly Value[]): string[] => args.map(text);

function indented(args: readonly Value[]): string {
  const body = toText(last(args));
  const [first = null, second = null] = args;
  const width = (value: Value): number => {
    if (typeof value === "bigint" || Number.isInteger(value)) return Number(value);
    throw new Error("indent: invalid arguments");
  };
  if (args.length === 1) return strings.indent(body);
  if (args.length === 3) return strings.indent(body, width(first), text(second));
  return typeof first === "string"
    ? strings.indent(body, 1, first)
    : strings.indent(body, width(first));
}

function wrapped(args: readonly Value[]): string {
  const body = toText(last(args));
  const [first = null, second = null] = args;
  if (args.length === 1) return strings.wordWrap(body);
  if (args.length === 3) return strings.wordWrap(body, number(first), toText(second));
  return typeof first === "string"
    ? strings.wordWrap(body, 80, first)
    : strings.wordWrap(body, number(first));
}

const shellQuoted = (value: Value): string =>
  Array.isArray(value)
    ? (value as readonly Value[]).map((word) => strings.shellQuote(toText(word))).join(" ")
    : strings.shellQuote(toText(value));

const ofStrings = {
  Abbrev: callable("abbrev", [2, 3], (args) =>
    args.length === 2
      ? strings.abbrev(toText(last(args)), number(args[0]))
      : strings.abbrev(toText(last(args)), number(args[1]), number(args[0])),
  ),
  ReplaceAll: callable("replaceAll", 3, ([old, by, value = null]) =>
    strings.replaceAll(toText(value), text(old), text(by)),
  ),
  Contains: callable("contains", 2, ([part, value = null]) => toText(value).includes(text(part))),
  HasPrefix: callable("hasPrefix", 2, ([part, value = null]) =>
    toText(value).startsWith(text(part)),
  ),
  HasSuffix: callable("hasSuffix", 2, ([part, value = null]) => toText(value).endsWith(text(part))),
  Repeat: callable("repeat", 2, ([times, value = null]) =>
    strings.repeat(toText(value), number(times)),
  ),
  Sort: callable("sort", 1, ([list = null]) =>
    collections.Sort.run([conversions.asList(list).map(toText)]),
  ),
  Split: callable("split", 2, ([separator, value = null]) =>
    strings.split(toText(value), text(separator)),
  ),
  SplitN: callable("splitN", 3, ([separator, most, value = null]) =>
    strings.split(toText(value), text(separator), number(most)),
  ),
  Trim: callable("trim", 2, ([cutset, value = null]) => strings.trim(toText(value), text(cutset))),
  TrimPrefix: callable("trimPrefix", 2, ([prefix, value = null]) =>
    strings.trimPrefix(toText(value), text(prefix)),
  ),
  TrimSuffix: callable("trimSuffix", 2, ([suffix, value = null]) =>
    strings.trimSuffix(toText(value), text(suffix)),
  ),
  Title: ofText("title", strings.title),
  ToUpper: ofText("toUpper", (value) => value.toUpperCase()),
  ToLower: ofText("toLower", (value) => value.toLowerCase()),
  TrimSpace: ofText("trimSpace", strings.trimSpace),
  Trunc: callable("trunc", 2, ([length, value = null]) =>
    strings.trunc(toText(value), number(length)),
  ),
  Indent: callable("indent", [1, 3], indented),
  Slug: ofText("slug", strings.slug),
  Quote: ofText("quote", (value) => goQuote(value)),
  ShellQuote: callable("shellQuote", 1, ([value = null]) => shellQuoted(value)),
  Squote: ofText("squote", strings.squote),
  SnakeCase: ofText("snakeCase", strings.snakeCase),
  CamelCase: ofText("camelCase", strings.camelCase),
  KebabCase: ofText("kebabCase", strings.kebabCase),
  WordWrap: callable("wordWrap", [1, 3], wrapped),
  RuneCount: callable("runeCount", [0, any], (args) =>
    BigInt(strings.runeCount(args.map(toText).join(""))),
  ),
};

const ofConversions = {
  Bool: callable("bool", 1, ([value = null]) => conversions.parsesAsTrue(value)),
  ToBool: callable("toBool", 1, ([value = null]) => conversions.toBool(value)),
  ToBools: callable("toBools", [0, any], (values) => values.map(conversions.toBool)),
  Join: callable("join", 2, ([list = null, separator]) => conversions.join(list, text(separator))),
  ParseInt: callable("parseInt", 3, ([value = null, base = null, bits = null]) =>
    conversions.parseIntOf(value, base, bits),
  ),
  ParseUint: callable("parseUint", 3, ([value = null, base = null, bits = null]) =>
    conversions.parseUintOf(value, base, bits),
  ),
  ParseFloat: callable(
    "parseFloat",
    2,
    ([value = null]) => conversions.parseFloating(toText(value)) ?? 0,
  ),
  Atoi: callable("atoi", 1, ([value = null]) => conversions.parseIntOf(value, 10n, 64n)),
  URL: callable("urlParse", 1, ([value = null]) => conversions.urlParse(toText(value))),
  ToInt64: callable("toInt64", 1, ([value = null]) => conversions.toInteger(value)),
  ToInt: callable("toInt", 1, ([value = null]) => conversions.toInteger(value)),
  ToInt64s: callable("toInt64s", [0, any], (values) => values.map(conversions.toInteger)),
  ToInts: callable("toInts", [0, any], (values) => values.map(conversions.toInteger)),
  ToFloat64: callable("toFloat64", 1, ([value = null]) => conversions.toFloat(value)),
  ToFloat64s: callable("toFloat64s", [0, any], (values) => values.map(conversions.toFloat)),
  ToString: callable("toString", 1, ([value = null]) => toText(value)),
  ToStrings: callable("toStrings", [0, any], (values) => values.map(toText)),
  Default: callable("default", 2, ([otherwise = null, value = null]) =>
    isTrue(value) ? value : otherwise,
  ),
  Slice: collections.Slice,
  Has: collections.Has,
  Dict: collections.Dict,
};

const ofData = {
  JSON: ofText("json", data.fromJson),
  JSONArray: ofText("jsonArray", data.fromJson),
  YAML: ofText("yaml", data.fromYaml),
  YAMLArray: ofText("yamlArray", data.fromYaml),
  TOML: ofText("toml", data.fromToml),
  CSV: callable("csv", [1, 3], (args) => data.csv(allTexts(args))),
  CSVByRow: callable("csvByRow", [1, 3], (args) => data.csvByRow(allTexts(args))),
  CSVByColumn: callable("csvByColumn", [1, 3], (args) => data.csvByColumn(allTexts(args))),
  ToJSON: callable("toJSON", 1, ([value = null]) => data.toJson(value)),
  ToJSONPretty: callable("toJSONPretty", 2, ([indent, value = null]) =>
    data.toJson(value, { indent: text(indent) }),
  ),
  ToYAML: callable("toYAML", 1, ([value = null]) => data.toYaml(value)),
  ToTOML: callable("toTOML", 1, ([value = null]) => data.toToml(value)),
  ToCSV: callable("toCSV", [1, 2], (args) =>
    data.toCsv(last(args), args.length === 2 ? text(args[0]) : ",", toText),
  ),
};

const ofPaths = {
  Base: ofText("Base", paths.base),
  Clean: ofText("Clean", paths.clean),
  Dir: ofText("Dir", paths.dir),
  Ext: ofText("Ext", paths.ext),
  IsAbs: ofText("IsAbs", paths.isAbs),
  Join: callable("Join", [0, any], (parts) => paths.join(parts.map(toText))),
  Match: callable("Match", 2, ([pattern = null, name = null]) =>
    paths.match(toText(pattern), toText(name)),
  ),
  Split: ofText("Split", paths.split),
};

const ofFilePaths = {
  ...ofPaths,
  Rel: callable("Rel", 2, ([from = null, to = null]) => paths.rel(toText(from), toText(to))),
  FromSlash: ofText("FromSlash", (path) => path),
  ToSlash: ofText("ToSlash", (path) => path),
  VolumeName: ofText("VolumeName", () => ""),
};

const three = (name: string, run: (a: string, b: string, c: string) => Value): Callable =>
  callable(name, 3, ([a = null, b = null, c = null]) => run(toText(a), toText(b), toText(c)));

const ofRegexp = {
  Find: callable("Find", 2, ([expression = null, value = null]) =>
    regexp.find(toText(expression), toText(value)),
  ),
  FindAll: callable("FindAll", [2, 3], (args) =>
    regexp.findAll(
      toText(args[0] ?? null),
      toText(last(args)),
      args.length === 3 ? number(args[1]) : -1,
    ),
  ),
  Match: callable("Match", 2, ([expression = null, value = null]) =>
    regexp.isMatch(toText(expression), toText(value)),
  ),
  QuoteMeta: ofText("QuoteMeta", regexp.quoteMeta),
  Replace: three("Replace", regexp.replace),
  ReplaceLiteral: three("ReplaceLiteral", regexp.replaceLiteral),
  Split: callable("Split", [2, 3], (args) =>
    regexp.split(
      toText(args[0] ?? null),
      toText(last(args)),
      args.length === 3 ? number(args[1]) : -1,
    ),
  ),
};

const bytesOrText = (value: Value | undefined): Uint8Array | string =>
  value instanceof Uint8Array ? value : toText(value ?? null);

const ofCrypto = Object.fromEntries(
  Object.entries(cryptography.hashes).map(([name, digest]) => [
    name,
    callable(name, 1, ([value]) => digest(bytesOrText(value))),
  ]),
);

const ofBase64 = {
  Encode: callable("Encode", 1, ([value]) => cryptography.base64Encode(bytesOrText(value))),
  Decode: ofText("Decode", (value) => new TextDecoder().decode(cryptography.base64Decode(value))),
  DecodeBytes: ofText("DecodeBytes", (value) => cryptography.base64Decode(value)),
};

const ofUuid = {
  V1: callable("V1", 0, () => cryptography.uuidV1()),
  V4: callable("V4", 0, () => cryptography.uuidV4()),
  Nil: callable("Nil", 0, () => cryptography.uuidNil),
  IsValid: ofText("IsValid", cryptography.isUuid),
  Parse: ofText("Parse", cryptography.uuidParse),
};

/** Kinds as Go's reflection calls them. */
function kind(value: Value): string {
  if (value === null) return "invalid";
  if (isMapping(value)) return "map";
  if (Array.isArray(value) || value instanceof Uint8Array) return "slice";
  if (value instanceof Duration) return "int64";
  return value instanceof Date ? "struct" : goType(value);
}

const ofTest = {
  Assert: callable("assert", [1, 2], (args) => {
    if (conversions.toBool(last(args))) return "";
    throw new Error(
      args.length === 2 && args[0] !== ""
        ? `assertion failed: ${text(args[0])}`
        : "assertion failed",
    );
  }),
  Fail: callable("fail", [0, 1], ([message]) => {
    throw new Error(
      message === undefined || message === ""
        ? "template generation failed"
        : `template generation failed: ${toText(message)}`,
    );
  }),
  Required: callable("required", [1, 2], (args) => {
    const value = last(args);
    if (value !== null && value !== "") return value;
    throw new Error(
      args.length === 2 && args[0] !== ""
        ? text(args[0])
        : "can not render template: a required value was not set",
    );
  }),
  Ternary: callable("ternary", 3, ([yes = null, no = null, value = null]) =>
    conversions.toBool(value) ? yes : no,
  ),
  Kind: callable("kind", 1, ([value = null]) => kind(value)),
  IsKind: callable("isKind", 2, ([wanted, value = null]) =>
    wanted === "number" && ["int", "int64", "float64"].includes(kind(value))
      ? true
      : kind(value) === text(wanted),
  ),
};

function sizeOf(value: Value): string {
  if (typeof value === "string" && !/^\d+$/.test(value)) return "NaN";
  return humanSize(conversions.toFloat(value));
}

function durationOf(value: Value): string {
  if (value instanceof Duration) return humanDuration(value);
  return humanDuration(new Duration(conversions.toInteger(value)));
}

/** Into a value, or into JSON that is still text. */
const query = (name: string, run: (expression: string, document: Value) => Value): Callable =>
  callable(name, 2, ([expression, document = null]) =>
    run(text(expression), typeof document === "string" ? fromJsonText(document) : document),
  );

/** What is no JSON is the text itself. */
function fromJsonText(document: string): Value {
  if (!/^\s*[[{]/.test(document)) return document;
  return data.fromJson(document);
}

const bare: Record<string, Callable> = {
  replaceAll: ofStrings.ReplaceAll,
  title: ofStrings.Title,
  toUpper: ofStrings.ToUpper,
  toLower: ofStrings.ToLower,
  indent: ofStrings.Indent,
  quote: ofStrings.Quote,
  shellQuote: ofStrings.ShellQuote,
  squote: ofStrings.Squote,
  trimSpace: ofStrings.TrimSpace,
  // Unlike their namesakes of the family these take the text first.
  contains: callable("contains", 2, ([value, part]) => text(value).includes(text(part))),
  hasPrefix: callable("hasPrefix", 2, ([value, part]) => text(value).startsWith(text(part))),
  hasSuffix: callable("hasSuffix", 2, ([value, part]) => text(value).endsWith(text(part))),
  split: callable("split", 2, ([value, separator]) => strings.split(text(value), text(separator))),
  splitN: callable("splitN", 3, ([value, separator, most]) =>
    strings.split(text(value), text(separator), number(most)),
  ),
  trim: callable("trim", [1, 2], ([value, cutset]) =>
    cutset === undefined ? strings.trimSpace(text(value)) : strings.trim(text(value), text(cutset)),
  ),
  humanDuration: callable("humanDuration", 1, ([value = null]) => durationOf(value)),
  humanSize: callable("humanSize", 1, ([value = null]) => sizeOf(value)),
  humanizeBytes: callable("humanizeBytes", 1, ([value = null]) => sizeOf(value)),
  urlParse: ofConversions.URL,
  bool: ofConversions.Bool,
  join: ofConversions.Join,
  default: ofConversions.Default,
  json: ofData.JSON,
  jsonArray: ofData.JSONArray,
  yaml: ofData.YAML,
  yamlArray: ofData.YAMLArray,
  toml: ofData.TOML,
  csv: ofData.CSV,
  csvByRow: ofData.CSVByRow,
  csvByColumn: ofData.CSVByColumn,
  toJSON: ofData.ToJSON,
  toJson: ofData.ToJSON,
  toJSONPretty: ofData.ToJSONPretty,
  toYAML: ofData.ToYAML,
  toTOML: ofData.ToTOML,
  toCSV: ofData.ToCSV,
  has: collections.Has,
  slice: collections.Slice,
  dict: collections.Dict,
  keys: collections.Keys,
  values: collections.Values,
  append: collections.Append,
  prepend: collections.Prepend,
  uniq: collections.Uniq,
  reverse: collections.Reverse,
  merge: collections.Merge,
  sort: collections.Sort,
  flatten: collections.Flatten,
  matchLabel: families.matchLabel,
  matchQuery: families.matchQuery,
  isHealthy: families.ofKubernetes.isHealthy,
  isReady: families.ofKubernetes.isReady,
  getHealth: families.ofKubernetes.getHealth,
  getStatus: families.ofKubernetes.getStatus,
  in_business_hours: families.inBusinessHours,
  humanizeTime: families.humanizeTime,
  semver: families.semver,
  semverCompare: families.semverCompare,
  mapToKeyVal: callable("mapToKeyVal", 1, ([value = null]) => data.mapToKeyVal(value)),
  keyValToMap: callable("keyValToMap", 1, ([value]) => data.keyValToMap(text(value))),
  jq: query("jq", jq),
  jsonpath: query("jsonpath", jsonpath),
  jmespath: query("jmespath", jmespath),
  xpath: callable("xpath", 2, ([expression, xml]) => xpath(text(expression), text(xml))),
  add: numbers.Add,
  sub: numbers.Sub,
  mul: numbers.Mul,
  div: numbers.Div,
  rem: numbers.Rem,
  pow: numbers.Pow,
  seq: numbers.Seq,
  assert: ofTest.Assert,
  fail: ofTest.Fail,
  required: ofTest.Required,
  ternary: ofTest.Ternary,
  kind: ofTest.Kind,
  isKind: ofTest.IsKind,
  urlencode: ofText("urlencode", (value) => encodeURIComponent(value.toWellFormed())),
};

const namespaces: readonly Namespace[] = [
  new Namespace("strings", ofStrings),
  new Namespace("conv", ofConversions),
  new Namespace("data", ofData),
  new Namespace("coll", collections),
  new Namespace("math", numbers),
  new Namespace("random", families.ofRandom),
  new Namespace("time", families.ofTime),
  new Namespace("net", families.ofNet),
  new Namespace("aws", families.ofAws),
  new Namespace("k8s", families.ofKubernetes),
  new Namespace("regexp", ofRegexp),
  new Namespace("path", ofPaths),
  new Namespace("filepath", ofFilePaths),
  new Namespace("base64", ofBase64),
  new Namespace("crypto", ofCrypto),
  new Namespace("uuid", ofUuid),
  new Namespace("test", ofTest),
];

export const functionSet: FunctionSet = new Map<string, Callable | Namespace>([
  ...builtins.map((builtin) => [builtin.name, builtin] as const),
  ...Object.entries(bare),
  ...namespaces.map((family) => [family.name, family] as const),
]);
