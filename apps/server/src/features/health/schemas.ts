import {
  checkAliases,
  checkJsonSchema,
  componentSpec,
  isSupportedCheckType,
  type JsonSchema,
  jsonSchemaOf,
  ResourceSelector,
  scraperJsonSchema,
  scraperTypes,
  supportedCheckTypes,
  unsupportedCheckTypes,
  unsupportedScraperTypes,
} from "@mainstay/contract";
import { documentFormats } from "@mainstay/contract/document-formats.ts";
import { notFound } from "#platform/errors.ts";

/** Kinds whose schemas consoles ask for, by the beginnings of their files' names, and what they are. */
const kindsToCome: readonly (readonly [RegExp, string])[] = [
  [/^playbook\b/, "playbooks"],
  [/^notification/, "notifications and silences"],
  [/^incident-rules\b/, "incident rules"],
  [/^change-types\b/, "types of changes"],
];

/** Published names of a format that it does not have itself. */
const otherFormats: Readonly<Record<string, string>> = {
  scrape_config: "scraper",
  config_scraper: "scraper",
  logging_config: "logging-backend",
};

const resourceSelectors = ResourceSelector.array();

/** Files of published schemas that are not called like the type. */
const otherNames: Readonly<Record<string, string>> = {
  ...checkAliases,
  databaseBackupCheck: "databaseBackup",
  containerdPull: "containerd",
  dockerPull: "docker",
};

/** The check type that a word in a file's name means, in any case. */
function typeCalled(word: string): string | undefined {
  const lower = word.toLowerCase();
  const of = (names: readonly string[]) => names.find((name) => name.toLowerCase() === lower);
  const other = of(Object.keys(otherNames));
  return of(supportedCheckTypes) ?? (other && otherNames[other]) ?? of(unsupportedCheckTypes);
}

/** What a document of a kind holds, or its spec alone. */
function formatSchema(name: string): JsonSchema | undefined {
  const whole = name.replace(/[.-]spec$/, "");
  const known = Object.hasOwn(otherFormats, whole) ? otherFormats[whole] : whole;
  const format = documentFormats.find((one) => one.name === known);
  return format && jsonSchemaOf(name === whole ? format.envelope : format.spec);
}

/** What one scraper of a type holds. @throws the reason why there is none */
function scraperSchema(name: string): JsonSchema | undefined {
  const word = /^config_(\w+)(?:\.spec)?$/.exec(name)?.[1]?.toLowerCase();
  if (word === undefined) return undefined;
  const type = scraperTypes.find((one) => one.toLowerCase() === word);
  if (type) return scraperJsonSchema(type);
  const kept = unsupportedScraperTypes.find((one) => one === word);
  throw notFound(
    kept
      ? `There is no schema "${name}": scrapers of type ${kept} are kept, and not run.`
      : `There is no schema "${name}": this version has no such scraper type.`,
  );
}

/** JSON schemas by file name, for editors and other tools: those of the documents that this server knows. */
export function schemaFile(file: string): JsonSchema {
  const name = /^([\w.-]{1,100}?)\.schema\.json$/.exec(file)?.[1] ?? "";
  const known = formatSchema(name) ?? scraperSchema(name);
  if (known) return known;
  if (name === "resource_selector") return jsonSchemaOf(ResourceSelector);
  if (name === "resource_selectors") return jsonSchemaOf(resourceSelectors);
  // A part of a topology, which is no document of its own here.
  if (name === "component" || name === "component.spec") return jsonSchemaOf(componentSpec);
  const word = /^health_(\w+)(?:\.spec)?$/.exec(name)?.[1];
  const type = word === undefined ? undefined : typeCalled(word);
  if (type !== undefined && isSupportedCheckType(type)) return checkJsonSchema(type);
  if (type !== undefined)
    throw notFound(`There is no schema "${name}": checks of type ${type} are kept, and not run.`);
  if (word !== undefined)
    throw notFound(`There is no schema "${name}": this version has no such check type.`);
  const come = kindsToCome.find(([begins]) => begins.test(name))?.[1];
  throw notFound(
    come === undefined
      ? `There is no schema called "${file.slice(0, 100)}".`
      : `There is no schema "${name}": this server knows no documents for ${come}.`,
  );
}
