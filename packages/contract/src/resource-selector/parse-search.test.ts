import { describe, expect, test } from "vitest";
import { parseSearch } from "./parse-search.ts";
import type { SearchNode } from "./search-query.ts";
import { SelectorError } from "./selector-error.ts";

/** Short enough to compare at a glance. */
function shown(node: SearchNode | undefined): string {
  switch (node?.kind) {
    case undefined:
      return "all";
    case "and":
      return `(${node.parts.map(shown).join(" & ")})`;
    case "or":
      return `(${node.parts.map(shown).join(" | ")})`;
    case "not":
      return `not ${shown(node.part)}`;
    case "word":
      return `${node.place}:${node.pattern.join("*")}`;
    case "exists":
      return `has ${node.field}`;
    case "compare": {
      const values = node.values.map(
        ({ isExcluded, pattern }) => (isExcluded ? "!" : "") + pattern.join("*"),
      );
      return `${node.field}${node.operator}[${values.join(",")}]`;
    }
  }
}
const read = (text: string) => parseSearch(text).map(({ where }) => shown(where));

test.each<[string, string[]]>([
  ["", []],
  [" \t\n ", []],
  [";;", []],
  ["api", ["start:api"]],
  ["payments api gateway", ["(start:payments & anywhere:api & anywhere:gateway)"]],
  ["a | b c", ["(start:a | (start:b & anywhere:c))"]],
  ["(a|b) c", ["((start:a | start:b) & start:c)"]],
  ["((a))", ["start:a"]],
  ["a|b|c", ["(start:a | start:b | start:c)"]],
  ["pay*", ["whole:pay*"]],
  ["*pay***ment*", ["whole:*pay*ment*"]],
  ['"pay ments"', ["start:pay ments"]],
  ['*"a*b"*', ["whole:*a*b*"]],
  ['"say \\"hi\\" \\\\"', ['start:say "hi" \\']],
  ["-old", ["not start:old"]],
  ["!old", ["not start:old"]],
  ["-(a | b)", ["not (start:a | start:b)"]],
  ["--a", ["not not start:a"]],
  ["name=api", ["name=[api]"]],
  ["name:api", ["name=[api]"]],
  ["name = api", ["name=[api]"]],
  ["name!=api,web", ["name!=[api,web]"]],
  ["type=http,!tcp, dns", ["type=[http,!tcp,dns]"]],
  ['name="a b",c*', ["name=[a b,c*]"]],
  ['name=""', ["name=[]"]],
  ["-name=api", ["not name=[api]"]],
  [
    "created_at>now-1d updated<=2024-01-01T10:00:00+02:00",
    ["(created_at>[now-1d] & updated<=[2024-01-01T10:00:00+02:00])"],
  ],
  ["type=Kubernetes::Pod", ["type=[Kubernetes::Pod]"]],
  ["Kubernetes::Pod", ["start:Kubernetes::Pod"]],
  ["https://example.com/a", ["start:https://example.com/a"]],
  ["10.0.0.1:80", ["start:10.0.0.1:80"]],
  ["labels.app.kubernetes.io/name=web", ["labels.app.kubernetes.io/name=[web]"]],
  ["labels.team !tags.zone", ["(has labels.team & not has tags.zone)"]],
  ["properties.owner", ["has properties.owner"]],
  ['"labels.team"', ["start:labels.team"]],
  ["name*=api", ["name=[*api*]"]],
  ["name *= api,w*b*", ["name=[*api*,*w*b*]"]],
  ["-name*=api", ["not name=[*api*]"]],
  ["tag:cluster=prod", ["tags.cluster=[prod]"]],
  ["tags:cluster!=prod,x", ["tags.cluster!=[prod,x]"]],
  ['label:"a b=c"=d', ["labels.a b=c=[d]"]],
  ["label:app.kubernetes.io/name", ["has labels.app.kubernetes.io/name"]],
  ["!tag:zone", ["not has tags.zone"]],
  ["property:cpu>5", ["properties.cpu>[5]"]],
  ["a; b ;", ["start:a", "start:b"]],
  ["it's", ["start:it's"]],
  ["Größe | 東京", ["(start:Größe | start:東京)"]],
])("%j says %j", (text, expected) => {
  expect(read(text)).toEqual(expected);
});

