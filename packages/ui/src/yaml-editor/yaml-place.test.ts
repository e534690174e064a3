import { expect, test } from "vitest";
import { type YamlPlace, yamlPlace } from "./yaml-place.ts";

type Case = [name: string, lines: string[], expected: Partial<YamlPlace>];

/** The bar is where the cursor stands. */
const place = (lines: string[]) => {
  const text = lines.join("\n");
  return yamlPlace(text.replace("|>", ""), text.indexOf("|>"));
};

const cases: Case[] = [
  ["an empty text", ["|>"], { path: [], written: "", siblings: [], openKey: undefined }],
  ["a key at the root", ["kind: Canary", "sp|>"], { path: [], written: "sp", siblings: ["kind"] }],
  ["a key below another", ["spec:", "  sch|>"], { path: ["spec"], written: "sch", siblings: [] }],
  [
    "an empty line below a key",
    ["spec:", "  interval: 30", "  |>"],
    { path: ["spec"], siblings: ["interval"] },
  ],
  [
    "a value",
    ["spec:", "  schedule: @ev|>"],
    { path: ["spec"], openKey: "schedule", written: "@ev" },
  ],
  [
    "the first key of an item",
    ["spec:", "  http:", "    - na|>"],
    { path: ["spec", "http", 0], written: "na" },
  ],
  [
    "the second key of an item",
    ["spec:", "  http:", "    - name: a", "      u|>"],
    { path: ["spec", "http", 0], siblings: ["name"] },
  ],
  [
    "the second item",
    ["spec:", "  http:", "    - name: a", "      url: x", "    - |>"],
    { path: ["spec", "http", 1], siblings: [] },
  ],
  [
    "a list at the column of its key",
    ["http:", "- name: a", "  |>"],
    { path: ["http", 0], siblings: ["name"] },
  ],
  ["back at the root after a list", ["http:", "- name: a", "|>"], { path: [], siblings: ["http"] }],
  [
    "a key under a key of an item",
    ["http:", "  - name: a", "    auth:", "      |>"],
    { path: ["http", 0, "auth"] },
  ],
  [
    "lines of a block text are not keys",
    ["exec:", "  - script: |", "      a: b", "    n|>"],
    { path: ["exec", 0], siblings: ["script"] },
  ],
  [
    "keys below count",
    ["spec:", "  |>", "  interval: 3", "  http:", "    - name: a"],
    { path: ["spec"], siblings: ["interval", "http"] },
  ],
  [
    "keys of the next item do not",
    ["http:", "  - |>", "  - name: b"],
    { path: ["http", 0], siblings: [] },
  ],
  ["the second document", ["kind: A", "spec:", "  a: 1", "---", "k|>"], { path: [], siblings: [] }],
  [
    "comments do not count",
    ["spec:", "# note: x", "  # more: y", "  |>"],
    { path: ["spec"], siblings: [] },
  ],
  ["a quoted key", ['"spec":', "  x|>"], { path: ["spec"] }],
];

test.each(cases)("%s", (_name, lines, expected) => {
  expect(place(lines)).toMatchObject(expected);
});
