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
  type YAMLMap,
  type YAMLSeq,
} from "yaml";
import { matchItems } from "./match-items.ts";
import { moveItems } from "./move-items.ts";
import { type Edit, endOf, type Holder, replaceValue } from "./replace-value.ts";
import { beforeKey, beginsInBrackets, behindColon, dashesOf } from "./source-tokens.ts";
import { isFirstOnLine, lineStart, linesEnd, remarksAt } from "./text-lines.ts";
import { layoutOf, quoteFor, written } from "./written-values.ts";

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
  const document = parseDocument(text, {
    merge: true,
    prettyErrors: false,
    keepSourceTokens: true,
  });
  return document.errors.length > 0 ? undefined : document;
}

/** What a document says, as JSON has it. */
export const valueOf = (document: Document): unknown =>
  JSON.parse(JSON.stringify(document.toJS({ maxAliasCount: 100 })) ?? "null");

function means(text: string, target: Json): boolean {
  const document = readOne(text);
  return document !== undefined && isSame(valueOf(document), target);
}

class CannotEdit extends Error {}

const lineEndOf = (text: string) => (text.includes("\r\n") ? "\r\n" : "\n");

interface At {
  /** Within [] or {}. */
  isFlow: boolean;
  /** Nothing of what the document itself is, and where no mark stands before the node. */
  holder?: Holder | undefined;
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
      if (isSame(this.#meant.get(node.source), target)) return node;
      return this.#replace(node, target, at);
    }
    const anchor = (node as { anchor?: string } | null)?.anchor;
    if (anchor !== undefined) this.#meant.set(anchor, target);
    if (isMap(node) && isObject(target) && Object.keys(target).length > 0 && node.items.length > 0)
      return this.#map(node as YAMLMap<Node, Node | null>, target, at);
    if (isSeq(node) && Array.isArray(target) && target.length > 0 && node.items.length > 0)
      return this.#seq(node as YAMLSeq<Node>, target, at);
    if (isCollection(node) && node.items.length === 0 && isSame(node.toJSON(), target)) return node;
    if (isScalar(node) && (JSON.stringify(node.value) ?? "null") === JSON.stringify(target))
      return node;
    return this.#replace(node, target, at);
  }

