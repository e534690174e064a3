import { formatLineRange, type LineRange, parseLineRange } from "@mainstay/ui/lines/line-range.ts";

/** The address of the gallery with some lines chosen. */
export function lineLink(range: LineRange): string {
  const address = new URL(window.location.href);
  address.searchParams.set("lines", formatLineRange(range) ?? "");
  return address.href;
}

/** The lines that the address names. */
export const linkedLines = (): LineRange | null =>
  parseLineRange(new URLSearchParams(window.location.search).get("lines"));
