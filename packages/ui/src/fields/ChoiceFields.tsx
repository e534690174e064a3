import { ChevronDown } from "lucide-react";
import type { ReactNode } from "react";
import { useId } from "react";
import type { SelectOption } from "../Select.tsx";
import { Field, FieldNotes, type FieldText } from "./Field.tsx";

export interface SelectFieldProps extends FieldText {
  value: string;
  options: readonly SelectOption[];
  onChange: (value: string) => void;
  /** Offered first, for no choice at all. */
  placeholder?: string;
  disabled?: boolean;
  name?: string;
  className?: string;
}

/** A choice of one from a short list. */
export function SelectField({
  label,
  hideLabel = false,
  error,
  hint,
  required,
  value,
  options,
  onChange,
  placeholder,
  className,
  ...rest
}: SelectFieldProps) {
  return (
    <Field {...{ label, hideLabel, error, hint, required, className }}>
      {(control) => (
        <span className="relative flex min-w-0">
          <select
            {...rest}
            {...control}
            value={value}
            onChange={(event) => onChange(event.target.value)}
            className="field w-full min-w-0 appearance-none truncate pr-6"
          >
            {placeholder !== undefined && <option value="">{placeholder}</option>}
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
      )}
    </Field>
  );
}

export interface CheckboxFieldProps extends Omit<FieldText, "hideLabel" | "label"> {
  label: ReactNode;
  checked: boolean;
  onChange: (checked: boolean) => void;
  disabled?: boolean;
  name?: string;
}

/** Something that is so or not so. */
export function CheckboxField({
  label,
  error,
  hint,
  required,
  checked,
  onChange,
  ...rest
}: CheckboxFieldProps) {
  const id = useId();
  const describedBy = [hint ? `${id}-hint` : "", error ? `${id}-error` : ""]
    .filter(Boolean)
    .join(" ");
  return (
    <div className="flex min-w-0 flex-col gap-0.5">
      <label className="flex min-h-7 items-center gap-2 text-sm">
        <input
          {...rest}
          type="checkbox"
          checked={checked}
          aria-required={required}
          aria-invalid={error !== undefined}
          aria-describedby={describedBy === "" ? undefined : describedBy}
          onChange={(event) => onChange(event.target.checked)}
          className="size-4 shrink-0 accent-(--accent)"
        />
        {label}
      </label>
      <FieldNotes id={id} hint={hint} error={error} />
    </div>
  );
}
