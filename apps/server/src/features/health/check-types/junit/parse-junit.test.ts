import { expect, test } from "vitest";
import { parseJunit, totalOf } from "./parse-junit.ts";
import { readXml } from "./read-xml.ts";

test("suites, in suites or alone, with everything that a test says", () => {
  const suites = parseJunit(`<?xml version="1.0" encoding="UTF-8"?>
<!-- made by a tool -->
<testsuites name="all" time="9">
  <testsuite name="outer" tests="3" time="1,234.5">
    <properties><property name="browser" value="x"/></properties>
    <testcase name="a &amp; b" classname="shop.Cart" time="0.25"/>
    <testcase name='fails' classname="shop.Cart" time="0.5">
      <properties><property name="step" value="2"/><property name="note">long</property></properties>
      <failure message="wanted &quot;1&quot; &#x3c; 2&#10;" type="AssertionError"><![CDATA[at <cart> & co]]></failure>
      <system-out>said this</system-out>
      <system-err>and that</system-err>
    </testcase>
    <testcase name="breaks"><error>kaputt</error></testcase>
  </testsuite>
  <testsuite name="group"><testsuite name="inner"><testcase name="later"><skipped message="not today"/></testcase></testsuite></testsuite>
  <testsuite name="empty" time="2"/>
</testsuites>`);
  expect(suites.map(({ name }) => name)).toEqual(["outer", "inner", "empty"]);
  expect(suites[0]).toMatchObject({ passed: 1, failed: 1, error: 1, skipped: 0, duration: 1234.5 });
  expect(suites[0]!.tests).toMatchObject([
    {
      name: "a & b",
      classname: "shop.Cart",
      status: "passed",
      duration: 0.25,
      message: "",
      error: "",
    },
    {
      name: "fails",
      status: "failed",
      message: 'wanted "1" < 2\n',
      error: "at <cart> & co",
      properties: { step: "2", note: "long" },
      stdout: "said this",
      stderr: "and that",
    },
    { name: "breaks", status: "error", error: "kaputt", duration: 0 },
  ]);
  expect(suites[1]!.tests[0]).toMatchObject({ status: "skipped", message: "not today", error: "" });
  expect(totalOf(suites)).toMatchObject({
    passed: 1,
    failed: 1,
    skipped: 1,
    error: 1,
    duration: 1236.5,
  });
  expect(
    parseJunit('\uFEFF<testsuite name="one"><testcase name="x" time="1.5"/></testsuite>'),
  ).toMatchObject([{ name: "one", passed: 1, duration: 1.5 }]);
});

const deep = `${"<a>".repeat(100)}${"</a>".repeat(100)}`;

test.each<[string, string, RegExp]>([
  ["another document", "<html></html>", /no JUnit result: it begins with <html>/],
  ["a document type", '<!DOCTYPE a [<!ENTITY b "c">]><testsuite>&b;</testsuite>', /document type/],
  [
    "a file from elsewhere",
    '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><testsuite name="&b;"/>',
    /document type/,
  ],
  ["depth", deep, /nests deeper than 64/],
  [
    "many elements",
    `<testsuite>${"<a/>".repeat(200_001)}</testsuite>`,
    /more than 200000 elements/,
  ],
  ["nothing", "", /one element at the top/],
  ["words", "it went well", /one element at the top/],
  ["two documents", "<testsuite/><testsuite/>", /one element at the top/],
  ["a beginning", "<testsuite><testcase", /a tag does not end/],
  ["an open element", "<testsuite><testcase>", /<testcase> does not end/],
  ["an end alone", "</testsuite>", /ends what did not begin/],
  ["the wrong end", "<testsuite></testcase>", /ends what did not begin/],
  ["an open comment", "<testsuite><!-- ", /is not ended with -->/],
  ["an open section", "<testsuite><![CDATA[", /is not ended with ]]>/],
  ["bad attributes", "<testsuite name=x/>", /an attribute is written/],
])("refused: %s", (_name, text, message) => {
  expect(() => parseJunit(text)).toThrow(message);
});

test("what could be meant as something else stays what it is", () => {
  const { attributes, text, children } = readXml(
    `<testsuite __proto__="x" constructor='y' a="1 > 0">&unknown; &#0; &#x110000; ${"z".repeat(70_000)}<b/></testsuite>`,
  );
  expect(Object.entries(attributes)).toEqual([
    ["__proto__", "x"],
    ["constructor", "y"],
    ["a", "1 > 0"],
  ]);
  expect(text.length).toBeLessThanOrEqual(65_536);
  expect(text.startsWith("&unknown; \u0000 \uFFFD zz")).toBe(true);
  expect(children).toHaveLength(1);
  expect(({} as { x?: string }).x).toBeUndefined();
});
