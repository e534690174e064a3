import type { CST } from "yaml";

/** The texts of several documents in one, and one of several. */

/** Whether a text says itself where it begins, behind comments at most. */
const marksItself = (text: string) => /^(?:[^\S\n]*(?:#[^\n]*)?\n)*---(?:\s|$)/.test(text);

/** Documents as one text that can be read again. */
export function joinDocuments(texts: readonly string[]): string {
  let joined = "";
  for (const text of texts) {
    if (joined !== "" && !joined.endsWith("\n")) joined += "\n";
    if (joined !== "" && !marksItself(text)) joined += "---\n";
    joined += text;
  }
  return joined;
}

const lineStart = (text: string, offset: number) => text.lastIndexOf("\n", offset - 1) + 1;

/** Lines that say where documents begin and end, and in which version of YAML; the comments between them stay. */
const marks = /^(?:(?:---|\.\.\.)[^\S\n]*|%[^\n]*)(?:\n|$)/gm;

/**
 * The text of each document of a text, in the order of the tokens; none of a document of nothing. Comments before a
 * document go with it, also where the line that marks it off comes after them. That line is no part of it unless
 * nothing stands before it (a file may begin with one).
 */
export function splitDocuments(text: string, tokens: readonly CST.Token[]): (string | undefined)[] {
  const parts: {
    begin: number;
    start: number;
    remark: number;
    end: number;
    index: number;
    /** At the beginning of the text, or behind a line that ends what comes before. */
    isFirst: boolean;
  }[] = [];
  const written: (string | undefined)[] = [];
  let begin = 0;
  let isFirst = true;
  for (const token of tokens) {
    if (token.type !== "document" && token.type !== "doc-end") continue;
    const last = parts.at(-1);
    if (last) last.end = Math.min(last.end, token.offset);
    if (token.type === "doc-end") {
      begin = text.indexOf("\n", token.offset) + 1 || text.length;
      isFirst = true;
      continue;
    }
    const index = written.push(undefined) - 1;
    if (!token.value) continue;
    if (last) begin = Math.max(begin, Math.min(last.remark, last.end));
    const remark = token.end?.find(({ type }) => type === "comment");
    parts.push({
      begin: Math.min(begin, token.offset),
      start: token.offset,
      remark: remark ? lineStart(text, remark.offset) : text.length,
      end: text.length,
      index,
      isFirst,
    });
    isFirst = false;
  }
  for (const [place, part] of parts.entries()) {
    const { begin: from, start, remark, end, index } = part;
    const isLast = place === parts.length - 1 || parts[place + 1]!.isFirst;
    const lead = text
      .slice(from, start)
      .replace(/^\uFEFF/, "")
      .replaceAll(marks, "");
    const body = text.slice(start, isLast ? end : Math.min(remark, end));
    const whole = lead + (part.isFirst ? body : body.replace(/^---[^\S\n]*\n/, ""));
    written[index] = part.isFirst ? whole : whole.replace(/^(?:[^\S\n]*\n)+/, "");
  }
  return written;
}
