import { Duration, type Value } from "@mainstay/scripting";

/** Deeper than scripts may see; what is nested further is refused by the evaluator, with a sentence. */
const DEEPEST = 110;

/** What was read from JSON, which holds values alone. */
const fromJson = new WeakSet<object>();

/** Says that something was read from JSON: an answer may be large, and need not be looked through. */
export function asReadFromJson<Found>(found: Found): Found {
  if (typeof found === "object" && found !== null) fromJson.add(found);
  return found;
}

/**
 * What a check found, as a value of scripts: objects of a class become what they hold, what is none becomes null.
 * Nothing is copied that is a value already.
 */
export function scriptValue(found: unknown, level = 0): Value {
  if (found === undefined || typeof found === "function" || typeof found === "symbol") return null;
  if (typeof found !== "object") return found as Value;
  if (found === null || found instanceof Date || found instanceof Duration) return found;
  if (found instanceof Uint8Array) return found;
  if (level > DEEPEST || fromJson.has(found)) return found as Value;
  if (Array.isArray(found)) return listOf(found, level);
  const { toJSON } = found as { toJSON?: unknown };
  if (typeof toJSON === "function") return scriptValue((found as Json).toJSON(), level + 1);
  return mappingOf(found as Record<string, unknown>, level);
}

interface Json {
  toJSON(): unknown;
}

function listOf(list: readonly unknown[], level: number): Value {
  const made = list.map((item) => scriptValue(item, level + 1));
  return made.some((item, index) => item !== list[index]) ? made : (list as readonly Value[]);
}

function mappingOf(found: Record<string, unknown>, level: number): Value {
  const prototype: unknown = Object.getPrototypeOf(found);
  const isPlain = prototype === null || prototype === Object.prototype;
  const keys = Object.keys(found);
  let copy: Record<string, Value> | undefined = isPlain ? undefined : {};
  for (const [place, key] of keys.entries()) {
    const member = found[key];
    const made = scriptValue(member, level + 1);
    if (!copy && made === member) continue;
    // Those before it are values already.
    if (!copy) {
      copy = {};
      for (const before of keys.slice(0, place)) define(copy, before, found[before] as Value);
    }
    define(copy, key, made);
  }
  return copy ?? (found as { readonly [key: string]: Value });
}

const define = (copy: Record<string, Value>, key: string, value: Value) =>
  Object.defineProperty(copy, key, {
    value,
    enumerable: true,
    writable: true,
    configurable: true,
  });
