import type { Schema as HelpSchema } from "../yaml-editor/schema-help.ts";

/** What a form needs to know of a JSON Schema: which fields there are, and what each is written with. */

export interface Schema extends Omit<
  HelpSchema,
  "properties" | "items" | "additionalProperties" | "anyOf" | "oneOf" | "allOf"
> {
  properties?: Record<string, Schema>;
  items?: Schema;
  additionalProperties?: Schema | boolean;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
}

/** What a value is written with. */
export type Control =
  | { kind: "text"; isMultiline: boolean }
  | { kind: "number"; isWhole: boolean; min: number | undefined; max: number | undefined }
  /** A number where it reads as one, else a text. */
  | { kind: "scalar" }
  | { kind: "boolean" }
  | { kind: "choice"; options: readonly string[] }
  | { kind: "list"; item: Control }
  | { kind: "map"; value: Control }
  | { kind: "object"; fields: readonly FieldShape[] }
  /** What no other control can write. */
  | { kind: "yaml" }
  /** One of the caller's own. */
  | { kind: "own"; name: string };

export interface FieldShape {
  key: string;
  label: string;
  help: string | undefined;
  isRequired: boolean;
  control: Control;
}

/** Names a control of the caller's for what it knows; `key` is that of the field, and of its list for an item. */
export type Recognise = (
  schema: Schema,
  where: { key: string; isItem: boolean },
) => string | undefined;

export interface ShapeOptions {
  recognise?: Recognise;
  /** Texts of several lines, by their keys. */
  isMultiline?: (key: string) => boolean;
}

const deepest = 8;
/** Written in capitals wherever they stand. */
const capitals = new Set(
  "api aws ca cpu db dn dns ec2 gcp http https id ip json jwt sftp smb sql ssl tls ttl uid url yaml".split(
    " ",
  ),
);

/** `maxSSLExpiry` as people read it: `Max SSL expiry`. */
export function labelOf(key: string): string {
  const words = key
    .replaceAll(/([a-z\d])([A-Z])/g, "$1 $2")
    .replaceAll(/([A-Z]+)([A-Z][a-z])/g, "$1 $2")
    .split(/[\s_-]+/)
    .filter(Boolean)
    .map((word) =>
      capitals.has(word.toLowerCase()) || /^[A-Z\d]{2,}$/.test(word)
        ? word.toUpperCase()
        : word.toLowerCase(),
    );
  const [first = "", ...rest] = words;
  return [first.charAt(0).toUpperCase() + first.slice(1), ...rest].join(" ");
}

function resolve(schema: Schema, root: Schema): Schema {
  const name = /^#\/(?:\$defs|definitions)\/(.+)$/.exec(schema.$ref ?? "")?.[1];
  const target = name === undefined ? undefined : root.$defs?.[name];
  const { $ref: _followed, ...own } = schema;
  return target ? { ...target, ...own } : schema;
}

/** A description that says no more than the label. */
const isSame = (help: string | undefined, label: string): boolean =>
  help?.toLowerCase().replaceAll(/[^a-z]/g, "") === label.toLowerCase().replaceAll(/[^a-z]/g, "");

const scalarKinds: readonly Control["kind"][] = ["text", "number", "scalar", "boolean", "choice"];

export function fieldsOfSchema(root: Schema, options: ShapeOptions = {}): FieldShape[] {
  const controlOf = (
    given: Schema,
    where: { key: string; isItem: boolean },
    depth: number,
  ): Control => {
    const schema = resolve(given, root);
    const own = options.recognise?.(schema, where);
    if (own !== undefined) return { kind: "own", name: own };
    if (depth > deepest) return { kind: "yaml" };
    const variants = schema.anyOf ?? schema.oneOf;
    if (variants) {
      const controls = variants.map((variant) => controlOf(variant, where, depth + 1));
      const words = controls.find(({ kind }) => kind === "choice");
      return (
        controls.find(({ kind }) => kind === "own") ??
        // Words that are known, in whichever case a text may write them.
        (words && controls.every(({ kind }) => kind === "choice" || kind === "text")
          ? words
          : undefined) ??
        (controls.every(({ kind }) => scalarKinds.includes(kind))
          ? controls.length === 1
            ? controls[0]!
            : { kind: "scalar" }
          : // The first way to write it is the usual one.
            (controls.find(
              ({ kind }) => scalarKinds.includes(kind) || kind === "list" || kind === "map",
            ) ?? { kind: "yaml" }))
      );
    }
    if (schema.allOf?.length === 1) return controlOf(schema.allOf[0]!, where, depth + 1);
    if (schema.enum?.every((value) => typeof value === "string"))
      return { kind: "choice", options: schema.enum };
    if (Array.isArray(schema.type)) return { kind: "scalar" };
    switch (schema.type) {
      case "string":
        return { kind: "text", isMultiline: options.isMultiline?.(where.key) === true };
      case "integer":
      case "number":
        return {
          kind: "number",
          isWhole: schema.type === "integer",
          min: schema.minimum,
          max: schema.maximum,
        };
      case "boolean":
        return { kind: "boolean" };
      case "array":
        return schema.items
          ? { kind: "list", item: controlOf(schema.items, { ...where, isItem: true }, depth + 1) }
          : { kind: "yaml" };
      case "object":
        return ofObject(schema, where, depth);
      case undefined:
      default:
        return { kind: "yaml" };
    }
  };

  const ofObject = (schema: Schema, where: { key: string }, depth: number): Control => {
    if (Object.keys(schema.properties ?? {}).length > 0)
      return { kind: "object", fields: ofProperties(schema, depth + 1) };
    const { additionalProperties: others } = schema;
    // What may hold anything is declared so: nobody knows its fields.
    return typeof others === "object" && Object.keys(others).length > 0
      ? { kind: "map", value: controlOf(others, { key: where.key, isItem: false }, depth + 1) }
      : { kind: "yaml" };
  };

  const ofProperties = (schema: Schema, depth: number): FieldShape[] =>
    Object.entries(schema.properties ?? {}).map(([key, given]) => {
      const property = resolve(given, root);
      const label = labelOf(key);
      return {
        key,
        label,
        help: isSame(property.description, label) ? undefined : property.description,
        isRequired: schema.required?.includes(key) === true,
        control: controlOf(property, { key, isItem: false }, depth),
      };
    });

  return ofProperties(resolve(root, root), 0);
}
