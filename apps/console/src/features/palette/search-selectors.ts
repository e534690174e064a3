import type { ResourceSelector } from "@mainstay/contract/resource-selector/resource-selector.ts";

export const mostShown = 8;
/** One more than is shown, to know whether there are more. */
const limit = mostShown + 1;
const mostWords = 8;

/** Whether somebody writes the server's own search language: `type=http status=unhealthy`, `a | b`, `"x y"`. */
export const isQuery = (text: string): boolean =>
  /[=<>|;"()]|(?:^|\s)[-!]\S|(?:^|\s)(?:labels|tags|properties)\./.test(text);

const quoted = (text: string) => `"${text.replaceAll(/["\\]/g, "\\$&")}"`;

/**
 * What is asked for a text: names that begin with it, then names and namespaces that have its words. Two selectors, so
 * that the many of the second leave the first their places.
 */
export function searchSelectors(text: string): ResourceSelector[] {
  const wanted = text.trim();
  if (isQuery(wanted)) return [{ agent: "all", search: wanted, limit }];
  const words = wanted.split(/\s+/).slice(0, mostWords);
  const anywhere = words.map((word) => `(name=*${quoted(word)}*|namespace=${quoted(word)}*)`);
  return [
    { agent: "all", search: quoted(wanted), limit },
    { agent: "all", search: anywhere.join(" "), limit },
  ];
}
