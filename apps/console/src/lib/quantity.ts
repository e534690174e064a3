import { formatDuration } from "@mainstay/ui/duration.ts";

const amount = new Intl.NumberFormat(undefined, { maximumFractionDigits: 2 });

const trimmed = (value: number) =>
  amount.format(Number(value.toFixed(Math.abs(value) < 10 ? 2 : Math.abs(value) < 100 ? 1 : 0)));

const byteUnits = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];

function bytes(value: number): string {
  const power =
    value === 0
      ? 0
      : Math.min(byteUnits.length - 1, Math.floor(Math.log(Math.abs(value)) / Math.log(1024)));
  const step = Math.max(0, power);
  return `${trimmed(value / 1024 ** step)} ${byteUnits[step]}`;
}

function currency(value: number): string {
  const [size, sign] = [Math.abs(value), value < 0 ? "-" : ""];
  if (size > 1_000) return `${sign}$${trimmed(size / 1_000)}k`;
  return `${sign}$${size > 10 ? size.toFixed(0) : size.toFixed(2)}`;
}

const isMillicores = (unit: string | undefined) =>
  unit?.toLowerCase() === "millicores" || unit?.toLowerCase() === "milli";

/** The same of the most that it can be; a unit that is a word is said once. */
export function quantityOf(
  value: number,
  max: number,
  unit: string | undefined,
  type?: string,
): string {
  const most = quantity(max, unit, type);
  const word = isMillicores(unit) ? " cores" : ` ${unit}`;
  const used = quantity(value, unit, type);
  return `${most.endsWith(word) ? used.slice(0, -word.length) : used} of ${most}`;
}

/** A number with its unit, as people read it. */
export function quantity(value: number, unit: string | undefined, type?: string): string {
  if (type === "currency") return currency(value);
  switch (unit?.toLowerCase()) {
    case undefined:
    case "":
      return trimmed(value);
    case "bytes":
    case "b":
      return bytes(value);
    case "millibytes":
      return bytes(value / 1_000);
    case "millicores":
    case "milli":
      return `${trimmed(value / 1_000)} cores`;
    case "percent":
    case "%":
      return `${trimmed(value)}%`;
    case "milliseconds":
    case "ms":
      return formatDuration(value);
    case "seconds":
    case "s":
      return formatDuration(value * 1_000);
    case "$":
    case "usd":
    case "currency":
      return currency(value);
    default:
      return `${trimmed(value)} ${unit}`;
  }
}

const exact = new Intl.NumberFormat(undefined, { maximumFractionDigits: 20 });

/** To the last digit, for tooltips, where it is read in another unit or rounded. */
export function exactQuantity(
  value: number,
  unit: string | undefined,
  type?: string,
): string | undefined {
  const whole = exact.format(value);
  if (type === "currency") return `$${whole}`;
  switch (unit?.toLowerCase()) {
    case "bytes":
    case "b":
      return `${whole} bytes`;
    case "milli":
      return `${whole} millicores`;
    case "millibytes":
    case "millicores":
    case "milliseconds":
    case "seconds":
      return `${whole} ${unit.toLowerCase()}`;
    case "ms":
      return `${whole} milliseconds`;
    case "s":
      return `${whole} seconds`;
    case "$":
    case "usd":
    case "currency":
      return `$${whole}`;
    case undefined:
    default:
      if (whole === trimmed(value)) return undefined;
      return unit === "%" || unit?.toLowerCase() === "percent"
        ? `${whole}%`
        : [whole, unit].filter(Boolean).join(" ");
  }
}
