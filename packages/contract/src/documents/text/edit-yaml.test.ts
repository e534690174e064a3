import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { editYaml, type YamlEdit, yamlPathAt } from "./edit-yaml.ts";

const text = `# what this is
apiVersion: x/v1   # the version
kind: Canary
spec:
  # when
  schedule: "@every 1m"

  http:
    - name: a      # first
      url: 'https://example.com/'
      responseCodes: [200, 201]
      test:
        expr: |
          code == 200 &&
          true
    # the second
    - name: b
---
# another
spec:
  tcp:
  - name: t   # tee
`;
const first = ["spec", "http", 0] as const;

/** Lines that went and came. */
function changed(edit: Omit<YamlEdit, "document"> & { document?: number }, of = text) {
  const [was, is] = [of, editYaml(of, { document: 0, ...edit })].map((one) => one.split("\n"));
  return [
    ...was!.filter((line) => !is!.includes(line)).map((line) => `-${line}`),
    ...is!.filter((line) => !was!.includes(line)).map((line) => `+${line}`),
  ];
}

describe("only what is changed changes", () => {
  test.each([
    [
      "a value in its quotes",
      [...first, "url"],
      "https://example.org/it's",
      ["-      url: 'https://example.com/'", "+      url: 'https://example.org/it''s'"],
    ],
    [
      "a value with a comment behind it",
      [...first, "name"],
      "12",
      ["-    - name: a      # first", '+    - name: "12"      # first'],
    ],
    [
      "an item of a list on one line",
      [...first, "responseCodes", 1],
      "a, b",
      ["-      responseCodes: [200, 201]", '+      responseCodes: [200, "a, b"]'],
    ],
    [
      "a text of lines",
      [...first, "test", "expr"],
      "code == 201\n",
      ["-          code == 200 &&", "-          true", "+          code == 201"],
    ],
    [
      "what was not there",
      ["spec", "http", 1, "headers", 0, "name"],
      "X",
      ["+      headers:", "+        - name: X"],
    ],
    ["what goes with its holder", [...first, "test", "expr"], undefined, expect.any(Array)],
  ] as const)("%s", (_what, path, value, lines) => {
    expect(changed({ path, value, keepSteps: 3 })).toEqual(lines);
  });

  test("holders that a removal leaves empty go with it, as far as they may", () => {
    const path = [...first, "test", "expr"];
    expect(changed({ path, value: undefined, keepSteps: 3 })).toEqual([
      "-      test:",
      "-        expr: |",
      "-          code == 200 &&",
      "-          true",
    ]);
    expect(changed({ path, value: undefined, keepSteps: 4 })).toContain("+      test: {}");
  });

  test("in another document of the text, with its own way of indenting", () => {
    const path = ["spec", "tcp", 0, "endpoint"];
    expect(changed({ document: 1, path, value: "a:1" })).toEqual(["+    endpoint: a:1"]);
  });

  test("where nothing is written yet", () => {
    expect(editYaml("", { document: 0, path: ["spec", "http", 0, "name"], value: "a" })).toBe(
      "spec:\n  http:\n    - name: a\n",
    );
    expect(editYaml("spec:\n", { document: 0, path: ["spec", "x"], value: 1 })).toBe(
      "spec:\n  x: 1\n",
    );
  });
});

describe("what stands behind a key whose value begins below stays there", () => {
  const noted = `spec: # ours
  # every minute
  schedule:   "@every 1m" # not less


  http: # the sites
    - # the first
      name: a
      codes: [200,201]
    - name: b   # two
# end
`;
  test.each([
    ["a new key", ["spec", "http", 0, "url"], "https://a", ["+      url: https://a"]],
    ["a new key at the end", ["spec", "http", 1, "url"], "x", ["+      url: x"]],
    ["a key that goes", ["spec", "schedule"], undefined, ['-  schedule:   "@every 1m" # not less']],
    ["a new part", ["spec", "tcp", 0, "name"], "c", ["+  tcp:", "+    - name: c"]],
    ["an item", ["spec", "http", 2, "name"], "c", ["+    - name: c"]],
    [
      "a list on one line",
      ["spec", "http", 0, "codes"],
      [200],
      ["-      codes: [200,201]", "+      codes: [200]"],
    ],
  ] as const)("%s", (_what, path, value, lines) => {
    expect(changed({ path, value }, noted)).toEqual(lines);
  });

  test("also where the list itself takes another's place", () => {
    const edit = { document: 0, path: ["spec", "http"], value: [{ name: "c" }] };
    expect(editYaml(noted, edit)).toContain("# the sites\n    - # the first\n      name: c\n# end");
  });
});

test("quotes that a value needed go with it", () => {
  const edit = { document: 0, path: ["a"], value: "b" };
  expect(editYaml('a: "*"\n', edit)).toBe("a: b\n");
  expect(editYaml('a: "x"\n', edit)).toBe('a: "b"\n');
});

test("what cannot be is refused and nothing is changed", () => {
  const edit = { document: 0, path: ["a", "b"], value: 1 };
  expect(() => editYaml("a: [", edit)).toThrow("mistakes");
  expect(() => editYaml("a: text", edit)).toThrow("something else");
  expect(() => editYaml("a: 1", { ...edit, document: 3 })).toThrow("no such document");
});

test("every edit means what it says, and nothing else", () => {
  const paths = [
    [...first, "url"],
    [...first, "responseCodes"],
    [...first, "test", "expr"],
    ["spec", "http", 1, "name"],
    ["spec", "schedule"],
    ["spec", "labels", "team"],
  ] as const;
  fc.assert(
    fc.property(fc.constantFrom(...paths), fc.jsonValue(), (path, any) => {
      // JSON has no word for -0.
      const value = JSON.parse(JSON.stringify(any)) as unknown;
      const meant = parseAllDocuments(text)[0]!;
      meant.setIn(path, value);
      const [is, other] = parseAllDocuments(editYaml(text, { document: 0, path, value }));
      expect(is!.toJS()).toEqual(meant.toJS());
      expect(other!.toJS()).toEqual({ spec: { tcp: [{ name: "t" }] } });
    }),
  );
});

test.each([
  ["code == 200", { document: 0, path: ["spec", "http", 0, "test", "expr"] }],
  ["name: b", { document: 0, path: ["spec", "http", 1, "name"] }],
  ["# when", { document: 0, path: ["spec"] }],
  ["name: t", { document: 1, path: ["spec", "tcp", 0, "name"] }],
])("the way to %s", (part, place) => {
  expect(yamlPathAt(text, text.indexOf(part) + 2)).toEqual(place);
});
