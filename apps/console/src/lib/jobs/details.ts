/** What a run has written about itself, whoever wrote it: nothing of its shape is promised. */

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const asText = (value: unknown): string =>
  typeof value === "string" ? value : JSON.stringify(value, undefined, 2);

/** Errors are a text, a list of them, or `{name: {error: {error}}}`. */
function readErrors(errors: unknown): string[] {
  if (errors === null || errors === undefined || errors === "") return [];
  if (Array.isArray(errors)) return errors.flatMap(readErrors);
  if (!isMap(errors)) return [asText(errors)];
  return Object.entries(errors).flatMap(([name, value]) => {
    const inner = isMap(value) ? (value["error"] ?? value) : value;
    const said = isMap(inner) && "error" in inner ? inner["error"] : inner;
    return said === null || said === undefined || said === "" ? [] : [`${name}: ${asText(said)}`];
  });
}

/** A table of what was counted: a line for each name, a column for each count. */
export interface Counts {
  columns: readonly string[];
  lines: readonly { name: string; cells: readonly string[]; notes: readonly string[] }[];
}

/** Numbers within numbers (`change.orphaned.Deleted`) are summed up by their first two names. */
function sumOf(value: unknown): number {
  if (typeof value === "number") return value;
  return isMap(value) ? Object.values(value).reduce<number>((sum, one) => sum + sumOf(one), 0) : 0;
}

function flat(counts: Readonly<Record<string, unknown>>): [string, number][] {
  return Object.entries(counts).flatMap(([name, value]): [string, number][] => {
    if (typeof value === "number") return [[name, value]];
    if (!isMap(value)) return [];
    return Object.entries(value).map(([inner, part]) => [inner, sumOf(part)]);
  });
}

function readCounts(value: unknown): Counts | undefined {
  if (!isMap(value)) return undefined;
  const lines = Object.entries(value).flatMap(([name, counts]) => {
    if (typeof counts === "number")
      return [{ name, counts: new Map([["count", counts]]), notes: [] }];
    if (!isMap(counts)) return [];
    const warnings = counts["warnings"];
    return [
      {
        name,
        counts: new Map(flat(counts)),
        notes: Array.isArray(warnings) ? warnings.map(asText) : [],
      },
    ];
  });
  if (lines.length === 0) return undefined;
  const columns = [...new Set(lines.flatMap(({ counts }) => [...counts.keys()]))];
  return {
    columns,
    lines: lines.map(({ name, counts, notes }) => ({
      name,
      notes,
      cells: columns.map((column) => counts.get(column)?.toLocaleString() ?? ""),
    })),
  };
}

export interface JobDetails {
  errors: readonly string[];
  scrape: Counts | undefined;
  reconcile: Counts | undefined;
}

export function readDetails(details: unknown): JobDetails {
  const parts = isMap(details) ? details : {};
  return {
    errors: readErrors(parts["errors"]),
    scrape: readCounts(parts["scrape_summary"]),
    reconcile: readCounts(parts["summary"]),
  };
}

/** Document 3, section 2: only tabs with content are shown, and no dialog where there is none. */
export function tabsOf({ errors, scrape, reconcile }: JobDetails) {
  return [
    ...(errors.length > 0 ? [{ id: "errors", label: "Errors" } as const] : []),
    ...(scrape ? [{ id: "scrape", label: "Scrape Summary" } as const] : []),
    ...(reconcile ? [{ id: "reconcile", label: "Reconcile Summary" } as const] : []),
  ];
}
