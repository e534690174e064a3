import { checkJsonSchema, type SupportedCheckType } from "@mainstay/contract/canary/index.ts";
import { jsonSchemaOf } from "@mainstay/contract/documents/json-schema.ts";
import { componentSpec, forEachSpec } from "@mainstay/contract/topology/component-spec.ts";
import { componentProperty } from "@mainstay/contract/topology/property-spec.ts";
import { topologyEnvelope } from "@mainstay/contract/topology/topology-spec.ts";
import {
  type FieldShape,
  fieldsOfSchema,
  type Recognise,
  type Schema,
} from "@mainstay/ui/schema-form/schema-fields.ts";
import { recogniseValue } from "#lib/documents/form/own-controls.ts";

const recognise: Recognise = (schema, where) => {
  const { key, isItem } = where;
  if (key === "lookup" || key === "inline") return "lookup";
  if (key === "properties" && isItem) return "property";
  if (key === "schedule") return "schedule";
  const known = recogniseValue(schema, where);
  // The name or the address of a connection is a text here as in the document.
  return known === "connection" ? undefined : known;
};

const linesOf = new Set(
  "body caCert description expr healthExpr podSpec query script statusExpr userData".split(" "),
);

/** The fields of a schema in the order of their names here: of what holds itself, none is read unasked. */
function fieldsOf(schema: Schema, keys: readonly string[], root: Schema = schema): FieldShape[] {
  const { properties = {} } = schema;
  const picked = keys.flatMap((key) => (properties[key] ? [[key, properties[key]]] : []));
  return fieldsOfSchema(
    {
      ...schema,
      ...(root.$defs && { $defs: root.$defs }),
      properties: Object.fromEntries(picked) as Record<string, Schema>,
    },
    { recognise, isMultiline: (key) => linesOf.has(key) },
  );
}

/** Fields that stand together under one name. */
export interface FieldGroup {
  title: string;
  about: string;
  fields: readonly FieldShape[];
}

/** Everything is made once: no schema changes. */
const once = <Made>(make: () => Made): (() => Made) => {
  let made: Made | undefined;
  return () => (made ??= make());
};

const schemaOf = (type: Parameters<typeof jsonSchemaOf>[0]): Schema => jsonSchemaOf(type);

/** What stands around the components of a document. */
export const documentFields = once(() => {
  const root = schemaOf(topologyEnvelope);
  const of = (key: "metadata" | "spec", keys: readonly string[]) =>
    fieldsOf(root.properties?.[key] ?? {}, keys, root);
  return {
    names: of("metadata", ["name", "namespace"]),
    schedule: of("spec", ["schedule"]),
    labels: of("metadata", ["labels"]),
    more: of(
      "spec",
      "type icon text owner tooltip properties statusExpr healthExpr configs groupBy id push".split(
        " ",
      ),
    ),
  };
});

/** What a component says, as people look for it. */
export const componentFields = once(() => {
  const schema = schemaOf(componentSpec);
  const group = (title: string, about: string, keys: string): FieldGroup => ({
    title,
    about,
    fields: fieldsOf(schema, keys.split(" ")),
  });
  return {
    head: fieldsOf(schema, ["name", "type", "icon", "owner", "text"]),
    groups: [
      group("Lookup", "Checks that find the components that stand here", "lookup"),
      group("Properties", "What there is to say of it", "properties"),
      group("Health", "Its checks, and what makes it well", "checks statusExpr healthExpr"),
      group(
        "What belongs to it",
        "Components, catalog items, logs",
        "selectors configs relationships logs configID parentLookup",
      ),
      group(
        "More",
        "Labels, texts, order, what it is told to be",
        "labels namespace tooltip description externalID order hidden lifecycle status health id summary",
      ),
    ],
  };
});

/** What each component that a lookup finds gets beside what was found; those below it stand in the tree. */
export const forEachFields = once(() =>
  fieldsOf(schemaOf(forEachSpec), [
    "properties",
    "configs",
    "selectors",
    "relationships",
    "checks",
  ]),
);

/** A property: what nearly all say, and what few do. */
export const propertyFields = once(() => {
  const schema = schemaOf(componentProperty);
  return {
    head: fieldsOf(schema, ["name", "text", "value", "unit", "max", "type"]),
    more: fieldsOf(
      schema,
      "label icon color order headline hidden tooltip min status lastTransition links lookup configLookup summary".split(
        " ",
      ),
    ),
  };
});

/** What every check has, and a lookup seldom asks for. */
const ofEveryCheck = new Set(
  "description icon severity labels timeout consecutiveFailures consecutiveSuccesses transformDeleteStrategy markFailOnEmpty dependsOn retries relationships metrics namespace".split(
    " ",
  ),
);
const checksMade = new Map<SupportedCheckType, { own: FieldShape[]; more: FieldShape[] }>();

/** One check of a lookup: what its type asks for and what is made of its result, and the rest. */
export function lookupCheckFields(type: SupportedCheckType) {
  const known = checksMade.get(type);
  if (known) return known;
  const all = fieldsOfSchema(checkJsonSchema(type), {
    recognise,
    isMultiline: (key) => linesOf.has(key),
  });
  const first = all.filter(({ key, isRequired }) => isRequired || key === "display");
  const isMore = ({ key, control, help = "" }: FieldShape) =>
    ofEveryCheck.has(key) || control.kind === "yaml" || /^Another (name|spelling) /.test(help);
  const rest = all.filter((field) => !first.includes(field));
  const fields = {
    own: [...first, ...rest.filter((field) => !isMore(field))],
    more: rest.filter(isMore),
  };
  checksMade.set(type, fields);
  return fields;
}

/** What of a mapping the form does not have, in the order in which it is written. */
export const beyondForm = (
  value: Readonly<Record<string, unknown>>,
  known: ReadonlySet<string>,
): string[] => Object.keys(value).filter((key) => !known.has(key));

/** The fields of a component that are in the form, those of the tree among them. */
export const knownOfComponent = once(
  () =>
    new Set([
      "components",
      "forEach",
      ...componentFields().head.map(({ key }) => key),
      ...componentFields().groups.flatMap(({ fields }) => fields.map(({ key }) => key)),
    ]),
);
