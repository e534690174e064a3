import {
  type Document,
  isCollection,
  isMap,
  isNode,
  isScalar,
  parseAllDocuments,
  stringify,
} from "yaml";

/**
 * Changes single values of a YAML text and leaves the rest as it was written: comments, order, quotes. Where a value
 * takes the place of another on its line, not one character beside it changes; else the document is laid out anew with
 * the indentation that it has.
 */

export type YamlPath = readonly (string | number)[];

export interface YamlEdit {
  /** Which document of the text, from 0. */
  document: number;
  path: YamlPath;
  /** Nothing removes what is there. */
  value: unknown;
  /** Mappings and lists on the way that a removal leaves empty go with it, down to this many steps. */
  keepSteps?: number;
}

/** The documents of a text; nothing where one of them cannot be read. */
export function readYamlDocuments(text: string): Document[] | undefined {
  const documents = parseAllDocuments(text, { prettyErrors: false });
  if (!Array.isArray(documents)) return [];
  return documents.some(({ errors }) => errors.length > 0) ? undefined : documents;
}

/** How a text is laid out, as far as a writer of YAML asks. */
function layoutOf(text: string) {
  const nested = /^[^\s#-][^\n]*:[^\S\n]*\n(?:[^\S\n]*(?:#[^\n]*)?\n)*( +)[^\s-]/m.exec(text)?.[1];
  return {
    lineWidth: 0,
    indent: Math.min(8, Math.max(2, nested?.length ?? 2)),
    indentSeq: !/^( *)[^\s#-][^\n]*:[^\S\n]*\n\1- /m.test(text),
    flowCollectionPadding: !/[[{][^\s\]}]/.test(text),
  };
}

const isScalarValue = (value: unknown): value is string | number | boolean =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean";

/** The text in which a scalar takes the place of another on one line; nothing where that cannot be done. */
function spliced(text: string, old: unknown, value: unknown): string | undefined {
  if (!isScalar(old) || !old.range || old.anchor || old.tag || !isScalarValue(value))
    return undefined;
  const [from, to] = old.range;
  const before = text.slice(from, to);
  if (before === "" || before.includes("\n")) return undefined;
  // Quotes that nothing asked for stay: whoever wrote them had a reason.
  const quote = { QUOTE_DOUBLE: "QUOTE_DOUBLE", QUOTE_SINGLE: "QUOTE_SINGLE" } as const;
  const wasAskedFor = /^["'|>]/.test(stringify(old.value, { lineWidth: 0 }));
  const type =
    typeof value === "string" && !wasAskedFor ? quote[old.type as keyof typeof quote] : undefined;
  const written = stringify(value, {
    lineWidth: 0,
    ...(type && { defaultStringType: type }),
  }).trimEnd();
  // Within [] and {} more characters mean something than outside.
  const isPlain = typeof value === "string" && !/^["']/.test(written);
  const safe = isPlain && /[,[\]{}]/.test(written) ? JSON.stringify(value) : written;
  if (safe.includes("\n")) return undefined;
  return text.slice(0, from) + safe + text.slice(to);
}

/** A mapping or list stands at every step of the way, where there is nothing yet. */
function clearTheWay(document: Document, path: YamlPath): void {
  for (let length = 0; length < path.length; length += 1) {
    const step = path.slice(0, length);
    const found = length === 0 ? document.contents : document.getIn(step, true);
    if (found === undefined) return;
    if (isCollection(found)) continue;
    if (found !== null && !(isScalar(found) && found.value === null))
      throw new Error(`${path.slice(0, length).join(".")} is something else than a mapping here.`);
    const made = document.createNode(typeof path[length] === "number" ? [] : {});
    if (length === 0) document.contents = made as never;
    else document.setIn(step, made);
    return;
  }
}

function removeIn(document: Document, path: YamlPath, keepSteps: number): void {
  document.deleteIn(path);
  for (let length = path.length - 1; length > keepSteps; length -= 1) {
    const holder = document.getIn(path.slice(0, length), true);
    if (!isCollection(holder) || holder.items.length > 0) return;
    document.deleteIn(path.slice(0, length));
  }
}

/** The text with the change. @throws Error where the text cannot be read, or something else stands in the way. */
export function editYaml(text: string, edit: YamlEdit): string {
  const documents = readYamlDocuments(text);
  if (!documents) throw new Error("The text has mistakes. Mend them first.");
  const document = documents[edit.document];
  if (!document) {
    if (text.trim() !== "") throw new Error("There is no such document in the text.");
    return stringify(nested(edit.path, edit.value), { lineWidth: 0 });
  }
  const { path, value } = edit;
  const old = document.getIn(path, true);
  if (value === undefined) {
    if (old === undefined) return text;
    removeIn(document, path, edit.keepSteps ?? 0);
  } else {
    const quick = spliced(text, old, value);
    if (quick !== undefined) return quick;
    clearTheWay(document, path);
    const made = document.createNode(value);
    // What is said of a value holds for the one that takes its place.
    const isLike = isCollection(old) ? isCollection(made) : isScalar(old) && isScalar(made);
    if (isNode(old) && isNode(made) && isLike) {
      made.comment = old.comment ?? null;
      made.commentBefore = old.commentBefore ?? null;
    }
    document.setIn(path, made);
  }
  const next = documents[edit.document + 1];
  const end = next ? startOf(text, next) : text.length;
  const from = edit.document === 0 ? 0 : startOf(text, document);
  return text.slice(0, from) + relaid(text.slice(from, end), document) + text.slice(end);
}

const inkOf = (text: string) => text.replaceAll(/\s/g, "").length;

/**
 * For each boundary between lines of one layout the same one in another, in which the same letters stand before it:
 * layouts differ in white space alone. Among empty lines, which have no letters, the last or the first one that fits.
 */
function boundariesIn(lines: readonly string[], end: "first" | "last") {
  const found = new Map<number, number>();
  let ink = 0;
  for (let at = 0; at <= lines.length; at += 1) {
    if (end === "last" || !found.has(ink)) found.set(ink, at);
    ink += inkOf(lines[at] ?? "");
  }
  return found;
}

/** The text of a document that was changed, with the lines that the change did not touch as they were written. */
function relaid(written: string, changed: Document): string {
  const layout = layoutOf(written);
  const after = changed.toString(layout);
  const [unchanged] = readYamlDocuments(written) ?? [];
  const lines = written.split("\n");
  const was = unchanged?.toString(layout).split("\n") ?? [];
  const is = after.split("\n");
  const shorter = Math.min(was.length, is.length);
  let head = 0;
  while (head < shorter && was[head] === is[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && was.at(-1 - tail) === is.at(-1 - tail)) tail += 1;

  // What was written on one line may stand on two, and the other way round: then the change reaches a line further.
  const inkBefore = [0];
  for (const line of was) inkBefore.push(inkBefore.at(-1)! + inkOf(line));
  const emptyBefore = was[head - 1]?.trim() === "";
  const heads = boundariesIn(lines, emptyBefore ? "last" : "first");
  while (!heads.has(inkBefore[head]!)) head -= 1;
  const emptyAfter = was.at(-tail)?.trim() === "" && tail > 0;
  const tails = boundariesIn(lines, emptyAfter ? "first" : "last");
  while (tail > 0 && !tails.has(inkBefore[was.length - tail]!)) tail -= 1;
  const from = heads.get(inkBefore[head]!)!;
  const to = tail === 0 ? lines.length : tails.get(inkBefore[was.length - tail]!)!;

  const text = [
    ...lines.slice(0, from),
    ...is.slice(head, is.length - tail).map((line) => (line.trim() === "" ? "" : line)),
    ...lines.slice(to),
  ].join("\n");
  // Lines of two layouts may not fit together.
  const [read] = readYamlDocuments(text) ?? [];
  const isWhole = inkOf(text) === inkOf(after);
  return read && isWhole && JSON.stringify(read.toJS()) === JSON.stringify(changed.toJS())
    ? text
    : after;
}

/** Where a document begins, with the line that marks it off from the one before. */
function startOf(text: string, document: Document): number {
  const offset = document.range?.[0] ?? 0;
  const mark = text.lastIndexOf("---", offset);
  const isMark = mark >= 0 && /^---\s*(?:#[^\n]*\s*)*$/.test(text.slice(mark, offset));
  return isMark ? mark : offset;
}

const nested = (path: YamlPath, value: unknown): unknown =>
  path.reduceRight(
    (inner, step) => (typeof step === "number" ? [inner] : { [step]: inner }),
    value,
  );

/** The way to what stands at a place of the text: keys and positions, and which document. */
export function yamlPathAt(
  text: string,
  offset: number,
): { document: number; path: YamlPath } | undefined {
  const documents = readYamlDocuments(text);
  if (!documents) return undefined;
  const index = documents.findLastIndex((document) => startOf(text, document) <= offset);
  const document = documents[index];
  if (!document) return undefined;
  const path: (string | number)[] = [];
  let at: unknown = document.contents;
  while (isCollection(at)) {
    const items = at.items as { range?: readonly number[]; key?: unknown; value?: unknown }[];
    const starts = items.map((item) =>
      isMap(at) ? (item.key as { range?: number[] } | null)?.range?.[0] : item.range?.[0],
    );
    const found = starts.findLastIndex((start) => start !== undefined && start <= offset);
    const item = items[found];
    if (!item) break;
    if (isMap(at)) {
      const key = item.key;
      path.push(isScalar(key) ? String(key.value) : String(key));
      at = item.value;
    } else {
      path.push(found);
      at = item;
    }
    const range = (at as { range?: readonly number[] } | null)?.range;
    // Behind its end one is in what holds it.
    if (range && offset > range[2]! && isCollection(at)) break;
  }
  return { document: index, path };
}
