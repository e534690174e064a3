import { checkJsonSchema, type SupportedCheckType } from "@mainstay/contract/canary/index.ts";
import { type FieldShape, fieldsOfSchema } from "@mainstay/ui/schema-form/schema-fields.ts";
import { recogniseValue } from "#lib/documents/form/own-controls.ts";

/** The form of a check type, made of its schema. */
export interface CheckFields {
  /** What it is called. */
  head: readonly FieldShape[];
  /** What the type itself asks for, as far as single controls can write it. */
  own: readonly FieldShape[];
  scripts: readonly FieldShape[];
  /** What few need. */
  more: readonly FieldShape[];
}

const head = ["name", "description"];
const scripts = ["test", "display", "transform", "metrics"];
/** What every type has, and groups that stand for single fields. */
const common = [
  "namespace",
  "icon",
  "severity",
  "labels",
  "timeout",
  "consecutiveFailures",
  "consecutiveSuccesses",
  "transformDeleteStrategy",
  "markFailOnEmpty",
  "dependsOn",
  "retries",
  "relationships",
  "basic",
  "authentication",
];

const linesOf = new Set(
  "body caCert description expr podSpec query script spec userData".split(" "),
);
const made = new Map<string, CheckFields>();

export function checkFields(type: SupportedCheckType): CheckFields {
  const known = made.get(type);
  if (known) return known;
  const all = fieldsOfSchema(checkJsonSchema(type), {
    recognise: recogniseValue,
    isMultiline: (key) => linesOf.has(key),
  });
  const named = (keys: readonly string[]) =>
    keys.flatMap((key) => all.find((field) => field.key === key) ?? []);
  const rest = all.filter(({ key }) => ![...head, ...scripts, ...common].includes(key));
  // What only YAML can write is rare.
  const isSimple = ({ control, isRequired }: FieldShape) => isRequired || control.kind !== "yaml";
  const fields = {
    head: named(head),
    own: [
      ...rest.filter(({ isRequired }) => isRequired),
      ...rest.filter((field) => !field.isRequired && isSimple(field)),
    ],
    scripts: named(scripts),
    more: [...named(common), ...rest.filter((field) => !isSimple(field))],
  };
  made.set(type, fields);
  return fields;
}

/** Document 3, section 5: what a request without a body cannot send is not asked for, unless it is written. */
export function isAskedFor(
  type: string,
  { key, help = "" }: FieldShape,
  check: Readonly<Record<string, unknown>>,
): boolean {
  // Two fields of one meaning would be one too many.
  if (/^Another (name|spelling) (for|of) /.test(help)) return check[key] !== undefined;
  if (type !== "http" || !["body", "templateBody"].includes(key)) return true;
  const method = typeof check["method"] === "string" ? check["method"].toUpperCase() : "GET";
  return method === "POST" || method === "PUT" || check[key] !== undefined;
}

/** Offered where any may be written (document 3, section 5). */
const suggestions: Readonly<Record<string, readonly string[]>> = {
  method: ["GET", "POST", "PUT", "DELETE"],
  responseCodes: "200 201 202 204 301 302 401 404 500 502 503".split(" "),
};
const none: readonly string[] = [];
export const suggestionsAt = (path: readonly (string | number)[]): readonly string[] =>
  suggestions[String(path.findLast((step) => typeof step === "string"))] ?? none;
