import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { readyJq } from "../functions/query.ts";
import { ScriptError } from "../script-error.ts";
import { type Context, Duration, type Value } from "../values.ts";
import { cel, stringOf } from "./engine.ts";
import facts from "./facts.cases.json" with { type: "json" };
import functions from "./functions.cases.json" with { type: "json" };
import syntax from "./syntax.cases.json" with { type: "json" };
import text from "./text.cases.json" with { type: "json" };

/** `facts` are those of the reference's engines (engine-facts.md); `functions` and `text` were read off its documentation. */

interface Case {
  script: string;
  value?: Value;
  text?: string;
  error?: string;
  line?: number;
  column?: number;
}

const context: Context = {
  results: [
    { name: "a", size: 1 },
    { name: "b", size: 2 },
  ],
  code: 200,
  json: { used: 3, total: 4, ratio: 0.5, big: 12_345_678 },
  elapsed: new Duration(1_500_000_000n),
  created: new Date("2026-11-22T10:00:00Z"),
};

beforeAll(readyJq);

const scriptError = (work: () => unknown): ScriptError => {
  try {
    work();
  } catch (error) {
    if (error instanceof ScriptError) return error;
    throw error;
  }
  throw new Error("no error came");
};

describe.each([
  ["facts", facts],
  ["syntax", syntax],
  ["functions", functions],
  ["text", text],
] as [string, Case[]][])("%s", (_, cases) => {
  test.each(cases)("$script", ({ script, value, text, error, line, column }) => {
    const work = () => cel.compile(script).run(context);
    if (error !== undefined) {
      const found = scriptError(work);
      expect(found.message).toBe(error);
      if (line) expect(found).toMatchObject({ line, column });
    } else if (text !== undefined) expect(cel.compile(script).runWithText(context).text).toBe(text);
    else expect(work()).toEqual(value);
  });
});

describe("a script that does too much is given up", () => {
  const numbers = Array.from({ length: 1000 }, (_, place) => place);
  test.each([
    ["loops in loops", "n.map(a, n.map(b, n.map(c, n.map(d, a + b + c + d))))"],
    ["loops that others would decide", "n.all(a, n.all(b, n.all(c, c >= 0))) || true"],
    ["text that doubles", doubling("'0123456789'")],
    ["lists that double", doubling("[0, 1, 2, 3, 4, 5, 6, 7]")],
    ["text repeated", "'0123456789'.repeat(1000).repeat(1000).repeat(1000)"],
    ["padding of formats", "'%.100f'.format([1.0]).repeat(1000000)"],
    ["expressions over much text", "n.map(x, 'a'.repeat(900000).matches('(a*)*b')).size()"],
    ["templates in loops", "n.map(x, f('{{ range seq 1000 }}{{ . }}{{ end }}', {}))"],
    ["queries in loops", "n.map(x, n.map(y, jmespath('[0]', n)))"],
    ["a range without end", "range(1000000000)"],
  ])("%s", (_, script) => {
    const found = scriptError(() => cel.compile(script).run({ n: numbers }));
    expect(found.message).toMatch(/too many steps|too long|more than \d+ (?:characters|numbers)/);
  });

  test.each([
    ["brackets", "(".repeat(10_000) + "1" + ")".repeat(10_000)],
    ["lists", "[".repeat(10_000) + "]".repeat(10_000)],
    ["signs", "!".repeat(10_000) + "true"],
    ["sums", Array.from({ length: 20_000 }, () => "1").join("+")],
    ["fields", `json${".a".repeat(20_000)}`],
  ])("depth of %s", (_, script) => {
    expect(scriptError(() => cel.compile(script).run(context)).message).toMatch(/deep|in a row/);
  });

  test("values nested without end", () => {
    let value: Value = 1;
    for (let depth = 0; depth < 50_000; depth += 1) value = [value];
    expect(scriptError(() => cel.compile("x").run({ x: value })).message).toMatch(/deep/);
  });

  function doubling(seed: string): string {
    let script = "x30";
    for (let place = 30; place > 0; place -= 1)
      script = `cel.bind(x${place}, x${place - 1} + x${place - 1}, ${script})`;
    return `cel.bind(x0, ${seed}, ${script})`;
  }
});

test("what the caller adds can be called, by plain names and by those with dots", () => {
  const program = cel.compile("catalog.query({'type': 'Pod'})[0].name + last()", {
    functions: {
      "catalog.query": (selector) => [{ name: (selector as { type: string }).type }],
      last: () => "!",
    },
  });
  expect(program.run({})).toBe("Pod!");
});

test("a program keeps nothing from one run to the next", () => {
  const program = cel.compile("x.map(y, y + z)");
  expect(program.run({ x: [1], z: 1 })).toEqual([2]);
  expect(program.run({ x: [2, 3], z: 2 })).toEqual([4, 5]);
});

test("values from outside print as results do", () => {
  expect(stringOf({ b: [1, 2.5, null], a: new Duration(60_000_000_000n) })).toBe(
    "map[a:1m0s b:[1 2.5 <nil>]]",
  );
  expect(stringOf(1_000_000)).toBe("1000000");
});

const words = fc.constantFrom(
  ..."results json . ? [ ] ( ) { } , : ' \" \\ + - * / % ! && || == < in has .map( .all( x 1 2.5 0x 1u b' r\" null true dyn( cel.bind( .orValue( size( // \n k8s. math.Add( ` e @ é 😀".split(
    " ",
  ),
);
const anyText = fc.oneof(
  fc.string(),
  fc.array(words).map((all) => all.join("")),
  fc.array(words).map((all) => all.join(" ")),
);

test("any text gives a value or a ScriptError with a place in it", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      try {
        cel.compile(text).runWithText(context);
      } catch (error) {
        if (!(error instanceof ScriptError)) throw error;
        expect(error.line).toBeGreaterThan(0);
        expect(error.column).toBeGreaterThan(0);
      }
    }),
    { numRuns: 2_000 },
  );
});
