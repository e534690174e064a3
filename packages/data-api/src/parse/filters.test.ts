import { describe, expect, test } from "vitest";
import { limits } from "../limits.ts";
import { refused } from "../testing/refused.ts";
import { evaluateDateMath } from "./date-math.ts";
import { newBudget, parseFilter, parseLogic, tryParseFilter } from "./filters.ts";
import { parseQuery } from "./query.ts";
import { parseQueryString } from "./query-string.ts";
import { momentTest, parseValueList } from "./value-list.ts";

const column = (name: string) => ({ name, path: [] });

describe("filters", () => {
  const parse = (text: string) => parseFilter(column("c"), text, newBudget());
  test.for<[string, boolean, unknown]>([
    ["eq.1", false, { kind: "compare", operator: "eq", value: "1" }],
    ["eq.", false, { kind: "compare", operator: "eq", value: "" }],
    ["not.eq.a.b", true, { kind: "compare", operator: "eq", value: "a.b" }],
    ["gte.5", false, { kind: "compare", operator: "gte", value: "5" }],
    ['eq."q"', false, { kind: "compare", operator: "eq", value: '"q"' }],
    [
      "like(any).{a*,b}",
      false,
      { kind: "compare", operator: "like", value: "{a*,b}", quantifier: "any" },
    ],
    ["in.(a,b)", false, { kind: "in", values: ["a", "b"] }],
    ['not.in.("a,b",c)', true, { kind: "in", values: ["a,b", "c"] }],
    ['in.("a\\"b")', false, { kind: "in", values: ['a"b'] }],
    ['in.("a"b,c)', false, { kind: "in", values: ['"a"b', "c"] }],
    ["in.()", false, { kind: "in", values: [] }],
    ["is.NULL", false, { kind: "is", value: "null" }],
    [
      "fts(english).cat",
      false,
      { kind: "search", operator: "fts", language: "english", value: "cat" },
    ],
    ["wfts.a b", false, { kind: "search", operator: "wfts", value: "a b" }],
    ["cs.{1,2}", false, { kind: "compare", operator: "cs", value: "{1,2}" }],
  ])("%s", ([text, negated, expected]) => {
    expect(parse(text)).toEqual({ kind: "condition", field: column("c"), negated, test: expected });
  });

  test.for([
    "",
    "1",
    "eq",
    "eqq.1",
    "in.1",
    "in.(1",
    "is.x",
    "is.nullx",
    "neq(any).{1}",
    "eq(some).1",
    "fts(.x",
  ])("refuses %s", (text) => {
    expect(refused(() => parse(text))).toMatchObject({ status: 400, body: { code: "PGRST100" } });
  });

  test("what is no filter may be an argument", () => {
    expect(tryParseFilter(column("c"), "hello.eq", newBudget())).toBeUndefined();
    expect(tryParseFilter(column("c"), "5f0c.7", newBudget())).toBeUndefined();
    expect(tryParseFilter(column("c"), "not.eq.1", newBudget())).toMatchObject({ negated: true });
  });

  test("a group holds conditions and groups", () => {
    const group = parseLogic(
      "or",
      false,
      '(a.ilike.*x*,and(b.gt.2024-01-01T00:00:00.000Z,c.not.in.(1,2)),not.or(d.eq."x,y",e->>f.is.null))',
      newBudget(),
    );
    expect(group).toMatchObject({
      operator: "or",
      items: [
        { field: { name: "a" }, test: { operator: "ilike", value: "*x*" } },
        {
          operator: "and",
          items: [
            { test: { value: "2024-01-01T00:00:00.000Z" } },
            { negated: true, test: { values: ["1", "2"] } },
          ],
        },
        {
          operator: "or",
          negated: true,
          items: [
            { test: { value: "x,y" } },
            { field: { name: "e", path: [{ text: true, key: "f" }] } },
          ],
        },
      ],
    });
  });

  test("depth, conditions and list values are limited", () => {
    const deep = (levels: number) =>
      `(${"and(".repeat(levels - 1)}a.eq.1${")".repeat(levels - 1)})`;
    expect(parseLogic("and", false, deep(limits.logicDepth), newBudget()).items).toHaveLength(1);
    expect(
      refused(() => parseLogic("and", false, deep(limits.logicDepth + 1), newBudget())).status,
    ).toBe(400);
    const wide = Array.from({ length: limits.conditions + 1 }, () => "a.eq.1").join();
    expect(refused(() => parseLogic("or", false, `(${wide})`, newBudget())).status).toBe(400);
    const long = `in.(${"1,".repeat(limits.listValues)}1)`;
    expect(refused(() => parse(long)).message).toContain("lists");
  });
});

