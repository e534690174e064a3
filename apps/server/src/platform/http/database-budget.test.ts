import { expect, test } from "vitest";
import { createBudget } from "./database-budget.ts";

const limits = { mostMs: 20_000, perMinuteMs: 20_000, askers: 3 };

test("whoever has spent his time is told when there is some again, and nobody else is", () => {
  let now = 0;
  const budget = createBudget(limits, () => now);
  // What takes no time is no burden.
  for (let n = 0; n < 10_000; n += 1) budget.spend("a", 100);
  budget.spend("a", 19_100);
  budget.require("a");
  budget.spend("a", 11_100);
  expect(() => budget.require("a")).toThrow(
    expect.objectContaining({ status: 429, headers: { "retry-after": "31" } }),
  );
  budget.require("b");
  now = 29_000;
  expect(() => budget.require("a")).toThrow(expect.objectContaining({ status: 429 }));
  now = 31_000;
  budget.require("a");
});

test("so many askers are remembered: who has his time again goes first, then the longest silent", () => {
  let now = 0;
  const budget = createBudget(limits, () => now);
  budget.spend("a", 40_000);
  budget.spend("b", 40_000);
  budget.spend("c", 200);
  now = 1_000;
  budget.spend("d", 40_000);
  expect(() => budget.require("a")).toThrow(expect.objectContaining({ status: 429 }));
  budget.spend("e", 40_000);
  budget.require("a");
  for (const asker of ["b", "d", "e"])
    expect(() => budget.require(asker)).toThrow(expect.objectContaining({ status: 429 }));
});
