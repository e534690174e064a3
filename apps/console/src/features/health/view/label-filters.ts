import type { TriState } from "@mainstay/ui/filters/TriStateToggle.tsx";

/** A label filter is known by `{key}:{value}`; what it is set to is 1 (include) or -1 (exclude). */
export type LabelFilters = Readonly<Record<string, 1 | -1>>;

export const labelId = (key: string, value: string): string => `${key}:${value}`;

/** Of labels that came as JSON: an object has names of its own besides (`constructor`). */
export const labelOf = (
  labels: Readonly<Record<string, string>>,
  key: string,
): string | undefined => (Object.hasOwn(labels, key) ? labels[key] : undefined);

export function splitLabelId(id: string): { key: string; value: string } {
  const at = id.indexOf(":");
  return at < 0 ? { key: id, value: "" } : { key: id.slice(0, at), value: id.slice(at + 1) };
}

const mostFilters = 500;

/** Reads the `labels` parameter: a JSON map. Whatever is not one is no filter. */
export function parseLabelFilters(text: string | undefined): LabelFilters {
  if (!text) return {};
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return {};
    return Object.fromEntries(
      Object.entries(value)
        .filter((entry): entry is [string, 1 | -1] => entry[1] === 1 || entry[1] === -1)
        .slice(0, mostFilters),
    );
  } catch {
    return {};
  }
}

export function formatLabelFilters(filters: LabelFilters): string | undefined {
  return Object.keys(filters).length === 0 ? undefined : JSON.stringify(filters);
}

export function withLabelFilter(filters: LabelFilters, id: string, state: TriState): LabelFilters {
  const { [id]: _old, ...others } = filters;
  return state === 0 ? others : { ...others, [id]: state };
}

/** Without what is said of one key. */
export const withoutKey = (filters: LabelFilters, key: string): LabelFilters =>
  Object.fromEntries(Object.entries(filters).filter(([id]) => splitLabelId(id).key !== key));

/**
 * A function that says whether labels pass. Included values of one key are alternatives, keys add up, and one excluded
 * value is enough to leave.
 */
export function labelMatcher(
  filters: LabelFilters,
): (labels: Readonly<Record<string, string>>) => boolean {
  const included = new Map<string, Set<string>>();
  const excluded: { key: string; value: string }[] = [];
  for (const [id, state] of Object.entries(filters)) {
    const { key, value } = splitLabelId(id);
    if (state === -1) excluded.push({ key, value });
    else included.set(key, (included.get(key) ?? new Set()).add(value));
  }
  return (labels) => {
    for (const { key, value } of excluded) if (labelOf(labels, key) === value) return false;
    for (const [key, values] of included) {
      const own = labelOf(labels, key);
      if (own === undefined || !values.has(own)) return false;
    }
    return true;
  };
}

/** A label key with the values that occur. */
export interface LabelFacet {
  key: string;
  values: string[];
  /** Only `true` and `false` occur: a toggle is enough. */
  isBoolean: boolean;
}

/**
 * Every label key on the checks with its values, sorted. The label that says a check's severity once more is none of
 * them: there is a filter for that.
 */
export function labelFacets(
  checks: readonly { labels: Readonly<Record<string, string>>; severity?: string }[],
): LabelFacet[] {
  const values = new Map<string, Set<string>>();
  for (const { labels, severity } of checks) {
    for (const key in labels) {
      const value = labels[key];
      if (value === undefined || (key === severity && value === "true")) continue;
      const known = values.get(key);
      if (known) known.add(value);
      else values.set(key, new Set([value]));
    }
  }
  return [...values]
    .map(([key, set]) => ({
      key,
      values: [...set].toSorted((a, b) => a.localeCompare(b)),
      isBoolean: [...set].every((value) => value === "true" || value === "false"),
    }))
    .toSorted((a, b) => a.key.localeCompare(b.key));
}

const namedAtMost = 3;

/** What a multi-valued filter says about itself: the values, or how many there are from four on. */
export function describeFilter(key: string, filters: LabelFilters): string {
  const chosen = Object.entries(filters).flatMap(([id, state]) => {
    const { key: own, value } = splitLabelId(id);
    return own === key ? [{ value, state }] : [];
  });
  if (chosen.length === 0) return "All";
  if (chosen.length <= namedAtMost)
    return chosen.map(({ value, state }) => `${state === -1 ? "!" : ""}${value}`).join(", ");
  const included = chosen.filter(({ state }) => state === 1).length;
  const excluded = chosen.length - included;
  return [
    included > 0 ? `including ${included} labels` : "",
    excluded > 0 ? `excluding ${excluded} labels` : "",
  ]
    .filter(Boolean)
    .join(", ");
}
