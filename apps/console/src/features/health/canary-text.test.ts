import { expect, test } from "vitest";
import { linesOfCheck, specText } from "./canary-text.ts";

const text = specText({
  interval: 30,
  http: [
    { name: "a", url: "http://a" },
    { name: "front page", url: "http://b", headers: [{ name: "front", value: "x" }] },
  ],
  tcp: [{ name: "front page", endpoint: "c:1" }, { name: 7 }],
});
const marked = (type: string, name: string) => {
  const lines = linesOfCheck(text, { type, name });
  return lines && text.split("\n").slice(lines.from - 1, lines.to);
};

test("a check is found by its type and name", () => {
  expect(marked("http", "front page")).toEqual([
    "  - name: front page",
    "    url: http://b",
    "    headers:",
    "      - name: front",
    "        value: x",
  ]);
  expect(marked("tcp", "front page")).toEqual(["  - name: front page", "    endpoint: c:1"]);
  expect(marked("tcp", "7")).toEqual(["  - name: 7"]);
});

test.each([
  ["http", "c"],
  ["dns", "a"],
  ["interval", "a"],
])("%s %s stands nowhere", (type, name) => {
  expect(marked(type, name)).toBeUndefined();
});
