// @vitest-environment happy-dom
import { beforeEach, expect, test } from "vitest";
import { readRecent, type Recent, rememberRecent } from "./recent.ts";

beforeEach(() => localStorage.clear());

const page = (to: string): Recent => ({ kind: "page", to });
const check = (id: string, name: string): Recent => ({
  kind: "checks",
  id,
  name,
  namespace: "web",
  type: "http",
});

test("the latest is first, each once, six at most", () => {
  for (const to of ["/a", "/b", "/a"]) rememberRecent("ada", page(to));
  rememberRecent("ada", check("1", "old name"));
  rememberRecent("ada", check("1", "new name"));
  expect(readRecent("ada")).toEqual([check("1", "new name"), page("/a"), page("/b")]);
  for (const to of "cdefgh") rememberRecent("ada", page(`/${to}`));
  expect(readRecent("ada")).toHaveLength(6);
});

test("everybody has a list of their own", () => {
  rememberRecent("ada", page("/a"));
  expect(readRecent("grace")).toEqual([]);
  expect(readRecent(undefined)).toEqual([]);
});

test.each(["", "{", "[1]", '[{"kind":"page"}]', '[{"kind":"checks","id":1}]', '{"kind":"page"}'])(
  "what is stored and makes no sense (%s) is nothing",
  (text) => {
    localStorage.setItem("mainstay.recent.ada", text);
    expect(readRecent("ada")).toEqual([]);
  },
);
