import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { createTwoFilesPatch } from "diff";
import { diffRows, foldRows, patchRows } from "./diff-rows.ts";

const signs = (before: string, after: string) =>
  diffRows(before, after).rows.map(({ kind, before: old, after: young }) =>
    kind === "same"
      ? `  ${old?.text ?? ""}`
      : `${old ? `-${old.text}` : ""}${old && young ? " " : ""}${young ? `+${young.text}` : ""}`,
  );

test.each([
  ["nothing", "", "", []],
  ["the same", "a\nb\n", "a\nb", ["  a", "  b"]],
  ["only other ends of lines", "a\r\nb\r\n", "a\nb\n", ["  a", "  b"]],
  ["a new text", "", "a\nb", ["+a", "+b"]],
  ["a text that went", "a", "", ["-a"]],
  ["a line more", "a\nc", "a\nb\nc", ["  a", "+b", "  c"]],
  ["a line changed", "a\nb\nc", "a\nB\nc", ["  a", "-b +B", "  c"]],
  ["two became three", "a\nb\nc", "x\ny\nz\nc", ["-a +x", "-b +y", "+z", "  c"]],
])("%s", (_name, before, after, expected) => {
  expect(signs(before, after)).toEqual(expected);
});

test("what changed within a line is known on both sides", () => {
  const [row] = diffRows("replicas: 2 # two", "replicas: 3 # two").rows;
  expect(row?.before?.changed).toEqual([[10, 11]]);
  expect(row?.after?.changed).toEqual([[10, 11]]);
});

test("lines with nothing in common are not marked piece by piece", () => {
  const [row] = diffRows("alpha beta gamma", "one two three").rows;
  expect(row?.before?.changed).toEqual([]);
});

test("of very many long lines only so many are compared word by word", () => {
  const clock = vi.spyOn(performance, "now");
  // Each look at the clock costs a tenth of a second.
  let now = 0;
  clock.mockImplementation(() => (now += 100));
  try {
    const text = (word: string) =>
      Array.from({ length: 30 }, (_, index) => `line ${index} has the word ${word}`).join("\n");
    const marked = diffRows(text("a"), text("b")).rows.map(({ after }) => after!.changed.length);
    expect(marked.at(0)).toBe(1);
    expect(marked.at(-1)).toBe(0);
    expect(marked.filter((many) => many === 1)).toHaveLength(10);
  } finally {
    clock.mockRestore();
  }
});

test("lines of very many words that differ are marked as a whole", () => {
  const line = (word: string, many: number) =>
    Array.from({ length: 600 }, (_, index) => (index < many ? `${word}${index}` : "x")).join(" ");
  const marks = (many: number) =>
    diffRows(line("a", many), line("b", many)).rows[0]!.after!.changed;
  expect(marks(50).length).toBeGreaterThan(0);
  expect(marks(390)).toEqual([]);
});

test("both texts can be read from the rows, and the counts are right", () => {
  const text = fc
    .array(fc.constantFrom("a", "b", "c", "  d", "e f g", ""), { maxLength: 30 })
    .map((lines) => lines.map((line) => `${line}\n`).join(""));
  fc.assert(
    fc.property(text, text, (before, after) => {
      const { rows, added, removed } = diffRows(before, after);
      const read = (side: "before" | "after") =>
        rows.flatMap((row) => (row[side] ? [`${row[side].text}\n`] : [])).join("");
      expect(read("before")).toBe(before);
      expect(read("after")).toBe(after);
      const count = (side: "before" | "after") =>
        rows.filter((row) => row.kind !== "same" && row[side]).length;
      expect([count("before"), count("after")]).toEqual([removed, added]);
    }),
  );
});

test("texts that are too different are shown whole", () => {
  const text = (word: string) =>
    Array.from({ length: 6_000 }, (_, index) => `${word} ${index}`).join("\n");
  const { rows, isGivenUp, added, removed } = diffRows(text("a"), text("b"));
  expect({ isGivenUp, added, removed, rows: rows.length }).toEqual({
    isGivenUp: true,
    added: 6_000,
    removed: 6_000,
    rows: 12_000,
  });
});

test("what is the same is folded away, but for three lines around a change", () => {
  const lines = Array.from({ length: 30 }, (_, index) => `line ${index}`);
  const { rows } = diffRows(lines.join("\n"), lines.with(15, "changed").join("\n"));
  const shape = (open: number[]) =>
    foldRows(rows, new Set(open)).map((part) =>
      part.kind === "rows"
        ? `${part.start}: ${part.rows.length}`
        : `${part.start}: ${part.kind === "folded" ? part.count : 0} folded`,
    );
  expect(shape([])).toEqual(["0: 12 folded", "12: 3", "15: 1", "16: 3", "19: 11 folded"]);
  expect(shape([0])).toEqual(["0: 15", "15: 1", "16: 3", "19: 11 folded"]);
});

test("too little to fold stays", () => {
  const { rows } = diffRows("a\nb\nc\nd\ne\nf", "a\nb\nc\nd\ne\nF");
  expect(foldRows(rows, new Set()).map((part) => part.kind)).toEqual(["rows", "rows"]);
});

test("of a unified diff the rows have the numbers and the pairs of the whole texts", () => {
  const lines = Array.from({ length: 30 }, (_, index) => `line ${index + 1}`);
  const before = lines.join("\n");
  const after = lines.with(4, "line five").toSpliced(20, 1).join("\n");
  const patch = createTwoFilesPatch("before", "after", before, after, "", "", { context: 3 });
  const whole = diffRows(before, after);
  const made = patchRows(patch);
  expect([made.added, made.removed]).toEqual([whole.added, whole.removed]);
  const parts = foldRows(made.rows, new Set());
  expect(parts.map(({ kind }) => kind)).toEqual([
    "gap",
    "rows",
    "rows",
    "rows",
    "gap",
    "rows",
    "rows",
    "rows",
  ]);
  const known = made.rows.filter(({ kind }) => kind !== "gap");
  for (const row of known) expect(whole.rows).toContainEqual(row);
  expect(known.map(({ before: side }) => side?.number)).toEqual([
    2, 3, 4, 5, 6, 7, 8, 18, 19, 20, 21, 22, 23, 24,
  ]);
});

test.each([
  ["what is new", "", "a\nb\n"],
  ["what is gone", "a\nb\n", ""],
  ["a text without a last end of line", "a", "b"],
])("of %s too", (_name, before, after) => {
  expect(patchRows(createTwoFilesPatch("before", "after", before, after))).toEqual(
    diffRows(before, after),
  );
});

test("where a diff does not say where its lines stand they are counted from the first", () => {
  const { rows } = patchRows("--- before\n+++ after\n-old\n+new");
  expect(rows.map(({ kind, before, after }) => [kind, before?.text, after?.text])).toEqual([
    ["changed", "old", "new"],
  ]);
});

test("what is no diff has no rows", () => {
  expect(patchRows("nothing of the kind\n- like this").rows).toEqual([]);
});
