import { type Token, type TokenKind, tokenize } from "./lexer.ts";
import type { Command, Name, Node, Operand, Pipe, Template } from "./nodes.ts";
import { mistake, type Source } from "./source.ts";
import { unquote, unquoteCharacter } from "./unquote.ts";

const maxDepth = 200;

interface Block {
  body: Node[];
  /** What closed it. */
  closing: { word: "end" | "else" | "eof"; at: number };
}

/**
 * `restore` is told every text and string, in which it may put back what stands for something else.
 * @throws ScriptError
 */
export function parse(
  source: Source,
  delimiters: readonly [string, string],
  restore: (text: string) => string = (text) => text,
): Template {
  return new Parser(source, tokenize(source, delimiters), restore).template();
}

class Parser {
  private readonly source: Source;
  private readonly tokens: readonly Token[];
  private readonly restore: (text: string) => string;
  private position = 0;
  private variables: string[] = ["$"];
  private rangeDepth = 0;
  private depth = 0;
  private readonly defined = new Map<string, readonly Node[]>();
  private readonly functions = new Map<string, number>();

  constructor(source: Source, tokens: readonly Token[], restore: (text: string) => string) {
    this.source = source;
    this.tokens = tokens;
    this.restore = restore;
  }

  template(): Template {
    const { body, closing } = this.block("top");
    if (closing.word !== "eof") {
      this.fail(`unexpected {{${closing.word}}}`, closing.at);
    }
    return { body, defined: this.defined, functions: this.functions };
  }

  private peek(): Token {
    return this.tokens[this.position] ?? { kind: "end", text: "", at: this.source.text.length };
  }

  private next(): Token {
    const token = this.peek();
    this.position++;
    return token;
  }

  private peekBeyondSpace(): Token {
    while (this.peek().kind === "space") this.position++;
    return this.peek();
  }

  private nextBeyondSpace(): Token {
    this.peekBeyondSpace();
    return this.next();
  }

  private fail(message: string, at = this.peek().at): never {
    throw mistake(this.source, at, message);
  }

  private unexpected(token: Token, context: string): never {
    const what =
      token.kind === "end"
        ? "EOF"
        : token.kind === "keyword"
          ? `<${token.text}>`
          : JSON.stringify(token.text);
    this.fail(`unexpected ${what} in ${context}`, token.at);
  }

  private expect(kind: TokenKind, context: string): Token {
    const token = this.nextBeyondSpace();
    if (token.kind !== kind) this.unexpected(token, context);
    return token;
  }

  private nested<T>(work: () => T): T {
    if (++this.depth > maxDepth) this.fail("the template is nested too deeply");
    try {
      return work();
    } finally {
      this.depth--;
    }
  }

  private block(of: string, opened = 0): Block {
    const body: Node[] = [];
    for (;;) {
      const token = this.next();
      if (token.kind === "text") {
        body.push({ kind: "text", text: this.restore(token.text), at: token.at });
        continue;
      }
      if (token.kind === "end") {
        if (of !== "top") {
          const { line } = this.source.placeOf(opened);
          this.fail(`unexpected EOF: the {{${of}}} of line ${line} has no {{end}}`, token.at);
        }
        return { body, closing: { word: "eof", at: token.at } };
      }
      if (token.kind !== "left") this.unexpected(token, "input");
      const first = this.peekBeyondSpace();
      if (first.kind !== "keyword") {
        const pipe = this.pipeline("command", "right");
        body.push({ kind: "action", pipe, at: first.at });
        continue;
      }
      this.next();
      switch (first.text) {
        case "end":
          this.expect("right", "end");
          return { body, closing: { word: "end", at: token.at } };
        case "else":
          return { body, closing: { word: "else", at: token.at } };
        case "if":
        case "with":
        case "range":
          body.push(this.branch(first.text, first.at));
          break;
        case "break":
        case "continue":
          if (this.peekBeyondSpace().kind !== "right") {
            this.unexpected(this.peek(), `{{${first.text}}}`);
          }
          this.next();
          if (this.rangeDepth === 0) this.fail(`{{${first.text}}} outside {{range}}`, first.at);
          body.push({ kind: first.text, at: first.at });
          break;
        case "template": {
          const { at } = this.peekBeyondSpace();
          const name = this.templateName("template clause");
          const pipe =
            this.peekBeyondSpace().kind === "right"
              ? void this.next()
              : this.pipeline("template clause", "right");
          body.push({ kind: "template", name, pipe, at });
          break;
        }
        case "block": {
          const name = this.templateName("block clause");
          const pipe = this.pipeline("block clause", "right");
          this.define(name, "block");
          body.push({ kind: "template", name, pipe, at: first.at });
          break;
        }
        default: {
          if (of !== "top") this.unexpected(first, "command");
          const name = this.templateName("define clause");
          this.expect("right", "define clause");
          this.define(name, "define");
        }
      }
    }
  }

