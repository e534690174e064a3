import { ApiError, beyondLimit } from "../errors.ts";
import { costLimits } from "../limits.ts";
import type { Logic, Test } from "./filters.ts";
import type { Query } from "./query.ts";
import { readRegularExpression } from "./regular-expression.ts";
import { parseValueList } from "./value-list.ts";

/** What the filters of one request ask of the database beyond looking values up. */
interface Spent {
  patterns: number;
  contained: number;
  expressions: number;
  atoms: number;
}

/**
 * Refuses filters that could cost the database more than a request is worth, whatever the rows hold: patterns that can
 * explode, and values of which each is compared with each. `costLimits` says where, docs/data-api.md why there.
 */
export function refuseCostly({ where, valueLists }: Query): void {
  const spent: Spent = { patterns: 0, contained: 0, expressions: 0, atoms: 0 };
  for (const { value } of where) addLogic(spent, value);
  for (const { text } of valueLists) {
    const { prefixes, suffixes } = parseValueList(text);
    for (const value of [...prefixes, ...suffixes]) addPattern(spent, value);
  }
}

/** Whether the filters read whole texts, which no index helps with. */
export const readsTexts = ({ where, valueLists }: Query): boolean =>
  where.some(({ value }) => asksPattern(value)) ||
  valueLists.some(({ text }) => parseValueList(text).suffixes.length > 0);

function asksPattern(logic: Logic): boolean {
  if (logic.kind === "group") return logic.items.some(asksPattern);
  const { test } = logic;
  return test.kind === "search" || (test.kind === "compare" && isPattern(test.operator));
}

const isPattern = (operator: string) => isLike(operator) || isExpression(operator);
const isLike = (operator: string) => operator === "like" || operator === "ilike";
const isExpression = (operator: string) => operator === "match" || operator === "imatch";
const isContainment = (operator: string) =>
  operator === "cs" || operator === "cd" || operator === "ov";

function addLogic(spent: Spent, logic: Logic): void {
  if (logic.kind === "condition") addTest(spent, logic.test);
  else for (const item of logic.items) addLogic(spent, item);
}

function addTest(spent: Spent, test: Test): void {
  if (test.kind === "search") addPattern(spent, test.value);
  if (test.kind !== "compare") return;
  const { operator, value, quantifier } = test;
  if (isContainment(operator)) {
    spent.contained += value.length;
    if (spent.contained > costLimits.containedLengths)
      throw beyondLimit("characters in the values of cs, cd and ov", costLimits.containedLengths);
  }
  if (!isPattern(operator)) return;
  const patterns = quantifier === undefined ? [value] : readItems(value);
  for (const pattern of patterns) {
    addPattern(spent, pattern);
    if (isExpression(operator)) addExpression(spent, pattern);
  }
}

function addPattern(spent: Spent, pattern: string): void {
  const { patternLength, patternLengths } = costLimits;
  if (pattern.length > patternLength) throw beyondLimit("characters in a pattern", patternLength);
  spent.patterns += pattern.length;
  if (spent.patterns > patternLengths)
    throw beyondLimit("characters in all patterns", patternLengths);
}

function addExpression(spent: Spent, pattern: string): void {
  const { expressions, expressionAtoms } = costLimits;
  const read = readRegularExpression(pattern);
  if ("invalid" in read)
    throw new ApiError(400, "2201B", `invalid regular expression: ${read.invalid}`);
  if ("refused" in read)
    throw new ApiError(400, "PGRST100", `The pattern "${pattern}" is not accepted.`, {
      details: `It has ${read.refused}.`,
      hint: "Write it without back-references, options and conditions on what surrounds; imatch ignores case.",
    });
  spent.expressions += 1;
  if (spent.expressions > expressions) throw beyondLimit("regular expressions", expressions);
  spent.atoms += read.atoms;
  if (spent.atoms > expressionAtoms)
    throw beyondLimit(
      "characters in regular expressions, with repetitions written out",
      expressionAtoms,
    );
}

/** Items of a list of PostgreSQL's, which is read as PostgreSQL reads it or not at all. */
const item = /"((?:[^"\\]|\\[^])*)"|[^{}",\\\s](?:[^{}",\\]*[^{}",\\\s])?/g;
const list = new RegExp(`^\\{(?:${item.source})(?:,(?:${item.source}))*\\}$`);

function readItems(text: string): string[] {
  if (text === "{}") return [];
  if (!list.test(text))
    throw new ApiError(400, "PGRST100", `The list of patterns ${text} is not accepted.`, {
      hint: 'Write it as {"one","two"}, with a backslash before each quote and backslash.',
    });
  return [...text.matchAll(item)].map(([whole, quoted]) =>
    quoted === undefined ? whole : quoted.replaceAll(/\\([^])/g, "$1"),
  );
}
