import type { Column } from "../schema/schema.ts";

/** A value's type in Swagger 2.0. JSON columns may hold anything, so they have none. */
export interface ValueType {
  type?: "string" | "integer" | "number" | "boolean" | "array";
  items?: { type?: "string" | "integer" | "number" | "boolean" };
  format: string;
}

const plainTypes: Record<string, "integer" | "number" | "boolean"> = {
  smallint: "integer",
  integer: "integer",
  bigint: "integer",
  numeric: "number",
  real: "number",
  "double precision": "number",
  boolean: "boolean",
};

export function valueType(base: string): ValueType {
  if (base === "json" || base === "jsonb") return { format: base };
  if (!base.endsWith("[]")) return { type: plainTypes[base] ?? "string", format: base };
  const item = base.slice(0, -2);
  const isJson = item === "json" || item === "jsonb";
  return {
    type: "array",
    items: isJson ? {} : { type: plainTypes[item] ?? "string" },
    format: base,
  };
}

/** A default as a value: of texts what stands in the quotes, of others what JSON can say. */
export function defaultValue({ base, default: expression }: Column): unknown {
  if (expression === null) return undefined;
  if (valueType(base).type === "string") {
    const suffix = `::${base}`;
    return expression.endsWith(suffix)
      ? expression.slice(0, -suffix.length).replace(/^'+|'+$/g, "")
      : expression;
  }
  try {
    return JSON.parse(expression) as unknown;
  } catch {
    return undefined;
  }
}
