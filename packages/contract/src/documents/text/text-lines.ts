/** Behind the last line end before an offset. */
export const lineStart = (text: string, offset: number): number =>
  offset === 0 ? 0 : text.lastIndexOf("\n", offset - 1) + 1;

/** Where the line after the one of an offset begins. */
export function nextLine(text: string, offset: number): number {
  const end = text.indexOf("\n", offset);
  return end === -1 ? text.length : end + 1;
}

/** Where what is written on the line of an offset ends: before its line end. */
export function lineEnd(text: string, offset: number): number {
  const end = text.indexOf("\n", offset);
  if (end === -1) return text.length;
  return end > offset && text[end - 1] === "\r" ? end - 1 : end;
}

/** Whether nothing but blanks stands between the beginning of a line and an offset on it. */
export const isFirstOnLine = (text: string, offset: number): boolean =>
  text.slice(lineStart(text, offset), offset).trim() === "";

/**
 * Where the comments begin that stand directly above a line: they speak of what is below them, unless they are indented
 * as what is above.
 */
export function remarksAt(text: string, start: number, column: number): number {
  let from = start;
  while (from > 0) {
    const above = lineStart(text, from - 1);
    const indent = /^([^\S\n]*)#/.exec(text.slice(above, from))?.[1];
    if (indent === undefined || indent.length > column) break;
    from = above;
  }
  return from;
}

/** Where the lines of something end that stands in a column, with the comments behind it that are within it. */
export function linesEnd(text: string, end: number, column: number): number {
  let last = nextLine(text, end);
  for (let line = last; line < text.length;) {
    const next = nextLine(text, line);
    const written = text.slice(line, next);
    const indent = /^([^\S\n]*)#/.exec(written)?.[1];
    if (indent === undefined ? written.trim() !== "" : indent.length <= column) break;
    if (indent !== undefined) last = next;
    line = next;
  }
  return last;
}
