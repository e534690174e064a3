import { defaultLimits, type Engine, type Limits, type Program } from "../language.ts";
import type { Value } from "../values.ts";
import { evaluateQuery, type Node } from "./evaluate.ts";
import { parseQuery } from "./parser.ts";
import { isSingular } from "./syntax.ts";

/**
 * JSONPath by RFC 9535, with what people write besides. The library for it, json-p3, is what the tests compare with: it
 * counts no steps, its regular expressions can be made to hang, and its filters cannot be extended.
 */

export interface JsonPathOptions {
  /** Nothing but RFC 9535. */
  strict?: boolean;
  limits?: Partial<Limits>;
}

/** Where a value is: names and indexes from the root. */
export type Location = readonly (string | number)[];

export interface JsonPath {
  /** Finds one value at most, whatever the document. */
  isSingular: boolean;
  /** @throws ScriptError */
  find(root: Value): { value: Value; location: Location }[];
  /** @throws ScriptError */
  values(root: Value): Value[];
}

/** @throws ScriptError */
export function compileJsonPath(text: string, options: JsonPathOptions = {}): JsonPath {
  const limits = { ...defaultLimits, ...options.limits };
  const query = parseQuery(text, { strict: options.strict ?? false, depth: limits.depth });
  return {
    isSingular: isSingular(query),
    find: (root) =>
      evaluateQuery(query, root, limits).map((node) => ({
        value: node.value,
        location: locationOf(node),
      })),
    values: (root) => evaluateQuery(query, root, limits).map(({ value }) => value),
  };
}

function locationOf(node: Node): Location {
  const location: (string | number)[] = [];
  for (let at = node; at.parent; at = at.parent) location.push(at.key!);
  return location.toReversed();
}

/** The value of a path that finds one at most, or null; a list of what others find. */
export const jsonpath: Engine = {
  compile(text, { limits } = {}): Program {
    const path = compileJsonPath(text, { limits });
    return {
      run(context) {
        const values = path.values(context);
        return path.isSingular ? (values[0] ?? null) : values;
      },
    };
  },
};
