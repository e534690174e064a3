import fc from "fast-check";
import { expect, test } from "vitest";
import { locateInJson } from "./locate-in-json.ts";

const text = `{
  "name" : "a, \\"b\\" }",
  "spec": {"http":[ {"url":"x"}, {"url" : 5 } ], "a.b": null, "\\u0041": true}
}`;

test.each([
  ["the whole", [], 1, 1],
  ["a text with signs in it", ["name"], 2, 12],
  ["an entry of a list", ["spec", "http", 1], 3, 34],
  ["a value inside", ["spec", "http", 1, "url"], 3, 43],
  ["a key with a dot", ["spec", "a.b"], 3, 57],
  ["a key that is written escaped", ["spec", "A"], 3, 73],
  ["a missing key: the object that lacks it", ["spec", "http", 0, "name"], 3, 21],
  ["an index that is too high: the list", ["spec", "http", 7], 3, 19],
])("%s", (_, path, line, column) => {
  expect(locateInJson(text, [path])).toEqual([{ line, column }]);
});

test("every value of any JSON text is found where it stands", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), fc.constantFrom(0, 1, 2), (value, indent) => {
      // Through its text: keys such as -0 or __proto__ are read back as JSON has them.
      const written = JSON.stringify(value, null, indent);
      const found: { path: (string | number)[]; value: unknown }[] = [];
      const visit = (at: unknown, path: (string | number)[]) => {
        found.push({ path, value: at });
        if (Array.isArray(at))
          for (const [index, item] of at.entries()) visit(item, [...path, index]);
        else if (typeof at === "object" && at !== null)
          for (const [key, item] of Object.entries(at)) visit(item, [...path, key]);
      };
      visit(JSON.parse(written), []);
      const lines = written.split("\n");
      for (const [index, { line, column }] of locateInJson(
        written,
        found.map((item) => item.path),
      ).entries()) {
        const rest = [lines[line - 1]!.slice(column - 1), ...lines.slice(line)].join("\n");
        expect(rest.startsWith(JSON.stringify(found[index]!.value)[0]!)).toBe(true);
      }
    }),
  );
});

test("a large text is passed through once, however deep it is and however much is wrong with it", () => {
  const deep = `{"a":${'{"b":'.repeat(100_000)}1${"}".repeat(100_000)},"list":[${"1,".repeat(100_000)}2]}`;
  const paths = Array.from({ length: 1000 }, (_, index) => ["list", index]);
  expect(locateInJson(deep, paths)[999]).toEqual({
    line: 1,
    column: deep.indexOf("[") + 1 + 2 * 999 + 1,
  });
});
