import { lineLevels, type LogTerm, spellingsOf } from "@mainstay/contract";

/** A search as LogQL, and what of it Loki cannot be asked. */
export interface LogQuery {
  query: string;
  left: LogTerm[];
  /** Labels that no name of Loki's can be. */
  leftLabels: Record<string, string>;
}

const quote = (text: string) => JSON.stringify(text);
const isName = (label: string) => /^[a-zA-Z_][a-zA-Z0-9_]*$/.test(label);
/** What stands for itself in a pattern. */
const literal = (text: string) => text.replaceAll(/[\\^$.|?*+()[\]{}]/g, String.raw`\$&`);

/** Where the selector at the beginning of a query ends: at the brace outside of any text. */
function endOfSelector(query: string): number {
  for (let at = query.indexOf("{") + 1; at > 0 && at < query.length; at += 1) {
    const char = query[at]!;
    if (char === "}") return at;
    if (char !== '"' && char !== "`") continue;
    for (at += 1; at < query.length && query[at] !== char; at += 1)
      if (char === '"' && query[at] === "\\") at += 1;
  }
  throw new Error('query: the selector of LogQL has no end: "}" is missing');
}

function stageOf(term: LogTerm, level: string | undefined): string | undefined {
  switch (term.kind) {
    case "text":
      return `${term.isNot ? "!~" : "|~"} ${quote(`(?i)${literal(term.text)}`)}`;
    case "pattern": {
      if (term.label === "message") return `${term.isNot ? "!~" : "|~"} ${quote(term.pattern)}`;
      // Those of labels are for the whole of a value; what is quoted to the end would take what is put behind it along.
      return isName(term.label) && !term.pattern.includes(String.raw`\Q`)
        ? `| ${term.label}${term.isNot ? "!~" : "=~"}${quote(`(?s:.*)(?:${term.pattern})(?s:.*)`)}`
        : undefined;
    }
    case "label": {
      if (!isName(term.label)) return undefined;
      const values = term.values.map(literal).join("|");
      return `| ${term.label}${term.isNot ? "!~" : "=~"}${quote(`(?:${values})`)}`;
    }
    case "level": {
      if (level === undefined || !isName(level)) return undefined;
      if (term.levels.length === lineLevels.length && !term.isNot) return undefined;
      const words = term.levels.flatMap(spellingsOf).map(literal).join("|");
      return `| ${level}${term.isNot ? "!~" : "=~"}${quote(`(?i)(?:${words})`)}`;
    }
  }
}

/** @throws Error where nothing says which streams are meant: Loki wants one label at least */
export function logqlOf(
  own: string | undefined,
  {
    labels,
    terms,
    level,
  }: {
    labels: Readonly<Record<string, string>>;
    terms: readonly LogTerm[];
    level: string | undefined;
  },
): LogQuery {
  const entries = Object.entries(labels);
  const named = entries.filter(([label]) => isName(label));
  const leftLabels = Object.fromEntries(entries.filter(([label]) => !isName(label)));
  const base = own?.trim() ?? "{}";
  const end = endOfSelector(base);
  const inside = base.slice(base.indexOf("{") + 1, end).trim();
  const matchers = [
    ...(inside === "" ? [] : [inside.replace(/,\s*$/, "")]),
    ...named.map(([label, value]) => `${label}=${quote(value)}`),
  ];
  if (matchers.length === 0)
    throw new Error(
      "Loki wants to know which streams are meant: write a query with a label into the document, or ask for labels",
    );
  const stages: string[] = [];
  const left: LogTerm[] = [];
  for (const term of terms) {
    const stage = stageOf(term, level);
    if (stage === undefined) left.push(term);
    else stages.push(stage);
  }
  const pipeline = base.slice(end + 1).trim();
  const query = [`{${matchers.join(", ")}}`, pipeline, ...stages]
    .filter((part) => part !== "")
    .join(" ");
  return { query, left, leftLabels };
}
