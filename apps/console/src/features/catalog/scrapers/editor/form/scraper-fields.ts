import { baseShape } from "@mainstay/contract/scrape-config/base-fields.ts";
import {
  scrapeConfigJsonSchema,
  scraperJsonSchema,
} from "@mainstay/contract/scrape-config/json-schema.ts";
import { scraperSpecs, type ScraperType } from "@mainstay/contract/scrape-config/scraper-types.ts";
import type { TypeGridItem } from "@mainstay/ui/choice/TypeGrid.tsx";
import {
  type FieldShape,
  fieldsOfSchema,
  type Schema,
} from "@mainstay/ui/schema-form/schema-fields.ts";
import { recogniseValue } from "#lib/documents/form/own-controls.ts";
import { tileHelp } from "#lib/documents/form/tile-help.ts";

/** Document 3, section 2; those that it does not name are called as everybody calls them. */
const labels: Readonly<Record<ScraperType, string>> = {
  kubernetes: "Kubernetes",
  azure: "Azure",
  kubernetesFile: "Kubernetes File",
  sql: "SQL",
  trivy: "Trivy",
  aws: "AWS",
  file: "File",
  githubActions: "Github Actions",
  http: "HTTP",
  azureDevops: "Azure DevOps",
  exec: "Exec",
  host: "Host",
};
export const scraperTypeLabel = (type: ScraperType): string => labels[type];

const often: readonly ScraperType[] = ["host", "kubernetes", "file", "http", "sql", "exec"];

/** All types to pick one of, with one line each. */
export function scraperTiles(iconOf: (type: ScraperType) => TypeGridItem["icon"]) {
  const tile = (type: ScraperType): TypeGridItem => ({
    value: type,
    label: labels[type],
    help: tileHelp(scraperSpecs[type].description),
    icon: iconOf(type),
  });
  const all = (Object.keys(labels) as ScraperType[]).toSorted((one, other) =>
    labels[one].localeCompare(labels[other]),
  );
  return [
    { label: "Often used", items: often.map(tile) },
    { label: "All others", items: all.filter((type) => !often.includes(type)).map(tile) },
  ];
}

/** The form of a scraper type, made of its schema. */
export interface ScraperFields {
  /** What the type itself asks for. */
  own: readonly FieldShape[];
  /** What becomes an item of what was read. */
  items: readonly FieldShape[];
  /** Scripts, exclusions, masks, relationships. */
  transform: readonly FieldShape[];
}

const linesOf = new Set("script query body expr gotemplate javascript description".split(" "));
const made = new Map<ScraperType, ScraperFields>();

export function scraperFields(type: ScraperType): ScraperFields {
  const known = made.get(type);
  if (known) return known;
  const all = fieldsOfSchema(scraperJsonSchema(type), {
    recognise: recogniseValue,
    isMultiline: (key) => linesOf.has(key),
  });
  const isBase = ({ key }: FieldShape) => Object.hasOwn(baseShape, key);
  const own = all.filter((field) => !isBase(field));
  const fields = {
    own: [...own.filter(({ isRequired }) => isRequired), ...own.filter((one) => !one.isRequired)],
    items: all.filter((field) => isBase(field) && field.key !== "transform"),
    transform: all.filter(({ key }) => key === "transform"),
  };
  made.set(type, fields);
  return fields;
}

let around:
  | { names: readonly FieldShape[]; first: readonly FieldShape[]; more: readonly FieldShape[] }
  | undefined;

/** What stands around the scrapers of a document. */
export function scrapeConfigFields() {
  if (around) return around;
  const root = scrapeConfigJsonSchema() as Schema;
  const of = (key: "metadata" | "spec", keys: readonly string[]) => {
    const { properties = {}, ...schema } = root.properties?.[key] ?? {};
    const picked = keys.flatMap((name) => (properties[name] ? [[name, properties[name]]] : []));
    return fieldsOfSchema(
      {
        ...schema,
        ...(root.$defs && { $defs: root.$defs }),
        properties: Object.fromEntries(picked) as Record<string, Schema>,
      },
      {
        recognise: (found, where) =>
          where.key === "schedule" ? "schedule" : recogniseValue(found, where),
      },
    );
  };
  around = {
    names: of("metadata", ["name", "namespace"]),
    first: of("spec", ["schedule"]),
    more: [...of("spec", ["timeout", "full", "logLevel", "retention"])],
  };
  return around;
}
