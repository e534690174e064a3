import { Duration, type Value } from "@mainstay/scripting";

/** Deeper than scripts may see; what is nested further is refused by the evaluator, with a sentence. */
const DEEPEST = 110;

/**
 * What a check found, as a value of scripts: objects of a class become what they hold, what is none becomes null.
 * Nothing is copied that is a value already.
 */
export function scriptValue(found: unknown, level = 0): Value {
  if (found === undefined || typeof found === "function" || typeof found === "symbol") return null;
  if (typeof found !== "object") return found as Value;
  if (found === null || found instanceof Date || found instanceof Duration) return found;
  if (found instanceof Uint8Array) return found;
  if (level > DEEPEST) return found as Value;
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
  let copy: Record<string, Value> | undefined = isPlain ? undefined : {};
  const entries = Object.entries(found).map(
    ([key, member]) => [key, member, scriptValue(member, level + 1)] as const,
  );
  if (!copy && entries.every(([, member, made]) => member === made))
    return found as { readonly [key: string]: Value };
  copy ??= {};
  for (const [key, , made] of entries)
    Object.defineProperty(copy, key, {
      value: made,
      enumerable: true,
      writable: true,
      configurable: true,
    });
  return copy;
}