  private templateName(context: string): string {
    const token = this.nextBeyondSpace();
    if (token.kind !== "string") this.unexpected(token, context);
    return this.unquoted(token);
  }

  private unquoted(token: Token): string {
    const text = unquote(token.text);
    if (text === undefined) this.fail(`invalid string ${token.text}`, token.at);
    return this.restore(text);
  }

  /** What is defined has variables and loops of its own. */
  private define(name: string, of: "define" | "block"): void {
    const { at } = this.peek();
    const outer = [this.variables, this.rangeDepth] as const;
    this.variables = ["$"];
    this.rangeDepth = 0;
    const { body, closing } = this.nested(() => this.block(of, at));
    if (closing.word !== "end") this.fail(`unexpected {{else}} in ${of} clause`, closing.at);
    [this.variables, this.rangeDepth] = outer;
    const before = this.defined.get(name);
    if (before === undefined || isEmpty(before)) this.defined.set(name, body);
    else if (!isEmpty(body)) {
      this.fail(`multiple definition of template ${JSON.stringify(name)}`, at);
    }
  }

  private branch(kind: "if" | "with" | "range", at: number): Node {
    return this.nested(() => {
      const scope = this.variables.length;
      const pipe = this.pipeline(kind, "right");
      if (kind === "range") this.rangeDepth++;
      const main = this.block(kind, at);
      if (kind === "range") this.rangeDepth--;
      let otherwise: readonly Node[] | undefined;
      if (main.closing.word === "else") {
        const after = this.peekBeyondSpace();
        if (after.kind === "keyword" && after.text === kind && kind !== "range") {
          this.next();
          otherwise = [this.branch(kind, after.at)];
        } else {
          if (this.nextBeyondSpace().kind !== "right") {
            this.unexpected(after, "{{else}}");
          }
          const rest = this.block(kind, at);
          if (rest.closing.word === "else") {
            this.fail("expected end; found {{else}}", rest.closing.at);
          }
          otherwise = rest.body;
        }
      }
      this.variables.length = scope;
      return { kind, pipe, body: main.body, otherwise, at };
    });
  }

  private pipeline(context: string, end: "right" | ")"): Pipe {
    return this.nested(() => {
      const at = this.peekBeyondSpace().at;
      const variables: string[] = [];
      let assigns = false;
      while (this.peekBeyondSpace().kind === "variable") {
        const start = this.position;
        const token = this.next();
        const after = this.peekBeyondSpace();
        if (after.kind === ":=" || after.kind === "=") {
          this.next();
          assigns = after.kind === "=";
          variables.push(token.text);
          if (!assigns) this.variables.push(token.text);
          else this.mustKnow(token.text, token.at);
          break;
        }
        if (after.kind === "," && context === "range" && variables.length === 0) {
          this.next();
          variables.push(token.text);
          const second = this.peekBeyondSpace();
          if (second.kind === "variable") {
            const colon = this.tokens
              .slice(this.position + 1)
              .find((candidate) => candidate.kind !== "space");
            if (colon?.kind === ":=") this.variables.push(token.text);
            else if (colon?.kind === "=") this.mustKnow(token.text, token.at);
            continue;
          }
          this.fail(`range can only initialize variables`, second.at);
        }
        if (after.kind === "," && variables.length > 0) {
          this.fail(`too many declarations in ${context}`, after.at);
        }
        this.position = start;
        break;
      }
      const commands: Command[] = [];
      for (;;) {
        const token = this.peekBeyondSpace();
        if (token.kind === end) {
          this.next();
          this.check(commands, context, token.at);
          return { kind: "pipe", variables, assigns, commands, at };
        }
        if (token.kind === "right" || token.kind === ")" || token.kind === "end") {
          this.unexpected(token, context);
        }
        commands.push(this.command(context));
        const after = this.peekBeyondSpace();
        if (after.kind === "pipe") {
          this.next();
        } else if (after.kind !== end) this.unexpected(after, context);
      }
    });
  }

  private check(commands: readonly Command[], context: string, at: number): void {
    if (commands.length === 0) this.fail(`missing value for ${context}`, at);
    commands.slice(1).forEach((command, i) => {
      const first = command.operands[0];
      if (
        first === undefined ||
        first.kind === "dot" ||
        first.kind === "nil" ||
        first.kind === "literal"
      ) {
        this.fail(`non executable command in pipeline stage ${i + 2}`, command.at);
      }
    });
  }

