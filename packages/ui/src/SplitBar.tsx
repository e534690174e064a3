import type { Tone } from "./StatusDot.tsx";
import { classNames } from "./class-names.ts";

export interface SplitPart {
  tone: Tone;
  count: number;
  label: string;
}

const fills: Record<Tone, string> = {
  healthy: "bg-healthy",
  warning: "bg-warning",
  unhealthy: "bg-unhealthy",
  unknown: "bg-unknown",
  info: "bg-info",
};

export interface SplitBarProps {
  parts: readonly SplitPart[];
  /** The part that is counted in front of the total, e.g. what is healthy. */
  counted: Tone;
  className?: string;
  isShort?: boolean;
}

const number = new Intl.NumberFormat();

/** "28 / 40" with the shares drawn as a bar. */
export function SplitBar({ parts, counted, className, isShort = false }: SplitBarProps) {
  const total = parts.reduce((sum, part) => sum + part.count, 0);
  const shown = parts.find((part) => part.tone === counted)?.count ?? 0;
  const words = parts
    .filter((part) => part.count > 0)
    .map((part) => `${number.format(part.count)} ${part.label}`)
    .join(", ");
  return (
    <span
      role="img"
      aria-label={`${words || "none"} of ${number.format(total)}`}
      data-tooltip={words || "none"}
      className={classNames("inline-flex min-w-0 items-center gap-2", className)}
    >
      <span
        className={classNames(
          "flex h-1.5 shrink-0 gap-px overflow-hidden rounded-bar bg-hover",
          isShort ? "w-12" : "w-20",
        )}
      >
        {parts
          .filter((part) => part.count > 0)
          .map((part) => (
            <span
              key={part.tone}
              className={fills[part.tone]}
              style={{ flexGrow: part.count, minWidth: 3 }}
            />
          ))}
      </span>
      <span className="shrink-0 text-xs tabular-nums text-muted">
        <span className="text-text">{number.format(shown)}</span> / {number.format(total)}
      </span>
    </span>
  );
}
