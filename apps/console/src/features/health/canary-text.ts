import { isMap, isScalar, isSeq, LineCounter, parseDocument, stringify } from "yaml";

/** A spec as YAML. */
export const specText = (spec: Record<string, unknown>): string =>
  stringify(spec, { lineWidth: 120, aliasDuplicateObjects: false });

/** The lines of a spec's text, from 1, in which one of its checks stands. */
export function linesOfCheck(
  text: string,
  { type, name }: { type: string; name: string },
): { from: number; to: number } | undefined {
  const lines = new LineCounter();
  const { contents } = parseDocument(text, { lineCounter: lines });
  const checks = isMap(contents) ? contents.get(type, true) : undefined;
  if (!isSeq(checks)) return undefined;
  const isNamed = (item: unknown) => {
    const found = isMap(item) ? item.get("name", true) : undefined;
    return isScalar(found) && String(found.value) === name;
  };
  const item = checks.items.find(isNamed);
  if (!isMap(item) || !item.range) return undefined;
  const [start, end] = item.range;
  return { from: lines.linePos(start).line, to: lines.linePos(Math.max(start, end - 1)).line };
}
