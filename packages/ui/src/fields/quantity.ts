import { numberText, parseNumber, requiredText } from "./check-field.ts";

/** Document 1, section 5. */
export const memoryUnits = ["Mi", "Gi", "Ti"] as const;
export type MemoryUnit = (typeof memoryUnits)[number];
export const defaultMemoryUnit: MemoryUnit = "Mi";

export interface Memory {
  /** As it was typed: it need not be a number yet. */
  amount: string;
  unit: MemoryUnit;
}

/** `512Mi` in its two parts. A text without one of the units is kept whole as the amount. */
export function parseMemory(text: string): Memory {
  const trimmed = text.trim();
  const unit = memoryUnits.find((known) => trimmed.endsWith(known));
  return unit
    ? { amount: trimmed.slice(0, -unit.length).trim(), unit }
    : { amount: trimmed, unit: defaultMemoryUnit };
}

/** An amount of nothing is no value at all, whatever the unit. */
export function formatMemory({ amount, unit }: Memory): string {
  return amount.trim() === "" ? "" : `${amount.trim()}${unit}`;
}

/** `250m` as the number of millicores; whole cores (`2`, `0.5`) are counted in millicores too. */
export function parseCpu(text: string): string {
  const trimmed = text.trim();
  if (trimmed.endsWith("m")) return trimmed.slice(0, -1).trim();
  const cores = parseNumber(trimmed);
  return cores === undefined ? trimmed : String(Math.round(cores * 1_000));
}

export function formatCpu(millicores: string): string {
  return millicores.trim() === "" ? "" : `${millicores.trim()}m`;
}

function checkAmount(amount: string, required: boolean): string | undefined {
  if (amount.trim() === "") return required ? requiredText : undefined;
  const number = parseNumber(amount);
  if (number === undefined) return numberText;
  return number < 0 ? "This field must be at least 0" : undefined;
}

/** What is wrong with a value such as `512Mi`. */
export const checkMemory = (text: string, required = false): string | undefined =>
  checkAmount(parseMemory(text).amount, required);

/** What is wrong with a value such as `250m`. */
export const checkCpu = (text: string, required = false): string | undefined =>
  checkAmount(parseCpu(text), required);