test("directives belong to their query", () => {
  const [first, second] = parseSearch("a @order=-created_at,name limit=5; offset=2 b sort=type");
  expect(first).toMatchObject({
    order: [
      { field: "created_at", isDescending: true },
      { field: "name", isDescending: false },
    ],
    limit: 5,
    offset: undefined,
  });
  expect(second).toMatchObject({ order: [{ field: "type" }], limit: undefined, offset: 2 });
  expect([shown(first!.where), shown(second!.where)]).toEqual(["start:a", "start:b"]);
  expect(parseSearch("limit=5")).toMatchObject([{ where: undefined, limit: 5 }]);
});

test.each<[string, number, RegExp]>([
  ["name=", 5, /expected a value after "name=", but the text ends/],
  ["name*=", 6, /a value after "name\*="/],
  ["tag:x=", 6, /a value after "tags.x="/],
  ["name= | a", 6, /a value after "name=" instead of "\| a"/],
  ["name=a,", 7, /a value/],
  ["a |", 3, /something after "\|"/],
  ["| a", 0, /before "\|"/],
  ["(a", 0, /never closed/],
  ["a (b | (c)", 2, /never closed/],
  ["a)", 1, /expected the end instead of "\)"/],
  ["()", 0, /nothing in these parentheses/],
  ['a "b', 2, /quote is never closed/],
  ['""', 0, /nothing between these quotes/],
  ["a - b", 3, /something to exclude/],
  ["!", 1, /something to exclude/],
  ["10=a", 2, /needs a field/],
  ["a,b", 1, /needs a field/],
  ["name=f(x)", 6, /put quotes around/],
  ["created>now,now-1d", 12, /one value/],
  ["created>now*", 8, /plain value/],
  ["created>!now", 8, /plain value/],
  ["limit=0", 6, /from 1 to 1000/],
  ["limit=many", 6, /from 1 to 1000/],
  ["limit=1001", 6, /from 1 to 1000/],
  ["limit=5 limit=6", 8, /twice/],
  ["offset=-1", 7, /from 0/],
  ["@order=a sort=b", 9, /twice/],
  ["@order>a", 0, /write @order=/],
  ["@limit=5", 0, /there is no @limit/],
  ["(a limit=5)", 3, /outside parentheses/],
  ["-limit=5", 1, /outside parentheses/],
  ["a | limit=5", 11, /something after "\|"/],
  ["x".repeat(5000), 4096, /longer than/],
  ["(".repeat(50), 21, /20 levels/],
  ["-".repeat(50), 21, /20 levels/],
  ["a ".repeat(300), 400, /more than 200/],
  [`name=${"a,".repeat(300)}b`, 403, /more than 200/],
  ["a;".repeat(20), 20, /more than 10 queries/],
])("%j is refused at %i", (text, at, message) => {
  const failure = (() => {
    try {
      return parseSearch(text);
    } catch (error) {
      return error;
    }
  })();
  expect(failure).toBeInstanceOf(SelectorError);
  expect(failure).toMatchObject({ at, message: expect.stringMatching(message) as string });
});

describe("whatever is typed", () => {
  test("is read or refused, and quickly", () => {
    const alphabet = [
      '"',
      "(",
      ")",
      "|",
      ";",
      "!",
      "-",
      "=",
      ":",
      "*",
      ",",
      "a",
      "labels.",
      " ",
      "\\",
      "@order=",
    ];
    let seed = 7;
    const next = () => (seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648);
    let read = 0;
    for (let round = 0; round < 20_000; round += 1) {
      const length = 1 + (next() % 24);
      const text = Array.from({ length }, () => alphabet[next() % alphabet.length]!).join("");
      try {
        parseSearch(text);
        read += 1;
      } catch (error) {
        expect(error, text).toBeInstanceOf(SelectorError);
        expect((error as SelectorError).at).toBeLessThanOrEqual(text.length);
      }
    }
    expect(read).toBeGreaterThan(100);
  });
});
