import { createHash } from "node:crypto";
import {
  isInMatchList,
  parseMatchList,
  type MaskSpec,
  type PropertySpec,
  type RelationshipSpec,
  type ScraperBase,
  templatedLinkFields,
  templatedPropertyFields,
} from "@mainstay/contract";
import { ScriptError } from "@mainstay/scripting";
import type { Json } from "../changes/json-patch.ts";
import {
  isTrue,
  itemContext,
  type ItemScripts,
  madeElements,
  ScrapeScriptMistake,
} from "./item-scripts.ts";
import { findPlaces, replaceAt } from "./paths.ts";
import { readSelectors, selectorOf, sourceOf } from "./relate.ts";
import type { ItemSelector, Property, Relation, ScrapedItem } from "./scraped.ts";

export interface TransformParts {
  scripts: ItemScripts;
  /** What went wrong and takes nothing away but what it was to do. */
  notice(message: string): void;
}

/** Everything that becomes of an item between its extraction and the catalog, in the order of spec formats, 7.3. */
export async function transformItem(
  item: ScrapedItem,
  base: ScraperBase,
  parts: TransformParts,
): Promise<ScrapedItem> {
  const { transform = {}, properties = [] } = base;
  let made = item;
  if (properties.length > 0)
    made = { ...made, properties: await propertiesOf(made, properties, parts) };
  if (transform.aliases?.length || transform.locations?.length)
    made = { ...made, aliases: [...made.aliases, ...(await aliasesOf(made, base, parts))] };
  const relations = await relationsOf(made, transform.relationship ?? [], parts);
  if (relations.length > 0) made = { ...made, relations: [...made.relations, ...relations] };
  for (const [index, { types, jsonpath }] of (transform.exclude ?? []).entries()) {
    if (types?.length && !isInMatchList(parseMatchList(types), made.type)) continue;
    made = { ...made, config: without(made.config, jsonpath, `transform.exclude.${index}`, parts) };
  }
  for (const [index, mask] of (transform.mask ?? []).entries())
    made = await masked(made, mask, `transform.mask.${index}`, parts);
  return made;
}

/** The elements that a scraper's script makes of something read; the value itself where there is none. */
export async function runTransformScript(
  value: Json,
  item: ScrapedItem | undefined,
  script: { key: string; language: "cel" | "gotemplate" | "javascript" | "jsonpath"; text: string },
  { scripts }: TransformParts,
): Promise<Json[]> {
  const name = `transform.${script.key}`;
  const found = await scripts.evaluate({
    name,
    language: script.language,
    text: script.text,
    context: {
      config: value,
      result: item ? itemContext(item) : { config: value },
    },
  });
  return madeElements(name, found);
}

