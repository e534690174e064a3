import { Field, type FieldText } from "./Field.tsx";

export interface NumberFieldProps extends FieldText {
  /** As it was typed: see `checkNumber` and `parseNumber`. */
  value: string;
  onChange: (value: string) => void;
  /** Shown behind the number, e.g. `ms`. */
  unit?: string;
  name?: string;
  placeholder?: string;
  disabled?: boolean;
  readOnly?: boolean;
  onBlur?: () => void;
  className?: string;
}

/**
 * A number, kept as it was typed so that what is not one can be told and mended. A browser's own number box would
 * swallow it without a word, and change it under a scrolling wheel.
 */
export function NumberField({
  label,
  hideLabel = false,
  error,
  hint,
  required,
  value,
  onChange,
  unit,
  className,
  ...rest
}: NumberFieldProps) {
  return (
    <Field
      label={unit === undefined ? label : `${label} (${unit})`}
      {...{ hideLabel, error, hint, required, className }}
    >
      {(control) => (
        <span className="relative flex">
          <input
            {...rest}
            {...control}
            inputMode="decimal"
            autoComplete="off"
            value={value}
            onChange={(event) => onChange(event.target.value)}
            className="field w-full pr-8 tabular-nums"
          />
          {unit !== undefined && (
            <span
              aria-hidden="true"
              className="pointer-events-none absolute top-1/2 right-2 -translate-y-1/2 text-xs text-muted"
            >
              {unit}
            </span>
          )}
        </span>
      )}
    </Field>
  );
}
