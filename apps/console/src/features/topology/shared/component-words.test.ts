import { expect, test } from "vitest";
import { insightCounts } from "./component-words.ts";

test("insights are counted worst first, and severities that nobody knows come last", () => {
  const component = {
    summary: {
      insights: { security: { Odd: 2, info: 1, critical: 3, low: 1 }, cost: { medium: 4 } },
    },
  } as unknown as Parameters<typeof insightCounts>[0];
  expect(insightCounts(component)).toEqual([
    { severity: "critical", count: 3 },
    { severity: "medium", count: 5 },
    { severity: "info", count: 1 },
    { severity: "odd", count: 2 },
  ]);
});
