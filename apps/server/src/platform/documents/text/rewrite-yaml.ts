import { isDeepStrictEqual } from "node:util";
import {
  type Document,
  isAlias,
  isCollection,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  parseDocument,
  type CreateNodeOptions,
  type Scalar,
  stringify,
  type ToStringOptions,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";
import { matchItems } from "./match-items.ts";
import { moveItems } from "./move-items.ts";

/*
 * A text that is to mean another value is changed where the two differ and nowhere else: comments, order, quotes, blank
 * lines and line ends beside that stay, byte by byte. What of a text cannot be cut and pasted is laid out anew by the
 * library, which keeps comments and order; what even that does not bring to mean the value cannot be kept.
 *
 * The library could do the whole of it: change its document and write that. It lays every line out anew then, though:
 * quotes, blanks before comments, indentation, folded texts and braces become its own, and a change of one word is a
 * difference in fifty lines for whoever reviews it. The tokens that it reads a text from keep every character, but it
 * exchanges single scalars in them alone: no field or item comes, goes or moves by it.
 */

type Json = Record<string, unknown>;

/** Lists within lists that are moved one after the other. */
const mostMoves = 8;

/** Nothing where the text cannot be brought to mean the value. What was read of it is used up. */
export function rewriteYaml(
  text: string,
  target: Json,
  document: Document.Parsed | undefined = readOne(text),
): string | undefined {
  if (!document) return undefined;
  let moved = text;
  let read: Document.Parsed | undefined = document;
  for (let turn = 0; read && turn < mostMoves; turn += 1) {
    const next = moveItems(moved, target, read);
    if (next === undefined) break;
    [moved, read] = [next, readOne(next)];
  }
  const rewritten = moved === text || !read ? undefined : rewrite(moved, target, read);
  return rewritten ?? rewrite(text, target, document);
}

function rewrite(text: string, target: Json, document: Document.Parsed): string | undefined {
  const plan = new Plan(text, document);
  try {
    (document as Document).contents = plan.node(document.contents, target, { isFlow: false });
  } catch (error) {
    if (error instanceof CannotEdit) return undefined;
    throw error;
  }
  if (!plan.isChanged) return text;
  const cut = plan.cannotCut ? undefined : plan.apply();
  if (cut !== undefined && means(cut, target)) return cut;
  const laidOut = document.toString(layoutOf(text)).replaceAll(/\r?\n/g, lineEndOf(text));
  return means(laidOut, target) ? laidOut : undefined;
}

/** The one document of a text; nothing where it has mistakes. */
export function readOne(text: string): Document.Parsed | undefined {
  const document = parseDocument(text, { merge: true, prettyErrors: false });
  return document.errors.length > 0 ? undefined : document;
}

/** What a document says, as JSON has it. */
export const valueOf = (document: Document): unknown =>
  JSON.parse(JSON.stringify(document.toJS({ maxAliasCount: 100 })) ?? "null");

function means(text: string, target: Json): boolean {
  const document = readOne(text);
  return document !== undefined && isDeepStrictEqual(valueOf(document), target);
}

class CannotEdit extends Error {}

/** How a text is laid out, as far as a writer of YAML asks. */
export function layoutOf(text: string) {
  const nested = /^[^\s#-][^\n]*:[^\S\n]*\n(?:[^\S\n]*(?:#[^\n]*)?\n)*( +)[^\s-]/m.exec(text)?.[1];
  return {
    lineWidth: 0,
    indent: Math.min(8, Math.max(2, nested?.length ?? 2)),
    indentSeq: !/^( *)[^\s#-][^\n]*:[^\S\n]*\n\1- /m.test(text),
    flowCollectionPadding: !/[[{][^\s\]}]/.test(text),
  };
}

const lineEndOf = (text: string) => (text.includes("\r\n") ? "\r\n" : "\n");

interface Edit {
  from: number;
  to: number;
  text: string;
}

interface At {
  /** Within [] or {}. */
  isFlow: boolean;
  /** What holds the node: its key says where it begins. */
  pair?: Pair<Node, Node | null>;
  /** Of a list whose items stand on lines of their own. */
  isItem?: boolean;
}

type Range = readonly [number, number, number];
const rangeOf = (node: unknown): Range => {
  const { range } = node as { range?: Range | null };
  if (!range) throw new CannotEdit();
  return range;
};

const isMergeKey = (key: unknown) => isScalar(key) && key.source === "<<" && key.type === "PLAIN";

/** As JavaScript names the property. */
function keyOf(key: unknown): string {
  const { value } = isScalar(key) ? key : { value: undefined };
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  throw new CannotEdit();
}

class Plan {
  isChanged = false;
  /** Something cannot be cut and pasted. */
  cannotCut = false;
  readonly #edits: Edit[] = [];
  /** What the nodes with an anchor are to mean, for those that refer to them. */
  readonly #meant = new Map<string, unknown>();
  readonly #text: string;
  readonly #document: Document;
  readonly #layout: ReturnType<typeof layoutOf>;
  readonly #lineEnd: string;

  constructor(text: string, document: Document) {
    this.#text = text;
    this.#document = document;
    this.#layout = layoutOf(text);
    this.#lineEnd = lineEndOf(text);
  }

  apply(): string {
    const edits = this.#edits.toSorted((a, b) => a.from - b.from || a.to - b.to);
    let made = "";
    let at = 0;
    for (const { from, to, text } of edits) {
      made += this.#text.slice(at, Math.max(at, from)) + text;
      at = Math.max(at, to);
    }
    return made + this.#text.slice(at);
  }

  /** Brings a node to mean a value. Returns what takes its place in the document, the same where it stays. */
  node(node: Node | null, target: unknown, at: At): Node {
    if (isAlias(node)) {
      if (isDeepStrictEqual(this.#meant.get(node.source), target)) return node;
      return this.#replace(node, target, at);
    }
    const anchor = (node as { anchor?: string } | null)?.anchor;
    if (anchor !== undefined) this.#meant.set(anchor, target);
    if (isMap(node) && isObject(target) && Object.keys(target).length > 0 && node.items.length > 0)
      return this.#map(node as YAMLMap<Node, Node | null>, target, at);
    if (isSeq(node) && Array.isArray(target) && target.length > 0 && node.items.length > 0)
      return this.#seq(node as YAMLSeq<Node>, target, at);
    if (isCollection(node) && node.items.length === 0 && isDeepStrictEqual(node.toJSON(), target))
      return node;
    if (isScalar(node) && (JSON.stringify(node.value) ?? "null") === JSON.stringify(target))
      return node;
    return this.#replace(node, target, at);
  }

  #map(map: YAMLMap<Node, Node | null>, target: Json, { isFlow: within }: At): Node {
    const isFlow = within || map.flow === true;
    const pairs = map.items;
    const own = new Map(
      pairs.filter(({ key }) => !isMergeKey(key)).map((pair) => [keyOf(pair.key), pair]),
    );
    const merged = this.#merged(map);
    const isTaken = (key: string) => Object.hasOwn(target, key) || own.has(key);
    // What others give cannot be refused.
    if (!Object.keys(merged).every(isTaken)) throw new CannotEdit();
    // As they stand in the text, before any of them is exchanged.
    const spans = pairs.map((pair) => this.#pairSpan(pair, isFlow));
    // Anchors are known before what refers to them: in the order of the text.
    for (const [key, pair] of own)
      if (Object.hasOwn(target, key))
        pair.value = this.node(pair.value, target[key], { isFlow, pair });
    const gone = pairs.filter(
      (pair) => !isMergeKey(pair.key) && !Object.hasOwn(target, keyOf(pair.key)),
    );
    const added = Object.entries(target).filter(
      ([key, value]) =>
        !own.has(key) && !(Object.hasOwn(merged, key) && isDeepStrictEqual(merged[key], value)),
    );
    if (gone.length === 0 && added.length === 0) return map;
    if (gone.length === pairs.length) return this.#replace(map, target, { isFlow: within });
    this.isChanged = true;
    const column = this.#column(spans[0]!.start);
    for (const [key, value] of added)
      this.#addPair(spans.at(-1)!.end, { key, value, column, isFlow });
    for (const pair of gone) this.#remove(spans, pairs.indexOf(pair), isFlow);
    map.items = [
      ...pairs.filter((pair) => !gone.includes(pair)),
      ...added.map(([key, value]) => this.#document.createPair(key, value) as (typeof pairs)[0]),
    ];
    return map;
  }

  /** What a mapping has from others, by `<<`. */
  #merged(map: YAMLMap<Node, Node | null>): Json {
    const found: Json = {};
    for (const { key, value } of map.items) {
      if (!isMergeKey(key)) continue;
      const sources = isSeq(value) ? value.items : [value];
      for (const source of sources.toReversed()) {
        if (!isAlias(source)) throw new CannotEdit();
        const meant = this.#meant.get(source.source);
        if (!isObject(meant)) throw new CannotEdit();
        Object.assign(found, meant);
      }
    }
    return found;
  }

  #seq(seq: YAMLSeq<Node>, target: readonly unknown[], { isFlow: within }: At): Node {
    const isFlow = within || seq.flow === true;
    const items = seq.items;
    const values = items.map((item) => this.#valueOf(item));
    const stays = matchItems(values, target);
    // What lies between two that stay is compared by its place.
    const pairs: [number, number][] = [];
    let [a, b] = [0, 0];
    for (const [old, now] of [...stays, [items.length, target.length] as [number, number]]) {
      while (a < old && b < now) pairs.push([a++, b++]);
      [a, b] = [old + 1, now + 1];
      if (old < items.length) pairs.push([old, now]);
    }
    const from = new Map(pairs.map(([old, now]) => [now, old]));
    const kept = new Set(from.values());
    const spans = items.map((item) => this.#itemSpan(item, isFlow));
    const made: Node[] = [];
    let before = -1;
    for (const [place, value] of target.entries()) {
      const old = from.get(place);
      if (old !== undefined) {
        made.push(this.node(items[old]!, value, { isFlow, isItem: !isFlow }));
        before = old;
        continue;
      }
      this.isChanged = true;
      made.push(this.#document.createNode(value));
      this.#addItem(spans, before, { value, isFlow });
    }
    for (const place of items.keys())
      if (!kept.has(place)) {
        this.isChanged = true;
        this.#remove(spans, place, isFlow);
      }
    seq.items = made;
    return seq;
  }

  #valueOf(node: Node): unknown {
    if (isAlias(node)) return this.#meant.get(node.source);
    return node.toJS(this.#document, { maxAliasCount: 100 }) as unknown;
  }

  #replace(node: Node | null, target: unknown, at: At): Node {
    this.isChanged = true;
    const made = this.#document.createNode(target) as Node;
    if (isScalar(node) && isScalar(made)) {
      // What is said of a value holds for the one that takes its place.
      made.comment = node.comment ?? null;
      made.commentBefore = node.commentBefore ?? null;
      made.type = quoteFor(node, made.value) ?? made.type;
    }
    const anchor = (node as { anchor?: string } | null)?.anchor;
    if (anchor !== undefined && !isAlias(node)) (made as { anchor?: string }).anchor = anchor;
    this.#cutReplacement(node, target, at);
    return made;
  }

  #cutReplacement(node: Node | null, target: unknown, { isFlow, pair, isItem }: At): void {
    const [from, to] = node ? rangeOf(node) : [0, 0];
    const isInline = node !== null && to > from && !this.#text.slice(from, to).includes("\n");
    const inline = this.#inline(target, node, isFlow);
    if (isInline && inline !== undefined) {
      this.#edits.push({ from, to, text: inline });
      return;
    }
    const key = pair?.key;
    const hasAnchor = (node as { anchor?: string } | null)?.anchor !== undefined;
    if (isItem && node && to > from && !hasAnchor) {
      const text = this.#block(target, this.#column(from));
      this.#edits.push({ from, to: endOf(this.#text, node), text });
      return;
    }
    if (isFlow || !key || hasAnchor) {
      this.cannotCut = true;
      return;
    }
    const [keyFrom, keyTo] = rangeOf(key);
    const colon = this.#text.indexOf(":", keyTo);
    const end = node && to > from ? endOf(this.#text, node) : colon + 1;
    const name = this.#text.slice(keyFrom, keyTo);
    const text = this.#block({ k: target }, this.#column(keyFrom)).slice(1);
    this.#edits.push({ from: keyFrom, to: end, text: name + text });
  }

  /** A value on one line in the place of another. */
  #inline(target: unknown, old: Node | null, isFlow: boolean): string | undefined {
    if (isObject(target) || Array.isArray(target)) {
      const isEmpty = Object.keys(target).length === 0;
      if (!isEmpty && !isFlow) return undefined;
      return JSON.stringify(target);
    }
    const type = isScalar(old) ? quoteFor(old, target) : undefined;
    const text = written(target, { lineWidth: 0, ...(type && { defaultStringType: type }) });
    if (text.includes("\n")) return isFlow ? JSON.stringify(target) : undefined;
    // Within [] and {} more characters mean something than outside.
    const isPlain = typeof target === "string" && !/^["']/.test(text);
    return isPlain && /[,[\]{}]/.test(text) ? JSON.stringify(target) : text;
  }

  /** A value on lines of its own, the first of them without its indentation. */
  #block(value: unknown, column: number): string {
    const text = written(value, this.#layout);
    const [first = "", ...others] = text.split("\n");
    const indented = others.map((line) => (line === "" ? line : " ".repeat(column) + line));
    return [first, ...indented].join(this.#lineEnd);
  }

  /** What stands before it may be "- ": the next lines are indented by that as well. */
  #column(offset: number): number {
    return offset - this.#lineStart(offset);
  }

  #lineStart(offset: number): number {
    return this.#text.lastIndexOf("\n", offset - 1) + 1;
  }

  /** Behind the line that an offset is on. */
  #lineEndAfter(offset: number): number {
    const end = this.#text.indexOf("\n", offset);
    return end === -1 ? this.#text.length : end + 1;
  }

  #insertLines(offset: number, text: string): void {
    const at = this.#lineEndAfter(offset);
    const isOpen = at === this.#text.length && !this.#text.endsWith("\n");
    const lines = isOpen ? this.#lineEnd + text : text + this.#lineEnd;
    this.#edits.push({ from: at, to: at, text: lines });
  }

  #addPair(
    end: number,
    {
      key,
      value,
      column,
      isFlow,
    }: { key: string; value: unknown; column: number; isFlow: boolean },
  ): void {
    if (isFlow) {
      const text = `, ${JSON.stringify(key)}: ${JSON.stringify(value)}`;
      this.#edits.push({ from: end, to: end, text });
    } else this.#insertLines(end - 1, " ".repeat(column) + this.#block({ [key]: value }, column));
  }

  #addItem(
    spans: readonly Span[],
    before: number,
    { value, isFlow }: { value: unknown; isFlow: boolean },
  ): void {
    const first = spans[0]!;
    if (isFlow) {
      const text = JSON.stringify(value);
      const { end } = spans[before] ?? { end: first.start };
      this.#edits.push({ from: end, to: end, text: before < 0 ? `${text}, ` : `, ${text}` });
      return;
    }
    const column = this.#column(first.start);
    const line = `${" ".repeat(column)}- ${this.#block(value, column + 2)}`;
    if (before < 0) {
      const at = this.#lineStart(first.start);
      if (this.#text.slice(at, first.start).trim() !== "") this.cannotCut = true;
      this.#edits.push({ from: at, to: at, text: line + this.#lineEnd });
    } else this.#insertLines(spans[before]!.end - 1, line);
  }

  #pairSpan(pair: Pair<Node, Node | null>, isFlow: boolean): Span {
    const span = spanOf(pair);
    return isFlow ? span : { ...span, end: endOf(this.#text, pair) };
  }

  #itemSpan(item: Node, isFlow: boolean): Span {
    const span = spanOf(item);
    if (isFlow) return { ...span, end: rangeOf(item)[1] };
    const dash = this.#text.lastIndexOf("-", span.start - 1);
    return { start: dash, end: endOf(this.#text, item) };
  }

  #remove(spans: readonly Span[], place: number, isFlow: boolean): void {
    const { start, end } = spans[place]!;
    const next = spans[place + 1];
    if (isFlow) {
      const previous = spans[place - 1];
      if (next) this.#edits.push({ from: start, to: next.start, text: "" });
      else this.#edits.push({ from: previous?.end ?? start, to: end, text: "" });
      return;
    }
    const line = this.#lineStart(start);
    if (this.#text.slice(line, start).trim() === "") {
      const to = this.#lineEndAfter(end - 1);
      this.#edits.push({ from: this.#withRemarks(line), to, text: "" });
    } else if (next) this.#edits.push({ from: start, to: next.start, text: "" });
    else this.cannotCut = true;
  }

  /** Lines of comments directly above speak of what is below them. */
  #withRemarks(line: number): number {
    let from = line;
    while (from > 0) {
      const above = this.#lineStart(from - 1);
      if (!/^[^\S\n]*#/.test(this.#text.slice(above, from))) break;
      from = above;
    }
    return from;
  }
}

interface Span {
  start: number;
  end: number;
}

const isPairNode = (item: unknown): item is Pair<Node, Node | null> =>
  typeof item === "object" && item !== null && "key" in item;

function spanOf(item: Pair<Node, Node | null> | Node): Span {
  if (!isPairNode(item)) {
    const [start, end] = rangeOf(item);
    return { start, end };
  }
  const [start, keyEnd] = rangeOf(item.key);
  const end = item.value ? rangeOf(item.value)[1] : keyEnd;
  return { start, end: Math.max(end, keyEnd) };
}

/** Where what is written of an item ends, without the line ends and comments behind it. */
function endOf(text: string, item: Pair<Node, Node | null> | Node): number {
  if (isPairNode(item)) {
    const keyEnd = rangeOf(item.key)[1];
    return item.value ? Math.max(endOf(text, item.value), keyEnd) : keyEnd;
  }
  if (isCollection(item) && item.flow !== true && item.items.length > 0)
    return endOf(text, item.items.at(-1) as Node);
  const [start, end] = rangeOf(item);
  return trimmedEnd(text, start, end);
}

function trimmedEnd(text: string, start: number, end: number): number {
  let at = end;
  while (at > start && /\s/.test(text[at - 1]!)) at -= 1;
  return at;
}

/** A value as YAML. What keeps the blank lines behind it (`|+`) would take those of the text: it is quoted. */
function written(value: unknown, options: ToStringOptions & CreateNodeOptions): string {
  const how = { ...options, aliasDuplicateObjects: false };
  const text = stringify(value, how);
  const safe = /[|>]\d?\+/.test(text) ? stringify(value, { ...how, blockQuote: false }) : text;
  return safe.replace(/\n$/, "");
}

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Quotes that nothing asked for stay: whoever wrote them had a reason. */
function quoteFor(old: Scalar, value: unknown): "QUOTE_DOUBLE" | "QUOTE_SINGLE" | undefined {
  if (typeof value !== "string") return undefined;
  const wasAskedFor = /^["'|>]/.test(stringify(old.value, { lineWidth: 0 }));
  return !wasAskedFor && (old.type === "QUOTE_DOUBLE" || old.type === "QUOTE_SINGLE")
    ? old.type
    : undefined;
}
