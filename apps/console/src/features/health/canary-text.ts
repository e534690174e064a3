import { isMap, isScalar, isSeq, LineCounter, parseDocument, type YAMLMap } from "yaml";
import { checkAliases } from "@mainstay/contract/canary/check-lists.ts";

const keysOf = (type: string) => [
  type,
  ...Object.entries(checkAliases).flatMap(([alias, meant]) => (meant === type ? [alias] : [])),
];

const says = (value: unknown, name: string) => isScalar(value) && String(value.value) === name;
/** What has no name is called like what it looks at. */
const looksAt = (item: YAMLMap, name: string) =>
  !item.has("name") && item.items.some(({ value }) => says(value, name));

/** The lines of a document, from 1, in which one of its checks stands. */
export function linesOfCheck(
  text: string,
  { type, name }: { type: string; name: string },
): { from: number; to: number } | undefined {
  const lines = new LineCounter();
  const { contents } = parseDocument(text, { lineCounter: lines, merge: true });
  const spec = isMap(contents) ? contents.get("spec", true) : undefined;
  if (!isMap(spec)) return undefined;
  const items = keysOf(type).flatMap((key) => {
    const checks: unknown = spec.get(key, true);
    const all = isSeq(checks) ? checks.items : [checks];
    return all.filter((item) => isMap(item));
  });
  const item =
    items.find((one) => says(one.get("name", true), name)) ??
    items.find((one) => looksAt(one, name));
  if (!item?.range) return undefined;
  const [start, end] = item.range;
  // The reader counts to an item what stands between it and the next.
  const own = text.slice(start, end).replace(/(\s*\n[^\S\n]*#[^\n]*)*\s*$/, "");
  return {
    from: lines.linePos(start).line,
    to: lines.linePos(start + Math.max(own.length, 1) - 1).line,
  };
}
