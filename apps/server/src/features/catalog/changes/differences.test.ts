import { afterEach, expect, test, vi } from "vitest";
import { createDifferences, type Differences } from "./differences.ts";

let made: Differences | undefined;
afterEach(async () => {
  vi.useRealTimers();
  await made?.close();
});

const json = JSON.stringify;

test("who asks while an idle thread ends is answered by the next", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  made = createDifferences();
  for (let round = 0; round < 3; round += 1) {
    const [found] = await made.between([[json({ a: round }), json({ a: round + 1 })]]);
    expect(found?.summary).toBe("a");
    // It begins to end, and what is asked next comes before it has.
    vi.runAllTimers();
  }
});

test("what differs in millions of values is told within the memory that there is", async () => {
  made = createDifferences();
  const list = (value: number) => `[${Array.from({ length: 1_500_000 }, () => value).join(",")}]`;
  const [found] = await made.between([[list(1), list(2)]]);
  expect([found?.diff, found?.summary]).toEqual([null, "everything"]);
  const { configs } = await made.rebuild({
    config: list(2),
    back: [found!.back],
    stops: [1],
    compares: false,
  });
  expect(configs[0] === list(1)).toBe(true);
});
