import { quoteSearch } from "@mainstay/contract/resource-selector/print-search.ts";
import type { ResourceSelector } from "@mainstay/contract/resource-selector/resource-selector.ts";

export const mostShown = 8;
/** One more than is shown, to know whether there are more. */
const limit = mostShown + 1;
const mostWords = 8;

/** Whether somebody writes the server's own search language: `type=http status=unhealthy`, `a | b`, `"x y"`. */
export const isQuery = (text: string): boolean =>
  /[=<>|;"()]|(?:^|\s)[-!]\S|(?:^|\s)(?:(?:labels|tags|properties)\.|(?:tag|label|property|has|is):\S)/.test(
    text,
  );

const quoted = quoteSearch;

const wordsOf = (text: string) => text.split(/\s+/).slice(0, mostWords);
const anywhereIn = (text: string) =>
  wordsOf(text)
    .map((word) => `(name=*${quoted(word)}*|namespace=${quoted(word)}*)`)
    .join(" ");

/** A query that says itself how many there are, or is several. */
const isWhole = (text: string) => /[;@]|(?:^|\s)(?:limit|offset|sort)\s*=/.test(text);

/**
 * What is asked for beside a text, so that what fails is there however much else is found; nothing where that cannot be
 * said.
 */
export function failingSelector(text: string): ResourceSelector | undefined {
  if (isQuery(text) && isWhole(text)) return undefined;
  const wanted = isQuery(text) ? `(${text.trim()})` : anywhereIn(text);
  return { agent: "all", search: `health=unhealthy ${wanted}`, limit };
}

const mostGuessed = 50;

/** What has the letters of a text in their order; nothing where that is no word, or too short. */
export function guessSelector(text: string): ResourceSelector | undefined {
  const wanted = text.trim();
  if (!/^[\p{L}\p{N}]{3,32}$/u.test(wanted)) return undefined;
  return { agent: "all", search: `name=*${Array.from(wanted).join("*")}*`, limit: mostGuessed };
}

/**
 * What is asked for a text: names that begin with it, then names and namespaces that have its words. Two selectors, so
 * that the many of the second leave the first their places.
 */
export function searchSelectors(text: string): ResourceSelector[] {
  const wanted = text.trim();
  if (isQuery(wanted)) return [{ agent: "all", search: wanted, limit }];
  return [
    { agent: "all", search: quoted(wanted), limit },
    { agent: "all", search: anywhereIn(wanted), limit },
  ];
}
