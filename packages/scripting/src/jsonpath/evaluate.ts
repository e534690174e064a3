import { RE2JS, RE2JSException } from "re2js";
import type { Limits } from "../language.ts";
import { ScriptError } from "../script-error.ts";
import { isMapping, type Value } from "../values.ts";
import type { Expression, Query, Selector } from "./syntax.ts";

/** A value of the document, and where it is. */
export interface Node {
  value: Value;
  parent?: Node;
  key?: string | number;
}

/** What an operand has when its path finds nothing: equal to itself alone. */
const nothing = Symbol("nothing");
type Operand = Value | typeof nothing;

export function evaluateQuery(
  query: Query,
  root: Value,
  { steps, depth }: Pick<Limits, "steps" | "depth">,
): Node[] {
  return new Evaluation(root, steps, depth).nodes(query, { value: root });
}

class Evaluation {
  readonly #root: Node;
  readonly #depth: number;
  #steps: number;

  constructor(root: Value, steps: number, depth: number) {
    this.#root = { value: root };
    this.#steps = steps;
    this.#depth = depth;
  }

  nodes(query: Query, current: Node): Node[] {
    let nodes = [query.root === "$" ? this.#root : current];
    for (const { descends, selectors } of query.segments) {
      const found: Node[] = [];
      for (const node of nodes)
        if (descends) this.#descend(node, selectors, found, 0);
        else this.#selectAll(node, selectors, found);
      nodes = found;
    }
    return nodes;
  }

  #descend(node: Node, selectors: readonly Selector[], found: Node[], level: number): void {
    if (level > this.#depth)
      fail(`the document is nested more than ${this.#depth} levels deep`, { isLimit: true });
    this.#selectAll(node, selectors, found);
    for (const child of this.#children(node)) this.#descend(child, selectors, found, level + 1);
  }

  #selectAll(node: Node, selectors: readonly Selector[], found: Node[]): void {
    for (const selector of selectors) this.#select(node, selector, found);
  }

  #select(node: Node, selector: Selector, found: Node[]): void {
    this.#step();
    const { value } = node;
    switch (selector.kind) {
      case "name":
        if (isMapping(value) && Object.hasOwn(value, selector.name))
          found.push({ value: value[selector.name]!, parent: node, key: selector.name });
        break;
      case "index": {
        if (!Array.isArray(value)) break;
        const index = selector.index < 0 ? value.length + selector.index : selector.index;
        if (index >= 0 && index < value.length)
          found.push({ value: value[index] as Value, parent: node, key: index });
        break;
      }
      case "slice":
        if (!Array.isArray(value)) break;
        for (const index of sliced(value.length, selector)) {
          this.#step();
          found.push({ value: value[index] as Value, parent: node, key: index });
        }
        break;
      case "wildcard":
        for (const child of this.#children(node)) found.push(child);
        break;
      case "filter":
        for (const child of this.#children(node))
          if (this.#isTrue(selector.test, child)) found.push(child);
    }
  }

  *#children(node: Node): Generator<Node> {
    const { value } = node;
    if (Array.isArray(value))
      for (let index = 0; index < value.length; index++) {
        this.#step();
        yield { value: value[index] as Value, parent: node, key: index };
      }
    else if (isMapping(value))
      for (const key of Object.keys(value)) {
        this.#step();
        yield { value: value[key]!, parent: node, key };
      }
  }

  #isTrue(test: Expression, current: Node): boolean {
    this.#step();
    switch (test.kind) {
      case "or":
        return this.#isTrue(test.left, current) || this.#isTrue(test.right, current);
      case "and":
        return this.#isTrue(test.left, current) && this.#isTrue(test.right, current);
      case "not":
        return !this.#isTrue(test.of, current);
      case "query":
        return this.nodes(test.query, current).length > 0;
      case "compare": {
        const left = this.#operand(test.left, current);
        const right = this.#operand(test.right, current);
        switch (test.operator) {
          case "==":
            return this.#isEqual(left, right);
          case "!=":
            return !this.#isEqual(left, right);
          case "<":
            return isLess(left, right);
          case "<=":
            return isLess(left, right) || this.#isEqual(left, right);
          case ">":
            return isLess(right, left);
          case ">=":
            return isLess(right, left) || this.#isEqual(left, right);
        }
      }
      // Every comparison has returned.
      case "match": {
        const of = this.#operand(test.of, current);
        return typeof of === "string" && test.pattern.matcher(of).find();
      }
      case "in": {
        const of = this.#operand(test.of, current);
        if (test.list.kind === "list")
          return test.list.items.some((item) => this.#isEqual(of, this.#operand(item, current)));
        const list = this.#operand(test.list, current);
        return Array.isArray(list) && list.some((item: Value) => this.#isEqual(of, item));
      }
      case "call":
        return this.#isMatch(test.name === "match", test.given, current);
      case "list":
      case "literal":
        throw new Error(`the parser let a ${test.kind} be a condition`);
    }
  }

  #operand(expression: Expression, current: Node): Operand {
    if (expression.kind === "literal") return expression.value;
    if (expression.kind === "query") return this.#only(this.nodes(expression.query, current));
    if (expression.kind === "call") return this.#call(expression.name, expression.given, current);
    throw new Error(`the parser let ${expression.kind} be a value`);
  }

  #only(nodes: readonly Node[]): Operand {
    return nodes.length === 1 ? nodes[0]!.value : nothing;
  }

  #call(name: string, given: readonly Expression[], current: Node): Operand {
    const [first] = given;
    if (name === "length") {
      const of = this.#operand(first!, current);
      if (typeof of === "string") return Array.from(of).length;
      if (Array.isArray(of)) return of.length;
      if (of !== nothing && isMapping(of)) return Object.keys(of).length;
      return nothing;
    }
    if (first?.kind !== "query") throw new Error(`the parser let ${name} take no path`);
    const nodes = this.nodes(first.query, current);
    if (name === "count") return nodes.length;
    return this.#only(nodes);
  }

