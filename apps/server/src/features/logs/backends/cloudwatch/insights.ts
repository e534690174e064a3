import { type LogTerm, spellingsOf } from "@mainstay/contract";

/** The query language of CloudWatch Logs Insights, as far as searches for lines use it. */

export interface InsightsQuery {
  /** Commands, the first first; times, order and limit are missing. */
  commands: string[];
  /** What is looked for here; where it could be, it is asked for more widely besides. */
  left: LogTerm[];
}

/** What lines are called by, beside what stands in them. */
export const groupLabel = "log_group";
export const streamLabel = "log_stream";

const quote = (text: string) => JSON.stringify(text);
/** What stands for itself between the slashes of a pattern. */
const literal = (text: string) =>
  text.replaceAll(/[\\^$.|?*+()[\]{}/]/g, String.raw`\$&`).replaceAll("\n", String.raw`\n`);
/** A slash would end a pattern. */
const slashed = (pattern: string) =>
  pattern.replaceAll(/\\.|\//gs, (found) => (found === "/" ? String.raw`\/` : found));

/** What all dialects of patterns read alike: no classes by name, no groups but plain ones. */
const isCommon = (pattern: string) =>
  !/\\[^dDwWsSbBnrt\W_]|\[\[|\(\?(?!:|i\))|[^\x20-\x7e]/.test(pattern);

/** Words without anything that could be written otherwise in a line. */
const isWord = (value: string) => /^(?=.*[A-Za-z])[\w.-]+$/.test(value);

/** Where a level may stand that is no word: priorities of syslog, klog, the status of a request. */
const unspoken = String.raw`^<\d|^[IWEF]\d{4} |" [1-5]\d\d `;

function conditionsOf(term: LogTerm, hasOwnFields: boolean): { asked?: string; isLeft: boolean } {
  const not = term.isNot ? "not " : "";
  switch (term.kind) {
    case "text":
      return { asked: `@message ${not}like /(?i)${literal(term.text)}/`, isLeft: false };
    case "pattern": {
      const field =
        term.label === "message"
          ? "@message"
          : term.label === streamLabel
            ? "@logStream"
            : undefined;
      return field === undefined || !isCommon(term.pattern)
        ? { isLeft: true }
        : { asked: `${field} ${not}like /${slashed(term.pattern)}/`, isLeft: false };
    }
    case "label": {
      if (term.label === streamLabel)
        return {
          asked: `@logStream ${not}in [${term.values.map(quote).join(", ")}]`,
          isLeft: false,
        };
      // What is said of a field stands in the line, unless the query of the document made it up.
      return term.isNot ||
        hasOwnFields ||
        term.label === groupLabel ||
        !term.values.every((one) => isWord(one))
        ? { isLeft: true }
        : { asked: `@message like /${term.values.map(literal).join("|")}/`, isLeft: true };
    }
    case "level": {
      const words = term.levels.flatMap(spellingsOf).join("|");
      return term.isNot || hasOwnFields
        ? { isLeft: true }
        : { asked: `@message like /(?i)${words}|${unspoken}/`, isLeft: true };
    }
  }
}

/** Commands that choose lines or read fields from them; those that only order and show give way. */
const kept = new Set(["fields", "filter", "filterindex", "parse", "unmask"]);
const dropped = new Set(["sort", "limit", "head", "tail", "display"]);

/** Where a pattern begins, and not a division. */
const beforePattern = /(?:\blike|=~|\bparse\s+\S+)\s*$/i;

/** The commands of a query: between bars that stand in no text, name or pattern. */
function commandsIn(query: string): string[] {
  const commands: string[] = [];
  let begun = 0;
  for (let at = 0; at < query.length; at += 1) {
    const char = query[at]!;
    if (char === "|") {
      commands.push(query.slice(begun, at));
      begun = at + 1;
    } else if (
      "\"'`".includes(char) ||
      (char === "/" && beforePattern.test(query.slice(begun, at)))
    ) {
      for (at += 1; at < query.length && query[at] !== char; at += 1)
        if (query[at] === "\\") at += 1;
    }
  }
  return [...commands, query.slice(begun)].map((one) => one.trim()).filter((one) => one !== "");
}

/** @throws Error for a query that makes something else of lines */
function ownCommands(query: string): string[] {
  const said = query.replaceAll(/^\s*#.*$/gm, "");
  return commandsIn(said).filter((command) => {
    const name = /^\w*/.exec(command)![0];
    if (dropped.has(name.toLowerCase())) return false;
    if (kept.has(name.toLowerCase())) return true;
    throw new Error(
      `query: lines are chosen with fields, filter and parse of Logs Insights, and not with "${name || command.slice(0, 20)}"`,
    );
  });
}

export function insightsQuery(
  { query = "", streamPrefix }: { query?: string | undefined; streamPrefix?: string | undefined },
  { terms, labels }: { terms: readonly LogTerm[]; labels: Readonly<Record<string, string>> },
): InsightsQuery {
  const commands = ownCommands(query);
  const hasOwnFields = commands.some((command) => /\bas\b/i.test(command));
  if (streamPrefix) commands.push(`filter @logStream like /^${literal(streamPrefix)}/`);
  const ofLabels = Object.entries(labels).map(([label, value]): LogTerm => ({
    kind: "label",
    label,
    values: [value],
    isNot: false,
  }));
  const left: LogTerm[] = [];
  for (const term of [...ofLabels, ...terms]) {
    const { asked, isLeft } = conditionsOf(term, hasOwnFields);
    if (asked !== undefined) commands.push(`filter ${asked}`);
    if (isLeft) left.push(term);
  }
  return { commands, left };
}
