import { classNames } from "@mainstay/ui/class-names.ts";
import { type Cost, costDifference, costText } from "./cost.ts";

const said = (amount: number | null | undefined) => (amount ? `$${amount.toFixed(2)}` : "none");

export interface CostTextProps extends Cost {
  /** Which of the three is shown; the last day with how much it differs from others. */
  of?: "1d" | "7d" | "30d";
  className?: string;
}

/** What an item, or a group of them, costs. */
export function CostText({ of: window = "30d", className, ...cost }: CostTextProps) {
  const { cost_total_1d: day, cost_total_7d: week, cost_total_30d: month } = cost;
  const difference = window === "1d" ? costDifference(cost) : undefined;
  return (
    <span
      className={classNames("inline-flex items-baseline gap-1 tabular-nums", className)}
      data-tooltip={
        day || week || month
          ? `1 day: ${said(day)}\n7 days: ${said(week)}\n30 days: ${said(month)}${
              difference ? `\nThe last day is ${difference.words}` : ""
            }`
          : undefined
      }
    >
      {costText({ "1d": day, "7d": week, "30d": month }[window])}
      {difference && (
        <span
          className={classNames(
            "text-2xs",
            difference.isMore ? "text-unhealthy-fg" : "text-healthy-fg",
          )}
        >
          {difference.text}
        </span>
      )}
    </span>
  );
}