  #isMatch(isWhole: boolean, given: readonly Expression[], current: Node): boolean {
    const [of, pattern] = given.map((expression) => this.#operand(expression, current));
    if (typeof of !== "string" || typeof pattern !== "string") return false;
    const compiled = interoperable(pattern);
    if (!compiled) return false;
    return isWhole ? compiled.matches(of) : compiled.matcher(of).find();
  }

  #isEqual(left: Operand, right: Operand): boolean {
    this.#step();
    const [one, other] = [numeric(left), numeric(right)];
    if (one === other) return true;
    if (typeof one === "symbol" || typeof other === "symbol") return false;
    if (Array.isArray(one))
      return (
        Array.isArray(other) &&
        one.length === other.length &&
        one.every((item: Value, index) => this.#isEqual(item, other[index] as Value))
      );
    if (!isMapping(one) || !isMapping(other)) return false;
    const keys = Object.keys(one);
    return (
      keys.length === Object.keys(other).length &&
      keys.every((key) => Object.hasOwn(other, key) && this.#isEqual(one[key]!, other[key]!))
    );
  }

  #step(): void {
    this.#steps -= 1;
    if (this.#steps < 0) fail("takes too many steps", { isLimit: true });
  }
}

const fail = (message: string, more: { isLimit?: boolean } = {}): never => {
  throw new ScriptError(message, { language: "jsonpath", ...more });
};

/** Numbers of all kinds are compared by their value. */
const numeric = (value: Operand): Operand =>
  typeof value === "bigint" && Number.isSafeInteger(Number(value)) ? Number(value) : value;

function isLess(left: Operand, right: Operand): boolean {
  if (typeof left === "string" && typeof right === "string") return isBefore(left, right);
  const areNumbers = [left, right].every((value) => /^(number|bigint)$/.test(typeof value));
  return areNumbers && (left as number) < (right as number);
}

/** By code points, not by their halves. */
function isBefore(left: string, right: string): boolean {
  const [one, other] = [Array.from(left), Array.from(right)];
  for (let index = 0; index < one.length && index < other.length; index++)
    if (one[index] !== other[index])
      return one[index]!.codePointAt(0)! < other[index]!.codePointAt(0)!;
  return one.length < other.length;
}

function* sliced(
  length: number,
  { start, end, step }: Extract<Selector, { kind: "slice" }>,
): Generator<number> {
  const place = (index: number) => (index >= 0 ? index : length + index);
  const within = (index: number, low: number, high: number) => Math.min(Math.max(index, low), high);
  if (step > 0) {
    const to = within(place(end ?? length), 0, length);
    for (let index = within(place(start ?? 0), 0, length); index < to; index += step) yield index;
  } else if (step < 0) {
    const to = end === undefined ? -1 : within(place(end), -1, length - 1);
    const from = start === undefined ? length - 1 : within(place(start), -1, length - 1);
    for (let index = from; index > to; index += step) yield index;
  }
}

const patterns = new Map<string, RE2JS | undefined>();

/** RFC 9485: as elsewhere, but that a dot is neither kind of line break. A bad one matches nothing. */
function interoperable(pattern: string): RE2JS | undefined {
  if (patterns.has(pattern)) return patterns.get(pattern);
  let compiled: RE2JS | undefined;
  try {
    const source = pattern.replace(/\\[^]|\[(?:\\[^]|[^\]\\])*\]|\./g, (part) =>
      part === "." ? "[^\\n\\r]" : part,
    );
    compiled = RE2JS.compile(source);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
  }
  if (patterns.size > 500) patterns.clear();
  patterns.set(pattern, compiled);
  return compiled;
}
