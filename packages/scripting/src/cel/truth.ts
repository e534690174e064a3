import { type CelValue, Optional, typeName } from "./cel-values.ts";
import { Mistake, mistakeAt } from "./mistake.ts";
import { noOverload } from "./operators.ts";

/** Null, which a missing key is, is false. */
export function truth(value: CelValue, name: string, at: number): boolean {
  if (typeof value === "boolean") return value;
  if (value === null) return false;
  throw mistakeAt(noOverload(name, value), at);
}

/** An optional value, where nothing else can stand. */
export function wanted(value: CelValue, at: number): Optional {
  if (value instanceof Optional) return value;
  throw new Mistake(`a ${typeName(value)} stands where an optional value has to: a.?b`, { at });
}
