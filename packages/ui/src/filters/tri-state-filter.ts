import type { TriState } from "./TriStateToggle.tsx";

/**
 * Which values of something are included (1) and excluded (-1), in the order in which they were chosen. In an address
 * it is written `value:1,other:-1`, with `____` for a colon and `||||` for a comma inside a value (document 3,
 * section 9).
 */
export type TriStateFilter = ReadonlyMap<string, 1 | -1>;

export const noFilter: TriStateFilter = new Map();

const mostValues = 500;

const encodeFilterValue = (value: string): string =>
  value.replaceAll(":", "____").replaceAll(",", "||||");

const decodeFilterValue = (text: string): string =>
  text.replaceAll("____", ":").replaceAll("||||", ",");

/** Reads a filter from an address. A value alone is included; `all` and whatever is not readable is no filter. */
export function parseTriStateFilter(text: string | null | undefined): TriStateFilter {
  if (!text) return noFilter;
  const filter = new Map<string, 1 | -1>();
  for (const part of text.split(",")) {
    if (filter.size >= mostValues) break;
    const match = /^([^:]+)(?::(-?1))?$/.exec(part.trim());
    if (!match?.[1]) continue;
    const value = decodeFilterValue(match[1]);
    if (value === "all") continue;
    filter.set(value, match[2] === "-1" ? -1 : 1);
  }
  return filter;
}

/** Writes a filter for an address; nothing when it filters nothing. */
export function formatTriStateFilter(filter: TriStateFilter): string | undefined {
  if (filter.size === 0) return undefined;
  return [...filter].map(([value, state]) => `${encodeFilterValue(value)}:${state}`).join(",");
}

/** The filter with one value set to another state. */
export function withTriState(
  filter: TriStateFilter,
  value: string,
  state: TriState,
): TriStateFilter {
  const next = new Map(filter);
  if (state === 0) next.delete(value);
  else next.set(value, state);
  return next;
}

/** More values are counted instead of named. */
export const namedAtMost = 3;

/** A filter as people read it: "All", "healthy, !unknown", "including 4 values". */
export function describeTriStateFilter(
  filter: TriStateFilter,
  labelOf: (value: string) => string = (value) => value,
): string {
  if (filter.size === 0) return "All";
  if (filter.size > namedAtMost) {
    const excluded = [...filter.values()].filter((state) => state === -1).length;
    const included = filter.size - excluded;
    return [
      included > 0 ? `including ${included} values` : "",
      excluded > 0 ? `excluding ${excluded} values` : "",
    ]
      .filter(Boolean)
      .join(", ");
  }
  return [...filter]
    .map(([value, state]) => `${state === -1 ? "!" : ""}${labelOf(value)}`)
    .join(", ");
}
