// Takes long: scripts that never end are run until their time is over.
import { createEvaluator, type Evaluation } from "@mainstay/scripting";
import { afterEach, expect, test } from "vitest";
import { createLanes } from "./lanes.ts";

const lanes = createLanes(() => createEvaluator({ limits: { milliseconds: 300 } }));
afterEach(() => lanes.close());

const script = (text: string): Evaluation => ({
  language: "javascript",
  script: text,
  context: {},
});

test("what never ends is waited for once; after that it holds up nobody", async () => {
  const loop = script("for (;;);");
  const order: string[] = [];
  const note = (name: string) => () => void order.push(name);
  await expect(lanes.evaluate(loop)).rejects.toThrow("takes longer than");
  const bombs = Array.from({ length: 22 }, () =>
    lanes.evaluate(loop).then(note("ended"), (error: Error) => {
      order.push(error.message.startsWith("used up") ? "refused" : "loop");
    }),
  );
  const good = [1, 2, 3].map((n) => lanes.evaluate(script(`${n}`)).then(note("good")));
  await Promise.all(good);
  // All others are there before the first of those that loop has used up its time.
  expect(order.filter((name) => name === "good")).toHaveLength(3);
  expect(order).not.toContain("loop");
  await lanes.close();
  await Promise.all(bombs);
  expect(order.filter((name) => name === "refused")).toHaveLength(2);
});
