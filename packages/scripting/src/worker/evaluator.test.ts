// Takes long: each test has a thread of its own, and some wait until a script has used up its time.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { ScriptError } from "../script-error.ts";
import { Duration, type Value } from "../values.ts";
import {
  createEvaluator,
  type Evaluation,
  type Evaluator,
  type EvaluatorOptions,
} from "./evaluator.ts";

const open: Evaluator[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((evaluator) => evaluator.close()));
});

function evaluatorWith(options: EvaluatorOptions = {}): Evaluator {
  const functions = new URL("testing/added-functions.ts", import.meta.url);
  const evaluator = createEvaluator({ functions, ...options });
  open.push(evaluator);
  return evaluator;
}

/** For what harms no thread: to start one is most of the work of a test. */
const shared = createEvaluator({
  functions: new URL("testing/added-functions.ts", import.meta.url),
});
afterAll(() => shared.close());

const javascript = (script: string, more: Partial<Evaluation> = {}): Evaluation => ({
  language: "javascript",
  script,
  context: {},
  ...more,
});

/** What a script did wrong. */
async function mistakeOf(result: Promise<unknown>): Promise<ScriptError> {
  const error: unknown = await result.then(
    () => new Error("no mistake"),
    (reason: unknown) => reason,
  );
  if (!(error instanceof ScriptError)) throw error;
  return error;
}

/** How many turns this thread took for others meanwhile. */
async function turnsDuring<T>(work: Promise<T>): Promise<{ result: T; turns: number }> {
  let turns = 0;
  const timer = setInterval(() => {
    turns += 1;
  }, 5);
  try {
    return { result: await work, turns };
  } finally {
    clearInterval(timer);
  }
}

test("scripts of several languages, with values and texts", async () => {
  expect(await shared.evaluate(javascript("[a, 2]", { context: { a: 1 } }))).toEqual({
    value: [1, 2],
    text: "1,2",
  });
  expect(
    await shared.evaluate({
      language: "jsonpath",
      script: "$.a[*].b",
      context: { a: [{ b: 1 }] },
    }),
  ).toEqual({ value: [1], text: "[1]" });
  const template = { language: "gotemplate", context: { a: 1, b: "$(a)" } } as const;
  const both = { value: "1 $(a) 1", text: "1 $(a) 1" };
  const script = "{{ .a }} {{ .b }} $(a)";
  expect(await shared.evaluate({ ...template, script, isSpec: true })).toEqual(both);
  expect(await shared.evaluate({ ...template, script })).toMatchObject({ text: "1 $(a) $(a)" });
});

test.each([
  ["cel", "a.map(x, x + 1)", [2, 3], "[2 3]"],
  ["expr", "size(a) > 1", true, "true"],
  ["gotemplate", "{{ range .a }}{{ . }};{{ end }}", "1;2;", "1;2;"],
  ["javascript", "a[0] + jq('.[1]', a)", 3, "3"],
  ["cel", "jq('.[1]', a)", 2, "2"],
] as const)("%s: %s", async (language, script, value, text) => {
  const result = await shared.evaluate({ language, script, context: { a: [1, 2] } });
  expect(result.text).toBe(text);
  // CEL's integers may be of either kind.
  const plain = JSON.stringify(result.value, (_, item: unknown) =>
    typeof item === "bigint" ? Number(item) : item,
  );
  expect(plain).toBe(JSON.stringify(value));
});

test.each([
  ["expr", "a +", 1],
  ["gotemplate", "line\n{{ nothing }}", 2],
] as const)("a mistake in %s: %s", async (language, script, line) => {
  const found = await mistakeOf(shared.evaluate({ language, script, context: { a: 1 } }));
  expect(found).toMatchObject({ language, script, line });
  expect(found.column).toBeGreaterThan(0);
});

test("values come back as they were sent", async () => {
  const value: Record<string, Value> = {
    duration: new Duration(5n),
    lists: [[new Duration(-1n)], { d: new Duration(0n) }],
    at: new Date(5),
    bytes: new Uint8Array([1, 2]),
    big: 2n ** 70n,
    nothing: null,
  };
  const own = JSON.parse('{"__proto__":{"a":1}}') as Value;
  const found = await shared.evaluate({
    language: "jsonpath",
    script: "$",
    context: { value, own },
  });
  expect(found.value).toEqual({ value, own });
  expect(Object.keys((found.value as { own: object }).own)).toEqual(["__proto__"]);
});

test("a mistake names the language, the place and the script", async () => {
  const script = "\n  x.y";
  expect(await mistakeOf(shared.evaluate(javascript(script)))).toMatchObject({
    message: "ReferenceError: 'x' is not defined",
    language: "javascript",
    line: 2,
    column: 3,
    script,
  });
});

test("functions that a program adds answer from what is handed in", async () => {
  const evaluation = javascript("last_result().code + steps.get('a').n", {
    functions: ["last_result", "steps.get"],
  });
  const [first, second] = await Promise.all(
    [1, 2].map((n) =>
      shared.evaluate({ ...evaluation, data: { last: { code: 200 }, steps: { a: { n } } } }),
    ),
  );
  expect([first!.value, second!.value]).toEqual([201, 202]);
  const { message } = await mistakeOf(shared.evaluate(javascript("last_result()")));
  expect(message).toBe("ReferenceError: 'last_result' is not defined");
  await expect(shared.evaluate(javascript("1", { functions: ["constructor"] }))).rejects.toThrow(
    "there is no function constructor to add",
  );
});

test("many go at once, and each has its own answer", async () => {
  const results = await Promise.all(
    Array.from({ length: 1000 }, (_, n) =>
      shared.evaluate({ language: "jsonpath", script: "n", context: { n } }),
    ),
  );
  expect(results.map(({ value }) => value)).toEqual(Array.from({ length: 1000 }, (_, n) => n));
});

