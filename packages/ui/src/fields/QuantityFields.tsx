import { useState } from "react";
import { Select } from "../Select.tsx";
import { Field, type FieldText } from "./Field.tsx";
import { NumberField } from "./NumberField.tsx";
import {
  defaultMemoryUnit,
  formatCpu,
  formatMemory,
  type MemoryUnit,
  memoryUnits,
  parseCpu,
  parseMemory,
} from "./quantity.ts";

export interface QuantityFieldProps extends FieldText {
  /** `512Mi` for memory, `250m` for CPU; empty for nothing. */
  value: string;
  onChange: (value: string) => void;
  disabled?: boolean;
  onBlur?: () => void;
  className?: string;
}

/** An amount of memory: a number and its unit. */
export function MemoryField({
  label,
  hideLabel = false,
  error,
  hint,
  required,
  value,
  onChange,
  disabled = false,
  onBlur,
  className,
}: QuantityFieldProps) {
  const memory = parseMemory(value);
  // An empty value has no place for the unit that was chosen first.
  const [unitOfNothing, setUnitOfNothing] = useState<MemoryUnit>(defaultMemoryUnit);
  const unit = value.trim() === "" ? unitOfNothing : memory.unit;
  const change = (next: { amount: string; unit: MemoryUnit }) => {
    setUnitOfNothing(next.unit);
    onChange(formatMemory(next));
  };
  return (
    <Field {...{ label, hideLabel, error, hint, required, className }}>
      {(control) => (
        <span className="flex gap-1.5">
          <input
            {...control}
            inputMode="decimal"
            autoComplete="off"
            disabled={disabled}
            value={memory.amount}
            onBlur={onBlur}
            onChange={(event) => change({ amount: event.target.value, unit })}
            className="field min-w-0 flex-1 tabular-nums"
          />
          <Select
            label={`Unit of ${label}`}
            hideLabel
            disabled={disabled}
            value={unit}
            options={memoryUnits.map((known) => ({ value: known, label: known }))}
            onChange={(chosen) =>
              change({
                amount: memory.amount,
                unit: memoryUnits.find((known) => known === chosen) ?? defaultMemoryUnit,
              })
            }
          />
        </span>
      )}
    </Field>
  );
}

/** An amount of CPU in millicores. */
export function CpuField({ value, onChange, ...rest }: QuantityFieldProps) {
  return (
    <NumberField
      {...rest}
      unit="m"
      value={parseCpu(value)}
      onChange={(millicores) => onChange(formatCpu(millicores))}
    />
  );
}
