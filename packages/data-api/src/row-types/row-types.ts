import type { Column, Schema } from "../schema/schema.ts";

const numbers = new Set(["smallint", "integer", "bigint", "numeric", "real", "double precision"]);

/**
 * TypeScript of the rows of a schema as they arrive in JSON: one interface `Rows` with a member for each table. What
 * stands in a JSON column is not known here, so it is `unknown`.
 */
export function rowTypes({ tables }: Schema<never>): string {
  const members = [...tables.values()]
    .toSorted((left, right) => (left.name < right.name ? -1 : 1))
    .map(({ name, columns }) => {
      const lines = [...columns.values()].map(
        (column) => `    ${keyOf(column.name)}: ${typeOf(column)};`,
      );
      return `  ${keyOf(name)}: {\n${lines.join("\n")}\n  };`;
    });
  return `export interface Rows {\n${members.join("\n")}\n}\n`;
}

const keyOf = (name: string) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name));

function typeOf({ base, labels, nullable }: Column): string {
  const isList = base.endsWith("[]");
  const item = isList ? base.slice(0, -2) : base;
  const one = labels
    ? labels.map((label) => JSON.stringify(label)).join(" | ")
    : item === "boolean"
      ? "boolean"
      : numbers.has(item)
        ? "number"
        : item === "json" || item === "jsonb"
          ? "unknown"
          : "string";
  const type = isList ? `(${one} | null)[]` : one;
  return nullable && type !== "unknown" ? `${type} | null` : type;
}
