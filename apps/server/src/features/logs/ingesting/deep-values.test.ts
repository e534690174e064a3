import { expect, test } from "vitest";
import { readOtlpJson } from "./otlp.ts";
import { readLines } from "./read-lines.ts";

const now = new Date("2026-01-02T03:04:05Z");
const nested = (depth: number) => `${"[".repeat(depth)}1${"]".repeat(depth)}`;

test.each(["json", "json-lines"] as const)(
  "of %s a line that is nested too deep is told, and the others are kept",
  (type) => {
    const lines = [
      `{"message": "one", "x": ${nested(63)}}`,
      `{"message": "two", "x": ${nested(64)}}`,
      `{"message": "three", "labels": {"x": ${nested(24_000)}}}`,
      `{"message": "four"}`,
    ];
    const text = type === "json" ? `[${lines.join()}]` : lines.join("\n");
    const read = readLines(text, type, now);
    expect(read.lines.map(({ line, number }) => [line.message, number])).toEqual([
      ["one", 1],
      ["four", 4],
    ]);
    expect(read.wrong).toEqual(
      [2, 3].map((line) => ({
        line,
        message: "Lists and mappings are nested more than 64 levels deep.",
      })),
    );
  },
);

test("what is no line is told", () => {
  expect(readLines("[5, null, []]", "json", now).wrong).toEqual(
    [1, 2, 3].map((line) => ({
      line,
      message: "it is no line: neither a text nor an object",
    })),
  );
});

test("of text a line that is nested too deep is itself the message", () => {
  const text = `{"message": ${nested(24_000)}}`;
  expect(readLines(text, "text", now).lines[0]!.line.message).toBe(text);
});

test("in OTLP a value that is not what its name says is none, however deep it is", () => {
  const record = (body: string) =>
    `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":${body},"attributes":[{"key":"a","value":${body}}]}]}]}]}`;
  for (const name of ["stringValue", "intValue", "bytesValue"])
    expect(readOtlpJson(record(`{"${name}": ${nested(24_000)}}`))[0]).toMatchObject({
      message: "",
      labels: { a: "" },
    });
  const deep = `${'{"arrayValue":{"values":['.repeat(5_000)}{"intValue":"1"}${"]}}".repeat(5_000)}`;
  const [line] = readOtlpJson(record(deep));
  expect(line!.message.length).toBeLessThan(100);
});
