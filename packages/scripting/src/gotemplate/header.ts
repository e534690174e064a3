import { mistake, sourceOf } from "./source.ts";

const mark = /^#+\s*gotemplate:/;

export interface Header {
  delimiters: readonly [left: string, right: string];
  /** Where its line is in the text, its line break included. */
  start: number;
  end: number;
}

/**
 * The line `# gotemplate: left-delim=<<< right-delim=>>>`, which counts among the comments that a text begins with,
 * after `---` if there is one.
 * @throws ScriptError when it does not say which delimiters
 */
export function findHeader(text: string): Header | undefined {
  let start = 0;
  for (let number = 0; start < text.length; number++) {
    const newline = text.indexOf("\n", start);
    const end = newline < 0 ? text.length : newline + 1;
    const line = text.slice(start, end).trim();
    if (mark.test(line)) {
      const left = /\sleft-delim=(\S+)/.exec(line)?.[1];
      const right = /\sright-delim=(\S+)/.exec(line)?.[1];
      if (left === undefined || right === undefined) {
        throw mistake(sourceOf(text), start, "the header must say left-delim=… and right-delim=…");
      }
      return { delimiters: [left, right], start, end };
    }
    if (!line.startsWith("#") && !(number === 0 && line === "---")) return undefined;
    start = end;
  }
  return undefined;
}
