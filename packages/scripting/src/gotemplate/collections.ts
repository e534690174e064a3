import { asList, dict, toInteger, toText } from "../functions/conversions.ts";
import { distinct } from "../functions/collections.ts";
import { compareText, goType, sortedKeys } from "../functions/go-format.ts";
import { Duration, isMapping, type Mapping, type Value } from "../values.ts";
import { type Callable, callable } from "./callable.ts";

/** Lists and maps as templates handle them: what is worked on comes last, so that it can be piped in. */

const mostItems = 1_000_000;

function limited(items: readonly Value[]): readonly Value[] {
  if (items.length > mostItems) throw new Error(`a list has ${mostItems} items at most`);
  return items;
}

function asMapping(value: Value): Mapping {
  if (!isMapping(value)) throw new Error(`expected a map, got ${goType(value)}`);
  return value;
}

/** Whether two values are the same all through. */
function same(left: Value, right: Value, depth = 0): boolean {
  if (depth > 100) throw new Error("values are nested too deeply");
  if (left === right) return true;
  const [a, b] = [typeof left, typeof right];
  if ((a === "number" || a === "bigint") && (b === "number" || b === "bigint")) {
    return (left as number) <= (right as number) && (left as number) >= (right as number);
  }
  if (left === null || right === null || a !== "object" || b !== "object") return false;
  if (left instanceof Date && right instanceof Date) return left.getTime() === right.getTime();
  if (left instanceof Duration && right instanceof Duration) {
    return left.nanoseconds === right.nanoseconds;
  }
  if (Array.isArray(left) && Array.isArray(right)) {
    return (
      left.length === right.length &&
      left.every((item: Value, i) => same(item, (right as readonly Value[])[i] ?? null, depth + 1))
    );
  }
  if (!isMapping(left) || !isMapping(right)) return false;
  const keys = Object.keys(left);
  return (
    keys.length === Object.keys(right).length &&
    keys.every(
      (key) => Object.hasOwn(right, key) && same(left[key] ?? null, right[key] ?? null, depth + 1),
    )
  );
}

function has(where: Value, what: Value): boolean {
  if (Array.isArray(where)) return (where as readonly Value[]).some((item) => same(item, what));
  return isMapping(where) && Object.hasOwn(where, toText(what));
}

function sameKinds(items: readonly Value[]): boolean {
  const kind = (value: Value): string => {
    const type = goType(value);
    return type === "int" ? "float64" : type;
  };
  return items.every((item) => kind(item) === kind(items[0] ?? null));
}

function compare(left: Value, right: Value): number {
  if (typeof left === "string" && typeof right === "string") return compareText(left, right);
  const isNumber = (value: Value): value is number | bigint =>
    typeof value === "number" || typeof value === "bigint";
  if (isNumber(left) && isNumber(right)) return left < right ? -1 : left > right ? 1 : 0;
  return 0;
}

/** By their natural order, or by the member `key` of the maps it holds; values of several types stay as they are. */
export function sort(list: Value, key: string): readonly Value[] {
  const items = asList(list);
  if (!sameKinds(items)) return items;
  const by = (item: Value): Value =>
    isMapping(item) ? (Object.hasOwn(item, key) ? (item[key] ?? null) : null) : item;
  return [...items].sort((left, right) => compare(by(left), by(right)));
}

function flatten(list: Value, depth: number): Value[] {
  const out: Value[] = [];
  const add = (items: readonly Value[], level: number): void => {
    if (level > 1000) throw new Error("values are nested too deeply");
    for (const item of items) {
      if (Array.isArray(item) && (depth < 0 || level < depth)) {
        add(item as readonly Value[], level + 1);
      } else out.push(item);
      if (out.length > mostItems) limited(out);
    }
  };
  add(asList(list), 0);
  return out;
}

/** Of all maps, the first winning; maps within are merged too. */
function merge(winner: Mapping, other: Mapping, depth = 0): Mapping {
  if (depth > 100) throw new Error("values are nested too deeply");
  const entries = new Map<string, Value>(Object.entries(other));
  for (const [key, value] of Object.entries(winner)) {
    const below = entries.get(key);
    entries.set(
      key,
      isMapping(value) && below !== undefined && isMapping(below)
        ? merge(value, below, depth + 1)
        : value,
    );
  }
  return Object.fromEntries(entries);
}

function chosen(args: readonly Value[]): { mapping: Mapping; keys: Set<string> } {
  const mapping = asMapping(args[args.length - 1] ?? null);
  const keys = args.slice(0, -1).flatMap((key) => (Array.isArray(key) ? (key as Value[]) : [key]));
  for (const key of keys) {
    if (typeof key !== "string") {
      throw new Error(`wrong key type: must be string, got ${goType(key)}`);
    }
  }
  return { mapping, keys: new Set(keys as string[]) };
}

const any = Infinity;

export const collections = {
  Slice: callable("slice", [0, any], (items) => items),
  Has: callable("has", 2, ([where = null, what = null]) => has(where, what)),
  Dict: callable("dict", [0, any], dict),
  Keys: callable("keys", [1, any], (maps) => maps.flatMap((map) => sortedKeys(asMapping(map)))),
  Values: callable("values", [1, any], (maps) =>
    maps.flatMap((map) => {
      const mapping = asMapping(map);
      return sortedKeys(mapping).map((key) => mapping[key] ?? null);
    }),
  ),
  Append: callable("append", 2, ([item = null, list = null]) => limited([...asList(list), item])),
  Prepend: callable("prepend", 2, ([item = null, list = null]) => limited([item, ...asList(list)])),
  Uniq: callable("uniq", 1, ([list = null]) => {
    let comparisons = 0;
    return distinct(asList(list), same, () => {
      if (++comparisons > mostItems) throw new Error("the list is too long to be compared");
    });
  }),
  Reverse: callable("reverse", 1, ([list = null]) => asList(list).toReversed()),
  Merge: callable("merge", [1, any], (maps) =>
    maps.map(asMapping).reduce((winner, other) => merge(winner, other)),
  ),
  Sort: callable("sort", [1, 2], (args) =>
    sort(args[args.length - 1] ?? null, args.length === 2 ? toText(args[0] ?? null) : ""),
  ),
  Flatten: callable("flatten", [1, 2], (args) =>
    flatten(
      args[args.length - 1] ?? null,
      args.length === 2 ? Number(toInteger(args[0] ?? null)) : -1,
    ),
  ),
  Pick: callable("pick", [2, any], (args) => {
    const { mapping, keys } = chosen(args);
    return Object.fromEntries(Object.entries(mapping).filter(([key]) => keys.has(key)));
  }),
  Omit: callable("omit", [2, any], (args) => {
    const { mapping, keys } = chosen(args);
    return Object.fromEntries(Object.entries(mapping).filter(([key]) => !keys.has(key)));
  }),
  First: callable("first", 1, ([list = null]) => asList(list)[0] ?? null),
  Last: callable("last", 1, ([list = null]) => asList(list).at(-1) ?? null),
} satisfies Record<string, Callable>;
