import { search } from "@aws-lambda-powertools/jmespath";
import fontoxpath from "fontoxpath";
import { parseXmlDocument } from "slimdom";
import { compileJsonPath } from "../jsonpath/engine.ts";
import { toPlain } from "../javascript/to-json.ts";
import { ScriptError } from "../script-error.ts";
import type { Value } from "../values.ts";

/** Queries of other languages inside of scripts. Each takes its text first, then what it looks into. */

export { jq, readyJq } from "./jq.ts";

const depth = 100;

/** The value of a path that finds one at most, or null; a list of what others find. Braces, as kubectl has them, too. */
export function jsonpath(path: string, document: Value): Value {
  const [, inner] = /^\s*\{(.*)\}\s*$/s.exec(path) ?? [];
  try {
    const compiled = compileJsonPath(inner ?? path);
    const values = compiled.values(document);
    return compiled.isSingular ? (values[0] ?? null) : values;
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    const place = error.column === undefined ? "" : ` (at ${error.column})`;
    throw new Error(`jsonpath: ${error.message}${place}`, { cause: error });
  }
}

export function jmespath(expression: string, document: Value): Value {
  const { plain } = toPlain(document, { depth });
  try {
    // The blank keeps the library's cache, a plain object, from finding `constructor` in it.
    return (search(`${expression} `, plain as never) ?? null) as Value;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new Error(`jmespath: ${error.message}`, { cause: error });
  }
}

/** The text of the node that is found, a number or a truth; a list of texts where many are found, null where none is. */
export function xpath(expression: string, xml: string): Value {
  try {
    const { evaluateXPath } = fontoxpath;
    const document = parseXmlDocument(xml);
    const found = evaluateXPath(
      expression,
      document,
      null,
      null,
      evaluateXPath.ALL_RESULTS_TYPE,
    ) as unknown[];
    const values = found.map(valueOf);
    return values.length === 1 ? values[0]! : values.length === 0 ? null : values;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    // Without the expression, which the library draws over what it says of it.
    const [, said = error.message] = /\b(X[A-Z]{3}\d{4}: .*)/.exec(error.message) ?? [];
    throw new Error(`xpath: ${said.split("\n")[0]}`, { cause: error });
  }
}

function valueOf(item: unknown): Value {
  if (typeof item !== "object" || item === null) return item as Value;
  const { value, textContent } = item as { value?: string; textContent?: string | null };
  return value ?? textContent ?? "";
}
