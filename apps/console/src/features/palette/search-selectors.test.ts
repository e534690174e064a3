import { ResourceSelector } from "@mainstay/contract/resource-selector/resource-selector.ts";
import { parseSearch } from "@mainstay/contract/resource-selector/parse-search.ts";
import { expect, test } from "vitest";
import { failingSelector, isQuery, searchSelectors } from "./search-selectors.ts";

test("words are looked for at the beginning of names, then anywhere in names and namespaces", () => {
  expect(searchSelectors(" front page ")).toEqual([
    { agent: "all", search: '"front page"', limit: 9 },
    {
      agent: "all",
      search: '(name=*"front"*|namespace="front"*) (name=*"page"*|namespace="page"*)',
      limit: 9,
    },
  ]);
});

test("a query is asked as it is written", () => {
  expect(searchSelectors("type=http status=unhealthy")).toEqual([
    { agent: "all", search: "type=http status=unhealthy", limit: 9 },
  ]);
});

test.each([
  ["name=a", true],
  ["a | b", true],
  ["-a", true],
  ["a !b", true],
  ["labels.team", true],
  ["tag:cluster", true],
  ["web is:unowned", true],
  ['"a b"', true],
  ["front-page", false],
  ["https://example.com", false],
  ["what?!", false],
  ["100%", false],
])("%j is a query: %s", (text, expected) => {
  expect(isQuery(text)).toBe(expected);
});

test("what fails is asked for besides, unless a query says how many", () => {
  expect(failingSelector("a | type=pod")?.search).toBe("health=unhealthy (a | type=pod)");
  expect(failingSelector("web")?.search).toBe('health=unhealthy (name=*"web"*|namespace="web"*)');
  expect(["a; b=c", "type=pod limit=3", "a=b @order=-name"].map(failingSelector)).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

test.each([
  "a",
  "it's 100% \\ _done_ * *",
  "C:\\temp",
  "https://x/y?z",
  "[a] {b} ~ ^ # @order",
  "Größe 東京 🙂",
  "a ".repeat(500),
])("what is sent for %j can be read", (text) => {
  for (const selector of searchSelectors(text)) {
    expect(ResourceSelector.safeParse(selector).success).toBe(true);
    expect(parseSearch(selector.search!)).toHaveLength(1);
  }
});
