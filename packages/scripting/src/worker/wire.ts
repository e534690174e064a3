import { Duration, isMapping, type Value } from "../values.ts";

/**
 * Values between the threads. They are cloned as they are, except durations, whose class a clone loses: those travel as
 * `{ [durationKey]: nanoseconds }`, and only what holds one is copied for it.
 */

const durationKey = "\0duration";

export interface Size {
  depth: number;
  values: number;
  characters: number;
}

export interface Packed {
  value: Value;
  hasDurations: boolean;
  /** Values in it, itself included. */
  values: number;
  /** Of all its texts. */
  characters: number;
}

/** More than may be sent. */
export class TooLarge extends Error {}

/** @throws TooLarge */
export function pack(value: Value, size: Size): Packed {
  let hasDurations = false;
  let values = 0;
  let characters = 0;

  const count = (text: string) => {
    characters += text.length;
    if (characters > size.characters)
      throw new TooLarge(`larger than ${size.characters} characters`);
  };
  const packed = (item: Value, level: number): Value => {
    values += 1;
    if (values > size.values) throw new TooLarge(`of more than ${size.values} values`);
    if (level > size.depth) throw new TooLarge(`nested more than ${size.depth} levels deep`);
    if (item === undefined) return null;
    if (typeof item === "string") count(item);
    else if (typeof item === "bigint") count(item.toString(36));
    else if (typeof item === "function" || typeof item === "symbol")
      throw new TypeError(`a ${typeof item} is no value of scripts`);
    if (typeof item !== "object" || item === null || item instanceof Date) return item;
    if (item instanceof Duration) {
      hasDurations = true;
      return { [durationKey]: item.nanoseconds };
    }
    if (item instanceof Uint8Array) {
      characters += item.length;
      if (characters > size.characters)
        throw new TooLarge(`larger than ${size.characters} characters`);
      // Of a buffer that others share only its own part is sent.
      return new Uint8Array(item);
    }
    if (Array.isArray(item)) return packedList(item as readonly Value[], level);
    const prototype: unknown = Object.getPrototypeOf(item);
    if (prototype !== null && Object.getPrototypeOf(prototype) !== null)
      throw new TypeError("an object of a class is no value of scripts");
    return packedMapping(item as { readonly [key: string]: Value }, level);
  };
  const packedList = (list: readonly Value[], level: number): Value => {
    let copy: Value[] | undefined;
    for (let index = 0; index < list.length; index++) {
      const member = packed(list[index]!, level + 1);
      if (member !== list[index]) copy ??= [...list];
      if (copy) copy[index] = member;
    }
    return copy ?? list;
  };
  const packedMapping = (mapping: { readonly [key: string]: Value }, level: number): Value => {
    let copy: Record<string, Value> | undefined;
    for (const key of Object.keys(mapping)) {
      count(key);
      const member = packed(mapping[key]!, level + 1);
      if (member !== mapping[key]) copy ??= { ...mapping };
      if (copy) put(copy, key, member);
    }
    return copy ?? mapping;
  };
  const all = packed(value, 0);
  return { value: all, hasDurations, values, characters };
}

export function unpack({ value, hasDurations }: Packed): Value {
  if (!hasDurations) return value;
  const unpacked = (item: Value): Value => {
    if (Array.isArray(item)) return item.map((member: Value) => unpacked(member));
    if (!isMapping(item)) return item;
    const nanoseconds = item[durationKey];
    if (typeof nanoseconds === "bigint") return new Duration(nanoseconds);
    const copy: Record<string, Value> = {};
    for (const key of Object.keys(item)) put(copy, key, unpacked(item[key]!));
    return copy;
  };
  return unpacked(value);
}

/** As a member of its own, whatever its name: assigning to `__proto__` would not make one. */
function put(mapping: Record<string, Value>, key: string, value: Value): void {
  Object.defineProperty(mapping, key, {
    value,
    writable: true,
    enumerable: true,
    configurable: true,
  });
}
