import { type AzureBackend, lineLevels, type LogTerm, spellingsOf } from "@mainstay/contract";

/** The query language of Log Analytics, as far as searches for lines use it. */

/** Columns that are made for every line: its message, and the word of its level. */
export const messageColumn = "mainstay_message";
export const levelColumn = "mainstay_level";

/** Columns of the usual tables, the most usual first. Source: reference of the tables of Azure Monitor. */
const usualMessages = ["Message", "LogMessage", "SyslogMessage", "RenderedDescription", "RawData"];
const usualLevels = ["LogLevel", "Level", "SeverityLevel", "Severity", "EventLevelName"];

export interface LineColumns {
  timestamp: string;
  messages: readonly string[];
  levels: readonly string[];
}

export const columnsOf = ({ columns = {} }: Pick<AzureBackend, "columns">): LineColumns => ({
  timestamp: columns.timestamp ?? "TimeGenerated",
  messages: columns.message === undefined ? usualMessages : [columns.message],
  levels: columns.level === undefined ? usualLevels : [columns.level],
});

export const quote = (text: string) => JSON.stringify(text);
/** A column that has to be there. */
export const named = (column: string) => `[${quote(column)}]`;
/** The text of a column; an empty one where the table has none of this name. */
const textOf = (column: string) => `tostring(column_ifexists(${quote(column)}, ""))`;
const firstOf = (expressions: readonly string[]) =>
  expressions.length === 1 ? expressions[0]! : `coalesce(${expressions.join(", ")})`;

/** Levels that stand in the text: beside their name, or as a word of their own near its beginning. */
const spoken = [
  String.raw`(?i)\b(?:level|severity|lvl)"?\s*[=:]\s*"?([a-z]+)`,
  String.raw`\b(TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|ERR|SEVERE|FATAL|CRITICAL|CRIT|PANIC|ALERT|EMERG)\b`,
];

/** What gives every line its message and its level. */
export const lineColumns = ({ messages, levels }: LineColumns): string[] => [
  `extend ${messageColumn} = ${firstOf(messages.map(textOf))}`,
  `extend ${levelColumn} = ${firstOf([
    ...levels.map(textOf),
    ...spoken.map(
      (pattern) => `extract(${quote(pattern)}, 1, substring(${messageColumn}, 0, 200))`,
    ),
  ])}`,
];

/** Levels of Application Insights by their number. */
export const levelNumbers = ["trace", "info", "warn", "error", "fatal"] as const;

/** The value of a label: a column, or what lies within one of JSON. */
function valueOf(label: string): string {
  const [column = "", ...path] = label.split(".");
  return path.length === 0
    ? textOf(column)
    : `tostring(parse_json(${textOf(column)})${path.map(named).join("")})`;
}

const listed = (values: readonly string[]) => `(${values.map(quote).join(", ")})`;
/** Truth is written in capitals or not. */
const spelled = (value: string) =>
  value === "true" ? ["true", "True"] : value === "false" ? ["false", "False"] : [value];

export function conditionOf(term: LogTerm): string {
  const not = term.isNot ? "!" : "";
  switch (term.kind) {
    case "text":
      return `${messageColumn} ${not}contains ${quote(term.text)}`;
    case "pattern": {
      const value = term.label === "message" ? messageColumn : valueOf(term.label);
      const holds = `${value} matches regex ${quote(term.pattern)}`;
      return term.isNot ? `not(${holds})` : holds;
    }
    case "label":
      return `${valueOf(term.label)} ${not}in ${listed(term.values.flatMap(spelled))}`;
    case "level": {
      const numbers = levelNumbers.flatMap((level, n) =>
        term.levels.includes(level) ? [String(n)] : [],
      );
      const words = lineLevels.filter((level) => term.levels.includes(level)).flatMap(spellingsOf);
      return `${levelColumn} ${not}in~ ${listed([...words, ...numbers])}`;
    }
  }
}