  #map(map: YAMLMap<Node, Node | null>, target: Json, at: At): Node {
    const isFlow = at.isFlow || map.flow === true;
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
        pair.value = this.node(pair.value, target[key], { isFlow, holder: this.#holderOf(pair) });
    const gone = pairs.filter(
      (pair) => !isMergeKey(pair.key) && !Object.hasOwn(target, keyOf(pair.key)),
    );
    const added = Object.entries(target).filter(
      ([key, value]) =>
        !own.has(key) && !(Object.hasOwn(merged, key) && isSame(merged[key], value)),
    );
    if (gone.length === 0 && added.length === 0) return map;
    if (gone.length === pairs.length) return this.#replace(map, target, at);
    this.isChanged = true;
    for (const [key, value] of added) this.#addPair(spans, { key, value, isFlow });
    for (const pair of gone) this.#remove(spans, pairs.indexOf(pair), { isFlow, isPair: true });
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
    const dashes = isFlow ? [] : dashesOf(seq);
    const spans = this.#itemSpans(seq, isFlow);
    const made: Node[] = [];
    let before = -1;
    for (const [place, value] of target.entries()) {
      const old = from.get(place);
      if (old !== undefined) {
        const { dash, behind } = dashes[old] ?? {};
        const holder =
          dash === undefined
            ? undefined
            : { behind: behind!, column: this.#column(dash), isItem: true };
        made.push(this.node(items[old]!, value, { isFlow, holder }));
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
        this.#remove(spans, place, { isFlow, isPair: false });
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
    const old = { text: this.#text, node, isFlow: at.isFlow, holder: at.holder };
    const edits = replaceValue({ ...old, layout: this.#layout }, target);
    if (edits) this.#edits.push(...edits);
    else this.cannotCut = true;
    return made;
  }

  #holderOf(pair: Pair<Node, Node | null>): Holder | undefined {
    const behind = behindColon(pair);
    if (behind === undefined) return undefined;
    return { behind, column: this.#column(startOf(pair)), isItem: false };
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
    return offset - lineStart(this.#text, offset);
  }

  /** Behind what stands in a column, and the comments that are within it. */
  #insertLines(end: number, column: number, text: string): void {
    const at = linesEnd(this.#text, end, column);
    const isOpen = at === this.#text.length && !this.#text.endsWith("\n");
    const lines = isOpen ? this.#lineEnd + text : text + this.#lineEnd;
    this.#edits.push({ from: at, to: at, text: lines });
  }

  #addPair(
    spans: readonly Span[],
    { key, value, isFlow }: { key: string; value: unknown; isFlow: boolean },
  ): void {
    const { end } = spans.at(-1)!;
    const column = this.#column(spans[0]!.start);
    if (isFlow) {
      const text = `, ${JSON.stringify(key)}: ${JSON.stringify(value)}`;
      this.#edits.push({ from: end, to: end, text });
    } else
      this.#insertLines(end, column, " ".repeat(column) + this.#block({ [key]: value }, column));
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
      if (!isFirstOnLine(this.#text, first.start)) this.cannotCut = true;
      const at = remarksAt(this.#text, lineStart(this.#text, first.start), column);
      this.#edits.push({ from: at, to: at, text: line + this.#lineEnd });
    } else this.#insertLines(spans[before]!.end, column, line);
  }

  #pairSpan(pair: Pair<Node, Node | null>, isFlow: boolean): Span {
    const start = startOf(pair);
    const keyEnd = rangeOf(pair.key)[1];
    const { value } = pair;
    const end = value ? (isFlow ? rangeOf(value)[1] : endOf(this.#text, value)) : keyEnd;
    return { start, end: Math.max(end, keyEnd, behindColon(pair) ?? 0) };
  }

  #itemSpans(seq: YAMLSeq<Node>, isFlow: boolean): Span[] {
    if (isFlow) {
      const begins = beginsInBrackets(seq);
      return seq.items.map((item, at) => {
        const [start, end] = rangeOf(item);
        return { start: begins[at] ?? start, end };
      });
    }
    const dashes = dashesOf(seq);
    if (dashes.length !== seq.items.length) throw new CannotEdit();
    return seq.items.map((item, at) => {
      const { dash, behind } = dashes[at]!;
      return { start: dash, end: Math.max(endOf(this.#text, item), behind) };
    });
  }

  #remove(
    spans: readonly Span[],
    place: number,
    { isFlow, isPair }: { isFlow: boolean; isPair: boolean },
  ): void {
    if (isFlow) return this.#removeInBrackets(spans, place);
    const { start, end } = spans[place]!;
    const next = spans[place + 1];
    const line = lineStart(this.#text, start);
    const column = start - line;
    if (isFirstOnLine(this.#text, start)) {
      // What stands above the first of several keys may speak of all of them.
      const from = isPair && place === 0 ? line : remarksAt(this.#text, line, column);
      this.#edits.push({ from, to: linesEnd(this.#text, end, column), text: "" });
      return;
    }
    // Behind a dash: the next one takes its place, below comments that speak of it.
    if (!next) this.cannotCut = true;
    else {
      const below = linesEnd(this.#text, end, column);
      const isBare = this.#text.slice(below, next.start).trim() === "";
      const dash = this.#text.slice(line, start).trimEnd().length + line;
      if (isBare) this.#edits.push({ from: start, to: next.start, text: "" });
      else this.#edits.push({ from: dash, to: below, text: this.#lineEnd });
    }
  }

  #removeInBrackets(spans: readonly Span[], place: number): void {
    const { start, end } = spans[place]!;
    const [previous, next] = [spans[place - 1], spans[place + 1]];
    const rest = /^[^\S\n]*,?[^\S\n]*(?:#[^\n]*)?\n/.exec(this.#text.slice(end))?.[0];
    if (rest !== undefined && isFirstOnLine(this.#text, start)) {
      const line = lineStart(this.#text, start);
      const from = remarksAt(this.#text, line, start - line);
      this.#edits.push({ from, to: end + rest.length, text: "" });
    } else if (next) this.#edits.push({ from: start, to: next.start, text: "" });
    else {
      const isRemarked = this.#text.slice(previous?.end, start).includes("#");
      const from = isRemarked ? start : (previous?.end ?? start);
      this.#edits.push({ from, to: end, text: "" });
    }
  }
}

interface Span {
  start: number;
  end: number;
}

const startOf = (pair: Pair<Node, Node | null>): number =>
  Math.min(rangeOf(pair.key)[0], beforeKey(pair) ?? Infinity);

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Whether two values are the same in JSON. */
function isSame(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((item, at) => isSame(item, other[at]));
  if (isObject(one) && isObject(other)) {
    const keys = Object.keys(one);
    return (
      keys.length === Object.keys(other).length &&
      keys.every((key) => Object.hasOwn(other, key) && isSame(one[key], other[key]))
    );
  }
  return Object.is(one, other);
}
