import { expect, test } from "vitest";
import { matchEntries } from "./match-entries.ts";

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
