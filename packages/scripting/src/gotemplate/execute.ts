import { goPrint, goType, sortedKeys, TooMuch } from "../functions/go-format.ts";
import { ScriptError } from "../script-error.ts";
import { isMapping, type Mapping, type Value } from "../values.ts";
import { isTrue } from "./builtins.ts";
import { type Callable, type Item, Namespace, WrongArgument } from "./callable.ts";
import { memberOf } from "./members.ts";
import type { Branch, Command, Invocation, Name, Node, Operand, Pipe } from "./nodes.ts";
import { count, isLiteral, operandText } from "./operands.ts";
import type { Execution, Stretch } from "./execution.ts";
import { mistake } from "./source.ts";

type Signal = "break" | "continue" | undefined;

/** @throws ScriptError */
export function execute(execution: Execution): Stretch[] {
  const run = new Run(execution);
  try {
    run.start();
  } catch (error) {
    if (error instanceof ScriptError) throw error;
    // The stack of the interpreter is the last of the limits.
    if (error instanceof RangeError || error instanceof TooMuch) {
      throw mistake(execution.source, run.at, explain(error), { cause: error, isLimit: true });
    }
    throw error;
  }
  return run.output;
}

const explain = (error: Error): string =>
  error instanceof RangeError
    ? "the template is nested too deeply or makes too much"
    : error.message;

class Run {
  readonly output: Stretch[] = [];
  /** The place being evaluated. */
  at = 0;
  private readonly execution: Execution;
  private variables: { name: string; value: Item }[] = [];
  private steps = 0;
  private depth = 0;
  private written = 0;

  constructor(execution: Execution) {
    this.execution = execution;
  }

  start(): void {
    const { template, functions, context } = this.execution;
    for (const [name, at] of template.functions) {
      const known =
        Object.hasOwn(context, name) ||
        functions.has(name) ||
        ["and", "or", "call"].includes(name) ||
        [...functions.keys()].some((key) => key.startsWith(`${name}.`));
      if (!known) this.fail(at, `function ${JSON.stringify(name)} not defined`);
    }
    this.variables = [{ name: "$", value: context }];
    this.walk(context, template.body);
  }

  private fail(at: number, message: string, cause?: unknown): never {
    throw mistake(this.execution.source, at, message, { cause });
  }

  private giveUp(at: number, message: string): never {
    throw mistake(this.execution.source, at, message, { isLimit: true });
  }

  private step(at: number): void {
    this.at = at;
    if (++this.steps > this.execution.limits.steps) {
      this.giveUp(at, `the template takes more than ${this.execution.limits.steps} steps`);
    }
  }

  private write(text: string, isValue: boolean, at: number): void {
    if (text === "") return;
    this.written += text.length;
    if (this.written > this.execution.limits.outputCharacters) {
      this.giveUp(
        at,
        `the output is longer than ${this.execution.limits.outputCharacters} characters`,
      );
    }
    this.output.push({ text, isValue, at });
  }

  private walk(dot: Item, nodes: readonly Node[]): Signal {
    for (const node of nodes) {
      this.step(node.at);
      switch (node.kind) {
        case "text":
          this.write(node.text, false, node.at);
          break;
        case "action": {
          const value = this.pipe(dot, node.pipe);
          if (node.pipe.variables.length === 0) {
            this.write(this.printed(value, node.at), !isLiteral(node.pipe), node.at);
          }
          break;
        }
        case "if":
        case "with":
        case "range": {
          const mark = this.variables.length;
          const signal = node.kind === "range" ? this.range(dot, node) : this.choose(dot, node);
          this.variables.length = mark;
          if (signal !== undefined) return signal;
          break;
        }
        case "template":
          this.invoke(dot, node);
          break;
        case "break":
        case "continue":
          return node.kind;
      }
    }
    return undefined;
  }

  private printed(item: Item, at: number): string {
    if (item === null) return "<no value>";
    const value = this.asValue(item, at);
    return typeof value === "string" ? value : goPrint([value]);
  }

