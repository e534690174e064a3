import { beyondLimit } from "../errors.ts";
import { limits } from "../limits.ts";
import type { Cursor } from "./cursor.ts";

/** One arrow of a JSON path. `text` is `->>`; a number is an array index. */
export interface JsonStep {
  text: boolean;
  key: string | number;
}

/** A column, or a place inside a JSON column. */
export interface Field {
  name: string;
  path: JsonStep[];
}

const index = /-?\d+(?=$|->|::|[.,)])/y;
const unquotedKey = /(?:[^-(:.,>)]|-(?!>))+/y;

export function parseField(cursor: Cursor, expected?: string): Field {
  return { name: cursor.name(expected), path: parseJsonPath(cursor, unquotedKey) };
}

const restOfKey = /(?:[^-]|-(?!>))+/y;

/**
 * The JSON path of a parameter's name. PostgREST ends an unquoted key at a dot; here the rest of the name is the key,
 * so that `labels->>app.kubernetes.io/name=eq.x` means what it says (console-calls, appendix 2).
 */
export function parseParameterPath(cursor: Cursor): JsonStep[] {
  return parseJsonPath(cursor, restOfKey);
}

function parseJsonPath(cursor: Cursor, plainKey: RegExp): JsonStep[] {
  const path: JsonStep[] = [];
  for (;;) {
    const text = cursor.take("->>");
    if (!text && !cursor.take("->")) return path;
    if (path.length === limits.pathSteps)
      throw beyondLimit("steps in a JSON path", limits.pathSteps);
    path.push({ text, key: parseKey(cursor, plainKey) });
  }
}

function parseKey(cursor: Cursor, plainKey: RegExp): string | number {
  if (cursor.peek('"')) return cursor.quoted();
  const digits = cursor.run(index);
  // Beyond an int4 it cannot be an index, and PostgreSQL would refuse the cast.
  if (digits !== "" && Math.abs(Number(digits)) < 2 ** 31) return Number(digits);
  if (digits !== "") return digits;
  // A dash begins a number and nothing else.
  if (cursor.take("-")) {
    const found = cursor.run(/\d+/y);
    throw cursor.refusal(found === "" ? "digit" : 'digit, "->", "::", ".", "," or end of input');
  }
  const key = cursor.run(plainKey).trim();
  if (key === "") throw cursor.refusal("a JSON key or index");
  return key;
}

/** The key a value gets in the answer: its alias, the last named step of its path, or the column. */
export function outputName(field: Field): string {
  for (const step of field.path.toReversed()) if (typeof step.key === "string") return step.key;
  return field.name;
}
