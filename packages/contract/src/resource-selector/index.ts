export * from "./label-selector.ts";
export { type Lookup, type LookupField, lookupFields, type SelectorSpec } from "./lookup.ts";
export * from "./match-list.ts";
export * from "./parse-search.ts";
export * from "./print-search.ts";
export * from "./resource-selector.ts";
export * from "./search-fields.ts";
export * from "./search-query.ts";
export * from "./selector-error.ts";
