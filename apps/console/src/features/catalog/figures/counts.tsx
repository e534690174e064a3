import { classNames } from "@mainstay/ui/class-names.ts";

/** Document 2, section 9: what is above 999 is told in thousands. */
export const countText = (count: number): string =>
  count > 999 ? `${Math.floor(count / 1_000)}k+` : String(count);

/** From here on it is red. */
const manyChanges = 500;

export interface ChangeCountProps {
  total: number;
  /** What the tooltip says besides the number. */
  words?: string;
}

/** How many changes there were in 30 days. */
export function ChangeCount({ total, words }: ChangeCountProps) {
  if (total === 0) return <span className="text-muted">–</span>;
  const told = `${total.toLocaleString()} ${total === 1 ? "change" : "changes"} in 30 days`;
  return (
    <span
      data-tooltip={words ? `${told}\n${words}` : told}
      className={classNames(
        "tabular-nums",
        total >= manyChanges && "font-medium text-unhealthy-fg",
      )}
    >
      {countText(total)}
    </span>
  );
}
