import {
  checkAliases,
  checkJsonSchema,
  isSupportedCheckType,
  type JsonSchema,
  jsonSchemaOf,
  ResourceSelector,
  supportedCheckTypes,
  unsupportedCheckTypes,
} from "@mainstay/contract";
import { documentFormats } from "@mainstay/contract/document-formats.ts";
import { notFound } from "#platform/errors.ts";

/** Kinds whose schemas consoles ask for, by the beginnings of their files' names, and what they are. */
const kindsToCome: readonly (readonly [RegExp, string])[] = [
  [/^(topology|component)\b/, "topologies"],
  [/^(scrape_config|config_)/, "catalog scrapers"],
  [/^playbook\b/, "playbooks"],
  [/^notification/, "notifications and silences"],
  [/^incident-rules\b/, "incident rules"],
  [/^logging_config\b/, "logging backends"],
  [/^change-types\b/, "types of changes"],
];

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

/** JSON schemas by file name, for editors and other tools: those of the documents that this server knows. */
export function schemaFile(file: string): JsonSchema {
  const name = /^([\w.-]{1,100}?)\.schema\.json$/.exec(file)?.[1] ?? "";
  const format = documentFormats.find((one) =>
    [name, name.replace(/[.-]spec$/, "")].includes(one.name),
  );
  if (format) return jsonSchemaOf(name === format.name ? format.envelope : format.spec);
  if (name === "resource_selector") return jsonSchemaOf(ResourceSelector);
  if (name === "resource_selectors") return jsonSchemaOf(resourceSelectors);
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
