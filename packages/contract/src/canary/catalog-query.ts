import type { ResourceSelector } from "../resource-selector/resource-selector.ts";

/** What a query may ask of an item; each is a column of the table and a field of selectors. */
const columns = ["config_class", "health", "name", "status", "type"].join("|");
/** What a value may hold: nothing that a selector would read as more than itself. */
const value = "[\\w.:/-]+";
// Parts that stand beside each other take nothing in common: a long run of blanks would be divided in every way otherwise.
const condition = new RegExp(
  `^(?:(${columns})\\s*=\\s*'(${value})'|deleted_at\\s+is\\s+null)$`,
  "i",
);
const whole = /^select\s+\*\s+from\s+config_items(?:\s+where\s([^;]+))?$/i;
const longest = 4096;

export interface CatalogQuery {
  selector: ResourceSelector;
  /** Columns and their texts: selectors pass over capitals, the query did not. */
  equal: Readonly<Record<string, string>>;
}

/**
 * What a query of the table of items says: `select * from config_items`, with columns that equal texts. Undefined for any
 * other: queries themselves are not run.
 */
export function readCatalogQuery(query: string): CatalogQuery | undefined {
  if (query.length > longest) return undefined;
  const found = whole.exec(query.trim().replace(/;$/, "").trimEnd());
  if (!found) return undefined;
  const [, where] = found;
  const conditions = (where === undefined ? [] : where.split(/\sand\s/i)).map((text) =>
    condition.exec(text.trim()),
  );
  const equal: Record<string, string> = {};
  let includeDeleted = true;
  for (const one of conditions) {
    if (!one) return undefined;
    const [, column, text = ""] = one;
    const name = column?.toLowerCase();
    if (name === undefined) includeDeleted = false;
    else if (Object.hasOwn(equal, name)) return undefined;
    else equal[name] = text;
  }
  const fields = Object.entries(equal).map(([name, text]) => `${name}=${text}`);
  // A selector that says nothing selects nothing.
  const selected = fields.length > 0 ? { fieldSelector: fields.join(",") } : { types: ["*"] };
  return { selector: { includeDeleted, ...selected }, equal };
}