describe("keys", () => {
  const where = (query: string) => parseQuery(parseQueryString(query), false).where;
  test("the rest of the parameter's name is the JSON key", () => {
    expect(where("labels->>app.kubernetes.io/name=eq.web")).toMatchObject([
      {
        path: [],
        value: { field: { name: "labels", path: [{ text: true, key: "app.kubernetes.io/name" }] } },
      },
    ]);
    expect(where("labels->a->>b-c=eq.1")).toMatchObject([
      {
        value: {
          field: {
            path: [
              { text: false, key: "a" },
              { text: true, key: "b-c" },
            ],
          },
        },
      },
    ]);
    expect(where("labels->1->>2=eq.1")).toMatchObject([
      { value: { field: { path: [{ key: 1 }, { key: 2 }] } } },
    ]);
  });

  test("a dotted key is about an embed", () => {
    expect(where("a.b.c=eq.1&a.not.or=(x.eq.1)")).toMatchObject([
      { path: ["a", "b"], value: { field: { name: "c" } } },
      { path: ["a"], value: { operator: "or", negated: true } },
    ]);
  });

  test("the first order, limit and .filter of several counts", () => {
    const query = parseQuery(
      parseQueryString(
        "order=a.desc&order=b&limit=5&limit=6&a.order=c&a.limit=1&s.filter=x&s.filter=y",
      ),
      false,
    );
    expect(query.order.map(({ path, value }) => [path.join(), value[0]?.field.name])).toEqual([
      ["", "a"],
      ["a", "c"],
    ]);
    expect(query.paging).toEqual([
      { path: [], value: { limit: 5 } },
      { path: ["a"], value: { limit: 1 } },
    ]);
    expect(query.valueLists).toEqual([{ column: "s", text: "x" }]);
  });
});

describe("value lists and date expressions", () => {
  test("a list tells includes, excludes, beginnings and ends", () => {
    expect(parseValueList("a,!b,c*,*d,!e*, f ,")).toEqual({
      include: ["a", "f"],
      exclude: ["b", "e*"],
      prefixes: ["c*"],
      suffixes: ["*d"],
    });
  });

  test.for<[string, string, string]>([
    ["now-2d", "lt", "now-2d"],
    [">now", "gt", "now"],
    ["=2024-01-01", "eq", "2024-01-01"],
    ["<now/d", "lt", "now/d"],
  ])("moment %s", ([text, operator, expression]) => {
    expect(momentTest(text)).toEqual({ operator, expression });
  });

  const now = new Date("2024-03-31T13:45:30.500Z");
  test.for<[string, string | undefined]>([
    ["now", "2024-03-31T13:45:30.500Z"],
    ["now-2d", "2024-03-29T13:45:30.500Z"],
    ["now-1M", "2024-02-29T13:45:30.500Z"],
    ["now+1y-1h", "2025-03-31T12:45:30.500Z"],
    ["now-1d/d", "2024-03-30T00:00:00.000Z"],
    ["now/w", "2024-03-25T00:00:00.000Z"],
    ["now/M", "2024-03-01T00:00:00.000Z"],
    ["now/Q", "2024-01-01T00:00:00.000Z"],
    ["now/y", "2024-01-01T00:00:00.000Z"],
    ["now/h", "2024-03-31T13:00:00.000Z"],
    ["now-d", "2024-03-30T13:45:30.500Z"],
    ["2024-01-05||+1d", "2024-01-06T00:00:00.000Z"],
    ["2024-01-05T10:00:00", "2024-01-05T10:00:00.000Z"],
    ["2024-01-05T10:00:00+02:00", "2024-01-05T08:00:00.000Z"],
    ["now-999999y", undefined],
    ["now-2x", undefined],
    ["tomorrow", undefined],
    ["2024-13-40", undefined],
    ["", undefined],
  ])("date %s", ([text, expected]) => {
    expect(evaluateDateMath(text, now)?.toISOString()).toBe(expected);
  });
});
