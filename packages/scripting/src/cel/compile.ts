import {
  CelMap,
  CelType,
  type CelValue,
  isList,
  Optional,
  typeName,
  typeNames,
  Uint,
  Whole,
} from "./cel-values.ts";
import { Mistake, mistakeAt } from "./mistake.ts";
import { arithmetic, compare, equalOrEmpty, isIn, negate, noOverload } from "./operators.ts";
import { call, type Functions } from "./overloads.ts";
import { print } from "./print.ts";
import type { Evaluate, Run } from "./run.ts";
import type { Node } from "./syntax.ts";

/** A name that a macro brings, and where its value is while the script runs. */
interface Scope {
  name: string;
  slot: number;
  outer: Scope | undefined;
}

/** Functions and methods that a script may call. */
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

  function buildMacro(
    node: Node & { kind: "call" },
    target: Node,
    scope: Scope | undefined,
  ): Evaluate | undefined {
    const { name, args, at } = node;
    const kind = Object.hasOwn(macros, name) ? macros[name] : undefined;
    if (kind === "option" && args.length === 2) {
      const value = build(target, scope);
      const inner = declare(args[0], scope);
      const result = build(args[1]!, inner);
      return (run) => {
        const one = value(run);
        const found = one instanceof Optional ? one.value : (one ?? undefined);
        if (found === undefined) return Optional.none;
        run.slots[inner.slot] = found;
        const made = result(run);
        return name === "optMap" ? new Optional(made) : wanted(made, at);
      };
    }
    if (name === "fold" && (args.length === 3 || args.length === 4))
      return buildFold(node, target, scope);
    if (name === "sortBy" && args.length === 2) {
      const each = buildEach(target, at, args.slice(0, 1), args[1]!, scope);
      return (run) => {
        const pairs: { item: CelValue; by: CelValue }[] = [];
        each(run, (by, item) => pairs.push({ item, by }));
        try {
          return pairs
            .sort((one, other) => compare("sortBy", one.by, other.by))
            .map((one) => one.item);
        } catch (error) {
          throw mistakeAt(error, at);
        }
      };
    }
    if (kind === undefined || kind === "option") return undefined;
    const twoNames = kind === "two" || (kind === "either" && args.length === 3);
    const names = args.slice(0, twoNames ? 2 : 1);
    const rest = args.slice(names.length);
    const filters = name === "map" || kind === "two";
    if (rest.length !== 1 && !(filters && rest.length === 2)) return undefined;
    const each = buildEach(
      target,
      at,
      names,
      rest.at(-1)!,
      scope,
      rest.length === 2 ? rest[0] : undefined,
    );
    switch (name) {
      case "all":
      case "exists": {
        const decides = name === "exists";
        return (run) => {
          let wrong: unknown;
          let decided = false;
          each(
            run,
            (value) => {
              if (truth(value, name, at) === decides) decided = true;
              return decided;
            },
            (error) => (wrong ??= error),
          );
          if (decided) return decides;
          if (wrong !== undefined) throw wrong;
          return !decides;
        };
      }
      case "exists_one":
      case "existsOne":
        return (run) => {
          let count = 0;
          each(run, (value) => {
            if (truth(value, name, at)) count += 1;
          });
          return count === 1;
        };
      case "filter":
        return (run) => {
          const list: CelValue[] = [];
          each(run, (value, item) => {
            if (truth(value, name, at)) list.push(item);
          });
          return list;
        };
      case "map":
      case "transformList":
        return (run) => {
          const list: CelValue[] = [];
          each(run, (value) => void list.push(value));
          return list;
        };
      case "transformMap":
        return (run) => {
          const map = new CelMap();
          each(run, (value, _, key) => map.add(key, value));
          return map;
        };
      default:
        // transformMapEntry
        return (run) => {
          const map = new CelMap();
          each(run, (value) => {
            if (!(value instanceof CelMap)) throw noOverload(name, value);
            for (const [key, one] of value.entries()) {
              if (map.has(key)) throw new Mistake(`the key ${print(key)} is there twice`, { at });
              map.add(key, one);
            }
          });
          return map;
        };
    }
  }

  /**
   * Runs an expression for each item of a list or key of a map. Names are those of an item, or of a key and its value.
   * Ends when told `true`.
   */
  function buildEach(
    target: Node,
    at: number,
    names: readonly Node[],
    expression: Node,
    scope: Scope | undefined,
    condition?: Node,
  ) {
    const range = build(target, scope);
    const first = declare(names[0], scope);
    const second = names.length === 2 ? declare(names[1], first) : undefined;
    if (second && second.name === first.name)
      throw new Mistake("a macro wants two different names", { at: names[1]!.at });
    const test = condition && build(condition, second ?? first);
    const step = build(expression, second ?? first);
    return (
      run: Run,
      take: (value: CelValue, item: CelValue, key: CelValue) => unknown,
      fail?: (error: Mistake) => void,
    ): void => {
      for (const [key, value] of itemsOf(range(run), at)) {
        run.meter.step();
        const item = value === undefined ? key : second ? value : value;
        run.slots[first.slot] = second ? key : item;
        if (second) run.slots[second.slot] = item;
        try {
          if (test && !truth(test(run), "filter", at)) continue;
          if (take(step(run), item, key) === true) return;
        } catch (error) {
          const mistake = mistakeAt(error, at);
          if (!fail || mistake.fatal) throw mistake;
          fail(mistake);
        }
      }
    };

    /** Keys and values; the items of a map, where one name is given, are its keys. */
    function itemsOf(value: CelValue, at: number): [CelValue, CelValue][] {
      if (isList(value)) return value.map((item, place) => [BigInt(place), item]);
      if (value instanceof CelMap)
        return second ? value.entries() : value.keys().map((key) => [key, key]);
      throw new Mistake(`a ${typeName(value)} has no items to go through`, { at });
    }
  }

  function buildFold(
    { args, at }: Node & { kind: "call" },
    target: Node,
    scope: Scope | undefined,
  ): Evaluate {
    const range = build(target, scope);
    const declared: Scope[] = [];
    for (const name of args.slice(0, -1)) {
      if (declared.some((one) => name.kind === "name" && one.name === name.name))
        throw new Mistake("fold wants different names", { at: name.at });
      declared.push(declare(name, declared.at(-1) ?? scope));
    }
    const step = build(args.at(-1)!, declared.at(-1));
    const slot = declared.at(-1)!.slot;
    return (run) => {
      const value = range(run);
      let pairs: [CelValue, CelValue][];
      if (isList(value)) pairs = value.map((item, place) => [BigInt(place), item]);
      else if (value instanceof CelMap)
        pairs = value.entries().sort(([one], [other]) => (print(one) < print(other) ? -1 : 1));
      else throw new Mistake(`a ${typeName(value)} has no items to go through`, { at });
      // Begins with null, which is empty beside anything.
      let total: CelValue = null;
      for (const [key, item] of pairs) {
        run.meter.step();
        run.slots[slot] = total;
        run.slots[declared[0]!.slot] =
          declared.length === 3 || value instanceof CelMap ? key : item;
        if (declared.length === 3) run.slots[declared[1]!.slot] = item;
        total = step(run);
      }
      return total;
    };
  }

  return { evaluate: build(node, undefined), free, slots };
}

