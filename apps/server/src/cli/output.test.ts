import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { DocumentResult } from "#features/health/index.ts";
import { readDocumentFiles } from "./document-files.ts";
import { junitReport } from "./junit.ts";
import { formatTable } from "./table.ts";

describe("a table", () => {
  test("has columns as wide as they must be, and no spaces at the end", () => {
    expect(
      formatTable(
        ["A", "LONG"],
        [
          ["wide cell", "x"],
          ["y", ""],
        ],
      ),
    ).toBe("A          LONG\nwide cell  x\ny");
    expect(formatTable(["A", "B"], [])).toBe("A  B");
  });

  test("is not steered by what comes from outside", () => {
    expect(formatTable(["A"], [["a\u001b[31m\nb\tc\u2028d"]])).toBe("A\na [31m b c d");
  });
});

describe("a JUnit report", () => {
  const result = (fields: Partial<DocumentResult>): DocumentResult =>
    ({
      canary: "c",
      type: "http",
      name: "n",
      pass: true,
      duration: 1500,
      ...fields,
    }) as DocumentResult;

  test("has a suite for each canary, with passed, failed and skipped cases", () => {
    expect(
      junitReport([
        result({}),
        result({ canary: "d", pass: false, error: "boom", duration: 20 }),
        result({ canary: "d", pass: false, untried: true, error: "no ping", duration: 0 }),
        result({ pass: false, held: "not supported yet", duration: 0 }),
      ]),
    ).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
  <testsuite name="c" tests="2" failures="0" errors="0" skipped="1" time="1.500">
    <testcase classname="c.http" name="n" time="1.500"/>
    <testcase classname="c.http" name="n" time="0.000"><skipped message="not supported yet"/></testcase>
  </testsuite>
  <testsuite name="d" tests="2" failures="1" errors="1" skipped="0" time="0.020">
    <testcase classname="d.http" name="n" time="0.020"><failure message="boom"/></testcase>
    <testcase classname="d.http" name="n" time="0.000"><error message="no ping"/></testcase>
  </testsuite>
</testsuites>
`);
  });

  test.each([
    ['<a href="x">&amp;</a>', "&lt;a href=&quot;x&quot;>&amp;amp;&lt;/a>"],
    ["two\nlines\tand\r", "two&#10;lines&#9;and&#13;"],
    ["\u0000\u001b[31m\uffff", "\ufffd\ufffd[31m\ufffd"],
    ["half \ud83d of a pair", "half \ufffd of a pair"],
    ["ünï 👍", "ünï 👍"],
  ])("writes %j as an attribute", (error, written) => {
    expect(junitReport([result({ pass: false, error })])).toContain(
      `<failure message="${written}"/>`,
    );
  });
});

describe("document files", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync("/tmp/mainstay-documents-");
    mkdirSync(join(folder, "deep/er"), { recursive: true });
    for (const name of ["b.yaml", "a.yml", "deep/er/c.json", "notes.txt", "d.yaml.bak"])
      writeFileSync(join(folder, name), `text of ${name}`);
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  test("a folder means every document below it, in order", () => {
    expect(readDocumentFiles([folder])).toEqual(
      ["a.yml", "b.yaml", "deep/er/c.json"].map((name) => ({
        name: join(folder, name),
        text: `text of ${name}`,
      })),
    );
  });

  test("a file that is named is read whatever it is called", () => {
    const [first, second] = readDocumentFiles([join(folder, "notes.txt"), join(folder, "a.yml")]);
    expect([first!.text, second!.text]).toEqual(["text of notes.txt", "text of a.yml"]);
  });

  test("nothing there is said", () => {
    const gone = join(folder, "gone");
    expect(() => readDocumentFiles([gone])).toThrow(`${gone} does not exist or cannot be read.`);
    const empty = join(folder, "empty");
    mkdirSync(empty);
    expect(() => readDocumentFiles([empty])).toThrow(`No .yaml, .yml or .json file in ${empty}.`);
  });
});
