import { type CreateNodeOptions, isScalar, type Node, type Scalar, stringify } from "yaml";
import type { ToStringOptions } from "yaml";

/** How a text is laid out, as far as a writer of YAML asks. */
export type Layout = ReturnType<typeof layoutOf>;

export function layoutOf(text: string) {
  const nested = /^[^\s#-][^\n]*:[^\S\n]*\n(?:[^\S\n]*(?:#[^\n]*)?\n)*( +)[^\s-]/m.exec(text)?.[1];
  return {
    lineWidth: 0,
    indent: Math.min(8, Math.max(2, nested?.length ?? 2)),
    indentSeq: !/^( *)[^\s#-][^\n]*:[^\S\n]*\n\1- /m.test(text),
    flowCollectionPadding: !/[[{][^\s\]}]/.test(text),
  };
}

/** A value as YAML. What keeps the blank lines behind it (`|+`) would take those of the text: it is quoted. */
export function written(value: unknown, options: ToStringOptions & CreateNodeOptions): string {
  const how = { ...options, aliasDuplicateObjects: false };
  const text = stringify(value, how);
  const safe = /[|>]\d?\+/.test(text) ? stringify(value, { ...how, blockQuote: false }) : text;
  return safe.replace(/\n$/, "");
}

/** A value on one line in the place of another; nothing where it takes lines of its own. */
export function inline(target: unknown, old: Node | null, isFlow: boolean): string | undefined {
  if (typeof target === "object" && target !== null) {
    const isEmpty = Object.keys(target).length === 0;
    return isEmpty || isFlow ? JSON.stringify(target) : undefined;
  }
  const type = isScalar(old) ? quoteFor(old, target) : undefined;
  const text = written(target, { lineWidth: 0, ...(type && { defaultStringType: type }) });
  if (text.includes("\n")) return isFlow ? JSON.stringify(target) : undefined;
  // Within [] and {} more characters mean something than outside.
  const isPlain = typeof target === "string" && !/^["']/.test(text);
  return isPlain && /[,[\]{}]/.test(text) ? JSON.stringify(target) : text;
}

/** Quotes that nothing asked for stay: whoever wrote them had a reason. */
export function quoteFor(old: Scalar, value: unknown): "QUOTE_DOUBLE" | "QUOTE_SINGLE" | undefined {
  if (typeof value !== "string") return undefined;
  const wasAskedFor = /^["'|>]/.test(stringify(old.value, { lineWidth: 0 }));
  return !wasAskedFor && (old.type === "QUOTE_DOUBLE" || old.type === "QUOTE_SINGLE")
    ? old.type
    : undefined;
}
