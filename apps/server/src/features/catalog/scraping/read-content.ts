import { parse as parseProperties } from "dot-properties";
import { parse as parseIni } from "ini";
import { type Document, parseAllDocuments } from "yaml";
import { findDoubleKeys } from "@mainstay/contract/documents/double-keys.ts";
import { findTooDeep, tooDeepMessage } from "@mainstay/contract/documents/too-deep.ts";
import { isObject, type Json, type JsonObject } from "../changes/json-patch.ts";

/** What was read is not what its format says. */
export class ContentMistake extends Error {}

/** Characters of one text that is read; above, it would hold up everything else. */
export const mostContent = 16 * 1024 * 1024;

export interface Contents {
  /** Several where a text holds several documents. */
  values: Json[];
  /** What people should know about how it was read. */
  notices: string[];
}

/** Lists and mappings inside each other; what walks values could overflow its stack in deeper ones. */
const deepest = 200;

/** @throws ContentMistake */
export function refuseDeep(value: Json): void {
  if (findTooDeep(value, deepest)) throw new ContentMistake(tooDeepMessage(deepest));
}

/** Makes values of a text. @throws ContentMistake */
export function readContent(content: Json, format: string | undefined): Contents {
  if (typeof content === "string") return readText(content, format);
  refuseDeep(content);
  return { values: [content], notices: [] };
}

/** @throws ContentMistake */
export function refuseLong({ length }: string): void {
  if (length > mostContent)
    throw new ContentMistake(`There are ${length} characters, at most ${mostContent} are read.`);
}

export const isYaml = (format: string | undefined): boolean =>
  format === "yaml" || format === "yml";

function readText(content: string, format: string | undefined): Contents {
  refuseLong(content);
  switch (format ?? "json") {
    case "json":
      return { values: [readJson(content)], notices: [] };
    case "yaml":
    case "yml":
      return readYaml(content);
    case "properties":
      return { values: [plain(parseProperties(content))], notices: [] };
    case "ini":
      return { values: [plain(parseIni(content))], notices: [] };
    default:
      return { values: [{ format: format!, content }], notices: [] };
  }
}

function readJson(text: string): Json {
  try {
    const value = JSON.parse(text) as Json;
    refuseDeep(value);
    return value;
  } catch (error) {
    if (error instanceof ContentMistake) throw error;
    throw new ContentMistake(`It is no JSON: ${(error as Error).message}`);
  }
}

/** Words that YAML 1.1 takes for true and false, and 1.2 for texts. */
const wordsOf11 = /^(y|n|yes|no|on|off)$/i;

/** YAML 1.2; what 1.1 would have read otherwise is told. It takes a second a megabyte, and 100 MB. @throws ContentMistake */
export function readYaml(text: string): Contents {
  // Who begins to write a file empties it first: what says that there is nothing is a comment, or an empty list.
  if (text.trim() === "") throw new ContentMistake("It is no YAML: it is empty.");
  // The parser compares each key with all others of its mapping.
  const documents: Document[] = parseAllDocuments(text, { uniqueKeys: false });
  const notices = new Set<string>();
  const values: Json[] = [];
  // A document is let go of before the next is read: it takes much more memory than its value.
  while (documents.length > 0) {
    const value = valueOf(documents.shift()!);
    if (value === null || value === undefined) continue;
    refuseDeep(value);
    if (hasWordsOf11(value))
      notices.add(
        "It holds y, n, yes, no, on or off, which are texts here and were true or false in YAML 1.1.",
      );
    values.push(asJson(value));
  }
  return { values, notices: [...notices] };
}

function valueOf(document: Document): Json | undefined {
  const [mistake] = document.errors;
  if (mistake) throw new ContentMistake(`It is no YAML: ${mistake.message}`);
  refuseDoubles(document);
  try {
    return document.toJS({ maxAliasCount: 1000 }) as Json;
  } catch (error) {
    throw new ContentMistake(`It is no YAML: ${(error as Error).message}`);
  }
}

function refuseDoubles(document: Document): void {
  const [double] = findDoubleKeys(document);
  if (double)
    throw new ContentMistake(
      `It is no YAML: the key ${String(double.value).slice(0, 100)} stands twice in one mapping.`,
    );
}

function hasWordsOf11(value: Json): boolean {
  if (typeof value === "string") return wordsOf11.test(value);
  if (Array.isArray(value)) return (value as readonly Json[]).some(hasWordsOf11);
  return (
    isObject(value) &&
    Object.entries(value).some(([key, inner]) => wordsOf11.test(key) || hasWordsOf11(inner))
  );
}

/** Dates and large numbers as JSON has them. */
const asJson = (value: unknown): Json =>
  JSON.parse(
    JSON.stringify(value, (_key, inner: unknown) =>
      typeof inner === "bigint" ? inner.toString() : inner,
    ),
  ) as Json;

/** Sections of INI files become objects. */
const plain = (found: object): JsonObject => JSON.parse(JSON.stringify(found)) as JsonObject;
