/**
 * Where in a YAML text a position is, by indentation alone: while somebody types, the text is seldom valid, and a
 * parser would give up just when help is wanted.
 */

export interface YamlPlace {
  /** Keys and list positions from the document's root to the mapping that the position is in. */
  path: (string | number)[];
  /** What is being written: a key, or the value behind one. */
  written: string;
  /** Where `written` starts in the text. */
  from: number;
  /** The key whose value is being written, when it is. */
  openKey: string | undefined;
  /** Keys that the mapping has elsewhere. */
  siblings: string[];
}

/** A mapping or list that is open, with where it stands in its parent. */
type Frame =
  | { kind: "map"; column: number; key: string; keys: string[] }
  | { kind: "list"; column: number; index: number };

interface Line {
  /** Column behind indentation and list marks. */
  column: number;
  marks: number[];
  key: string | undefined;
  value: string;
}

const keyPattern = /^(?:"([^"]*)"|'([^']*)'|([\w./$@-]+))\s*:(?:\s+|$)/;
const mostLines = 5_000;

function readLine(text: string): Line {
  const marks: number[] = [];
  let column = text.length - text.trimStart().length;
  while (text[column] === "-" && (text[column + 1] === " " || text[column + 1] === undefined)) {
    marks.push(column);
    column += 1;
    while (text[column] === " ") column += 1;
  }
  const rest = text.slice(column);
  const match = keyPattern.exec(rest);
  return {
    column,
    marks,
    key: match?.[1] ?? match?.[2] ?? match?.[3],
    value: match ? rest.slice(match[0].length) : rest,
  };
}

const isBlank = (text: string) => /^\s*(#|$)/.test(text);

/** Closes what a line at this column is no longer inside of. A list may stand at the column of its key. */
function closeTo(frames: Frame[], column: number, keeps: Frame["kind"]): void {
  for (let top = frames.at(-1); top; top = frames.at(-1)) {
    const isInside =
      top.column < column || (top.column === column && (top.kind === "map" || keeps === "list"));
    if (isInside) return;
    frames.pop();
  }
}

function openItems(frames: Frame[], marks: readonly number[]): void {
  for (const column of marks) {
    closeTo(frames, column, "list");
    const top = frames.at(-1);
    if (top?.kind === "list" && top.column === column) top.index += 1;
    else frames.push({ kind: "list", column, index: 0 });
  }
}

function readKey(frames: Frame[], column: number, key: string): void {
  closeTo(frames, column, "map");
  const top = frames.at(-1);
  if (top?.kind === "map" && top.column === column) {
    top.key = key;
    top.keys.push(key);
  } else {
    frames.push({ kind: "map", column, key, keys: [key] });
  }
}

const stepOf = (frame: Frame): string | number => (frame.kind === "map" ? frame.key : frame.index);

export function yamlPlace(text: string, offset: number): YamlPlace {
  const lineStart = text.lastIndexOf("\n", offset - 1) + 1;
  const above = text.slice(0, lineStart).split("\n").slice(0, -1).slice(-mostLines);
  const frames: Frame[] = [];
  // Lines of a block text (`|`, `>`) are not YAML.
  let blockBelow = Infinity;
  for (const source of above.slice(above.findLastIndex((line) => /^---(\s|$)/.test(line)) + 1)) {
    if (isBlank(source)) continue;
    const line = readLine(source);
    if (Math.min(line.column, ...line.marks) > blockBelow) continue;
    blockBelow = /^[|>][+-]?\d?\s*(#.*)?$/.test(line.value)
      ? Math.min(line.column, ...line.marks)
      : Infinity;
    openItems(frames, line.marks);
    if (line.key !== undefined) readKey(frames, line.column, line.key);
  }

  const current = readLine(text.slice(lineStart, offset));
  openItems(frames, current.marks);
  closeTo(frames, current.column, "map");
  const top = frames.at(-1);
  const own = top?.kind === "map" && top.column === current.column ? top : undefined;
  const path = (own ? frames.slice(0, -1) : frames).map(stepOf);

  const siblings = [...(own?.keys ?? [])];
  for (const source of text.slice(offset).split("\n").slice(1, mostLines)) {
    if (isBlank(source)) continue;
    const line = readLine(source);
    if (
      line.marks.length > 0 ? (line.marks[0] ?? 0) < current.column : line.column < current.column
    )
      break;
    if (line.column === current.column && line.marks.length === 0 && line.key !== undefined)
      siblings.push(line.key);
  }

  return {
    path,
    written: current.value,
    from: offset - current.value.length,
    openKey: current.key,
    siblings,
  };
}
