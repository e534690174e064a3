import type { z } from "zod";
import { type JsonSchema, openName } from "./json-schema.ts";

/** One thing wrong with a document, before it has a place in a text. */
export interface Finding {
  severity: "error" | "warning";
  path: readonly (string | number)[];
  message: string;
  /** The key is wrong, not its value. */
  atKey?: boolean;
}

/** Findings of one document that are reported; a last one says when there are more. */
export const mostFindings = 1000;

type ZodIssue = z.core.$ZodIssue;

/** Of a union, the branch that the value was meant for: the one whose complaint lies deeper than the value itself. */
function unfold(
  issue: ZodIssue,
  prefix: readonly PropertyKey[],
): { path: PropertyKey[]; issue: ZodIssue }[] {
  const path = [...prefix, ...issue.path];
  if (issue.code !== "invalid_union") return [{ path, issue }];
  const meant = issue.errors.filter((branch) =>
    branch.some(
      (inner) =>
        inner.path.length > 0 || (inner.code !== "invalid_type" && inner.code !== "invalid_union"),
    ),
  );
  const branch = meant.length === 1 ? meant[0] : undefined;
  return branch ? branch.flatMap((inner) => unfold(inner, path)) : [{ path, issue }];
}

const typeNames: Record<string, string> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "a mapping",
  record: "a mapping",
};

function kindOf(value: unknown): string {
  if (value === null) return "nothing";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "number") return Number.isInteger(value) ? "a whole number" : "a number";
  return typeNames[typeof value] ?? typeof value;
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let at = value;
  for (const key of path) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Record<PropertyKey, unknown>)[key];
  }
  return at;
}

function say(issue: ZodIssue, value: unknown): string {
  const wanted = (name: string) => typeNames[name] ?? name;
  // The library's own words start like this; a message that the schema words itself says more.
  const isWorded = !issue.message.startsWith("Invalid input");
  const missing = `"${String(issue.path.at(-1) ?? "")}" is missing`;
  if (issue.code === "invalid_type") {
    if (value === undefined) return `${missing}: expected ${wanted(issue.expected)}.`;
    return isWorded ? issue.message : `Expected ${wanted(issue.expected)}, found ${kindOf(value)}.`;
  }
  if (issue.code === "invalid_union") {
    if (value === undefined) return `${missing}.`;
    return isWorded ? issue.message : `This may not be ${kindOf(value)}.`;
  }
  if (issue.code === "too_small") {
    return issue.origin === "string" && issue.minimum === 1
      ? "This is empty."
      : `Expected at least ${issue.minimum}${unit(issue.origin)}.`;
  }
  if (issue.code === "too_big") return `Expected at most ${issue.maximum}${unit(issue.origin)}.`;
  return issue.message;
}

const unit = (origin: string) =>
  origin === "string" ? " characters" : origin === "array" ? " entries" : "";

function findErrors(error: z.ZodError, value: unknown): Finding[] {
  return error.issues
    .flatMap((issue) => unfold(issue, []))
    .map(({ path, issue }) => {
      const found = valueAt(value, path);
      const own =
        issue.code === "too_small" || issue.code === "too_big" ? ownMessage(issue) : undefined;
      return {
        severity: "error" as const,
        path: path.map((key) => (typeof key === "number" ? key : String(key))),
        message: own ?? say({ ...issue, path }, found),
      };
    });
}

/** A limit whose schema words its own message ends in a full stop; the library's do not. */
const ownMessage = (issue: ZodIssue) => (issue.message.endsWith(".") ? issue.message : undefined);

/** The name that a slip of the pen would make this key of: one letter in four, two at most. */
function nearest(key: string, names: readonly string[]): string | undefined {
  const written = key.toLowerCase();
  const most = written.length > 64 ? 0 : Math.min(2, Math.floor(written.length / 4));
  const [best] = names
    .map((name) => ({ name, slips: slipsBetween(written, name.toLowerCase()) }))
    .filter(({ slips }) => slips <= most)
    .toSorted((a, b) => a.slips - b.slips);
  return best?.name;
}

/** Letters to add, leave out or exchange (Levenshtein). */
function slipsBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [index, letter] of one.split("").entries()) {
    const next = [index + 1];
    for (let at = 0; at < other.length; at += 1)
      next.push(
        Math.min(row[at + 1]! + 1, next[at]! + 1, row[at]! + (letter === other[at] ? 0 : 1)),
      );
    row = next;
  }
  return row[other.length]!;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Keys that no field of the schema reads. Objects without declared fields are free-form. */
function findUnknownKeys(
  schema: JsonSchema,
  value: unknown,
  path: readonly (string | number)[],
  found: Finding[],
): void {
  if (found.length > mostFindings) return;
  if (Array.isArray(schema.anyOf)) {
    const wanted = Array.isArray(value) ? "array" : isObject(value) ? "object" : undefined;
    const branch = (schema.anyOf as JsonSchema[]).find((option) => option.type === wanted);
    if (wanted && branch) findUnknownKeys(branch, value, path, found);
    return;
  }
  if (Array.isArray(schema.allOf)) {
    for (const part of schema.allOf as JsonSchema[]) findUnknownKeys(part, value, path, found);
    return;
  }
  if (Array.isArray(value)) {
    if (isObject(schema.items))
      for (const [index, item] of value.entries())
        findUnknownKeys(schema.items, item, [...path, index], found);
    return;
  }
  if (!isObject(value)) return;
  const fields = isObject(schema.properties) ? schema.properties : {};
  const names = Object.keys(fields);
  const rest = isObject(schema.additionalProperties) ? schema.additionalProperties : undefined;
  for (const [key, inner] of Object.entries(value)) {
    const field = Object.hasOwn(fields, key) ? fields[key] : undefined;
    if (isObject(field)) findUnknownKeys(field, inner, [...path, key], found);
    else if (names.length > 1 && schema[openName] !== true) {
      const meant = nearest(key, names);
      const hint = meant ? ` Did you mean "${meant}"?` : "";
      found.push({
        severity: "warning",
        path: [...path, key],
        message: `"${key}" is not a field here; it is ignored.${hint}`,
        atKey: true,
      });
    } else if (rest && names.length === 0) findUnknownKeys(rest, inner, [...path, key], found);
  }
}

function limited(findings: Finding[]): Finding[] {
  if (findings.length <= mostFindings) return findings;
  const left = findings.length - mostFindings;
  const last: Finding = {
    severity: "error",
    path: [],
    message: `There are ${left} further problems.`,
  };
  return [...findings.slice(0, mostFindings), last];
}

export interface Checked<Value> {
  /** Undefined when there are errors. */
  value: Value | undefined;
  findings: Finding[];
}

/** Judges a value by its schema: errors, and keys that no field reads. */
export function checkValue<Output>(
  schema: z.ZodType<Output>,
  jsonSchema: JsonSchema,
  value: unknown,
): Checked<Output> {
  const result = schema.safeParse(value);
  const warnings: Finding[] = [];
  findUnknownKeys(jsonSchema, value, [], warnings);
  const errors = result.success ? [] : findErrors(result.error, value);
  return {
    value: result.success ? result.data : undefined,
    findings: limited([...errors, ...warnings]),
  };
}
