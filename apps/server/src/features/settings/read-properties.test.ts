import fc from "fast-check";
import { expect, test } from "vitest";
import { readProperties } from "./read-properties.ts";

test.each<[text: string, properties: Record<string, string>]>([
  ["", {}],
  ["# only\n! comments\n   \n\t# and blanks\n", {}],
  ["health.disable=true", { "health.disable": "true" }],
  ["  health.disable = true", { "health.disable": "true" }],
  [
    "health.disable: true\r\nlogs.disable true\rconfig.disable\ttrue",
    {
      "health.disable": "true",
      "logs.disable": "true",
      "config.disable": "true",
    },
  ],
  ["a=1\na=2", { a: "2" }],
  ["empty=\nbare", { empty: "", bare: "" }],
  ["url=https://example.org/?a=b#c", { url: "https://example.org/?a=b#c" }],
  ["a\\=b\\:c\\ d=e", { "a=b:c d": "e" }],
  ["long=one, \\\n      two\nnext=3", { long: "one, two", next: "3" }],
  ["not=joined\\\\\nnext=1", { not: "joined\\", next: "1" }],
  ["joined=\\\n# no comment here", { joined: "# no comment here" }],
  ["end=here\\", { end: "here" }],
  ["signs=\\t\\n\\u00e9\\q", { signs: "\t\n\u00e9q" }],
  ["\uFEFFname=值\nimię=Łódź", { name: "值", imię: "Łódź" }],
  ["__proto__=x\nconstructor=y", { ["__proto__"]: "x", constructor: "y" }],
])("%j", (text, properties) => {
  expect([...readProperties(text)]).toEqual(Object.entries(properties));
});

test.each([
  ["a=1\n=2", "line 2: a name has 1 to 256 characters."],
  [`${"n".repeat(257)}=1`, "line 1: a name has 1 to 256 characters."],
  [`a=\\\n${"v".repeat(65_537)}`, "line 1: a value has at most 65536 characters."],
  ["a=1\nb=\\u12", "line 2: \\u wants four hexadecimal digits."],
  ["a=\\u0000", "line 1: the sign with the number 0 cannot be kept."],
  [
    Array.from({ length: 10_001 }, (_, index) => `n${index}=1`).join("\n"),
    "line 10001: a file has at most 10000 properties.",
  ],
])("%# is refused with its line", (text, message) => {
  expect(() => readProperties(text)).toThrow(message);
});

test("whatever is written with its signs escaped is read as it was", () => {
  const escaped = (text: string) => text.replaceAll(/[\\=: \t\f#!]/g, (sign) => `\\${sign}`);
  const text = fc
    .string({ unit: "grapheme", minLength: 1 })
    .filter((s) => !/[\r\n\0\uFEFF]/.test(s));
  fc.assert(
    fc.property(text, text, (name, value) => {
      expect([...readProperties(`${escaped(name)}=${escaped(value)}`)]).toEqual([[name, value]]);
    }),
  );
});
