import { describe, expect, test } from "vitest";
import { limits } from "../limits.ts";
import { refused } from "../testing/refused.ts";
import { parseAccept } from "./accept.ts";
import { parseOrder } from "./order.ts";
import { appliedPreferences, parsePreferences } from "./preferences.ts";
import { parseQueryString } from "./query-string.ts";
import { intersectPaging, parseRangeHeader } from "./range.ts";
import { parseSelect } from "./select.ts";

const column = (name: string) => ({ name, path: [] });
describe("query string", () => {
  test.for<[string, [string, string][]]>([
    [
      "a=1&b=2",
      [
        ["a", "1"],
        ["b", "2"],
      ],
    ],
    [
      "?&a=1&&b=2&",
      [
        ["a", "1"],
        ["b", "2"],
      ],
    ],
    ["a=1+2", [["a", "1 2"]]],
    ["a=%2B%C3%A9", [["a", "+é"]]],
    [
      "a=100%&b=%zz",
      [
        ["a", "100%"],
        ["b", "%zz"],
      ],
    ],
    ["a=b=c", [["a", "b=c"]]],
    ["a", [["a", ""]]],
    ["a=%ff", [["a", "\ufffd"]]],
    ["labels-%3E%3Ek=eq.v", [["labels->>k", "eq.v"]]],
    ["", []],
  ])("%s", ([text, pairs]) => {
    expect(parseQueryString(text)).toEqual(pairs);
  });

  test("too long or too many parameters are refused", () => {
    expect(refused(() => parseQueryString("x".repeat(limits.queryLength + 1))).status).toBe(400);
    expect(refused(() => parseQueryString("a=1&".repeat(limits.parameters + 1))).status).toBe(400);
  });
});

describe("select", () => {
  const field = (name: string, more: object = {}) => ({
    kind: "field",
    field: column(name),
    ...more,
  });
  const embed = (target: string, items: unknown[], more: object = {}) => ({
    kind: "embed",
    target,
    inner: false,
    spread: false,
    items,
    ...more,
  });
  test.for<[string, unknown[]]>([
    ["*", [{ kind: "all" }]],
    ["id, name", [field("id"), field("name")]],
    ["n:name", [field("name", { alias: "n" })]],
    ["n:name::text", [field("name", { alias: "n", cast: "text" })]],
    ["a-b", [field("a-b")]],
    ['"a,b"', [field("a,b")]],
    ['"a\\"b"', [field('a"b')]],
    [
      "d->a->>0",
      [
        {
          kind: "field",
          field: {
            name: "d",
            path: [
              { text: false, key: "a" },
              { text: true, key: 0 },
            ],
          },
        },
      ],
    ],
    ["*,created_by(id,name)", [{ kind: "all" }, embed("created_by", [field("id"), field("name")])]],
    ["agent:agents(id)", [embed("agents", [field("id")], { alias: "agent" })]],
    [
      "agents!checks_agent_id_fkey(id, name)",
      [embed("agents", [field("id"), field("name")], { hint: "checks_agent_id_fkey" })],
    ],
    ["a!inner(id)", [embed("a", [field("id")], { inner: true })]],
    ["a!b!inner(id)", [embed("a", [field("id")], { inner: true, hint: "b" })]],
    ["a!left(*)", [embed("a", [{ kind: "all" }])]],
    ["a()", [embed("a", [])]],
    ["...a(b)", [embed("a", [field("b")], { spread: true })]],
    ["a(b(c(d)))", [embed("a", [embed("b", [embed("c", [field("d")])])])]],
    ["id,a(b))", [field("id"), embed("a", [field("b")])]],
    ["count()", [{ kind: "field", aggregate: { name: "count" } }]],
    [
      "n:x::int.sum()::text",
      [
        {
          kind: "field",
          alias: "n",
          field: { name: "x", path: [] },
          cast: "int",
          aggregate: { name: "sum", cast: "text" },
        },
      ],
    ],
  ])("%s", ([text, items]) => {
    expect(parseSelect(text)).toEqual(items);
  });

  test.for(["a(", "a(b", ",", "a,,b", "a b)c", "id))", '"open', "a!(b)", "a->", "*x", "(a)", "\0"])(
    "refuses %s",
    (text) => {
      expect(refused(() => parseSelect(text)).body.code).toBe("PGRST100");
    },
  );

  test("depth and number are limited", () => {
    const deep = (levels: number) => `${"a(".repeat(levels)}id${")".repeat(levels)}`;
    expect(parseSelect(deep(limits.selectDepth))).toHaveLength(1);
    expect(refused(() => parseSelect(deep(limits.selectDepth + 1))).message).toContain(
      "levels of embedding",
    );
    expect(refused(() => parseSelect(`id${",id".repeat(limits.selectItems)}`)).message).toContain(
      "select",
    );
  });
});

