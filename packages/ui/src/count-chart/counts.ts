import { moment } from "../moments.ts";

/** How many there are of each kind in one span of time. */
export interface CountBar {
  /** Epoch ms; without the end. */
  from: number;
  to: number;
  /** In the order in which they are stacked, from the foot. */
  parts: readonly { kind: string; count: number }[];
}

/** A kind of what is counted: its word, and the token of its colour. */
export interface CountKind {
  id: string;
  label: string;
  /** `--warning` */
  ink: string;
  /** Of 1; the less it matters, the fainter. */
  opacity: number;
}

export const sumOf = ({ parts }: CountBar): number =>
  parts.reduce((sum, { count }) => sum + count, 0);

const number = new Intl.NumberFormat("en-GB");

/** What a bar says: when, and how many of each kind. */
export function barWords(bar: CountBar, kinds: readonly CountKind[]): string[] {
  const words = bar.parts
    .filter(({ count }) => count > 0)
    .toReversed()
    .map(({ kind, count }) => {
      const label = kinds.find(({ id }) => id === kind)?.label ?? kind;
      return `${label} ${number.format(count)}`;
    });
  return [moment.formatRange(bar.from, bar.to), ...words];
}

/** What a chart says as a whole. */
export function chartWords(bars: readonly CountBar[], noun: string): string {
  if (bars.length === 0) return `No ${noun}.`;
  const total = bars.reduce((sum, bar) => sum + sumOf(bar), 0);
  const highest = bars.reduce((one, other) => (sumOf(other) > sumOf(one) ? other : one));
  return `${number.format(total)} ${noun}, the most ${moment.formatRange(highest.from, highest.to)}: ${number.format(sumOf(highest))}.`;
}
