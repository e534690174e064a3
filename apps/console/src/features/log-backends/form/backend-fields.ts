import { jsonSchemaOf } from "@mainstay/contract/documents/json-schema.ts";
import { loggingBackendEnvelope } from "@mainstay/contract/logs/backend-spec.ts";
import { logBackendSpecs, type LogBackendType } from "@mainstay/contract/logs/backend-types.ts";
import type { TypeGridItem } from "@mainstay/ui/choice/TypeGrid.tsx";
import {
  type FieldShape,
  fieldsOfSchema,
  type Schema,
} from "@mainstay/ui/schema-form/schema-fields.ts";
import { recogniseValue } from "#lib/documents/form/own-controls.ts";
import { tileHelp } from "#lib/documents/form/tile-help.ts";

const labels: Readonly<Record<LogBackendType, string>> = {
  file: "Files",
  journald: "Journal",
  loki: "Loki",
  elasticsearch: "Elasticsearch",
  opensearch: "OpenSearch",
  kubernetes: "Kubernetes",
  postgres: "PostgreSQL",
  cloudwatch: "CloudWatch",
  gcpCloudLogging: "Google Cloud Logging",
  azureLogAnalytics: "Azure Log Analytics",
};
export const backendLabel = (type: LogBackendType): string => labels[type];

/** The icon of a type, where the library calls it otherwise. */
const icons: Readonly<Partial<Record<LogBackendType, string>>> = {
  journald: "systemd",
  gcpCloudLogging: "gcp",
  azureLogAnalytics: "azure",
  cloudwatch: "aws",
};
export const backendIcon = (type: LogBackendType): string => icons[type] ?? type;

/** Nothing where that says no more than its name. */
function helpOf(type: LogBackendType): string {
  const said = tileHelp(logBackendSpecs[type].description);
  return said === `${labels[type]}.` ? "" : said;
}

/** All types to pick one of, with one line each. */
export const backendTiles = (iconOf: (type: LogBackendType) => TypeGridItem["icon"]) => [
  {
    label: "Where are the lines?",
    items: (Object.keys(labels) as LogBackendType[]).map((type): TypeGridItem => ({
      value: type,
      label: labels[type],
      help: helpOf(type),
      icon: iconOf(type),
    })),
  },
];

interface BackendFields {
  own: readonly FieldShape[];
  /** Which questions it is asked, and what its lines get. */
  routing: readonly FieldShape[];
}

const routing = new Set(["routes", "labels"]);
/** What older documents call "url". */
const synonyms = new Set(["address"]);

/** A schema without other spellings of older documents, however deep: a form asks for each thing once. */
function withoutSpellings(schema: Schema): Schema {
  const visit = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(visit);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value)
        .filter(
          ([, one]: [string, Schema | null]) => !one?.description?.startsWith(anotherSpelling),
        )
        .map(([key, one]) => [key, visit(one)]),
    );
  };
  return visit(schema) as Schema;
}
const anotherSpelling = "Another spelling of";
const made = new Map<LogBackendType, BackendFields>();

export function backendFields(type: LogBackendType): BackendFields {
  const known = made.get(type);
  if (known) return known;
  const all = fieldsOfSchema(withoutSpellings(jsonSchemaOf(logBackendSpecs[type]) as Schema), {
    recognise: recogniseValue,
    isMultiline: (key) => key === "query" || key === "filter",
  }).filter(({ key }) => !synonyms.has(key));
  const own = all.filter(({ key }) => !routing.has(key));
  const fields = {
    own: [...own.filter(({ isRequired }) => isRequired), ...own.filter((one) => !one.isRequired)],
    routing: all.filter(({ key }) => routing.has(key)),
  };
  made.set(type, fields);
  return fields;
}

let names: readonly FieldShape[] | undefined;

/** What the document itself is called. */
export function nameFields(): readonly FieldShape[] {
  if (names) return names;
  const root = jsonSchemaOf(loggingBackendEnvelope) as Schema;
  const { properties = {}, ...schema } = root.properties?.["metadata"] ?? {};
  const picked = ["name", "namespace"].flatMap((key) =>
    properties[key] ? [[key, properties[key]]] : [],
  );
  names = fieldsOfSchema(
    { ...schema, properties: Object.fromEntries(picked) as Record<string, Schema> },
    { recognise: recogniseValue },
  );
  return names;
}