  private asValue(item: Item, at: number): Value {
    if (item instanceof Namespace) this.fail(at, `${item.name} is a family of functions, no value`);
    return item;
  }

  private choose(dot: Item, node: Branch): Signal {
    const value = this.pipe(dot, node.pipe);
    if (value instanceof Namespace || isTrue(value)) {
      return this.walk(node.kind === "with" ? value : dot, node.body);
    }
    return node.otherwise === undefined ? undefined : this.walk(dot, node.otherwise);
  }

  private range(dot: Item, node: Branch): Signal {
    const value = this.asValue(this.pipe(dot, node.pipe), node.pipe.at);
    const { variables, assigns } = node.pipe;
    const declared = this.variables.length;
    const once = (key: Value, element: Value): boolean => {
      this.step(node.at);
      const mark = this.variables.length;
      const [first, second] = variables;
      const targets =
        second === undefined
          ? [[first, element]]
          : ([
              [first, key],
              [second, element],
            ] as const);
      for (const [name, target] of targets as readonly (readonly [string | undefined, Value])[]) {
        if (name === undefined) continue;
        if (assigns) this.assign(name, target, node.pipe.at);
        else {
          // The pipeline has declared them; each turn has its own value.
          const place = declared - variables.length + variables.indexOf(name);
          const slot = this.variables[place];
          if (slot !== undefined) slot.value = target;
        }
      }
      const signal = this.walk(element, node.body);
      this.variables.length = mark;
      return signal !== "break";
    };
    let turns = 0;
    if (Array.isArray(value)) {
      for (const element of value as readonly Value[]) {
        if (!once(BigInt(turns++), element)) break;
      }
    } else if (value instanceof Uint8Array) {
      for (const byte of value) {
        if (!once(BigInt(turns++), BigInt(byte))) break;
      }
    } else if (
      typeof value === "bigint" ||
      (typeof value === "number" && Number.isInteger(value))
    ) {
      if (variables.length > 1) {
        this.fail(
          node.pipe.commands[0]?.at ?? node.at,
          `can't use ${value} to iterate over more than one variable`,
        );
      }
      for (let i = 0n; i < BigInt(value); i++) {
        turns++;
        if (!once(i, i)) break;
      }
    } else if (value !== null && isMapping(value)) {
      for (const key of sortedKeys(value)) {
        turns++;
        if (!once(key, value[key] ?? null)) break;
      }
    } else if (value !== null) {
      this.fail(node.pipe.at, `range can't iterate over ${goPrint([value]).slice(0, 200)}`);
    }
    if (turns > 0 || node.otherwise === undefined) return undefined;
    return this.walk(dot, node.otherwise);
  }

  private invoke(dot: Item, node: Invocation): void {
    const body = this.execution.template.defined.get(node.name);
    if (body === undefined) {
      this.fail(node.at, `template ${JSON.stringify(node.name)} not defined`);
    }
    if (this.depth >= this.execution.limits.depth) {
      this.giveUp(node.at, `exceeded maximum template depth (${this.execution.limits.depth})`);
    }
    const argument = node.pipe === undefined ? null : this.pipe(dot, node.pipe);
    const outer = this.variables;
    this.variables = [{ name: "$", value: argument }];
    this.depth++;
    this.walk(argument, body);
    this.depth--;
    this.variables = outer;
  }

  private assign(name: string, value: Item, at: number): void {
    const variable = this.variables.findLast((candidate) => candidate.name === name);
    if (variable === undefined) this.fail(at, `undefined variable: ${name}`);
    variable.value = value;
  }

  private pipe(dot: Item, pipe: Pipe): Item {
    let value: Item | undefined;
    for (const command of pipe.commands) value = this.command(dot, command, value);
    const result = value ?? null;
    for (const name of pipe.variables) {
      if (pipe.assigns) {
        // A range assigns turn by turn.
        if (pipe.variables.length === 1) this.assign(name, result, pipe.at);
      } else this.variables.push({ name, value: result });
    }
    return result;
  }

