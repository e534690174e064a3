import { Duration, type Value } from "../values.ts";

/** What a value is for a language that knows JSON only: times as text, durations as nanoseconds, bytes as UTF-8. */
export function toJson(
  value: Value,
  { depth }: { depth: number },
): { json: string; hasNull: boolean } {
  const { plain, hasNull } = toPlain(value, { depth });
  return { json: JSON.stringify(plain), hasNull };
}

/** The same before it is text; its mappings have no members but their own. */
export function toPlain(
  value: Value,
  { depth }: { depth: number },
): { plain: unknown; hasNull: boolean } {
  let hasNull = false;
  const plain = (item: Value, level: number): unknown => {
    if (item === null || item === undefined) {
      hasNull = true;
      return null;
    }
    if (typeof item === "bigint")
      return Number.isSafeInteger(Number(item)) ? Number(item) : `${item}`;
    if (typeof item !== "object") return item;
    if (item instanceof Date) return item.toISOString();
    if (item instanceof Duration) return Number(item.nanoseconds);
    if (item instanceof Uint8Array) return new TextDecoder().decode(item);
    if (level >= depth)
      throw new RangeError(`the context is nested more than ${depth} levels deep`);
    if (Array.isArray(item)) return item.map((member: Value) => plain(member, level + 1));
    const copy: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
    for (const [key, member] of Object.entries(item)) copy[key] = plain(member, level + 1);
    return copy;
  };
  const copied = plain(value, 0);
  return { plain: copied, hasNull };
}
