import type { Segment } from "#lib/search-box/SearchAssist.tsx";
import { readSearch } from "@mainstay/contract/resource-selector/parse-search.ts";

/** What stands at the caret and could be completed: its text, and where in the search it is. */
export interface Completing {
  /** `field` also where nothing stands yet; `key` is the key of the tag, label or property `field`. */
  kind: "field" | "operator" | "key" | "value";
  /** Of keys and values. */
  field: string;
  typed: string;
  from: number;
  to: number;
}

const map = /^(?:tag|label|propert(?:y|ies)|config)s?[.:]/;
/** What still belongs to what stands at the caret. */
const rest = /^[^\s,()|;=<>!*":]*/;
const unquoted = (text: string) =>
  text.replace(/^"/, "").replaceAll(/\\(.)/gs, "$1").replace(/"$/, "");

/** What can be completed where the caret stands in a search. */
export function completingAt(text: string, caret: number): Completing {
  const before = text.slice(0, caret);
  const { tokens } = readSearch(before);
  const to = caret + (rest.exec(text.slice(caret))?.[0].length ?? 0);
  const last = tokens.at(-1);
  const fieldBefore = () => {
    const token = tokens.findLast(({ kind }) => kind === "field");
    return token ? before.slice(token.from, token.to) : "";
  };
  const nothing: Completing = { kind: "field", field: "", typed: "", from: caret, to };
  if (!last) return nothing;
  const said = before.slice(last.from, last.to);
  const between = before.slice(last.to);
  const isTouching = between === "";
  switch (last.kind) {
    case "operator":
      if (between.trim() !== "") return nothing;
      return map.test(`${fieldBefore()}:`) && said === ":" && isMap(fieldBefore())
        ? { kind: "key", field: fieldBefore(), typed: "", from: caret, to }
        : { kind: "value", field: fieldBefore(), typed: "", from: caret, to };
    case "value":
      if (/^\s*,\s*!?$/.test(between)) return { ...nothing, kind: "value", field: fieldBefore() };
      if (!isTouching) return nothing;
      // Only a sign behind it would make it a field of an item.
      if (fieldBefore() === "config" && tokens.at(-2)?.kind === "operator" && !said.startsWith("!"))
        return { kind: "key", field: "config", typed: unquoted(said), from: last.from, to };
      return {
        kind: "value",
        field: fieldBefore(),
        typed: unquoted(said.replace(/^!/, "")),
        from: last.from + (said.startsWith("!") ? 1 : 0),
        to,
      };
    case "open":
      return tokens.at(-2)?.kind === "operator" || tokens.at(-2)?.kind === "value"
        ? {
            kind: "value",
            field: fieldBefore(),
            typed: unquoted(said),
            from: last.from,
            to: text.length,
          }
        : nothing;
    case "field": {
      if (!isTouching) return nothing;
      const prefix = map.exec(said)?.[0];
      if (prefix === undefined) return { ...nothing, typed: said, from: last.from };
      return {
        kind: "key",
        field: prefix.slice(0, -1),
        typed: unquoted(said.slice(prefix.length)),
        from: last.from + prefix.length,
        to,
      };
    }
    case "word":
      if (!isTouching || /["*]/.test(said)) return nothing;
      return { ...nothing, typed: said, from: last.from };
    case "not":
    case "or":
    case "group":
      return nothing;
  }
}

const isMap = (field: string) => map.test(`${field}:`);

/** A search in its parts, and what is wrong with it. */
export function segmentsOf(text: string): {
  segments: Segment[];
  error?: { message: string; at: number };
} {
  const { tokens, error } = readSearch(text);
  const segments: Segment[] = [];
  let at = 0;
  const upTo = (end: number, kind: Segment["kind"]) => {
    if (end > at) segments.push({ kind, text: text.slice(at, end) });
    at = Math.max(at, end);
  };
  for (const { kind, from, to } of tokens) {
    if (error && from >= error.at) break;
    upTo(from, "plain");
    upTo(
      to,
      kind === "not" || kind === "or" || kind === "group"
        ? "sign"
        : kind === "open"
          ? "plain"
          : kind,
    );
  }
  if (!error) {
    upTo(text.length, "plain");
    return { segments };
  }
  upTo(error.at, "plain");
  // Where the text ends too early there is nothing to underline but what would come next.
  segments.push({ kind: "wrong", text: text.slice(at) || "\u00a0" });
  return { segments, error: { message: error.message, at: error.at } };
}
