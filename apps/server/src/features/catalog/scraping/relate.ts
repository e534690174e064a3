import { type Lookup, type LookupField, lookupFields, type SelectorSpec } from "@mainstay/contract";
import { type Value, valueAsJson } from "@mainstay/scripting";
import { isObject, type Json } from "../changes/json-patch.ts";
import { itemContext, type ItemScripts, ScrapeScriptMistake } from "./item-scripts.ts";
import type { ItemSelector, ScrapedItem } from "./scraped.ts";

/** What lookups are filled in from. */
export interface LookupSource {
  labels: Readonly<Record<string, string>>;
  /** What their expressions see. */
  context(): Readonly<Record<string, Value>>;
}

export const sourceOf = (item: ScrapedItem): LookupSource => ({
  labels: item.labels,
  context: () => itemContext(item),
});

/** Where each field of a document goes. */
const fields: Readonly<Record<LookupField, keyof ItemSelector>> = {
  id: "id",
  external_id: "externalId",
  name: "name",
  namespace: "namespace",
  type: "type",
  agent: "agent",
  scope: "scope",
};
const mostSelectors = 1000;

/**
 * What the lookups of a document select, filled in from a source; nothing when one of them gives nothing: less would be
 * asked for than was meant, and more found.
 */
export async function selectorOf(
  name: string,
  spec: SelectorSpec,
  source: LookupSource,
  scripts: ItemScripts,
): Promise<ItemSelector | undefined> {
  const selector: Record<string, unknown> = {};
  for (const field of lookupFields) {
    const lookup = spec[field];
    if (lookup === undefined || isEmpty(lookup)) continue;
    const text = await lookedUp(`${name}.${field}`, lookup, source, scripts);
    if (text === "") return undefined;
    selector[fields[field]] = text;
  }
  if (spec.labels && Object.keys(spec.labels).length > 0) selector.labels = spec.labels;
  return Object.keys(selector).some((key) => key !== "agent" && key !== "scope")
    ? selector
    : undefined;
}

const isEmpty = ({ expr = "", value = "", label = "" }: Lookup) =>
  expr === "" && value === "" && label === "";

async function lookedUp(
  name: string,
  { expr = "", value = "", label = "" }: Lookup,
  source: LookupSource,
  scripts: ItemScripts,
): Promise<string> {
  if (expr !== "") {
    const found = await scripts.evaluate({
      name: `${name}.expr`,
      language: "cel",
      text: expr,
      context: source.context(),
    });
    return found.text.trim();
  }
  return value === "" ? (source.labels[label] ?? "") : value;
}

/** The selectors that a script gives, as a list or its JSON. @throws ScrapeScriptMistake */
export function readSelectors(name: string, value: Value, text: string): ItemSelector[] {
  const given =
    typeof value === "object" && value !== null ? valueAsJson(value) : text.trim() || "[]";
  let list: Json;
  try {
    list = JSON.parse(given) as Json;
  } catch {
    throw new ScrapeScriptMistake(`${name}: gives no list of selectors.`);
  }
  const found = Array.isArray(list) ? (list as readonly Json[]) : [list];
  if (found.length > mostSelectors)
    throw new ScrapeScriptMistake(
      `${name}: gives ${found.length} selectors, at most ${mostSelectors} are followed.`,
    );
  return found.flatMap((one): ItemSelector[] => {
    if (!isObject(one)) return [];
    const selector: Record<string, unknown> = {};
    for (const field of lookupFields) {
      const said = one[field];
      if (typeof said === "string" && said !== "") selector[fields[field]] = said;
    }
    if (isObject(one.labels)) selector.labels = one.labels;
    return Object.keys(selector).length > 0 ? [selector] : [];
  });
}
