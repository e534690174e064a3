import { CelMap, type CelValue, isList, Optional, typeName, Uint, Whole } from "./cel-values.ts";
import { Mistake } from "./mistake.ts";

/** A field, key or index. What is not there is null, and so is everything in it. */
export function select(value: CelValue, key: CelValue): CelValue {
  if (value instanceof Optional) return selectIfThere(value, key);
  return selectIfThere(value, key).value ?? null;
}

export function selectIfThere(value: CelValue, key: CelValue): Optional {
  if (value instanceof CelMap) {
    const item = value.get(key);
    if (
      item === undefined &&
      typeof key === "object" &&
      !(key instanceof Whole || key instanceof Uint)
    )
      throw new Mistake(`a ${typeName(key)} is no key of any map`);
    return item === undefined ? Optional.none : new Optional(item);
  }
  if (isList(value)) {
    const item = value[placeOf(key)];
    return item === undefined ? Optional.none : new Optional(item);
  }
  if (value === null) return Optional.none;
  if (value instanceof Optional)
    return value.value === undefined ? value : selectIfThere(value.value, key);
  throw new Mistake(
    `a ${typeName(value)} has no ${typeof key === "string" ? `field ${key}` : "items"}`,
  );
}

function placeOf(key: CelValue): number {
  if (typeof key === "bigint") return Number(key);
  if (key instanceof Whole) return key.value;
  if (key instanceof Uint) return Number(key.value);
  if (typeof key === "number" && Number.isInteger(key)) return key;
  throw new Mistake(`a ${typeName(key)} is no index of a list`);
}