  private command(dot: Item, command: Command, final: Item | undefined): Item {
    const [first, ...operands] = command.operands;
    if (first === undefined) return null;
    this.step(first.at);
    switch (first.kind) {
      case "identifier":
        return this.call(dot, first, operands, final);
      case "field":
        return this.fields(dot, dot, first.names, operands, final);
      case "variable": {
        const value = this.variable(first.name, first.at);
        if (first.names.length === 0) {
          this.noArguments(first, operands, final);
          return value;
        }
        return this.fields(dot, value, first.names, operands, final);
      }
      case "chain":
        return this.chain(dot, first, operands, final);
      case "dot":
      case "nil":
      case "literal":
      case "pipe":
        this.noArguments(first, operands, final);
        if (first.kind === "nil") this.fail(first.at, "nil is not a command");
        return this.operand(dot, first);
    }
  }

  private noArguments(first: Operand, operands: readonly Operand[], final: Item | undefined): void {
    if (operands.length > 0 || final !== undefined) {
      this.fail(first.at, `can't give argument to non-function ${operandText(first)}`);
    }
  }

  private operand(dot: Item, operand: Operand): Item {
    this.step(operand.at);
    switch (operand.kind) {
      case "dot":
        return dot;
      case "nil":
        return null;
      case "literal":
        return operand.value;
      case "pipe":
        return this.pipe(dot, operand);
      case "identifier":
        return this.call(dot, operand, [], undefined);
      case "field":
        return this.fields(dot, dot, operand.names, [], undefined);
      case "variable":
        return this.fields(
          dot,
          this.variable(operand.name, operand.at),
          operand.names,
          [],
          undefined,
        );
      case "chain":
        return this.chain(dot, operand, [], undefined);
    }
  }

  private variable(name: string, at: number): Item {
    const variable = this.variables.findLast((candidate) => candidate.name === name);
    if (variable === undefined) this.fail(at, `undefined variable: ${name}`);
    return variable.value;
  }

  private chain(
    dot: Item,
    chain: Operand & { kind: "chain" },
    operands: readonly Operand[],
    final: Item | undefined,
  ): Item {
    const { base } = chain;
    if (base.kind === "nil") this.fail(base.at, "indirection through explicit nil");
    if (base.kind !== "identifier") {
      return this.fields(dot, this.operand(dot, base), chain.names, operands, final);
    }
    const { functions, context } = this.execution;
    const member = chain.names[0]?.name ?? "";
    const dotted = functions.get(`${base.name}.${member}`);
    if (dotted !== undefined && !(dotted instanceof Namespace)) {
      const value = this.apply(
        dot,
        dotted,
        chain.at,
        chain.names.length === 1 ? operands : [],
        chain.names.length === 1 ? final : undefined,
      );
      if (chain.names.length === 1) return value;
      return this.fields(dot, value, chain.names.slice(1), operands, final);
    }
    // A variable may have the name of a family of functions: `path` and `path.Base`.
    const family = functions.get(base.name);
    const variable = Object.hasOwn(context, base.name) ? (context[base.name] ?? null) : null;
    const receiver =
      family instanceof Namespace &&
      family.members.has(member) &&
      !(isMapping(variable) && Object.hasOwn(variable, member))
        ? family
        : this.call(dot, base, [], undefined);
    return this.fields(dot, receiver, chain.names, operands, final);
  }

  /** Follows names; the last is given the arguments. */
  private fields(
    dot: Item,
    receiver: Item,
    names: readonly Name[],
    operands: readonly Operand[],
    final: Item | undefined,
  ): Item {
    let value = receiver;
    names.forEach((name, i) => {
      const isLast = i === names.length - 1;
      value = this.field(dot, value, name, isLast ? operands : [], isLast ? final : undefined);
    });
    return value;
  }

