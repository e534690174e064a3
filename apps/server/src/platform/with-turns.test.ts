import { expect, test } from "vitest";
import { withTurns } from "./with-turns.ts";

test("between items that take long others have their turn, and between quick ones nobody waits", async () => {
  for (const [eachMs, mostInOneTurn] of [
    [6, 2],
    [0, 20],
  ] as const) {
    let ms = 0;
    let turn = 0;
    const others = setImmediate(function next() {
      turn += 1;
      if (turn < 20) setImmediate(next);
    });
    const items = Array.from({ length: 20 }, (_, item) => item);
    const made = await withTurns(
      items,
      (item) => {
        ms += eachMs;
        return { item, turn };
      },
      () => ms,
    );
    clearImmediate(others);
    expect(made.map(({ item }) => item)).toEqual(items);
    const inOneTurn = Map.groupBy(made, (one) => one.turn);
    expect(Math.max(...[...inOneTurn.values()].map(({ length }) => length))).toBe(mostInOneTurn);
  }
});
