export interface Cost {
  cost_total_1d?: number | null | undefined;
  cost_total_7d?: number | null | undefined;
  cost_total_30d?: number | null | undefined;
}

/** Document 2, section 9: two decimals up to ten, none above, thousands with a k; ours are millions. */
export function costText(amount: number | null | undefined): string {
  if (!amount) return "–";
  const size = Math.abs(amount);
  const sign = amount < 0 ? "-" : "";
  if (size > 1_000_000) return `${sign}$${trimmed(size / 1_000_000)}M`;
  if (size > 1_000) return `${sign}$${trimmed(size / 1_000)}k`;
  return size > 10 ? `${sign}$${size.toFixed(0)}` : `${sign}$${size.toFixed(2)}`;
}

const trimmed = (amount: number) => amount.toFixed(amount < 10 ? 1 : 0).replace(/\.0$/, "");

/** A smaller difference from the usual day is none. */
const leastDifference = 0.1;

export interface CostDifference {
  /** `+35%`, `2.5x`. */
  text: string;
  words: string;
  isMore: boolean;
}

/** By how much the last day differs from the mean day of the last thirty; nothing where that is little. */
export function costDifference({
  cost_total_1d: day,
  cost_total_30d: month,
}: Cost): CostDifference | undefined {
  if (typeof day !== "number" || !month) return undefined;
  if (Math.abs(day * 30 - month) <= Math.abs(month) * leastDifference) return undefined;
  const ratio = (day * 30) / month;
  const isMore = ratio > 1;
  if (ratio > 2) {
    const times = ratio.toFixed(1).replace(/\.0$/, "");
    return { text: `${times}x`, words: `${times} times the mean of 30 days`, isMore };
  }
  const share = `${Math.round(Math.abs(ratio - 1) * 100)}%`;
  return {
    text: `${isMore ? "+" : "-"}${share}`,
    words: `${share} ${isMore ? "above" : "below"} the mean of 30 days`,
    isMore,
  };
}
