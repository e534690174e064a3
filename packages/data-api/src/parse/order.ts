import { beyondLimit } from "../errors.ts";
import { limits } from "../limits.ts";
import { Cursor } from "./cursor.ts";
import { type Field, parseField } from "./field.ts";

export interface OrderTerm {
  /** The embed whose column it is; of the table itself without. */
  embed?: string;
  field: Field;
  direction?: "asc" | "desc";
  nulls?: "first" | "last";
}

export function parseOrder(text: string): OrderTerm[] {
  const cursor = new Cursor("order", text);
  const terms: OrderTerm[] = [];
  do {
    if (terms.length === limits.orderTerms)
      throw beyondLimit("columns in order", limits.orderTerms);
    cursor.spaces();
    terms.push(parseTerm(cursor));
    cursor.spaces();
  } while (cursor.take(","));
  if (!cursor.done) throw cursor.refusal('"," or end of input');
  return terms;
}

function parseTerm(cursor: Cursor): OrderTerm {
  const first = parseField(cursor);
  const isEmbed = first.path.length === 0 && cursor.take("(");
  const term: OrderTerm = isEmbed
    ? { embed: first.name, field: parseField(cursor) }
    : { field: first };
  if (isEmbed) cursor.expect(")");
  if (cursor.take(".asc")) term.direction = "asc";
  else if (cursor.take(".desc")) term.direction = "desc";
  if (cursor.take(".nullsfirst")) term.nulls = "first";
  else if (cursor.take(".nullslast")) term.nulls = "last";
  if (!term.direction && !term.nulls && cursor.take("."))
    throw cursor.refusal('"asc", "desc", "nullsfirst" or "nullslast"');
  return term;
}
