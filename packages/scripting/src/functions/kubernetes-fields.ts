import { isMapping, type Value } from "../values.ts";

/** What is read of a resource of Kubernetes, which is plain JSON and may lack anything. */

/** A value by names, null where there is none; only own properties. */
export function at(value: Value, ...path: readonly (string | number)[]): Value {
  let one = value;
  for (const name of path) {
    if (typeof name === "number")
      one = Array.isArray(one) ? ((one as Value[])[name] ?? null) : null;
    else one = isMapping(one) && Object.hasOwn(one, name) ? (one[name] ?? null) : null;
  }
  return one;
}

export const text = (value: Value, ...path: readonly string[]): string => {
  const found = at(value, ...path);
  return typeof found === "string" ? found : "";
};

export const number = (value: Value, ...path: readonly string[]): number | undefined => {
  const found = at(value, ...path);
  if (typeof found === "bigint") return Number(found);
  return typeof found === "number" ? found : undefined;
};

export const list = (value: Value, ...path: readonly string[]): readonly Value[] => {
  const found = at(value, ...path);
  return Array.isArray(found) ? (found as readonly Value[]) : [];
};

export const time = (value: Value, ...path: readonly string[]): number | undefined => {
  const found = at(value, ...path);
  const milliseconds =
    found instanceof Date
      ? found.getTime()
      : typeof found === "string"
        ? Date.parse(found)
        : Number.NaN;
  return Number.isNaN(milliseconds) ? undefined : milliseconds;
};

/** A resource, also when it is still JSON text, or inside what checks hand to scripts (`{Object: …}`). */
export function resourceOf(value: Value): Value {
  if (typeof value !== "string" && !(value instanceof Uint8Array)) {
    const inner = isMapping(value) && !Object.hasOwn(value, "kind") ? value.Object : undefined;
    return inner !== undefined && isMapping(inner) ? inner : value;
  }
  try {
    return JSON.parse(typeof value === "string" ? value : new TextDecoder().decode(value)) as Value;
  } catch {
    // Whatever is no resource has no health either, and says so below.
    return null;
  }
}
