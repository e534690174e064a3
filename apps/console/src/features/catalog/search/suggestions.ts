import {
  printSearchValue,
  quoteSearch,
} from "@mainstay/contract/resource-selector/print-search.ts";
import type { SearchField } from "@mainstay/contract/resource-selector/search-fields.ts";
import type { Completing } from "./completing.ts";
import { fieldAsked, fieldsOf } from "./fields-of.ts";
import type { SearchedKind } from "./searched-kind.ts";

/** Something that can be put where the caret stands. */
export interface Suggestion {
  id: string;
  label: string;
  /** Beside it. */
  detail?: string;
  /** What stands there then, and whether more of the same term comes after it. */
  insert: string;
  isWhole: boolean;
}

/** A value that a field has somewhere, and in how many items. */
export interface KnownValue {
  value: string;
  count?: number | undefined;
}

const most = 12;

/** Those that begin with what is typed, then those that have it. */
function closest<One>(all: readonly One[], typed: string, textOf: (one: One) => string): One[] {
  const wanted = typed.toLowerCase();
  if (wanted === "") return all.slice(0, most);
  const places = all.map((one) => [one, textOf(one).toLowerCase().indexOf(wanted)] as const);
  return [...places.filter(([, at]) => at === 0), ...places.filter(([, at]) => at > 0)]
    .map(([one]) => one)
    .slice(0, most);
}

const usualSign: Record<SearchField["kind"], string> = {
  text: "=",
  number: ">",
  moment: ">",
  words: ":",
  level: ">=",
  key: ":",
};
const signs: Record<SearchField["kind"], readonly (readonly [sign: string, says: string])[]> = {
  text: [
    ["=", "is"],
    ["!=", "is not"],
    ["*=", "has in it"],
  ],
  number: [
    [">", "more than"],
    [">=", "at least"],
    ["<", "less than"],
    ["=", "is"],
  ],
  moment: [
    [">", "after"],
    ["<", "before"],
    ["=", "on the day"],
  ],
  words: [[":", "is"]],
  level: [
    [">=", "at least"],
    ["=", "is"],
    ["!=", "is not"],
    ["<", "less than"],
  ],
  key: [[":", "named"]],
};

const plainKey = /^[A-Za-z0-9_][\w./-]*$/;

const asField = ({ name, says, kind }: SearchField): Suggestion => ({
  id: name,
  label: name,
  detail: says,
  insert: `${name}${usualSign[kind]}`,
  isWhole: false,
});
/** What of an item can be said behind `config:`. */
const itemFields = fieldsOf.items.filter(({ kind }) => kind !== "key");

/** What can be put where the caret stands, of the fields that there are and the values that are known. */
export function suggestionsFor(
  completing: Completing,
  of: SearchedKind,
  known: readonly KnownValue[],
): Suggestion[] {
  const { kind, typed } = completing;
  const fields = fieldsOf[of];
  if (kind === "field" || kind === "operator") {
    const exact = fields.find(({ name, aliases }) => name === typed || aliases?.includes(typed));
    if (exact)
      return signs[exact.kind].map(([sign, says]) => ({
        id: sign,
        label: `${typed}${sign}`,
        detail: says,
        insert: `${typed}${sign}`,
        isWhole: false,
      }));
    return closest(fields, typed, ({ name }) => name).map(asField);
  }
  const shown = (count: number | undefined) =>
    count === undefined ? {} : { detail: count.toLocaleString() };
  if (kind === "key" && completing.field.startsWith("config"))
    return of === "items" ? [] : closest(itemFields, typed, ({ name }) => name).map(asField);
  if (kind === "key")
    return closest(known, typed, ({ value }) => value).map(({ value, count }) => ({
      id: value,
      label: value,
      ...shown(count),
      insert: `${plainKey.test(value) ? value : quoteSearch(value)}=`,
      isWhole: false,
    }));
  const field = fieldAsked(of, completing.field);
  const fixed = (field?.values ?? []).map((value) => ({
    value,
    count: known.find((one) => one.value === value)?.count,
  }));
  const others = known.filter(({ value }) => !field?.values?.includes(value));
  return closest([...fixed, ...others], typed, ({ value }) => value)
    .filter(({ value }) => value !== typed)
    .map(({ value, count }) => ({
      id: value,
      label: value,
      ...shown(count),
      insert: printSearchValue([value]),
      isWhole: true,
    }));
}
