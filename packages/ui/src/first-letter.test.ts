import { expect, test } from "vitest";
import { firstLetter, initials } from "./first-letter.ts";

test.each([
  ["kubernetes", "k"],
  ["𝒜bc", "𝒜"],
  ["👩‍🚀 crew", "👩‍🚀"],
  ["é", "é"],
  ["", ""],
])("%j starts with %j", (text, letter) => {
  expect(firstLetter(text)).toBe(letter);
});

test.each([
  ["Ada Lovelace", "AL"],
  ["Ada King Lovelace", "AK"],
  ["ada.lovelace@example.org", "AL"],
  ["admin@local", "A"],
  ["王小明", "王"],
  ["आदित्य शर्मा", "आश"],
  ["🚀", "🚀"],
  ["  ", ""],
  ["@", ""],
])("%j is abbreviated %j", (name, letters) => {
  expect(initials(name)).toBe(letters);
});
