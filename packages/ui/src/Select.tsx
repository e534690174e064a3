import { ChevronDown } from "lucide-react";
import { classNames } from "./class-names.ts";

export interface SelectOption {
  value: string;
  label: string;
  disabled?: boolean;
}

export interface SelectProps {
  label: string;
  /** Keeps the name for assistive technology and shows only the value. */
  hideLabel?: boolean;
  value: string;
  options: readonly SelectOption[];
  onChange: (value: string) => void;
  disabled?: boolean;
  className?: string;
}

/** A choice of one. The browser's own list: it opens at once, speaks every assistive technology and works on phones. */
export function Select({
  label,
  hideLabel,
  value,
  options,
  onChange,
  disabled,
  className,
}: SelectProps) {
  return (
    <label className={classNames("inline-flex min-w-0 items-center gap-1.5", className)}>
      <span className={hideLabel ? "sr-only" : "shrink-0 text-xs text-muted"}>{label}</span>
      <span className="relative flex min-w-0 flex-1">
        <select
          value={value}
          disabled={disabled}
          onChange={(event) => onChange(event.target.value)}
          className="field w-full min-w-0 appearance-none truncate pr-6"
        >
          {options.map((option) => (
            <option key={option.value} value={option.value} disabled={option.disabled}>
              {option.label}
            </option>
          ))}
        </select>
        <ChevronDown
          aria-hidden="true"
          size={14}
          strokeWidth={1.75}
          className="pointer-events-none absolute top-1/2 right-1.5 -translate-y-1/2 text-muted"
        />
      </span>
    </label>
  );
}
