import {
  changeSearchFields,
  fieldCalled,
  insightSearchFields,
  itemSearchFields,
  type SearchField,
} from "@mainstay/contract/resource-selector/search-fields.ts";
import type { SearchedKind } from "./searched-kind.ts";

export const fieldsOf: Readonly<Record<SearchedKind, readonly SearchField[]>> = {
  items: itemSearchFields,
  changes: changeSearchFields,
  insights: insightSearchFields,
};

const ofItem = /^config[.:]/;
const named: Readonly<Record<string, string>> = { config_type: "type" };
const asItems = new Set(["name", "config_type", "namespace", "agent", "agent_id"]);

/** The kind whose field stands in a search, and what that kind calls it: of changes `config:type` is the type of an item. */
export function askedField(of: SearchedKind, field: string): { of: SearchedKind; field: string } {
  if (of === "items") return { of, field };
  if (ofItem.test(field)) return { of: "items", field: field.replace(ofItem, "") };
  return asItems.has(field) ? { of: "items", field: named[field] ?? field } : { of, field };
}

/** The field that stands in a search of a kind. */
export function fieldAsked(of: SearchedKind, name: string): SearchField | undefined {
  const asked = askedField(of, name);
  return fieldCalled(fieldsOf[asked.of], asked.field);
}
