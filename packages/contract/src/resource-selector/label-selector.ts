import { SelectorError } from "./selector-error.ts";

/** One condition on a key. `notIn` also holds where the key is missing, as in Kubernetes. */
export type LabelRequirement = { key: string; at: number } & (
  | { op: "exists" | "missing" }
  | { op: "in" | "notIn"; values: readonly string[] }
);

const mostRequirements = 100;
const mostValues = 500;
const space = /\s*/y;
const word = /[^\s,=!<>()]+/y;
const operator = /==|=|!=|(?:notin|in)(?=[\s(])/y;

/** A label or field selector of Kubernetes: `a=b,c!=d,e in (x,y),f notin (z),g,!h`. All of it must hold. */
export function parseLabelSelector(text: string): LabelRequirement[] {
  let at = 0;
  let values = 0;
  const requirements: LabelRequirement[] = [];

  const read = (pattern: RegExp): string => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0] ?? "";
    at += found.length;
    return found;
  };
  const take = (character: string): boolean => {
    read(space);
    if (text[at] !== character) return false;
    at += 1;
    return true;
  };
  const wrong = (expected: string): SelectorError =>
    new SelectorError(
      at < text.length
        ? `expected ${expected} instead of "${text.slice(at, at + 20)}"`
        : `expected ${expected}, but the text ends`,
      at,
    );
  const readValue = (): string => {
    values += 1;
    if (values > mostValues) throw new SelectorError(`more than ${mostValues} values`, at);
    read(space);
    return read(word);
  };

  function readSet(): string[] {
    if (!take("(")) throw wrong('"("');
    const set = [readValue()];
    while (take(",")) set.push(readValue());
    if (!take(")")) throw wrong('"," or ")"');
    return set;
  }

  function readRequirement(): LabelRequirement {
    read(space);
    const start = at;
    const isNegated = take("!");
    read(space);
    const key = read(word);
    if (key === "") throw wrong("a key");
    if (isNegated) return { key, at: start, op: "missing" };
    read(space);
    const op = read(operator);
    if (op === "") return { key, at: start, op: "exists" };
    if (op === "in" || op === "notin")
      return { key, at: start, op: op === "in" ? "in" : "notIn", values: readSet() };
    return { key, at: start, op: op === "!=" ? "notIn" : "in", values: [readValue()] };
  }

  if (text.trim() === "") return requirements;
  do {
    if (requirements.length === mostRequirements)
      throw new SelectorError(`more than ${mostRequirements} conditions`, at);
    requirements.push(readRequirement());
  } while (take(","));
  if (at < text.length) throw wrong('"," or the end');
  return requirements;
}
