import { lineLevels } from "./line-level.ts";
import type { LogSearch, LogTerm } from "./log-search.ts";

const quote = (text: string): string => `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
/** In a pattern `\"` and `"` are one. */
const quotedPattern = (pattern: string): string =>
  pattern.replaceAll(/\\.|"/gs, (part) => (part === '"' ? String.raw`\"` : part));
const isBareLabel = (label: string): boolean =>
  /^[A-Za-z_@][\w./@-]*$/.test(label) && label !== "level" && label !== "time";
const printLabel = (label: string): string => (isBareLabel(label) ? label : quote(label));
const printValue = (value: string): string =>
  /^[^\s,"~=][^\s,"]*$/.test(value) ? value : quote(value);
/** A word that would not be read as anything else. */
const isPlainWord = (text: string): boolean => /^[^\s"=<>!-][^\s"=<>!]*$/.test(text);

/** One term as people write it; `parseLogSearch` reads the same from it. */
export function printLogTerm(term: LogTerm): string {
  const not = term.isNot ? "-" : "";
  switch (term.kind) {
    case "text":
      return not + (isPlainWord(term.text) ? term.text : quote(term.text));
    case "label":
      return `${not}${printLabel(term.label)}=${term.values.map(printValue).join(",")}`;
    case "pattern":
      return `${not}${printLabel(term.label)}=~"${quotedPattern(term.pattern)}"`;
    case "level":
      return printLevels(not, term.levels);
  }
}

function printLevels(not: string, levels: readonly string[]): string {
  const [first = ""] = levels;
  const from = lineLevels.indexOf(first as (typeof lineLevels)[number]);
  const isOpen = levels.length > 1 && levels.join() === lineLevels.slice(from).join();
  return isOpen ? `${not}level>=${first}` : `${not}level=${levels.join(",")}`;
}

export const printLogSearch = ({ terms, after, before }: LogSearch): string =>
  [
    ...terms.map(printLogTerm),
    ...(after === undefined ? [] : [`time>${printValue(after)}`]),
    ...(before === undefined ? [] : [`time<${printValue(before)}`]),
  ].join(" ");
