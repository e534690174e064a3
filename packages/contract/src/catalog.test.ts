import { expect, test } from "vitest";
import { type Health, healths, readAnalysisType, worstHealth } from "./catalog.ts";
import { configHealthEvents } from "./catalog-events.ts";

test.each<[Health[], Health]>([
  [[], "unknown"],
  [["unknown", "healthy"], "healthy"],
  [["healthy", "warning", "unknown"], "warning"],
  [["unhealthy", "warning"], "unhealthy"],
])("%j together: %s", (found, wanted) => {
  expect(worstHealth(found)).toBe(wanted);
});

test.each<[string, string | undefined]>([
  ["technicalDebt", "technical_debt"],
  ["technical_debt", "technical_debt"],
  ["Security", "security"],
  ["weather", undefined],
])("the type of an insight, %s: %s", (text, wanted) => {
  expect(readAnalysisType(text)).toBe(wanted);
});

test("there is an event of each health, called like it", () => {
  expect(
    Object.values(configHealthEvents)
      .map(({ name }) => name)
      .toSorted(),
  ).toEqual(healths.map((health) => `config.${health}`).toSorted());
});
