import { expect, test } from "vitest";
import { comparedMoments, configCodec, momentWords, stretchAt, stretchesOf } from "./moments.ts";

const moment = (at: string, changes: object = {}) => ({
  at,
  isConfig: true,
  changed: [],
  summary: "spec.replicas",
  ...changes,
});
const stretches = stretchesOf({
  since: "2026-11-01T00:00:00.000Z",
  hasMore: false,
  moments: [
    moment("2026-11-05T00:00:00.000Z", {
      isConfig: false,
      summary: null,
      changed: ["health", "status"],
    }),
    moment("2026-11-03T00:00:00.000Z"),
  ],
});

test("an item was the same in stretches, of which each begins with what it became", () => {
  expect(stretches.map(({ from }) => new Date(from).getUTCDate())).toEqual([1, 3, 5]);
  expect(stretches.map(momentWords)).toEqual([
    "as it was first read",
    "spec.replicas",
    "health, status",
  ]);
});

test.each([
  ["2026-10-01", 0],
  ["2026-11-02", 0],
  ["2026-11-03", 1],
  ["2026-11-04T23:59:59Z", 1],
  ["2026-12-01", 2],
])("%s lies in stretch %d", (time, stretch) => {
  expect(stretchAt(stretches, Date.parse(time))).toBe(stretch);
});

test("where there are older moments nobody says how it began", () => {
  const few = stretchesOf({
    since: "2026-11-01T00:00:00Z",
    hasMore: true,
    moments: [moment("2026-11-03T00:00:00Z")],
  });
  expect(few.map(momentWords)).toEqual(["spec.replicas"]);
});

const [one, two, now] = [
  "2026-11-01T00:00:00.000Z",
  "2026-11-03T00:00:00.000Z",
  "2026-11-09T00:00:00.000Z",
] as const;
test.each([
  [
    { at: one, compareWith: two },
    { from: one, to: two },
  ],
  [
    { at: two, compareWith: one },
    { from: one, to: two },
  ],
  [
    { at: one, compareWith: "now" },
    { from: one, to: now },
  ],
  [
    { at: undefined, compareWith: one },
    { from: one, to: now },
  ],
  [{ at: undefined, compareWith: "now" }, undefined],
  [{ at: one, compareWith: undefined }, undefined],
])("%j compares %j", (view, ends) => {
  expect(comparedMoments(view, now)).toEqual(ends);
});

test("moments stand in the address, and what is no moment is none", () => {
  const view = configCodec.parse({ at: one, with: "now", lines: "L3-5" });
  expect(view).toEqual({ at: one, compareWith: "now", lines: { from: 3, to: 5 } });
  expect(configCodec.format(view)).toEqual({ at: one, with: "now", lines: "L3-5" });
  expect(configCodec.parse({ at: "soon", with: "x" })).toEqual({
    at: undefined,
    compareWith: undefined,
    lines: null,
  });
});
