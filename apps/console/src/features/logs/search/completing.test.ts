import { describe, expect, test } from "vitest";
import { completingAt, offersFor, segmentsOf } from "./completing.ts";

/** The caret stands at the bar. */
const at = (marked: string) => {
  const caret = marked.indexOf("|");
  return completingAt(marked.replace("|", ""), caret);
};
const known = [
  { name: "app", values: ["web", "two words"] },
  { name: "odd label", values: ["x"] },
];
const offered = (marked: string) => offersFor(at(marked), known).map(({ insert }) => insert);

describe("at the caret", () => {
  test.each([
    ["|", "label", "", 0, 0],
    ["ap|", "label", "ap", 0, 2],
    ["x -ap|p=", "label", "ap", 3, 6],
    ["app=|", "value", "", 4, 4],
    ["app=we|b x", "value", "we", 4, 7],
    ["app=web,a|", "value", "a", 8, 9],
    ['app="two w|', "value", "two w", 4, 10],
    ['"odd label"=|', "value", "", 12, 12],
    ['"a phrase|', "nothing", "", 9, 9],
  ])("of %s stands a %s", (marked, kind, typed, from, to) => {
    expect(at(marked)).toMatchObject({ kind, typed, from, to });
  });
});

describe("what is offered", () => {
  test.each([
    ["a|", ["app=", '"odd label"=']],
    ["lev|", ["level>="]],
    ["level>=w|", ["warn"]],
    ["app=|", ["web", '"two words"']],
    ['"odd label"=|', ["x"]],
    ["pod=~|", []],
    ["time>now-1|", ["now-15m", "now-1h", "now-1d"]],
  ])("for %s is %j", (marked, inserts) => {
    const found = offered(marked);
    for (const insert of inserts) expect(found).toContain(insert);
    if (inserts.length === 0) expect(found).toEqual([]);
  });
});

test("parts have their kind, and a mistake its place", () => {
  const { segments, error } = segmentsOf("-app=web level>=loud");
  expect(segments.map(({ kind, text }) => [kind, text])).toEqual([
    ["sign", "-"],
    ["field", "app"],
    ["operator", "="],
    ["value", "web"],
    ["plain", " "],
    ["field", "level"],
    ["operator", ">="],
    ["wrong", "loud"],
  ]);
  expect(error?.message).toMatch(/is no level/);
});
