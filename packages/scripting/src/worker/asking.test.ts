// Takes long: some wait until a script has used up its time.
import { afterAll, beforeAll, expect, test } from "vitest";
import { ScriptError } from "../script-error.ts";
import { Duration, type Value } from "../values.ts";
import { type Ask, createEvaluator, type Evaluation } from "./evaluator.ts";

const functions = new URL("testing/added-functions.ts", import.meta.url);
const evaluator = createEvaluator({ functions, limits: { milliseconds: 20_000 } });
const hasty = createEvaluator({ functions, limits: { milliseconds: 800 } });
/** Reading a language takes longer than a script. */
beforeAll(async () => {
  for (const language of ["cel", "gotemplate", "javascript"] as const)
    await hasty.evaluate({ language, script: "1", context: {} });
});
afterAll(() => Promise.all([evaluator.close(), hasty.close()]));

const script = (
  language: Evaluation["language"],
  text: string,
  asks: Record<string, Ask>,
): Evaluation => ({ language, script: text, context: { a: 1 }, asks });

async function mistakeOf(result: Promise<unknown>): Promise<ScriptError> {
  const error: unknown = await result.then(
    (value) => new Error(`no mistake: ${JSON.stringify(value)}`),
    (reason: unknown) => reason,
  );
  if (!(error instanceof ScriptError)) throw error;
  return error;
}

const find: Ask = ([name]) =>
  Promise.resolve([
    { name: name!, at: new Date(0), for: new Duration(5_000_000_000n), none: null },
  ]);
/** Is answered by nobody; says when it was asked, and when nobody waits any longer. */
function never(): { ask: Ask; asked: Promise<AbortSignal> } {
  const { promise: asked, resolve } = Promise.withResolvers<AbortSignal>();
  return {
    asked,
    ask(_, signal) {
      resolve(signal);
      return new Promise(() => undefined);
    },
  };
}
const aborted = (signal: AbortSignal) =>
  signal.aborted
    ? Promise.resolve()
    : new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));

test.each<[Evaluation["language"], string, string]>([
  ["cel", "things.find('x')[0].name + string(things.find('y')[0].for)", "x5s"],
  ["expr", "things.find('x').map(t, t.at.getFullYear()).toJSON()", "[1970]"],
  ["gotemplate", '{{ range things_find "x" }}{{ .name }}{{ .for }}{{ end }}', "x5s"],
  ["gotemplate", '{{ (index (things.find "x") 0).name }}', "x"],
  ["javascript", "things.find('x')[0].name + typeof things_find('y')[0].none", "xundefined"],
])("%s: %s", async (language, text, expected) => {
  const asks = { "things.find": find, things_find: find };
  const result = await evaluator.evaluate(script(language, text, asks));
  expect(result.text).toBe(expected);
  // The compiled script asks anew, and those that cannot ask do not know the names.
  expect((await evaluator.evaluate(script(language, text, asks))).text).toBe(expected);
  await evaluator.check({ language, script: text, asks });
  await mistakeOf(evaluator.evaluate({ language, script: text, context: {} }));
});

test("what an answer fails with is told, with its place", async () => {
  const asks = { ask: () => Promise.reject(new Error("the selector is wrong")) };
  const found = await mistakeOf(evaluator.evaluate(script("cel", "a +\n  ask(1)", asks)));
  expect(found.message).toContain("ask: the selector is wrong");
  expect(found).toMatchObject({ column: expect.any(Number) as number, isLimit: false });
  const caught = "try { ask() } catch (e) { e.message }";
  expect((await evaluator.evaluate(script("javascript", caught, asks))).text).toBe(
    "ask: the selector is wrong",
  );
});

test.each<[Evaluation["language"], string]>([
  ["cel", "ask() || a == 1"],
  ["javascript", "var r; try { r = ask() } catch (e) { r = 'caught' } r"],
  ["gotemplate", "{{ ask }}"],
])("waiting counts: %s %s", async (language, text) => {
  const { ask, asked } = never();
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 5);
  const found = await mistakeOf(hasty.evaluate(script(language, text, { ask })));
  clearInterval(timer);
  expect(found.message).toBe("takes longer than 800 ms: it waits for ask");
  expect(found.isLimit).toBe(true);
  // This thread goes on meanwhile.
  expect(turns).toBeGreaterThan(5);
  await aborted(await asked);
});

test("an answer that comes too late is nobody's", async () => {
  const late = Promise.withResolvers<Value>();
  await mistakeOf(hasty.evaluate(script("cel", "ask()", { ask: () => late.promise })));
  const soon = hasty.evaluate(
    script("cel", "ask('b')", {
      async ask([given]) {
        late.resolve("late");
        await late.promise;
        return given!;
      },
    }),
  );
  expect((await soon).value).toBe("b");
});

test.each<[Evaluation["language"], string]>([
  ["cel", "range(1000).map(x, ask(x))"],
  ["cel", "range(1000).map(x, ask(x) == 3).all(x, x) || true"],
  ["javascript", "for (var i = 0; i < 1000; i++) { try { ask(i) } catch (e) {} } 'done'"],
  ["gotemplate", "{{ range $i := math.Seq 1 1000 }}{{ ask $i }}{{ end }}"],
])("a script asks so many times and no more: %s %s", async (language, text) => {
  let asked = 0;
  const ask = () => {
    asked += 1;
    return Promise.resolve(asked);
  };
  const found = await mistakeOf(evaluator.evaluate(script(language, text, { ask })));
  expect(found.message).toContain("asks more than 100 times");
  expect(found.isLimit).toBe(true);
  expect(asked).toBe(100);
});

test("what is asked and what is answered have a size", async () => {
  const long = "x".repeat(900_000);
  const answers = { ask: () => Promise.resolve(long) };
  const one = "ask().size()";
  expect((await evaluator.evaluate(script("cel", one, answers))).value).toBe(900_000);
  const many = await mistakeOf(
    evaluator.evaluate(script("cel", "range(30).map(x, ask().size())", answers)),
  );
  expect(many.message).toMatch(/ask: its answer is larger than 7\d{5} characters/);
  const given = await mistakeOf(
    evaluator.evaluate(script("javascript", "ask(new Array(200000).join('x'))", answers)),
  );
  expect(given.message).toContain("ask: what it is given is larger than 100000 characters");
});

test("when its thread ends in the middle, nobody goes on asking", async () => {
  const evaluator = createEvaluator({ functions, limits: { milliseconds: 800 } });
  const { ask, asked } = never();
  const hanging = evaluator.evaluate({
    ...script("javascript", "ask(); hang()", { ask: () => Promise.resolve(1) }),
    functions: ["hang"],
  });
  const others = evaluator.evaluate(script("cel", "ask(2)", { ask: ([n]) => Promise.resolve(n!) }));
  expect((await mistakeOf(hanging)).message).toBe("takes longer than 800 ms");
  expect((await others).value).toBe(2);
  const waiting = evaluator.evaluate(script("cel", "ask()", { ask }));
  const signal = await asked;
  const ended = Promise.all([waiting.catch((error: Error) => error.message), aborted(signal)]);
  await evaluator.close();
  expect((await ended)[0]).toContain("was closed");
});
