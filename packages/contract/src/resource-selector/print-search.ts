import type { Pattern } from "./match-list.ts";
import type { SearchNode, SearchQuery } from "./search-query.ts";

/** What needs no quotes wherever it stands; a word that reads like a field or a key does. */
const plainValue = /^[\p{L}\p{N}_][\p{L}\p{N}_.:/@+%-]*$/u;
const plainWord = /^(?!(?:labels|tags|properties)\.)[\p{L}\p{N}_][\p{L}\p{N}_./-]*$/u;
const plainField = /^[A-Za-z_][\w./-]*$/;

/** A text as a search says it literally. */
export const quoteSearch = (text: string): string => `"${text.replaceAll(/["\\]/g, "\\$&")}"`;

const printPattern = (pattern: Pattern, plain: RegExp): string =>
  pattern.length === 1 && pattern[0] === ""
    ? '""'
    : pattern
        .map((piece) => (piece === "" || plain.test(piece) ? piece : quoteSearch(piece)))
        .join("*");

/** A value as it stands behind `field=`. */
export const printSearchValue = (pattern: Pattern): string => printPattern(pattern, plainValue);

/** A field, and its key where it has one. */
function printField(field: string): string {
  if (plainField.test(field)) return field;
  const [head = "", ...rest] = field.split(".");
  const map = head === "properties" ? "property" : head.replace(/s$/, "");
  return `${map}:${quoteSearch(rest.join("."))}`;
}

function printNode(node: SearchNode): string {
  switch (node.kind) {
    case "or":
      return node.parts.map((part) => inside(part, part.kind === "or")).join(" | ");
    case "and":
      return node.parts.map((part) => inside(part, isGroup(part))).join(" ");
    case "not":
      return `-${inside(node.part, isGroup(node.part))}`;
    case "word":
      return printPattern(node.pattern, plainWord);
    case "exists":
      return printField(node.field);
    case "compare":
      return `${printField(node.field)}${node.operator}${node.values
        .map(({ pattern, isExcluded }) => `${isExcluded ? "!" : ""}${printSearchValue(pattern)}`)
        .join()}`;
  }
}

const isGroup = ({ kind }: SearchNode) => kind === "and" || kind === "or";
const inside = (node: SearchNode, isGrouped: boolean) =>
  isGrouped ? `(${printNode(node)})` : printNode(node);

function printQuery({ where, order, limit, offset }: SearchQuery): string {
  const ordered = order.map(({ field, isDescending }) => {
    const sign = isDescending ? "-" : /^[-+]/.test(field) ? "+" : "";
    return plainField.test(field) ? `${sign}${field}` : quoteSearch(`${sign}${field}`);
  });
  return [
    ...(where ? [printNode(where)] : []),
    ...(ordered.length > 0 ? [`@order=${ordered.join()}`] : []),
    ...(limit === undefined ? [] : [`limit=${limit}`]),
    ...(offset === undefined ? [] : [`offset=${offset}`]),
  ].join(" ");
}

/** Queries as text, which reads as the same queries. */
export const printSearch = (queries: readonly SearchQuery[]): string =>
  queries.map(printQuery).join("; ");
