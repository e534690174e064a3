import { readSearch } from "@mainstay/contract/resource-selector/parse-search.ts";
import { fieldAsked, fieldsOf } from "./fields-of.ts";
import type { SearchedKind } from "./searched-kind.ts";

/** How many letters differ; two that changed places are one. */
function distance(one: string, other: string): number {
  const rows = Array.from({ length: one.length + 1 }, (_, row) =>
    Array.from({ length: other.length + 1 }, (_ignored, column) => row || column),
  );
  const at = (row: number, column: number) => rows[row]![column]!;
  for (let row = 1; row <= one.length; row += 1)
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one[row - 1] === other[column - 1];
      const isSwapped =
        row > 1 &&
        column > 1 &&
        one[row - 1] === other[column - 2] &&
        one[row - 2] === other[column - 1];
      rows[row]![column] = Math.min(
        at(row - 1, column) + 1,
        at(row, column - 1) + 1,
        at(row - 1, column - 1) + (isSame ? 0 : 1),
        isSwapped ? at(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY,
      );
    }
  return at(one.length, other.length);
}

const farthest = (name: string) => (name.length < 5 ? 1 : 2);

/**
 * A name in a search that is almost that of a field. It is no mistake by itself, as any other name is looked up among
 * properties, and finds nothing there.
 */
export function fieldMeant(
  text: string,
  of: SearchedKind,
): { said: string; meant: string } | undefined {
  for (const { kind, from, to } of readSearch(text).tokens) {
    const said = text.slice(from, to);
    if (kind !== "field" || /[^a-z_]/i.test(said) || fieldAsked(of, said)) continue;
    const [closest] = fieldsOf[of]
      .flatMap(({ name, aliases = [] }) => [name, ...aliases])
      .map((meant) => ({ meant, away: distance(said.toLowerCase(), meant) }))
      .filter(({ meant, away }) => away <= farthest(meant))
      .toSorted((one, other) => one.away - other.away);
    if (closest) return { said, meant: closest.meant };
  }
  return undefined;
}