  private command(context: string): Command {
    const operands: Operand[] = [];
    const at = this.peekBeyondSpace().at;
    for (;;) {
      this.peekBeyondSpace();
      const operand = this.operand();
      if (operand !== undefined) operands.push(operand);
      const after = this.peek();
      if (after.kind === "space") {
        this.next();
        continue;
      }
      if (after.kind === "pipe" || after.kind === "right" || after.kind === ")") break;
      this.unexpected(after, operand === undefined ? context : "operand");
    }
    if (operands.length === 0) this.fail("empty command", at);
    return { operands, at };
  }

  private operand(): Operand | undefined {
    const base = this.term();
    if (base === undefined) return undefined;
    const names: Name[] = [];
    const at = this.peek().at;
    while (this.peek().kind === "field") {
      const field = this.next();
      names.push({ name: field.text.slice(1), at: field.at });
    }
    if (names.length === 0) return base;
    if (base.kind === "field" || base.kind === "variable") {
      return { ...base, names: [...base.names, ...names] };
    }
    if (base.kind === "dot" || base.kind === "nil" || base.kind === "literal") {
      this.fail(`unexpected . after ${this.source.text.slice(base.at, at)}`, at);
    }
    return { kind: "chain", base, names, at: base.at };
  }

  private term(): Operand | undefined {
    const token = this.peek();
    const { at, text } = token;
    // Whatever is no term ends the command.
    // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- the default is what ends the command
    switch (token.kind) {
      case "identifier":
        this.next();
        if (!this.functions.has(text)) this.functions.set(text, at);
        return { kind: "identifier", name: text, at };
      case "dot":
        this.next();
        return { kind: "dot", at };
      case "nil":
        this.next();
        return { kind: "nil", at };
      case "variable":
        this.next();
        this.mustKnow(text, at);
        return { kind: "variable", name: text, names: [], at };
      case "field":
        this.next();
        return { kind: "field", names: [{ name: text.slice(1), at }], at };
      case "bool":
        this.next();
        return { kind: "literal", value: text === "true", text, at };
      case "string":
        this.next();
        return { kind: "literal", value: this.unquoted(token), text, at };
      case "char": {
        this.next();
        const value = unquoteCharacter(text);
        if (value === undefined) this.fail(`malformed character constant: ${text}`, at);
        return { kind: "literal", value, text, at };
      }
      case "number": {
        this.next();
        return { kind: "literal", value: this.number(token), text, at };
      }
      case "(": {
        this.next();
        return this.pipeline("parenthesized pipeline", ")");
      }
      default:
        return undefined;
    }
  }

  private mustKnow(name: string, at: number): void {
    if (!this.variables.includes(name)) this.fail(`undefined variable ${JSON.stringify(name)}`, at);
  }

  private number({ text, at }: Token): bigint | number {
    const value = parseNumber(text);
    if (value === undefined) this.fail(`illegal number syntax: ${JSON.stringify(text)}`, at);
    if (typeof value === "bigint" && (value > 0xffffffffffffffffn || value < -(1n << 63n))) {
      this.fail(`integer overflow: ${JSON.stringify(text)}`, at);
    }
    return value;
  }
}

const isEmpty = (body: readonly Node[]): boolean =>
  body.every((node) => node.kind === "text" && node.text.trim() === "");

/** Go's literals of integers and floats; the former in any base, `0755` being octal. */
function parseNumber(text: string): bigint | number | undefined {
  if (/^_|__|_$|_\.|\._|_[eEpPi]|[eEpP][+-]?_/.test(text)) return undefined;
  if (/[^0-9xXoObBa-fA-F]_|_[^0-9a-fA-F]/.test(text)) return undefined;
  const sign = text.startsWith("-") ? -1n : 1n;
  const digits = text.replace(/^[+-]/, "").replaceAll("_", "");
  if (/^(?:0[xX][0-9a-fA-F]+|0[oO][0-7]+|0[bB][01]+|[1-9][0-9]*|0)$/.test(digits)) {
    return sign * BigInt(digits.toLowerCase());
  }
  if (/^0[0-7]+$/.test(digits)) return sign * BigInt(`0o${digits.slice(1)}`);
  if (/^(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/.test(digits)) {
    if (/^0[0-9]+$/.test(digits)) return undefined;
    const value = Number(sign) * Number(digits);
    return Number.isFinite(value) ? value : undefined;
  }
  const hex = /^0[xX]([0-9a-fA-F]*)\.?([0-9a-fA-F]*)[pP]([+-]?[0-9]+)$/.exec(digits);
  if (hex !== null && `${hex[1]}${hex[2]}` !== "") {
    const mantissa = Number(`0x${hex[1]}${hex[2]}`);
    const value = Number(sign) * mantissa * 2 ** (Number(hex[3]) - 4 * (hex[2] ?? "").length);
    return Number.isFinite(value) ? value : undefined;
  }
  return undefined;
}
