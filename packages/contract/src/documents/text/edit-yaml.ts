import {
  type Document,
  isAlias,
  isCollection,
  isMap,
  isNode,
  isScalar,
  parseAllDocuments,
  stringify,
} from "yaml";
import { readOne, rewriteYaml, valueOf } from "./rewrite-yaml.ts";
import { layoutOf } from "./written-values.ts";

/**
 * Changes single values of a YAML text and leaves the rest as it was written: comments, order, quotes.
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

/** Makes the change in what was read of a text. @throws Error where something else stands in the way. */
function change(document: Document, { path, value, keepSteps = 0 }: YamlEdit): void {
  if (value === undefined) {
    removeIn(document, path, keepSteps);
    return;
  }
  clearTheWay(document, path);
  const old = document.getIn(path, true);
  const made = document.createNode(value);
  // What is said of a value holds for the one that takes its place.
  const isLike = isCollection(old) ? isCollection(made) : isScalar(old) && isScalar(made);
  if (isNode(old) && !isAlias(old) && old.anchor !== undefined && !isAlias(made))
    made.anchor = old.anchor;
  if (isNode(old) && isNode(made) && isLike) {
    made.comment = old.comment ?? null;
    made.commentBefore = old.commentBefore ?? null;
  }
  document.setIn(path, made);
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
  const old = document.getIn(edit.path, true);
  if (edit.value === undefined && old === undefined) return text;
  const quick = spliced(text, old, edit.value);
  if (quick !== undefined) return quick;
  const next = documents[edit.document + 1];
  const end = next ? startOf(text, next) : text.length;
  const from = edit.document === 0 ? 0 : startOf(text, document);
  return text.slice(0, from) + edited(text.slice(from, end), edit, document) + text.slice(end);
}

/** The text of one document with the change; laid out anew where its lines cannot be kept. */
function edited(text: string, edit: YamlEdit, document: Document): string {
  const read = readOne(text);
  if (read) {
    change(read, edit);
    const kept = rewriteYaml(text, meant(read));
    if (kept !== undefined) return kept;
  }
  change(document, edit);
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  return document.toString(layoutOf(text)).replaceAll(/\r?\n/g, newline);
}

/** What a document is to say. @throws Error where it refers to what was taken away. */
function meant(document: Document): Record<string, unknown> {
  try {
    return valueOf(document) as Record<string, unknown>;
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    throw new Error("This has an anchor, and something else in the text refers to it.", {
      cause: error,
    });
  }
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
