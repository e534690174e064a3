import { type Evaluator, ScriptError } from "@mainstay/scripting";
import { expect, test } from "vitest";
import { noCounts } from "./counts.ts";
import type { Source } from "./judge-components.ts";
import { EndlessScripts, longestScriptsMs, restMs, scriptsOf } from "./scripts.ts";

/** An evaluator whose scripts say what they do: `endless`, `slow`, or what they give. */
function evaluatorOf() {
  let ms = 0;
  const ran: string[] = [];
  const evaluator: Evaluator = {
    evaluate: ({ language, script }) => {
      ran.push(script);
      if (script.startsWith("endless")) {
        ms += 1_000;
        return Promise.reject(
          new ScriptError("takes longer than 1000 ms", { language, isLimit: true }),
        );
      }
      if (script.startsWith("slow")) ms += 900;
      return Promise.resolve({ text: script, value: script } as never);
    },
    check: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
  return { evaluator, ran, now: () => ms, pass: (more: number) => (ms += more) };
}

const component = (name: string): Source => ({
  id: name,
  name,
  parentId: null,
  isRoot: true,
  above: [],
  given: {},
});

function start(endless = new EndlessScripts(), on = evaluatorOf()) {
  const stopping = new AbortController();
  const evaluate = scriptsOf({
    evaluator: on.evaluator,
    self: new Map(),
    endless,
    signal: stopping.signal,
    now: on.now,
  });
  return {
    ...on,
    stopping,
    evaluate: (text: string, name = text) =>
      evaluate({ name: "statusExpr", text }, { summary: noCounts() }, component(name)).catch(
        (error: Error) => `${error.name}: ${error.message}`,
      ),
  };
}

test("many different scripts that take their whole time have no more than those of one pass may take", async () => {
  const { evaluate, ran } = start();
  const found: string[] = [];
  for (let n = 0; n < 100; n += 1) found.push(await evaluate(`endless ${n}`));
  expect(ran).toHaveLength(longestScriptsMs / 1_000);
  expect(found[29]).toContain("takes longer");
  expect(found[30]).toBe(
    "ScriptFault: statusExpr: it was not run, because the scripts before it took all of the 30 s that those of all components may take.",
  );
});

test("time that scripts take and end counts as well", async () => {
  const { evaluate, ran } = start();
  for (let n = 0; n < 100; n += 1) await evaluate(`slow ${n}`);
  expect(ran).toHaveLength(Math.ceil(longestScriptsMs / 900));
});

test("what used up its time leaves it to the others in the passes that follow, until it has rested", async () => {
  const endless = new EndlessScripts();
  const on = evaluatorOf();
  const first = start(endless, on);
  for (let n = 0; n < 30; n += 1) await first.evaluate(`endless ${n}`);
  expect(await first.evaluate("fine")).toContain("was not run");
  const second = start(endless, on);
  on.ran.length = 0;
  expect(await second.evaluate("endless 7", "another")).toBe(
    "ScriptFault: statusExpr: it was not run, because it used up its time for endless 7 within the last 10 minutes.",
  );
  expect(await second.evaluate("fine")).toBe("fine");
  expect(on.ran).toEqual(["fine"]);
  on.pass(restMs);
  await second.evaluate("endless 7");
  expect(on.ran).toEqual(["fine", "endless 7"]);
});

test("what is given for equal counts is asked once, and forgets nothing by being too much", async () => {
  const { evaluate, ran } = start();
  const long = "x".repeat(3_000_000);
  for (const text of [long, long, `${long}y`, `${long}y`]) await evaluate(text);
  // The second would be more than is remembered: it is run each time.
  expect(ran).toHaveLength(3);
});

test("a server that stops runs no more of them", async () => {
  const { evaluate, ran, stopping } = start();
  stopping.abort(new Error("stopping"));
  expect(await evaluate("fine")).toBe("Error: stopping");
  expect(ran).toEqual([]);
});
