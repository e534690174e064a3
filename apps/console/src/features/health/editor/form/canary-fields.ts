import { canaryJsonSchema } from "@mainstay/contract/canary/index.ts";
import {
  type FieldShape,
  fieldsOfSchema,
  type Schema,
} from "@mainstay/ui/schema-form/schema-fields.ts";
import { recogniseValue } from "#lib/documents/form/own-controls.ts";

/** The form of what stands around the checks of a document, made of its schema. */
export interface CanaryFields {
  /** Of the metadata. */
  names: readonly FieldShape[];
  labels: readonly FieldShape[];
  annotations: readonly FieldShape[];
  /** Of the spec: what most documents say. */
  first: readonly FieldShape[];
  /** What few need. */
  more: readonly FieldShape[];
}

const first = ["schedule", "severity"];
const more = [
  "timeZone",
  "interval",
  "timeout",
  "consecutiveFailures",
  "consecutiveSuccesses",
  "retries",
  "owner",
  "icon",
  "labels",
  "env",
  "replicas",
  "agentSelector",
];

let made: CanaryFields | undefined;

export function canaryFields(): CanaryFields {
  if (made) return made;
  const root = canaryJsonSchema() as Schema;
  const of = (key: "metadata" | "spec", keys: readonly string[]) => {
    const { properties = {}, ...schema } = root.properties?.[key] ?? {};
    const picked = keys.flatMap((name) => (properties[name] ? [[name, properties[name]]] : []));
    return fieldsOfSchema(
      {
        ...schema,
        ...(root.$defs && { $defs: root.$defs }),
        properties: Object.fromEntries(picked),
      },
      {
        recognise: (found, where) =>
          where.key === "schedule" ? "schedule" : recogniseValue(found, where),
      },
    );
  };
  made = {
    names: of("metadata", ["name", "namespace"]),
    labels: of("metadata", ["labels"]),
    annotations: of("metadata", ["annotations"]),
    first: of("spec", first),
    more: of("spec", more),
  };
  return made;
}