describe("bombs are told, the others answered, and this thread goes on", () => {
  const limits = { milliseconds: 500 };

  test.each([
    ["a loop", javascript("for (;;);"), "takes longer than 500 ms"],
    [
      "a loop in what counts no steps",
      javascript("hang()", { functions: ["hang"] }),
      "takes longer than 500 ms",
    ],
    ["memory", javascript("var a = []; for (;;) a.push(new Array(1e5).fill(0))"), /64 MB|500 ms/],
    [
      "memory of the thread",
      javascript("fillMemory()", { functions: ["fillMemory"] }),
      /needs more memory than a script may have|takes longer/,
    ],
    ["recursion", javascript("function f() { return f() + 1 } f()"), "is nested too deeply"],
    [
      "output",
      javascript("'x'.repeat(10 * 1024 * 1024)"),
      /result is longer than 4000000 characters|64 MB|takes longer/,
    ],
    [
      "values in the output",
      javascript("Array.from({length: 250000}, function () { return 1 })"),
      /of more than 200000 values|takes longer/,
    ],
    [
      "a path",
      {
        language: "jsonpath",
        script: "$..[?count($..*) > 1]",
        context: { a: [[1, 2], [Array(2000).fill(0)]] },
      },
      /takes too many steps|takes longer/,
    ],
    [
      "prototypes",
      javascript("a.constructor.constructor('return process')()", { context: { a: {} } }),
      /process/,
    ],
  ] satisfies [string, Evaluation, string | RegExp][])("%s", async (name, bomb, message) => {
    const evaluator = evaluatorWith({ limits });
    await evaluator.evaluate(javascript("0"));
    const others = [1, 2, 3].map((n) => () => evaluator.evaluate(javascript(`${n}`)));
    const all = Promise.all([
      ...others.slice(0, 1).map((run) => run()),
      mistakeOf(evaluator.evaluate(bomb)),
      ...others.slice(1).map((run) => run()),
    ]);
    const { result, turns } = await turnsDuring(all);
    // On a busy machine time is up before anything else is.
    const said = (result[1] as ScriptError).message;
    if (said !== "takes longer than 500 ms") expect(said).toMatch(message);
    expect((result[1] as ScriptError).script).toBe(bomb.script);
    expect((result[1] as ScriptError).isLimit).toBe(name !== "prototypes");
    expect([result[0], result[2], result[3]]).toMatchObject([
      { value: 1 },
      { value: 2 },
      { value: 3 },
    ]);
    // A thread that was held up until the end of what takes its whole time would have had one.
    if (said === "takes longer than 500 ms") expect(turns).toBeGreaterThan(10);
  });

  test.each([
    [
      "many values",
      Array.from({ length: 1_000_000 }, () => 1),
      "its context is of more than 200000 values",
    ],
    ["much text", "x".repeat(20_000_000), "its context is larger than 16000000 characters"],
    [
      "depth",
      JSON.parse(`${"[".repeat(5000)}${"]".repeat(5000)}`) as Value,
      "its context is nested more than 100 levels deep",
    ],
  ])("a huge context: %s", async (_, huge, message) => {
    const evaluator = evaluatorWith({ limits });
    const mistake = await mistakeOf(evaluator.evaluate(javascript("1", { context: { huge } })));
    expect(mistake.message).toBe(message);
  });

  test("as large a context as there may be", async () => {
    const evaluator = evaluatorWith();
    const rows = Array.from({ length: 40_000 }, (_, id) => ({ id, name: `row ${id}` }));
    const script = "$.rows[39999].name";
    const { value } = await evaluator.evaluate({ language: "jsonpath", script, context: { rows } });
    expect(value).toBe("row 39999");
  });

  test("a cycle in the context", async () => {
    const cycle: Value[] = [];
    cycle.push(cycle);
    const { message } = await mistakeOf(
      evaluatorWith().evaluate(javascript("1", { context: { cycle } })),
    );
    expect(message).toMatch(/nested more than/);
  });
});

test("what is no value is refused at once", async () => {
  const evaluator = evaluatorWith();
  const bad = [() => 1, Symbol("x"), new Map(), /x/] as unknown as Value[];
  for (const value of bad)
    await expect(evaluator.evaluate(javascript("1", { context: { value } }))).rejects.toThrow(
      TypeError,
    );
});

test("a fault of ours is none of the script's, and is not lost", async () => {
  const evaluator = evaluatorWith({ functions: new URL("testing/not-there.ts", import.meta.url) });
  await expect(evaluator.evaluate(javascript("1"))).rejects.toThrow(
    "the thread of scripts cannot run",
  );
});

test("after the end nothing runs, and what waited is told", async () => {
  const evaluator = evaluatorWith();
  const waiting = evaluator.evaluate(javascript("1"));
  const told = expect(waiting).rejects.toThrow("closed");
  await evaluator.close();
  await told;
  await expect(evaluator.evaluate(javascript("1"))).rejects.toThrow("closed");
});

test("an idle evaluator does not keep a process alive", () => {
  const url = new URL("evaluator.ts", import.meta.url).href;
  const program = `import { createEvaluator } from ${JSON.stringify(url)};
    const evaluator = createEvaluator();
    const { value } = await evaluator.evaluate({ language: "jsonpath", script: "a", context: { a: 5 } });
    console.log(value);`;
  const { status, stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", program], {
    cwd: fileURLToPath(new URL(".", import.meta.url)),
    encoding: "utf8",
    timeout: 20_000,
  });
  expect([status, stdout]).toEqual([0, "5\n"]);
});
