import { CelMap, CelType, type CelValue, Optional, typeNames } from "./cel-values.ts";
import { macroBuilder, type Scope } from "./macros.ts";
import { Mistake, mistakeAt } from "./mistake.ts";
import { arithmetic, compare, equalOrEmpty, isIn, negate } from "./operators.ts";
import { call, type Functions } from "./overloads.ts";
import { print } from "./print.ts";
import type { Evaluate, Run } from "./run.ts";
import { select, selectIfThere } from "./select.ts";
import type { Node } from "./syntax.ts";
import { truth, wanted } from "./truth.ts";

export interface Known {
  globals: Functions;
  methods: Functions;
}

export interface Compiled {
  evaluate: Evaluate;
  /** Names that the context has to have, and where each is said first. */
  free: ReadonlyMap<string, number>;
  slots: number;
}

const types = new Map(
  [
    ..."int uint double bool string bytes list map null_type type optional_type".split(" "),
    ...Object.values(typeNames),
  ].map((name) => [name, new CelType(name)] as const),
);

export function compile(node: Node, { globals, methods }: Known): Compiled {
  const free = new Map<string, number>();
  let slots = 0;

  const slotOf = (name: string, scope: Scope | undefined): number | undefined => {
    for (let one = scope; one; one = one.outer) if (one.name === name) return one.slot;
    return undefined;
  };

  function build(node: Node, scope: Scope | undefined): Evaluate {
    switch (node.kind) {
      case "literal": {
        const { value } = node;
        return () => value;
      }
      case "name":
        return buildName([node.name], node.at, scope, () => {
          throw new Mistake(`undeclared reference to '${node.name}'`);
        });
      case "select":
        return buildSelect(node, scope);
      case "index":
        return buildIndex(node, scope);
      case "call":
        return buildCall(node, scope);
      case "list":
        return buildList(node, scope);
      case "map":
        return buildMap(node, scope);
      case "unary":
        return buildUnary(node, scope);
      case "binary":
        return buildBinary(node, scope);
      case "logic":
        return buildLogic(node, scope);
      case "choose": {
        const [condition, yes, no] = [node.condition, node.yes, node.no].map((one) =>
          build(one, scope),
        ) as [Evaluate, Evaluate, Evaluate];
        return (run) => (truth(condition(run), "_?_:_", node.at) ? yes(run) : no(run));
      }
      default:
        return node;
    }
  }

  /** A name, or names with dots between them of which the longest that the context has is meant. */
  function buildName(
    names: readonly string[],
    at: number,
    scope: Scope | undefined,
    otherwise: Evaluate,
  ): Evaluate {
    const whole = names.join(".");
    if (names.length === 1) {
      const slot = slotOf(whole, scope);
      if (slot !== undefined) return (run) => run.slots[slot]!;
      if (!types.has(whole) && !free.has(whole)) free.set(whole, at);
    }
    const type = types.get(whole);
    return (run) => {
      const value = run.variable(whole);
      if (value !== undefined) return value;
      if (type) return type;
      try {
        return otherwise(run);
      } catch (error) {
        throw mistakeAt(error, at);
      }
    };
  }

  function buildSelect(node: Node & { kind: "select" }, scope: Scope | undefined): Evaluate {
    const { field, at, optional } = node;
    const names = dotted(node);
    const type = names && types.get(names.join("."));
    if (type) return (run) => run.variable(type.name) ?? type;
    const operand = build(node.operand, scope);
    const read: Evaluate = (run) => {
      const value = operand(run);
      try {
        return optional ? selectIfThere(value, field) : select(value, field);
      } catch (error) {
        throw mistakeAt(error, at);
      }
    };
    if (!names || slotOf(names[0]!, scope) !== undefined) return read;
    return buildName(names, at, scope, read);
  }

  function buildIndex(node: Node & { kind: "index" }, scope: Scope | undefined): Evaluate {
    const { at, optional } = node;
    const operand = build(node.operand, scope);
    const index = build(node.index, scope);
    return (run) => {
      const value = operand(run);
      const key = index(run);
      try {
        return optional ? selectIfThere(value, key) : select(value, key);
      } catch (error) {
        throw mistakeAt(error, at);
      }
    };
  }

  function buildList(node: Node & { kind: "list" }, scope: Scope | undefined): Evaluate {
    const items = node.items.map(({ value, optional }) => ({
      value: build(value, scope),
      optional,
    }));
    return (run) => {
      const list: CelValue[] = [];
      for (const { value, optional } of items) {
        const item = value(run);
        if (!optional) list.push(item);
        else if (wanted(item, node.at).value !== undefined) list.push((item as Optional).value!);
      }
      return list;
    };
  }

  function buildMap(node: Node & { kind: "map" }, scope: Scope | undefined): Evaluate {
    const entries = node.entries.map(({ key, value, optional }) => ({
      at: key.at,
      key: build(key, scope),
      value: build(value, scope),
      optional,
    }));
    return (run) => {
      const map = new CelMap();
      for (const { at, key, value, optional } of entries) {
        const name = key(run);
        let item = value(run);
        if (optional) {
          const { value: inner } = wanted(item, at);
          if (inner === undefined) continue;
          item = inner;
        }
        if (map.has(name)) throw new Mistake(`the key ${print(name)} is there twice`, { at });
        try {
          map.add(name, item);
        } catch (error) {
          throw mistakeAt(error, at);
        }
      }
      return map;
    };
  }

  function buildUnary(node: Node & { kind: "unary" }, scope: Scope | undefined): Evaluate {
    const operand = build(node.operand, scope);
    const { at } = node;
    if (node.operator === "!") return (run) => !truth(operand(run), "!_", at);
    return (run) => {
      const value = operand(run);
      try {
        return negate(value);
      } catch (error) {
        throw mistakeAt(error, at);
      }
    };
  }

  function buildBinary(node: Node & { kind: "binary" }, scope: Scope | undefined): Evaluate {
    const left = build(node.left, scope);
    const right = build(node.right, scope);
    const { at, operator } = node;
    const work = binaries[operator];
    return (run) => {
      const one = left(run);
      const other = right(run);
      try {
        return work(one, other, run);
      } catch (error) {
        throw mistakeAt(error, at);
      }
    };
  }

  /** One operand that decides does so whatever is wrong with others. */
  function buildLogic(node: Node & { kind: "logic" }, scope: Scope | undefined): Evaluate {
    const operands = node.operands.map((one) => ({ at: one.at, evaluate: build(one, scope) }));
    const decides = node.operator === "||";
    const name = `_${node.operator}_`;
    return (run) => {
      let wrong: unknown;
      for (const { at, evaluate } of operands) {
        try {
          if (truth(evaluate(run), name, at) === decides) return decides;
        } catch (error) {
          if (!(error instanceof Mistake) || error.fatal) throw error;
          wrong ??= error;
        }
      }
      if (wrong !== undefined) throw wrong;
      return !decides;
    };
  }

  function buildCall(node: Node & { kind: "call" }, scope: Scope | undefined): Evaluate {
    const { target, name, at } = node;
    if (!target) {
      if (name === "has" && node.args.length === 1) return buildHas(node.args[0]!, scope);
      return invoke(name, globals.get(name), node.args, at, scope);
    }
    const names = dotted(target);
    if (names && slotOf(names[0]!, scope) === undefined) {
      const whole = [...names, name].join(".");
      if (whole === "cel.bind") return buildBind(node, scope);
      const found = globals.get(whole);
      if (found) return invoke(whole, found, node.args, at, scope);
    }
    const macro = buildMacro(node, target, scope);
    if (macro) return macro;
    if ((name === "or" || name === "orValue") && node.args.length === 1) {
      const value = build(target, scope);
      const other = build(node.args[0]!, scope);
      return (run) => {
        const one = value(run);
        // A value that is there though nobody asked whether, or the null that a missing key is.
        if (!(one instanceof Optional)) return one ?? other(run);
        if (one.value === undefined) return other(run);
        return name === "or" ? one : one.value;
      };
    }
    return invoke(name, methods.get(name), [target, ...node.args], at, scope);
  }

  function invoke(
    name: string,
    overloads: ReturnType<Functions["get"]>,
    args: readonly Node[],
    at: number,
    scope: Scope | undefined,
  ): Evaluate {
    if (!overloads) throw new Mistake(`undeclared reference to the function '${name}'`, { at });
    const operands = args.map((one) => build(one, scope));
    return (run) => {
      const values = operands.map((one) => one(run));
      try {
        return call(name, overloads, values, run);
      } catch (error) {
        throw mistakeAt(error, at);
      }
    };
  }

  function buildHas(node: Node, scope: Scope | undefined): Evaluate {
    if (node.kind !== "select") throw new Mistake("has() wants a field: has(a.b)", { at: node.at });
    const operand = build(node.operand, scope);
    return (run) => {
      const value = operand(run);
      try {
        return selectIfThere(value, node.field).value !== undefined;
      } catch (error) {
        throw mistakeAt(error, node.at);
      }
    };
  }

  function declare(node: Node | undefined, outer: Scope | undefined): Scope {
    if (node?.kind !== "name")
      throw new Mistake("a macro wants a simple name here", node && { at: node.at });
    slots += 1;
    return { name: node.name, slot: slots - 1, outer };
  }

  function buildBind({ args, at }: Node & { kind: "call" }, scope: Scope | undefined): Evaluate {
    if (args.length !== 3) throw new Mistake("cel.bind wants a name and two expressions", { at });
    const value = build(args[1]!, scope);
    const inner = declare(args[0], scope);
    const result = build(args[2]!, inner);
    return (run) => {
      run.slots[inner.slot] = value(run);
      return result(run);
    };
  }

  const buildMacro = macroBuilder({ build, declare });
  return { evaluate: build(node, undefined), free, slots };
}

