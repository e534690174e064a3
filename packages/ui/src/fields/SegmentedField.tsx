import { useId } from "react";
import { classNames } from "../class-names.ts";

export interface SegmentedFieldProps {
  /** What is chosen, for assistive technology: the options speak for themselves. */
  label: string;
  value: string;
  options: readonly { value: string; label: string }[];
  onChange: (value: string) => void;
  disabled?: boolean;
}

/** A choice of one from two to four that are worth seeing at once. */
export function SegmentedField({
  label,
  value,
  options,
  onChange,
  disabled = false,
}: SegmentedFieldProps) {
  const name = useId();
  return (
    <span role="radiogroup" aria-label={label} className="inline-flex max-w-full">
      {options.map((option, index) => (
        <label
          key={option.value}
          className={classNames(
            "-ml-px flex h-5.5 min-w-0 cursor-pointer items-center border px-2 text-2xs has-focus-visible:z-1 has-focus-visible:outline-2 has-focus-visible:outline-focus",
            index === 0 && "ml-0 rounded-l-control",
            index === options.length - 1 && "rounded-r-control",
            option.value === value
              ? "z-1 border-accent bg-selected font-medium text-text"
              : "border-control bg-raised text-muted hover:bg-hover hover:text-text",
            disabled && "cursor-default! opacity-55",
          )}
        >
          <input
            type="radio"
            name={name}
            value={option.value}
            checked={option.value === value}
            disabled={disabled}
            onChange={() => onChange(option.value)}
            className="sr-only"
          />
          <span className="truncate">{option.label}</span>
        </label>
      ))}
    </span>
  );
}
