import { expect, test } from "vitest";
import { guessEntries, matchEntries } from "./match-entries.ts";

const entries = [
  { label: "Audit log" },
  { label: "Health" },
  { label: "Feature flags", words: "settings switches" },
  { label: "Theme: light" },
  { label: "Sign out", words: "log out leave" },
  { label: "Café Ärger" },
];

test.each<[string, string[]]>([
  ["", entries.map(({ label }) => label)],
  ["  ", entries.map(({ label }) => label)],
  ["hea", ["Health"]],
  ["HEALTH", ["Health"]],
  ["log", ["Audit log", "Sign out"]],
  ["log audit", ["Audit log"]],
  // The beginning of a label, of a word, the middle of one, other words.
  ["l", ["Audit log", "Theme: light", "Health", "Feature flags", "Sign out"]],
  ["sett", ["Feature flags"]],
  ["theme light", ["Theme: light"]],
  ["cafe", ["Café Ärger"]],
  ["arger", ["Café Ärger"]],
  ["nothing", []],
  [".*", []],
])("%j finds %j", (text, labels) => {
  expect(matchEntries(entries, text).map(({ label }) => label)).toEqual(labels);
});

test.each<[string, string[]]>([
  ["hlth", ["Health"]],
  ["fags", ["Feature flags"]],
  ["sgt", ["Sign out"]],
  // Too few, or not in this order.
  ["hl", []],
  ["htlaeh", []],
])("the letters of %j are in %j", (text, labels) => {
  expect(matchEntries(entries, text)).toEqual([]);
  expect(guessEntries(entries, text).map(({ label }) => label)).toEqual(labels);
});

test("of what has the letters, the tightest comes first", () => {
  const found = guessEntries([{ label: "long disk guard" }, { label: "the ledger" }], "ldgr");
  expect(found.map(({ label }) => label)).toEqual(["the ledger", "long disk guard"]);
});
