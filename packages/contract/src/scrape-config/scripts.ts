import type { PlacedScript, Script, ScriptLanguage } from "../canary/scripts.ts";
import { isJsonPath, templatedLinkFields, templatedPropertyFields } from "./base-fields.ts";
import { lookupFields } from "../resource-selector/lookup.ts";
import { isScraperType } from "./scraper-types.ts";
import { scrapersOf } from "./scrapers-of.ts";

/** A script of a scraper, and where in it, or in its document, it stands. */
export interface ScraperScript extends PlacedScript {
  /** A text with templates in it: `{{ }}`, and `$( )` in what that gives. */
  isSpec?: true;
}

type Written = Readonly<Record<string, unknown>>;
type Path = readonly (string | number)[];

const isMapping = (value: unknown): value is Written =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const textOf = (value: unknown): string =>
  typeof value === "string" && value.trim() !== "" ? value : "";
const listOf = (value: unknown): unknown[] =>
  Array.isArray(value) ? value : value === undefined ? [] : [value];
const isTemplate = (text: string) => text.includes("{{") || text.includes("$(");

/** The first that holds something counts. Source: spec formats, section 4.1. */
const precedence = [
  ["gotemplate", "gotemplate"],
  ["jsonpath", "jsonpath"],
  ["expr", "cel"],
  ["javascript", "javascript"],
] as const;

/** The script of a scraper's `transform`; undefined when there is none. */
export function readTransformScript(transform: unknown): Script | undefined {
  if (!isMapping(transform)) return undefined;
  for (const [key, language] of precedence) {
    const text = textOf(transform[key]);
    if (text !== "") return { language, text, key };
  }
  return undefined;
}

/** Where one looks for scripts: a value of the spec and the way to it. */
interface At {
  value: unknown;
  path: Path;
}
const into = ({ value, path }: At, key: string | number): At => ({
  value: isMapping(value) || Array.isArray(value) ? (value as Written)[key] : undefined,
  path: [...path, key],
});
/** Each of a list; of one thing in its place that alone. */
const each = (at: At): At[] =>
  Array.isArray(at.value)
    ? at.value.map((_, index) => into(at, index))
    : listOf(at.value).map((value) => ({ value, path: at.path }));

const scriptAt = (
  { value, path }: At,
  language: ScriptLanguage,
  more: { isSpec?: true } = {},
): ScraperScript[] => {
  const text = textOf(value);
  const key = path.findLast((step) => typeof step === "string") ?? "";
  return text === "" ? [] : [{ language, text, key, name: path.join("."), path, ...more }];
};
const cel = (at: At) => scriptAt(at, "cel");
const jsonPath = (at: At) => scriptAt(at, "jsonpath");
const templated = (at: At) =>
  isTemplate(textOf(at.value)) ? scriptAt(at, "gotemplate", { isSpec: true }) : [];
/** A Go template as a whole: without anything to fill in it is a text. */
const goTemplate = (at: At) => scriptAt(at, "gotemplate");

const lookups = (at: At, fields: readonly string[] = lookupFields): ScraperScript[] =>
  fields.flatMap((field) => cel(into(into(at, field), "expr")));

/** Fields that are a JSONPath when they look like one, and a text of their own otherwise. */
const extracted = ["id", "name", "type", "class", "status", "health", "description"];

function baseScripts(at: At): ScraperScript[] {
  return [
    ...jsonPath(into(at, "items")),
    ...extracted
      .map((key) => into(at, key))
      .filter(({ value }) => isJsonPath(textOf(value)))
      .flatMap(jsonPath),
    ...["createFields", "deleteFields"].flatMap((key) => each(into(at, key)).flatMap(jsonPath)),
    ...each(into(at, "tags")).flatMap((tag) => jsonPath(into(tag, "jsonpath"))),
    ...each(into(at, "properties")).flatMap((property) => [
      ...cel(into(property, "filter")),
      ...templatedPropertyFields.flatMap((key) => templated(into(property, key))),
      ...each(into(property, "links")).flatMap((link) =>
        templatedLinkFields.flatMap((key) => templated(into(link, key))),
      ),
    ]),
  ];
}

function transformScripts(at: At): ScraperScript[] {
  const script = readTransformScript(at.value);
  const changes = into(at, "changes");
  return [
    ...(script ? scriptAt(into(at, script.key), script.language) : []),
    ...each(into(at, "exclude")).flatMap((one) => jsonPath(into(one, "jsonpath"))),
    ...each(into(at, "mask")).flatMap((one) => [
      ...cel(into(one, "selector")),
      ...jsonPath(into(one, "jsonpath")),
    ]),
    ...each(into(at, "relationship")).flatMap((one) => [
      ...cel(into(one, "filter")),
      ...cel(into(one, "expr")),
      ...lookups(one),
    ]),
    ...each(into(changes, "mapping")).flatMap((one) => [
      ...cel(into(one, "filter")),
      ...goTemplate(into(one, "summary")),
      ...cel(into(one, "config_id")),
      ...lookups(into(one, "target")),
    ]),
    ...each(into(changes, "exclude")).flatMap(cel),
    ...["locations", "aliases"].flatMap((key) =>
      each(into(at, key)).flatMap((one) => [
        ...cel(into(one, "filter")),
        ...each(into(one, "values")).flatMap(templated),
      ]),
    ),
  ];
}

/** What types have beside what all have. */
const particular: Readonly<Record<string, (at: At) => ScraperScript[]>> = {
  http: (at) => [
    ...templated(into(at, "url")),
    ...["nextPageExpr", "reduceExpr"].flatMap((key) => cel(into(into(at, "pagination"), key))),
  ],
  kubernetes: (at) =>
    each(into(at, "relationships")).flatMap((one) => lookups(one, ["kind", "name", "namespace"])),
};

/** Everything in a scraper of a type, as it was written, that is evaluated; paths lead from the scraper on. */
export function scriptsOfScraper(type: string, scraper: Written): ScraperScript[] {
  const at: At = { value: scraper, path: [] };
  return [
    ...(Object.hasOwn(particular, type) ? particular[type]!(at) : []),
    ...baseScripts(type === "githubActions" ? withoutStatus(at) : at),
    ...transformScripts(into(at, "transform")),
  ];
}

/** Which runs are asked for, and no extraction. */
const withoutStatus = ({ value, path }: At): At => ({
  value: { ...(value as Written), status: undefined },
  path,
});

/** Everything in a spec, as it was written, that is evaluated; paths lead from the spec on. */
export const scraperScripts = (spec: Written): ScraperScript[] =>
  scrapersOf(spec).flatMap(({ type, spec: scraper, path }) =>
    // What is only kept may call what this version does not know.
    isScraperType(type)
      ? scriptsOfScraper(type, scraper).map((script) => ({
          ...script,
          path: [...path, ...script.path],
        }))
      : [],
  );
