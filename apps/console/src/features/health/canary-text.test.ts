import { expect, test } from "vitest";
import { linesOfCheck } from "./canary-text.ts";

const text = `kind: Canary
spec:
  interval: 30
  http:
    - name: a
      url: http://a
    # The front.
    - name: front page
      url: http://b
      headers:
        - name: front
          value: x
    # What follows.

    - url: http://c # without a name
  tcp:
    - name: front page
      endpoint: c:1
    - name: 7
  ping: [{ name: far, endpoint: d }]
`;
const marked = (type: string, name: string) => {
  const lines = linesOfCheck(text, { type, name });
  return lines && text.split("\n").slice(lines.from - 1, lines.to);
};

test("a check is found by its type and name", () => {
  expect(marked("http", "front page")).toEqual([
    "    - name: front page",
    "      url: http://b",
    "      headers:",
    "        - name: front",
    "          value: x",
  ]);
  expect(marked("tcp", "front page")).toEqual(["    - name: front page", "      endpoint: c:1"]);
  expect(marked("tcp", "7")).toEqual(["    - name: 7"]);
  expect(marked("http", "http://c")).toEqual(["    - url: http://c # without a name"]);
  expect(marked("icmp", "far")).toEqual(["  ping: [{ name: far, endpoint: d }]"]);
});

test.each([
  ["http", "c"],
  ["dns", "a"],
  ["interval", "a"],
])("%s %s stands nowhere", (type, name) => {
  expect(marked(type, name)).toBeUndefined();
});
