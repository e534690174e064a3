/** The query part of an address as plain texts: no quoting, no JSON, what is written is what is meant. */

export type RawSearch = Readonly<Record<string, string | undefined>>;

const longestValue = 4_000;

export function parseSearch(search: string): Record<string, string> {
  const raw: Record<string, string> = {};
  for (const [name, value] of new URLSearchParams(search)) {
    if (value.length <= longestValue) raw[name] = value;
  }
  return raw;
}

export function stringifySearch(raw: Readonly<Record<string, unknown>>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(raw)) {
    if (typeof value === "string" && value !== "") search.set(name, value);
  }
  const text = search.toString();
  return text === "" ? "" : `?${text}`;
}
