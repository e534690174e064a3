import { Composer, type CST, type Document, LineCounter, Parser, YAMLParseError } from "yaml";
import { findDoubleKeys } from "./double-keys.ts";
import { type Finding, mostFindings } from "./findings.ts";
import { placeAt } from "./places.ts";
import { tooDeepMessage } from "./too-deep.ts";

/** Limits on a text before anything in it is believed. */
export interface TextLimits {
  /** Bytes of the text. */
  size: number;
  /** Levels of lists and mappings inside each other. */
  depth: number;
  /** Entries of one list or mapping. */
  entries: number;
  /** Nodes that all aliases together may stand for, per anchor. */
  aliases: number;
  documents: number;
}

export const textLimits: TextLimits = {
  size: 1_048_576,
  depth: 64,
  entries: 2000,
  aliases: 100,
  documents: 1000,
};

/** A finding with its place in the text. */
export interface PlacedFinding extends Finding {
  line: number;
  column: number;
}

export interface YamlText {
  documents: Document.Parsed[];
  /** What the documents were made of. */
  tokens: readonly CST.Token[];
  lines: LineCounter;
  /** What is wrong with the text as a whole; then there are no documents. */
  refused: PlacedFinding[];
}

type Collection = CST.BlockMap | CST.BlockSequence | CST.FlowCollection;

const isCollection = (token: CST.Token): token is Collection =>
  token.type === "block-map" || token.type === "block-seq" || token.type === "flow-collection";

/** Depth and breadth, judged on the tokens: composing would overflow the stack or compare every key with every other. */
function findTooMuch(
  tokens: readonly CST.Token[],
  limits: TextLimits,
): { offset: number; message: string } | undefined {
  const open: { token: CST.Token; depth: number }[] = tokens
    .flatMap((token) =>
      token.type === "document" && token.value ? [{ token: token.value, depth: 1 }] : [],
    )
    .toReversed();
  for (let next = open.pop(); next; next = open.pop()) {
    const { token, depth } = next;
    if (!isCollection(token)) continue;
    if (depth > limits.depth) {
      return {
        offset: token.offset,
        message: tooDeepMessage(limits.depth),
      };
    }
    if (token.items.length > limits.entries) {
      return {
        offset: token.offset,
        message: `There are ${token.items.length} entries in one list or mapping, at most ${limits.entries} are allowed.`,
      };
    }
    for (const item of token.items) {
      if (item.key) open.push({ token: item.key, depth: depth + 1 });
      if (item.value) open.push({ token: item.value, depth: depth + 1 });
    }
  }
  return undefined;
}

/** Brackets open at once; counted before parsing because the cost of parsing grows with the square of the depth. */
function findDeepBrackets(text: string, most: number): number | undefined {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charCodeAt(at);
    // [ and { open, ] and } close.
    if (char === 0x5b || char === 0x7b) depth += 1;
    else if (char === 0x5d || char === 0x7d) depth = Math.max(0, depth - 1);
    if (depth > most) return at;
  }
  return undefined;
}

/** Composes the documents of a text, or says why it is not even tried. */
export function readYaml(text: string, limits: TextLimits): YamlText {
  const lines = new LineCounter();
  const refuse = (offset: number, message: string): YamlText => ({
    documents: [],
    tokens: [],
    lines,
    refused: [{ severity: "error", path: [], message, ...placeAt(lines, offset) }],
  });
  const size = new TextEncoder().encode(text).length;
  if (size > limits.size)
    return refuse(0, `The text has ${size} bytes, at most ${limits.size} are allowed.`);

  const deep = findDeepBrackets(text, 50 * limits.depth);
  lines.addNewLine(0);
  if (deep !== undefined) {
    for (let at = text.indexOf("\n"); at !== -1 && at < deep; at = text.indexOf("\n", at + 1))
      lines.addNewLine(at + 1);
    return refuse(deep, tooDeepMessage(limits.depth));
  }

  lines.lineStarts.length = 0;
  const tokens = [...new Parser(lines.addNewLine).parse(text)];
  const tooMuch = findTooMuch(tokens, limits);
  if (tooMuch) return refuse(tooMuch.offset, tooMuch.message);
  const count = tokens.filter((token) => token.type === "document").length;
  if (count > limits.documents)
    return refuse(0, `There are ${count} documents, at most ${limits.documents} are allowed.`);

  const composer = new Composer({
    merge: true,
    uniqueKeys: false,
    lineCounter: lines,
    prettyErrors: false,
    logLevel: "silent",
  });
  const documents = [...composer.compose(tokens, false, text.length)] as Document.Parsed[];
  for (const document of documents) tellDoubleKeys(document);
  return {
    documents,
    tokens,
    lines,
    refused: [],
  };
}

/** As mistakes of the document, each at its place among the others; as many as are told of anything. */
function tellDoubleKeys(document: Document.Parsed): void {
  const doubles = findDoubleKeys(document).slice(0, mostFindings);
  if (doubles.length === 0) return;
  for (const { range, value } of doubles) {
    const [start, end] = range ?? [0, 0];
    const message = `The key ${String(value).slice(0, 100)} stands twice in one mapping`;
    document.errors.push(new YAMLParseError([start, end], "DUPLICATE_KEY", message));
  }
  document.errors.sort((a, b) => a.pos[0] - b.pos[0]);
}