const binaries: Readonly<
  Record<
    Extract<Node, { kind: "binary" }>["operator"],
    (left: CelValue, right: CelValue, run: Run) => CelValue
  >
> = {
  "+": (left, right, { meter }) => arithmetic("+", left, right, meter),
  "-": (left, right, { meter }) => arithmetic("-", left, right, meter),
  "*": (left, right, { meter }) => arithmetic("*", left, right, meter),
  "/": (left, right, { meter }) => arithmetic("/", left, right, meter),
  "%": (left, right, { meter }) => arithmetic("%", left, right, meter),
  "==": (left, right) => equalOrEmpty(left, right),
  "!=": (left, right) => !equalOrEmpty(left, right),
  "<": (left, right) => compare("_<_", left, right) < 0,
  "<=": (left, right) => compare("_<=_", left, right) <= 0,
  ">": (left, right) => compare("_>_", left, right) > 0,
  ">=": (left, right) => compare("_>=_", left, right) >= 0,
  in: (left, right) => isIn(left, right),
};

/** `a.b.c` as its names. */
function dotted(node: Node): string[] | undefined {
  const names: string[] = [];
  let one = node;
  for (; one.kind === "select" && !one.optional; one = one.operand) names.unshift(one.field);
  return one.kind === "name" ? [one.name, ...names] : undefined;
}