describe("order, range, preferences, accept", () => {
  test("order", () => {
    expect(parseOrder("type,name.asc,a->>b.desc.nullslast, c.nullsfirst")).toEqual([
      { field: column("type") },
      { field: column("name"), direction: "asc" },
      { field: { name: "a", path: [{ text: true, key: "b" }] }, direction: "desc", nulls: "last" },
      { field: column("c"), nulls: "first" },
    ]);
    for (const text of ["", "a.up", "a,", "a.desc.asc", "a b,(", "a(b"])
      refused(() => parseOrder(text));
  });

  test.for<[string | undefined, object]>([
    [undefined, {}],
    ["0-9", { offset: 0, limit: 10 }],
    ["items=5-", { offset: 5 }],
    ["bytes=0-1", {}],
    ["x", {}],
  ])("range %s", ([text, paging]) => {
    expect(parseRangeHeader(text)).toEqual(paging);
  });

  test("limit and Range narrow each other", () => {
    expect(intersectPaging({ limit: 3 }, { offset: 1, limit: 10 })).toEqual({
      offset: 1,
      limit: 2,
    });
    expect(intersectPaging({ limit: 3 }, { offset: 5 })).toEqual({ offset: 5, limit: 0 });
    expect(refused(() => parseRangeHeader("3-1")).status).toBe(416);
  });

  test("preferences", () => {
    const rules = { tx: false };
    const preferences = parsePreferences(
      "count=exact, return=representation,count=planned, x=y, tx=rollback, max-affected=2",
      rules,
    );
    expect(preferences).toMatchObject({ count: "exact", returns: "representation" });
    expect(appliedPreferences(preferences, "update")).toBe("return=representation, count=exact");
    expect(appliedPreferences(preferences, "read")).toBe("count=exact");
    expect(refused(() => parsePreferences("handling=strict,x=y", rules)).body).toMatchObject({
      code: "PGRST122",
      details: "Invalid preferences: x=y",
    });
    const strict = parsePreferences("handling=strict,timezone=Asia/Tokyo,max-affected=2", rules);
    expect(appliedPreferences(strict, "update")).toBe(
      "handling=strict, timezone=Asia/Tokyo, max-affected=2",
    );
    expect(parsePreferences("tx=rollback", { ...rules, tx: true }).tx).toBe("rollback");
  });

  test.for<[string | undefined, string | number]>([
    [undefined, "array"],
    ["application/json, text/plain, */*", "array"],
    ["text/html,*/*;q=0.1", "array"],
    ["application/json;q=0.5,application/vnd.pgrst.object+json", "object"],
    ["image/png", 406],
    ["application/json;q=0", 406],
  ])("accept %s", ([text, expected]) => {
    const types = { plan: "whole" as const, openApi: false };
    if (typeof expected === "string") expect(parseAccept(text, types).kind).toBe(expected);
    else expect(refused(() => parseAccept(text, types)).status).toBe(expected);
  });
});