  private field(
    dot: Item,
    receiver: Item,
    { name, at }: Name,
    operands: readonly Operand[],
    final: Item | undefined,
  ): Item {
    this.at = at;
    if (receiver instanceof Namespace) {
      const member = receiver.members.get(name);
      if (member === undefined) {
        this.fail(at, `there is no function ${receiver.name}.${name}`);
      }
      return this.apply(dot, member, at, operands, final);
    }
    const isCalled = operands.length > 0 || final !== undefined;
    // What is missing has nothing below it either: `.a.b.c` prints as no value.
    if (receiver === null) {
      if (isCalled) this.fail(at, `${name} is not a method but has arguments`);
      return null;
    }
    const method = memberOf(receiver, name);
    if (method !== undefined) return this.apply(dot, method, at, operands, final);
    if (!isMapping(receiver)) {
      this.fail(at, `can't evaluate field ${name} in type ${goType(receiver)}`);
    }
    if (isCalled) this.fail(at, `${name} is not a method but has arguments`);
    return ownValue(receiver, name);
  }

  private call(
    dot: Item,
    node: Operand & { kind: "identifier" },
    operands: readonly Operand[],
    final: Item | undefined,
  ): Item {
    const { name, at } = node;
    const { functions, context } = this.execution;
    const isCalled = operands.length > 0 || final !== undefined;
    if (Object.hasOwn(context, name)) {
      if (!isCalled) return context[name] ?? null;
      if (!functions.has(name) && !["and", "or", "call"].includes(name)) {
        this.fail(at, `wrong number of args for ${name}: want 0 got ${count(operands, final)}`);
      }
    }
    if (name === "and" || name === "or") return this.logical(dot, node, operands, final);
    if (name === "call") {
      const [target] = operands;
      if (target === undefined)
        this.fail(at, "wrong number of args for call: want at least 1 got 0");
      const value = this.asValue(this.operand(dot, target), target.at);
      this.fail(
        at,
        value === null
          ? "error calling call: call of nil"
          : `error calling call: non-function ${operandText(target)} of type ${goType(value)}`,
      );
    }
    const found = functions.get(name);
    if (found === undefined) this.fail(at, `function ${JSON.stringify(name)} not defined`);
    if (found instanceof Namespace) {
      if (isCalled) {
        this.fail(at, `wrong number of args for ${name}: want 0 got ${count(operands, final)}`);
      }
      return found;
    }
    return this.apply(dot, found, at, operands, final);
  }

  private logical(
    dot: Item,
    { name, at }: Operand & { kind: "identifier" },
    operands: readonly Operand[],
    final: Item | undefined,
  ): Item {
    if (count(operands, final) === 0) {
      this.fail(at, `wrong number of args for ${name}: want at least 1 got 0`);
    }
    let value: Item = null;
    for (const operand of operands) {
      value = this.operand(dot, operand);
      const truth = value instanceof Namespace || isTrue(value);
      if (truth === (name === "or")) return value;
    }
    return final === undefined ? value : final;
  }

  private apply(
    dot: Item,
    { name, least, most, run }: Callable,
    at: number,
    operands: readonly Operand[],
    final: Item | undefined,
  ): Value {
    const given = count(operands, final);
    if (given < least || given > most) {
      const wanted =
        least === most ? String(least) : given < least ? `at least ${least}` : `at most ${most}`;
      this.fail(at, `wrong number of args for ${name}: want ${wanted} got ${given}`);
    }
    const args = operands.map((operand) => this.asValue(this.operand(dot, operand), operand.at));
    if (final !== undefined) args.push(this.asValue(final, at));
    this.at = at;
    try {
      const value = run(args);
      if (typeof value === "string" && value.length > this.execution.limits.outputCharacters) {
        throw new TooMuch(
          `the text is longer than ${this.execution.limits.outputCharacters} characters`,
        );
      }
      if (Array.isArray(value)) this.steps += value.length;
      return value;
    } catch (error) {
      if (error instanceof ScriptError) throw error;
      const wrong = error instanceof WrongArgument ? args.indexOf(error.value) : -1;
      const place = operands[wrong]?.at ?? at;
      this.fail(
        place,
        `error calling ${name}: ${error instanceof Error ? explain(error) : String(error)}`,
        error,
      );
    }
  }
}

const ownValue = (mapping: Mapping, name: string): Value =>
  Object.hasOwn(mapping, name) ? (mapping[name] ?? null) : null;
