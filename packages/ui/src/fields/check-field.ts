/** What is wrong with a field, in words, or nothing. Texts: document 1, section 5 and document 3, section 5. */

export const requiredText = "This field is required";
export const numberText = "This field must be a number";

export function checkRequired(
  value: string | readonly unknown[] | null | undefined,
): string | undefined {
  const isEmpty =
    value === null ||
    value === undefined ||
    (typeof value === "string" ? value.trim() === "" : value.length === 0);
  return isEmpty ? requiredText : undefined;
}

export interface NumberRules {
  required?: boolean;
  min?: number;
  max?: number;
  /** Refuses fractions. */
  whole?: boolean;
}

const writtenNumber = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** The number that a text is, or nothing when it is none: `12`, `-0.5`, `1e3`; not `1,5`, `0x10` or `Infinity`. */
export function parseNumber(text: string): number | undefined {
  const trimmed = text.trim();
  if (!writtenNumber.test(trimmed)) return undefined;
  const number = Number(trimmed);
  return Number.isFinite(number) ? number : undefined;
}

export function checkNumber(text: string, rules: NumberRules = {}): string | undefined {
  if (text.trim() === "") return rules.required ? requiredText : undefined;
  const number = parseNumber(text);
  if (number === undefined) return numberText;
  if (rules.whole && !Number.isInteger(number)) return "This field must be a whole number";
  if (rules.min !== undefined && number < rules.min)
    return `This field must be at least ${rules.min}`;
  if (rules.max !== undefined && number > rules.max)
    return `This field must be at most ${rules.max}`;
  return undefined;
}
