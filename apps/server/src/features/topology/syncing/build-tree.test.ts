import { setImmediate as giveWay } from "node:timers/promises";
import { ScriptError } from "@mainstay/scripting";
import { expect, test } from "vitest";
import { buildTree } from "./build-tree.ts";

const found = Array.from({ length: 500 }, (_, n) => ({ name: `c${n}` }));

/** A tree of many components whose id script uses up its time. */
function building(onEvaluate: () => void, signal: AbortSignal) {
  let now = 0;
  let most = 0;
  const evaluate = async () => {
    now += 1;
    most = Math.max(most, now);
    onEvaluate();
    await giveWay();
    now -= 1;
    throw new ScriptError("takes longer than 1000 ms", { language: "javascript", isLimit: true });
  };
  const lookup = { http: [{ name: "all", url: "http://localhost" }] };
  const built = buildTree(
    {
      id: "0190aaaa-0000-4000-8000-0000000000f2",
      name: "shop",
      namespace: "default",
      labels: {},
      spec: { components: [{ name: "pods", lookup, id: { javascript: "for (;;);" } }] },
    },
    {
      lookUp: () => Promise.resolve({ values: [JSON.stringify(found)], errors: [] }),
      evaluator: { evaluate, check: () => Promise.resolve(), close: () => Promise.resolve() },
      signal,
    },
  );
  return { built, most: () => most };
}

test("a script that uses up its time is not sent for many components at once, and each is told of", async () => {
  const { built, most } = building(() => undefined, new AbortController().signal);
  const { errors, isComplete } = await built;
  expect(most()).toBe(1);
  expect(isComplete).toBe(false);
  expect(errors).toHaveLength(500);
});

test("scripts that fail end with the run", async () => {
  const stop = new AbortController();
  let asked = 0;
  const { built } = building(() => {
    asked += 1;
    if (asked === 3) stop.abort(new Error("stopped"));
  }, stop.signal);
  await expect(built).rejects.toThrow("stopped");
  expect(asked).toBeLessThan(10);
});
