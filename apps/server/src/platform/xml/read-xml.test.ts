import { expect, test } from "vitest";
import { childOf, childrenOf, readXml, textIn } from "./read-xml.ts";

test("elements, attributes, texts", () => {
  const root = readXml(
    `<?xml version="1.0"?>\n<!-- c --><s:a xmlns:s="x" k='1 &amp; 2'>one<b/>&#65;&#x42;<c><![CDATA[<x>&]]></c><c> two </c></s:a>\n`,
  );
  expect(root).toMatchObject({ name: "a", attributes: { k: "1 & 2" }, text: "oneAB" });
  expect(childrenOf(root, "c").map(({ text }) => text)).toEqual(["<x>&", " two "]);
  expect(textIn(root, "c")).toBe("<x>&");
  expect(childOf(root, "nothing")).toBeUndefined();
});

test.each<[string, string]>([
  ["", "not one root"],
  ["text", "not one root"],
  ["<a/><b/>", "not one root"],
  ["<a>", "has no end"],
  ["<a></b>", "is not open"],
  ["</a>", "is not open"],
  ["<a b=c/>", "there is no element"],
  ["<a", "there is no element"],
  ["<a>&unknown;</a>", "not known"],
  ["<a>&amp</a>", "not known"],
  ["<a>&#0;</a>", "not known"],
  ['<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', "there is no element"],
  ["<a><!-- </a>", "has no end"],
  ["<a>".repeat(1000), "in each other"],
  [`<a>${"<b/>".repeat(200_001)}</a>`, "more than 200000"],
])("%.30s is refused: %s", (text, why) => {
  expect(() => readXml(text)).toThrow(why);
});

test.each(["__proto__", "constructor"])("%s is a name like any other", (name) => {
  const root = readXml(`<${name} ${name}="1"><${name}>x</${name}></${name}>`);
  expect(textIn(root, name)).toBe("x");
  expect(Object.hasOwn(root.attributes, name)).toBe(true);
});

test("what is nearly an element takes no time", () => {
  expect(() => readXml(`<a ${'b="c" '.repeat(50_000)}`)).toThrow("there is no element");
  expect(() => readXml(`<a>${"&".repeat(100_000)}</a>`)).toThrow("not known");
});
