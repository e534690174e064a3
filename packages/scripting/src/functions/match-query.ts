import { parseSearch } from "@mainstay/contract/resource-selector/parse-search.ts";
import type { Pattern } from "@mainstay/contract/resource-selector/match-list.ts";
import type {
  CompareOperator,
  SearchNode,
  SearchValue,
} from "@mainstay/contract/resource-selector/search-query.ts";
import { isMapping, type Mapping, type Value } from "../values.ts";

/** The same by other names. */
const aliases: Readonly<Record<string, string>> = {
  created: "created_at",
  updated: "updated_at",
  deleted: "deleted_at",
  config_type: "type",
  component_type: "type",
  check_type: "type",
};
const maps = ["labels", "tags", "properties"];

/**
 * Whether an object is what a search of resources looks for: `type=Pod labels.app=web,api -namespace=test`.
 * @throws SelectorError
 */
export function matchesQuery(resource: Value, search: string): boolean {
  if (!isMapping(resource)) return false;
  return parseSearch(search).some(({ where }) => where === undefined || holds(where, resource));
}

function holds(node: SearchNode, resource: Mapping): boolean {
  switch (node.kind) {
    case "and":
      return node.parts.every((part) => holds(part, resource));
    case "or":
      return node.parts.some((part) => holds(part, resource));
    case "not":
      return !holds(node.part, resource);
    case "exists":
      return fieldOf(resource, node.field) !== undefined;
    case "word": {
      const name = textOf(fieldOf(resource, "name")).toLowerCase();
      if (node.place === "whole") return isLike(name, node.pattern);
      const word = node.pattern.join("*").toLowerCase();
      return node.place === "start" ? name.startsWith(word) : name.includes(word);
    }
    case "compare":
      return compares(node.operator, node.values, node.field, fieldOf(resource, node.field));
  }
}

function compares(
  operator: CompareOperator,
  values: readonly SearchValue[],
  field: string,
  found: Value | undefined,
): boolean {
  if (operator === "=" || operator === "!=") {
    const text = textOf(found).toLowerCase();
    const isMeant = ({ pattern }: SearchValue) =>
      isLike(text, pattern) || (field === "type" && isEndOf(text, pattern));
    const wanted = values.filter(({ isExcluded }) => !isExcluded);
    const unwanted = values.filter(({ isExcluded }) => isExcluded);
    const isOne = (wanted.length === 0 || wanted.some(isMeant)) && !unwanted.some(isMeant);
    return isOne === (operator === "=");
  }
  if (found === undefined || found === null) return false;
  const order = compareTo(found, (values[0]?.pattern ?? []).join("*"));
  if (order === undefined) return false;
  if (operator === "<") return order < 0;
  if (operator === "<=") return order <= 0;
  return operator === ">" ? order > 0 : order >= 0;
}

/** `pod` is what `Kubernetes::Pod` ends in. */
const isEndOf = (text: string, [only, ...rest]: Pattern): boolean =>
  only !== undefined && rest.length === 0 && text.endsWith(`::${only.toLowerCase()}`);

function isLike(text: string, pattern: Pattern): boolean {
  const pieces = pattern.map((piece) => piece.toLowerCase());
  const [first = "", ...others] = pieces;
  const last = others.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first) || text.length < first.length + last.length) return false;
  let at = first.length;
  for (const piece of others) {
    const found = text.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return text.endsWith(last) && text.length - last.length >= at;
}

/** Below zero when what was found comes before what is asked for; undefined where they cannot be compared. */
function compareTo(found: Value, wanted: string): number | undefined {
  const [a, b] = [Number(textOf(found)), Number(wanted)];
  if (textOf(found) !== "" && !Number.isNaN(a) && !Number.isNaN(b)) return a - b;
  const time = found instanceof Date ? found.getTime() : Date.parse(textOf(found));
  const moment = momentOf(wanted);
  if (!Number.isNaN(time) && moment !== undefined) return time - moment;
  const text = textOf(found);
  return text === "" ? undefined : text < wanted ? -1 : text > wanted ? 1 : 0;
}

const unitMs: Readonly<Record<string, number>> = {
  s: 1e3,
  m: 6e4,
  h: 36e5,
  d: 864e5,
  w: 6048e5,
  y: 31536e6,
};

/** `now`, `now-1d`, `now+2h`, or a time. */
function momentOf(text: string): number | undefined {
  const math = /^now(?:([+-])(\d+)([smhdwy]))?$/.exec(text.trim());
  if (math) {
    const [, sign, count, unit] = math;
    if (count === undefined) return Date.now();
    return Date.now() + (sign === "-" ? -1 : 1) * Number(count) * unitMs[unit!]!;
  }
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : time;
}

function fieldOf(resource: Mapping, field: string): Value | undefined {
  const dot = field.indexOf(".");
  const map = dot < 0 ? "" : field.slice(0, dot);
  if (maps.includes(map)) return member(inside(resource, map), field.slice(dot + 1));
  const own = member(resource, aliases[field] ?? field);
  if (own !== undefined) return own;
  const metadata = inside(resource, "metadata");
  if (field === "type") return member(resource, "kind");
  if (field === "namespace")
    return member(metadata, field) ?? member(inside(resource, "tags"), field);
  return member(metadata, field) ?? propertyOf(resource, field);
}

/** Properties are a map, or a list of names with values. */
function propertyOf(resource: Mapping, name: string): Value | undefined {
  const properties = member(resource, "properties");
  if (!Array.isArray(properties)) return member(inside(resource, "properties"), name);
  const found = (properties as readonly Value[]).find(
    (one) => isMapping(one) && member(one, "name") === name,
  );
  return found === undefined ? undefined : (member(found, "text") ?? member(found, "value"));
}

function inside(resource: Mapping, key: string): Value | undefined {
  const own = member(resource, key);
  return own ?? (key === "metadata" ? undefined : member(member(resource, "metadata"), key));
}

const member = (value: Value | undefined, key: string): Value | undefined =>
  value !== undefined && isMapping(value) && Object.hasOwn(value, key)
    ? (value[key] ?? undefined)
    : undefined;

function textOf(value: Value | undefined): string {
  if (typeof value === "string") return value;
  if (value === undefined || value === null) return "";
  if (value instanceof Date) return value.toISOString();
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
