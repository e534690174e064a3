import { lineLevels } from "@mainstay/contract/logs/line-level.ts";
import { readLogSearch } from "@mainstay/contract/logs/parse-log-search.ts";
import { printLogTerm } from "@mainstay/contract/logs/print-log-search.ts";
import type { Offer, Segment } from "#lib/search-box/SearchAssist.tsx";

/** What stands at the caret and could be completed. */
export interface Completing {
  kind: "label" | "value" | "nothing";
  /** Of a value. */
  label: string;
  operator: string;
  typed: string;
  from: number;
  to: number;
}

const unquoted = (text: string) =>
  text.replace(/^"/, "").replaceAll(/\\(.)/gs, "$1").replace(/"$/, "");
/** What still belongs to what stands at the caret. */
const rest = /^[^\s,"=<>!~]*/;
/** A label, a sign, perhaps values, and the one that is being written, which may be none, or quoted and not at its end. */
const valueBefore =
  /(?:^|\s)[-!]?("(?:[^"\\]|\\.)+"|[A-Za-z_@][\w./@-]*)\s*(=~|!~|!=|>=|<=|=|>|<)\s*(?:(?:"(?:[^"\\]|\\.)*"|[^\s,"]+)\s*,\s*)*("(?:[^"\\]|\\.)*|[^\s,"]*)$/s;
const wordBefore = /(?:^|\s)[-!]?([^\s"=<>!~,]*)$/;

/** What can be completed where the caret stands in a search. */
export function completingAt(text: string, caret: number): Completing {
  const before = text.slice(0, caret);
  const to = caret + (rest.exec(text.slice(caret))?.[0].length ?? 0);
  const value = valueBefore.exec(before);
  if (value) {
    const [, label = "", operator = "", written = ""] = value;
    return {
      kind: "value",
      label: unquoted(label),
      operator,
      typed: unquoted(written),
      from: caret - written.length,
      to,
    };
  }
  const isInPhrase = before.replaceAll(/\\./gs, "").split('"').length % 2 === 0;
  const word = isInPhrase ? null : wordBefore.exec(before);
  const typed = word?.[1] ?? "";
  return {
    kind: word ? "label" : "nothing",
    label: "",
    operator: "",
    typed,
    from: caret - typed.length,
    to,
  };
}

/** A label that lines have, with values of it. */
export interface KnownLabel {
  name: string;
  values: readonly string[];
}

const most = 12;
const moments = [
  ["now-15m", "15 minutes ago"],
  ["now-1h", "an hour ago"],
  ["now-6h", "6 hours ago"],
  ["now-1d", "a day ago"],
  ["now-7d", "a week ago"],
] as const;
const ownFields: readonly Offer[] = [
  { id: "level", label: "level>=", detail: "how much a line matters", insert: "level>=" },
  { id: "time>", label: "time>", detail: "after a moment", insert: "time>" },
  { id: "time<", label: "time<", detail: "before a moment", insert: "time<" },
];

/** Those that begin with what is typed, then those that have it. */
function closest<One>(all: readonly One[], typed: string, textOf: (one: One) => string): One[] {
  const wanted = typed.toLowerCase();
  const having = all.filter((one) => textOf(one).toLowerCase().includes(wanted));
  const isAtStart = (one: One) => textOf(one).toLowerCase().startsWith(wanted);
  return [...having.filter(isAtStart), ...having.filter((one) => !isAtStart(one))].slice(0, most);
}

/** A label, or a value of one, as the grammar writes it. */
const printed = (label: string, value: string): { label: string; value: string } => {
  const term = printLogTerm({ kind: "label", label, values: [value], isNot: false });
  const valueText = printLogTerm({ kind: "label", label: "x", values: [value], isNot: false });
  const text = valueText.slice("x=".length);
  return { label: term.slice(0, term.length - text.length - 1), value: text };
};

/** What could stand at the caret. */
export function offersFor(completing: Completing, known: readonly KnownLabel[]): Offer[] {
  const { kind, label, operator, typed } = completing;
  if (kind === "nothing") return [];
  if (kind === "label") {
    const labels = known.map(({ name, values }): Offer => ({
      id: `label ${name}`,
      label: `${name}=`,
      ...(values[0] !== undefined && { detail: values.slice(0, 3).join(", ") }),
      insert: `${printed(name, "x").label}=`,
    }));
    return closest([...ownFields, ...labels], typed, (offer) => offer.label);
  }
  if (operator === "=~" || operator === "!~") return [];
  if (label === "level")
    return closest(lineLevels.toReversed(), typed, String).map((level) => ({
      id: `level ${level}`,
      label: level,
      insert: level,
      isWhole: true,
    }));
  if (label === "time")
    return closest(moments, typed, ([moment]) => moment).map(([moment, detail]) => ({
      id: `time ${moment}`,
      label: moment,
      detail,
      insert: moment,
      isWhole: true,
    }));
  const values = known.find(({ name }) => name === label)?.values ?? [];
  return closest(values, typed, String).map((value) => ({
    id: `value ${value}`,
    label: value,
    insert: printed(label, value).value,
    isWhole: true,
  }));
}

const kinds = {
  label: "field",
  not: "sign",
  operator: "operator",
  text: "word",
  value: "value",
} as const;

/** A search in its parts, and what is wrong with it. */
export function segmentsOf(text: string): {
  segments: Segment[];
  error: { message: string } | undefined;
} {
  const { tokens, error } = readLogSearch(text);
  const segments: Segment[] = [];
  let at = 0;
  const upTo = (end: number, kind: Segment["kind"]) => {
    if (end > at) segments.push({ kind, text: text.slice(at, end) });
    at = Math.max(at, end);
  };
  for (const { kind, from, to } of tokens) {
    if (error && from >= error.at) break;
    upTo(from, "plain");
    upTo(to, kinds[kind]);
  }
  upTo(error ? error.at : text.length, "plain");
  // Where the text ends too early there is nothing to underline but what would come next.
  if (error) segments.push({ kind: "wrong", text: text.slice(at) || "\u00a0" });
  return { segments, error };
}
