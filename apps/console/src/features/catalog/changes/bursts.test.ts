import { expect, test } from "vitest";
import type { FoundChange } from "@mainstay/contract/catalog-answers.ts";
import { burstName, gatherBursts, itemCount, opened, worstSeverity } from "./bursts.ts";

const start = Date.parse("2026-01-01T12:00:00Z");

/** A change so many minutes before the newest. */
const change = (
  id: string,
  minutes: number,
  {
    item = "i1",
    type = "BackOff",
    of = "Pod",
    severity = "low",
  }: { item?: string; type?: string; of?: string; severity?: string | null } = {},
): FoundChange => ({
  id,
  config_id: item,
  agent_id: "0",
  name: item,
  type: of,
  tags: null,
  change_type: type,
  severity,
  source: null,
  summary: null,
  created_at: new Date(start - minutes * 60_000).toISOString(),
  count: 1,
  first_observed: new Date(start).toISOString(),
  created_by: null,
  external_created_by: null,
  external_change_id: null,
});

const shape = (changes: readonly FoundChange[]) =>
  gatherBursts(changes).map(({ id, burst }) => (burst ? `${id}: ${burst.length}` : id));

test.each<[string, FoundChange[], string[]]>([
  ["nothing", [], []],
  ["two of a kind are two", [change("a", 0), change("b", 1)], ["a", "b"]],
  [
    "three of a kind are a burst, called by the oldest",
    [change("a", 0), change("b", 9), change("c", 18)],
    ["burst-c: 3"],
  ],
  [
    "what comes much later is none of it",
    [change("a", 0), change("b", 1), change("c", 2), change("d", 13)],
    ["burst-c: 3", "d"],
  ],
  [
    "others in between stay where they are",
    [change("a", 0), change("x", 1, { type: "diff" }), change("b", 2), change("c", 3)],
    ["burst-c: 3", "x"],
  ],
  [
    "another item has bursts of its own",
    [change("a", 0), change("b", 1, { item: "i2" }), change("c", 2)],
    ["a", "b", "c"],
  ],
  [
    "the same at many items of a type at once is a burst",
    [0, 1, 2, 3].map((n) => change(`a${n}`, n / 4, { item: `i${n}` })),
    ["burst-a3: 4"],
  ],
  [
    "unless one is worse than the others",
    [0, 1, 2, 3].map((n) =>
      change(`a${n}`, n / 4, { item: `i${n}`, severity: n === 1 ? "high" : "low" }),
    ),
    ["a0", "a1", "a2", "a3"],
  ],
])("%s", (_name, changes, expected) => {
  expect(shape(changes)).toEqual(expected);
});

test("an open burst has its changes below it", () => {
  const lines = gatherBursts([change("a", 0), change("b", 1), change("c", 2), change("d", 60)]);
  expect(burstName(lines[0]!)).toBe("c");
  expect(opened(lines, ["c"]).map(({ id, isOpen, isMember }) => [id, isOpen, isMember])).toEqual([
    ["burst-c", true, undefined],
    ["a", undefined, true],
    ["b", undefined, true],
    ["c", undefined, true],
    ["d", undefined, undefined],
  ]);
  expect(opened(lines, []).map(({ id }) => id)).toEqual(["burst-c", "d"]);
});

test("a burst is as bad as the worst of it", () => {
  const some = [
    change("a", 0, { severity: null }),
    change("b", 0, { severity: "High", item: "i2" }),
    change("c", 0, { severity: "low" }),
  ];
  expect(worstSeverity(some)).toBe("High");
  expect(worstSeverity([some[0]!])).toBeNull();
  expect(itemCount(some)).toBe(2);
});
