/** Lines of a text, counted from 1, both ends included. */
export interface LineRange {
  from: number;
  to: number;
}

const most = 1_000_000_000;

/** Reads `L10`, `L10-20` (or `L10-L20`) from an address; whatever is not one is no range. */
export function parseLineRange(text: string | null | undefined): LineRange | null {
  const match = /^L?(\d{1,10})(?:-L?(\d{1,10}))?$/.exec(text?.trim() ?? "");
  if (!match) return null;
  const ends = [Number(match[1]), Number(match[2] ?? match[1])];
  const [from, to] = [Math.min(...ends), Math.max(...ends)];
  return from < 1 || to > most ? null : { from, to };
}

export function formatLineRange(range: LineRange | null): string | undefined {
  if (!range) return undefined;
  return range.from === range.to ? `L${range.from}` : `L${range.from}-${range.to}`;
}

/** The range from one line to another, whichever comes first. */
export const rangeBetween = (one: number, other: number): LineRange => ({
  from: Math.min(one, other),
  to: Math.max(one, other),
});
