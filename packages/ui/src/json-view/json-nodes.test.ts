import { expect, test } from "vitest";
import { findInJson, preview, visibleNodes, writePath } from "./json-nodes.ts";

const value = { name: "api", ports: [80, { port: 443 }], "odd key": null, empty: {} };

test.each([
  [[], "."],
  [["a", "b"], ".a.b"],
  [["a", 0, "odd key"], '.a[0]["odd key"]'],
  [[0], ".[0]"],
  [["odd key"], '.["odd key"]'],
])("%j is written %s", (path, text) => {
  expect(writePath(path)).toBe(text);
});

test("only what lies in open places is seen", () => {
  const ids = (open: string[]) =>
    visibleNodes(value, (id) => open.includes(id)).map(({ id }) => id);
  expect(ids([])).toEqual(["."]);
  expect(ids(["."])).toEqual([".", ".name", ".ports", '.["odd key"]', ".empty"]);
  expect(ids([".", ".ports", ".ports[1]"])).toContain(".ports[1].port");
  expect(ids([".ports"])).toEqual(["."]);
});

test("what is empty cannot be opened", () => {
  const nodes = visibleNodes(value, () => true);
  expect(nodes.find(({ id }) => id === ".empty")).toMatchObject({ size: 0, isOpen: false });
  expect(nodes.find(({ id }) => id === ".ports")).toMatchObject({ size: 2, isOpen: true });
});

test("a very deep value ends", () => {
  let deep: unknown = 1;
  for (let index = 0; index < 5_000; index += 1) deep = [deep];
  expect(visibleNodes(deep, () => true).length).toBeLessThan(300);
  expect(findInJson(deep, "1")).toEqual([]);
});

test.each([
  [{}, "{}"],
  [[], "[]"],
  [{ a: 1 }, "{1}"],
  [[1, 2], "[2]"],
  ['say "x"', '"say \\"x\\""'],
  [null, "null"],
  [undefined, "undefined"],
  [1.5, "1.5"],
])("%j in short is %s", (item, text) => {
  expect(preview(item)).toBe(text);
});

test("keys and values are found", () => {
  const found = (words: string) => findInJson(value, words).map((path) => writePath(path));
  expect(found("PORT")).toEqual([".ports", ".ports[1].port"]);
  expect(found("443")).toEqual([".ports[1].port"]);
  expect(found("null")).toEqual(['.["odd key"]']);
  expect(found("nowhere")).toEqual([]);
  expect(found(" ")).toEqual([]);
});