/** Macros by how many names they bring. */
const macros: Readonly<Record<string, "one" | "two" | "either" | "option">> = {
  all: "either",
  exists: "either",
  exists_one: "either",
  existsOne: "either",
  filter: "one",
  map: "one",
  transformList: "two",
  transformMap: "two",
  transformMapEntry: "two",
  optMap: "option",
  optFlatMap: "option",
};

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

/** Null, which a missing key is, is false. */
function truth(value: CelValue, name: string, at: number): boolean {
  if (typeof value === "boolean") return value;
  if (value === null) return false;
  throw mistakeAt(noOverload(name, value), at);
}

function wanted(value: CelValue, at: number): Optional {
  if (value instanceof Optional) return value;
  throw new Mistake(`a ${typeName(value)} stands where an optional value has to: a.?b`, { at });
}

/** `a.b.c` as its names. */
function dotted(node: Node): string[] | undefined {
  const names: string[] = [];
  let one = node;
  for (; one.kind === "select" && !one.optional; one = one.operand) names.unshift(one.field);
  return one.kind === "name" ? [one.name, ...names] : undefined;
}

/** A field, key or index. What is not there is null, and so is everything in it. */
function select(value: CelValue, key: CelValue): CelValue {
  if (value instanceof Optional) return selectIfThere(value, key);
  return selectIfThere(value, key).value ?? null;
}

function selectIfThere(value: CelValue, key: CelValue): Optional {
  if (value instanceof CelMap) {
    const item = value.get(key);
    if (
      item === undefined &&
      typeof key === "object" &&
      !(key instanceof Whole || key instanceof Uint)
    )
      throw new Mistake(`a ${typeName(key)} is no key of any map`);
    return item === undefined ? Optional.none : new Optional(item);
  }
  if (isList(value)) {
    const item = value[placeOf(key)];
    return item === undefined ? Optional.none : new Optional(item);
  }
  if (value === null) return Optional.none;
  if (value instanceof Optional)
    return value.value === undefined ? value : selectIfThere(value.value, key);
  throw new Mistake(
    `a ${typeName(value)} has no ${typeof key === "string" ? `field ${key}` : "items"}`,
  );
}

function placeOf(key: CelValue): number {
  if (typeof key === "bigint") return Number(key);
  if (key instanceof Whole) return key.value;
  if (key instanceof Uint) return Number(key.value);
  if (typeof key === "number" && Number.isInteger(key)) return key;
  throw new Mistake(`a ${typeName(key)} is no index of a list`);
}
