import fc from "fast-check";
import { expect, test } from "vitest";
import { ansiSpans, plainLine } from "./ansi.ts";

const esc = "\u001b";
const pairs = (line: string) => ansiSpans(line).map(({ text, className }) => [text, className]);

test.each([
  ["plain", "plain text", [["plain text", ""]]],
  [
    "a colour and back",
    `${esc}[31mred${esc}[0m plain`,
    [
      ["red", "text-unhealthy-fg"],
      [" plain", ""],
    ],
  ],
  [
    "an empty reset",
    `${esc}[32mok${esc}[m.`,
    [
      ["ok", "text-healthy-fg"],
      [".", ""],
    ],
  ],
  ["bright and bold", `${esc}[1;93mwarn`, [["warn", "text-warning-fg font-semibold"]]],
  [
    "default ink",
    `${esc}[35ma${esc}[39mb`,
    [
      ["a", "text-(--syntax-keyword)"],
      ["b", ""],
    ],
  ],
  ["of 256", `${esc}[38;5;196mred`, [["red", "text-unhealthy-fg"]]],
  ["of 16 million", `${esc}[38;2;20;200;40mgreen`, [["green", "text-healthy-fg"]]],
  ["with colons", `${esc}[38:2:20:200:40mgreen`, [["green", "text-healthy-fg"]]],
  ["grey", `${esc}[38;5;240mgrey`, [["grey", "text-muted"]]],
  ["more after a mixed colour", `${esc}[38;5;196;4mx`, [["x", "text-unhealthy-fg underline"]]],
  ["a ground", `${esc}[41;37mx`, [["x", "bg-unhealthy-bg text-unhealthy-fg"]]],
  ["inverse", `${esc}[7mx`, [["x", "bg-text text-raised"]]],
  [
    "what is hidden is shown",
    `a${esc}[8msecret${esc}[28mb`,
    [
      ["a", ""],
      ["secret", ""],
      ["b", ""],
    ],
  ],
  [
    "cursor moves",
    `a${esc}[2K${esc}[1Gb${esc}[?25l`,
    [
      ["a", ""],
      ["b", ""],
    ],
  ],
  ["a title", `${esc}]0;title\u0007x`, [["x", ""]]],
  ["a link", `${esc}]8;;https://a.b${esc}\\text${esc}]8;;${esc}\\`, [["text", ""]]],
  ["a title that never ends", `x${esc}]0;title`, [["x", ""]]],
  ["a progress bar", "10%\r50%\r100%\r", [["100%", ""]]],
  [
    "other control characters, but not tabs",
    "a\u0000b\tc\u0008",
    [
      ["a", ""],
      ["b\tc", ""],
    ],
  ],
  [
    "an unfinished sequence",
    `a${esc}[31`,
    [
      ["a", ""],
      ["31", ""],
    ],
  ],
])("%s", (_name, line, expected) => {
  expect(pairs(line)).toEqual(expected);
});

test("whatever comes, the pieces are the plain line and hold no control character", () => {
  const part = fc.oneof(
    fc.string(),
    fc.constantFrom(esc, `${esc}[`, `${esc}]`, "m", ";", "\r", "\u009b", "38", "\u0007"),
    fc.integer({ min: 0, max: 300 }).map((code) => `${esc}[${code}m`),
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
      const line = parts.join("");
      const text = pairs(line)
        .map(([piece]) => piece)
        .join("");
      expect(text).toBe(plainLine(line));
      // oxlint-disable-next-line no-control-regex -- they are what is looked for
      expect(text).not.toMatch(/[\u0000-\u0008\u000a-\u001f\u007f-\u009f]/);
    }),
  );
});

test("a long hostile line is read to its end", () => {
  const line = `${esc}[${"1;".repeat(100_000)}m${`${esc}]`.repeat(50_000)}${esc}\\end`;
  expect(plainLine(line)).toBe("end");
});
