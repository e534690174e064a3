import type { ReactNode } from "react";
import { Check, X } from "lucide-react";
import { classNames } from "../class-names.ts";

/** Off, include, exclude. */
export type TriState = 0 | 1 | -1;

/** Choosing the state that is already active switches it off. */
export const toggled = (current: TriState, chosen: 1 | -1): TriState =>
  current === chosen ? 0 : chosen;

export interface TriStateToggleProps {
  label: string;
  /** Shown instead of the label when it should look different. */
  children?: ReactNode;
  /** How many it stands for. */
  count?: number | undefined;
  value: TriState;
  onChange: (value: TriState) => void;
}

const number = new Intl.NumberFormat();

export function TriStateToggle({ label, children, count, value, onChange }: TriStateToggleProps) {
  return (
    <fieldset aria-label={label} className="flex min-h-7 items-center justify-between gap-2">
      <span
        className={classNames(
          "min-w-0 truncate text-sm",
          value === -1 && "line-through",
          value === 0 && "text-muted",
        )}
        data-tooltip={label}
      >
        {value === -1 && <span aria-hidden="true">!</span>}
        {children ?? label}
      </span>
      {count !== undefined && (
        <span className="ml-auto shrink-0 text-xs text-muted tabular-nums">
          {number.format(count)}
        </span>
      )}
      <span className="flex shrink-0">
        <button
          type="button"
          aria-label={`Include ${label}`}
          aria-pressed={value === 1}
          onClick={() => onChange(toggled(value, 1))}
          className={classNames(
            "flex size-6 items-center justify-center rounded-l-control border",
            value === 1
              ? "border-accent bg-accent text-accent-text"
              : "border-border text-muted hover:bg-hover hover:text-text",
          )}
        >
          <Check size={14} strokeWidth={1.75} />
        </button>
        <button
          type="button"
          aria-label={`Exclude ${label}`}
          aria-pressed={value === -1}
          onClick={() => onChange(toggled(value, -1))}
          className={classNames(
            "-ml-px flex size-6 items-center justify-center rounded-r-control border",
            value === -1
              ? "border-text bg-text text-raised"
              : "border-border text-muted hover:bg-hover hover:text-text",
          )}
        >
          <X size={14} strokeWidth={1.75} />
        </button>
      </span>
    </fieldset>
  );
}
