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

/** The same of the most that it can be; a unit that is a word is said once. */
export function quantityOf(
  value: number,
  max: number,
  unit: string | undefined,
  type?: string,
): string {
  const most = quantity(max, unit, type);
  const isWord = unit !== undefined && most.endsWith(` ${unit}`);
  return `${isWord ? trimmed(value) : quantity(value, unit, type)} of ${most}`;
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
      return trimmed(value / 1_000);
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