async function propertiesOf(
  item: ScrapedItem,
  specs: readonly PropertySpec[],
  parts: TransformParts,
): Promise<Property[]> {
  const context = itemContext(item);
  const fill = async (name: string, text: unknown) =>
    typeof text !== "string" || !/\{\{|\$\(/.test(text)
      ? text
      : (
          await parts.scripts.evaluate({
            name,
            language: "gotemplate",
            text,
            context,
            isSpec: true,
          })
        ).text;
  const made: Property[] = [];
  for (const [index, spec] of specs.entries()) {
    const name = `properties.${index}`;
    try {
      if (!(await holds(`${name}.filter`, spec.filter, item, parts))) continue;
      const property: Record<string, unknown> = {};
      for (const field of templatedPropertyFields)
        if (spec[field] !== undefined)
          property[field] = await fill(`${name}.${field}`, spec[field]);
      for (const field of ["value", "min", "max"] as const)
        if (property[field] !== undefined) {
          const number = Number(property[field]);
          if (Number.isFinite(number)) property[field] = number;
          else delete property[field];
        }
      for (const field of ["order", "headline", "hidden"] as const)
        if (spec[field] !== undefined) property[field] = spec[field];
      if (spec.links)
        property.links = await Promise.all(
          spec.links.map(async (link, place) =>
            Object.fromEntries(
              await Promise.all(
                templatedLinkFields
                  .filter((field) => link[field] !== undefined)
                  .map(async (field) => [
                    field,
                    await fill(`${name}.links.${place}.${field}`, link[field]),
                  ]),
              ),
            ),
          ),
        );
      made.push(property);
    } catch (error) {
      noteMistake(error, parts);
    }
  }
  return [...item.properties, ...made];
}

/** One script of an item that goes wrong takes away what it was to say; it is told, and the item stays. */
function noteMistake(error: unknown, { notice }: TransformParts): void {
  if (!(error instanceof ScrapeScriptMistake || error instanceof ScriptError)) throw error;
  notice(error.message);
}

async function holds(
  name: string,
  filter: string | undefined,
  item: ScrapedItem,
  { scripts }: TransformParts,
): Promise<boolean> {
  if (filter === undefined || filter.trim() === "") return true;
  return isTrue(
    await scripts.evaluate({ name, language: "cel", text: filter, context: itemContext(item) }),
  );
}

async function aliasesOf(
  item: ScrapedItem,
  { transform = {} }: ScraperBase,
  parts: TransformParts,
): Promise<string[]> {
  const found: string[] = [];
  for (const [index, spec] of (transform.aliases ?? []).entries()) {
    const name = `transform.aliases.${index}`;
    if (!isInMatchList(parseMatchList(spec.type), item.type)) continue;
    try {
      if (!(await holds(`${name}.filter`, spec.filter, item, parts))) continue;
      for (const [place, text] of (spec.values ?? []).entries()) {
        const filled = await parts.scripts.evaluate({
          name: `${name}.values.${place}`,
          language: "gotemplate",
          text,
          context: itemContext(item),
          isSpec: true,
        });
        if (filled.text !== "") found.push(filled.text);
      }
    } catch (error) {
      noteMistake(error, parts);
    }
  }
  return found;
}

async function relationsOf(
  item: ScrapedItem,
  specs: readonly RelationshipSpec[],
  parts: TransformParts,
): Promise<Relation[]> {
  const relations: Relation[] = [];
  for (const [index, spec] of specs.entries()) {
    const name = `transform.relationship.${index}`;
    try {
      if (!(await holds(`${name}.filter`, spec.filter, item, parts))) continue;
      const selectors: ItemSelector[] = [];
      if (spec.expr) {
        const { value, text } = await parts.scripts.evaluate({
          name: `${name}.expr`,
          language: "cel",
          text: spec.expr,
          context: itemContext(item),
        });
        selectors.push(...readSelectors(`${name}.expr`, value, text));
      } else {
        const selector = await selectorOf(name, spec, sourceOf(item), parts.scripts);
        if (selector) selectors.push(selector);
      }
      relations.push(
        ...selectors.map((to) => ({
          to,
          relation: "",
          ...(spec.parent && { isParent: true }),
        })),
      );
    } catch (error) {
      noteMistake(error, parts);
    }
  }
  return relations;
}

function without(config: Json, path: string, name: string, parts: TransformParts): Json {
  try {
    let made = config;
    // From behind, so that what is taken out of a list moves nothing that is still to be.
    for (const { location } of findPlaces(path, config).toReversed())
      if (location.length > 0) made = replaceAt(made, location, undefined);
    return made;
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    parts.notice(`${name}: ${error.message}`);
    return config;
  }
}

/** A mask that cannot be told whether it holds does: what was to be hidden is not shown by mistake. */
async function masked(
  item: ScrapedItem,
  { selector, jsonpath, value = "" }: MaskSpec,
  name: string,
  parts: TransformParts,
): Promise<ScrapedItem> {
  try {
    if (!(await holds(`${name}.selector`, selector, item, parts))) return item;
  } catch (error) {
    noteMistake(error, parts);
  }
  const hide = (found: Json): Json =>
    value === "md5sum"
      ? createHash("md5")
          .update(typeof found === "string" ? found : JSON.stringify(found))
          .digest("hex")
      : value;
  let config = item.config;
  for (const { location } of findPlaces(jsonpath, item.config))
    config = replaceAt(config, location, hide);
  return { ...item, config };
}
