import { CelMap, type CelValue, isList, Optional, typeName } from "./cel-values.ts";
import { Mistake, mistakeAt } from "./mistake.ts";
import { compare, noOverload } from "./operators.ts";
import { print } from "./print.ts";
import type { Evaluate, Run } from "./run.ts";
import type { Node } from "./syntax.ts";
import { truth, wanted } from "./truth.ts";

/** A name that a macro brings, and where its value is while the script runs. */
export interface Scope {
  name: string;
  slot: number;
  outer: Scope | undefined;
}

/** Functions and methods that a script may call. */
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

interface Builders {
  build(node: Node, scope: Scope | undefined): Evaluate;
  /** Makes room for the value of a name. */
  declare(node: Node | undefined, outer: Scope | undefined): Scope;
}

type BuildMacro = (
  node: Node & { kind: "call" },
  target: Node,
  scope: Scope | undefined,
) => Evaluate | undefined;

/** Calls that bring names of their own, and evaluate an expression for each item. Undefined of what is none. */
export function macroBuilder({ build, declare }: Builders): BuildMacro {
  return buildMacro;

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
}
