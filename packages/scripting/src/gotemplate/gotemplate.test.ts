import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { CompileOptions } from "../language.ts";
import { ScriptError } from "../script-error.ts";
import { type Context, Duration } from "../values.ts";
import { readyJq } from "../functions/query.ts";
import { gotemplate, renderText } from "./index.ts";

await readyJq();

interface Case {
  template: string;
  delimiters?: [string, string];
  output?: string;
  error?: { line: number; column?: number; message: string };
}

interface Goldens {
  context: Context;
  groups: { name: string; cases: Case[] }[];
}

// What Go 1.26's text/template makes of goldens/cases.txt; goldens/main.go says how it was asked.
const goldens = JSON.parse(
  readFileSync(new URL("gotemplate.cases.json", import.meta.url), "utf8"),
) as Goldens;

/** Where we differ from Go, and mean to. */
const deviations: Record<string, string> = {
  "{{ .null }} {{ .null.x }}": "what is below null is nothing, as what is below a missing member",
  "{{ $x = 1 }}": "is found before the template runs",
  "{{ (.name) 1 }}": "points at the value",
  '{{ strings.Nope "x" }}': "points at the function",
  "{{ conv.ToInt }}": "points at the function",
  '{{ toJSON .words }} {{ toJSON .m }} {{ toJSON "a<b>&c\\"d" }} {{ toJSON nil }} {{ toJSON true }} {{ toJSON .f }} {{ toJSON .n }} {{ toJSON "é " }} {{ toJSON .none }} {{ toJSON .emptymap }}':
    "<, > and & are no escapes, as the documents' engine has it",
  "{{ keys .list }}": "points at the function",
  '{{ join .list "-" }} {{ join .words ", " }} {{ join .mixed "," }} {{ join .none "," }} {{ conv.Join .list "" }}':
    "maps within are JSON",
  '{{ .name | strings.ToUpper | strings.Split "" | join "-" }}': "points at the function",
};

function outcome(run: () => string): string | { line: unknown; column: unknown } {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    return { line: error.line, column: error.column };
  }
}

describe.each(goldens.groups)("as Go: $name", ({ cases }) => {
  test.each(cases.filter(({ template }) => deviations[template] === undefined))(
    "$template",
    ({ template, delimiters, output, error }) => {
      const options: CompileOptions = delimiters === undefined ? {} : { delimiters };
      const got = outcome(
        () => gotemplate.compile(template, options).run(goldens.context) as string,
      );
      if (error === undefined) expect(got).toBe(output);
      else {
        expect(got).toMatchObject(
          error.column === undefined
            ? { line: error.line }
            : { line: error.line, column: error.column },
        );
      }
    },
  );
});

test("the goldens are there", () => {
  expect(goldens.groups.flatMap(({ cases }) => cases).length).toBeGreaterThan(450);
  const templates = new Set(goldens.groups.flatMap(({ cases }) => cases.map((c) => c.template)));
  expect(Object.keys(deviations).filter((template) => !templates.has(template))).toEqual([]);
});

const run = (template: string, context: Context = {}, options: CompileOptions = {}): unknown =>
  gotemplate.compile(template, options).run(context);

function failure(work: () => unknown): string {
  try {
    return `no error: ${JSON.stringify(work())}`;
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    return `${error.line}:${error.column} ${error.message}`;
  }
}

test.each<[template: string, output: string]>([
  // Numbers of JSON say not whether they are integers.
  ["{{ eq .code 200 }} {{ lt .f 3 }} {{ gt .f 2 }} {{ eq .code 200.0 }}", "true true true true"],
  ["{{ .size }} {{ .code }}", "1048576 200"],
  ['{{ printf "%d %.2f %v" .code .code .code }}', "200 200.00 200"],
  ["{{ index .l .one }} {{ range .one }}x{{ end }}", "b x"],
  [
    "{{ .missing }} {{ .missing.deeper }} {{ .null }} {{ .null.x }}",
    Array(4).fill("<no value>").join(" "),
  ],
  ["{{ eq .missing nil }}", "true"],
  ["{{ len (slice .l 1 3) }} {{ div 7 2 }} {{ seq 3 }}", "3 3.5 [1 2 3]"],
  ["  \n {{ .code }} \n", "200"],
  ['{{ merge (dict "a" 1) (dict "a" 2) }}', "map[a:1]"],
  ["{{ code }} {{ l }} {{ m.x }}", "200 [a b c] 1"],
  // A variable does not take a function away.
  ['{{ path }} {{ path.Base "a/b" }} {{ index .l 0 }} {{ index }} {{ test.here }}', "p b a i yes"],
  ["{{ .m.constructor }} {{ .m.__proto__ }} {{ .l | len }}", "<no value> <no value> 3"],
  ['{{ index .m "constructor" }} {{ index .m "toString" }}', "<no value> <no value>"],
  ['{{ (json `{"__proto__": {"x": 1}}`).x }}', "<no value>"],
  [
    '{{ .at.Format "2006-01-02 15:04:05.000 MST" }} {{ .at.Year }}',
    "2024-02-03 04:05:06.700 UTC 2024",
  ],
  [
    '{{ .at.Format "Monday, 2 Jan 06 3:04pm Z07:00 -0700 .999" }}',
    "Saturday, 3 Feb 24 4:05am Z +0000 .7",
  ],
  [
    "{{ .took }} {{ .took.Seconds }} {{ .took.Hours }} {{ humanDuration .took }}",
    "1h30m0s 5400 1.5 1h30m",
  ],
  ["{{ toYAML .m }}", "x: 1"],
  ['{{ toJSON .at }} {{ toJSON "<&>" }}', '"2024-02-03T04:05:06.7Z" "<&>"'],
  ["{{ humanSize .size }} {{ humanizeBytes 1536 }} {{ humanSize 1000 }}", "1M 1.5K 1000B"],
  [
    '{{ uuid.IsValid uuid.V4 }} {{ uuid.IsValid uuid.V1 }} {{ uuid.IsValid "x" }} {{ uuid.Nil }}',
    "true true false 00000000-0000-0000-0000-000000000000",
  ],
  ["{{ len (random.Alpha 5) }} {{ len (random.AlphaNum 7) }} {{ len (random.ASCII 3) }}", "5 7 3"],
  [
    '{{ random.String 4 "c" "c" }} {{ random.Item (slice "a") }} {{ random.Number 3 3 }}',
    "cccc a 3",
  ],
  ["{{ len (random.String 8 `[[:xdigit:]]`) }} {{ lt (random.Float 2 3) 3 }}", "8 true"],
  [
    '{{ matchLabel .labels "app" "web" "api*" }} {{ matchLabel .labels "app" "!web" }}',
    "true false",
  ],
  ['{{ trim "  x " }}|', "x|"],
  [
    '{{ (time.Parse "2006-01-02" "1993-10-23").Format "Monday January 2, 2006 MST" }}',
    "Saturday October 23, 1993 UTC",
  ],
  [
    '{{ (time.Unix 42).UTC.Format time.Stamp }} {{ time.ParseDuration "2h30m" }}',
    "Jan  1 00:00:42 2h30m0s",
  ],
  [
    '{{ (time.ParseInLocation "2006-01-02 15:04" "Europe/Berlin" "2024-07-01 12:00").Format "15:04" }}',
    "10:00",
  ],
  [
    "{{ (.at.Add (time.Hour 2)).Format time.Kitchen }} {{ (.at.AddDate 0 1 0).Month }}",
    "6:05AM March",
  ],
  ['{{ time.InTimeRange .at "04:00" "05:00" }} {{ gt (time.Since .at).Hours 24.0 }}', "true true"],
  [
    '{{ humanizeTime .at | hasSuffix "ago" }} {{ hasSuffix (humanizeTime .at) "ago" }}',
    "false true",
  ],
  ['{{ net.ContainsCIDR "10.0.0.0/8" "10.1.2.3" }} {{ net.IsValidIP "x" }}', "true false"],
  ['{{ (aws.arnToMap "arn:aws:s3:::bucket").service }}', "s3"],
  ['{{ semverCompare "1.2.3" ">=1.0" }} {{ (semver "1.2.3").major }}', "true 1"],
  [
    '{{ k8s.isHealthy .pod }} {{ (getHealth .pod).status }} {{ k8s.cpuAsMillicores "250m" }}',
    "true Running 250",
  ],
  ['{{ .m | jq `.x + 1` }} {{ `{"a":[1,2]}` | jq `.a[]` }}', "2 [1 2]"],
  [
    '{{ jsonpath "$.x" .m }} {{ .m | jmespath "x" }} {{ `<a><b>t</b></a>` | xpath "/a/b" }}',
    "1 1 t",
  ],
])("%s", (template, output) => {
  const context: Context = {
    code: 200,
    f: 2.5,
    size: 1048576,
    one: 1,
    null: null,
    l: ["a", "b", "c"],
    m: { x: 1 },
    path: "p",
    index: "i",
    test: { here: "yes" },
    labels: { app: "web" },
    pod: {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "p" },
      spec: { containers: [{ name: "c" }] },
      status: {
        phase: "Running",
        conditions: [{ type: "Ready", status: "True" }],
        containerStatuses: [
          { name: "c", ready: true, state: { running: { startedAt: "2020-01-01T00:00:00Z" } } },
        ],
      },
    },
    at: new Date("2024-02-03T04:05:06.7Z"),
    took: new Duration(5_400_000_000_000n),
  };
  expect(run(template, context)).toBe(output);
});

test("functions of the caller are called by their names, dotted ones too", () => {
  const functions = {
    last_result: () => ({ status: "ok" }),
    "catalog.query": (selector: unknown) => [`${String(selector)}!`],
    broken: () => {
      throw new Error("it does not work");
    },
  };
  expect(run('{{ last_result.status }} {{ index (catalog.query "x") 0 }}', {}, { functions })).toBe(
    "ok x!",
  );
  expect(failure(() => run("a\n {{ broken }}", {}, { functions }))).toBe(
    "2:5 error calling broken: it does not work",
  );
});

describe("spec templates", () => {
  test.each<[text: string, output: string]>([
    ["{{ .a }} and $(.a), $(a)", "x and x, x"],
    ["$(username):$(password)", "joe:s3cret"],
    // What the document says is read twice; what a value says is not.
    ['{{ "$(a)" }} {{ `$(a)` }}', "x x"],
    ["{{ .evil }}", "$(password)"],
    ["{{ .evil }} $(a)", "$(password) x"],
    ["$(evil)", "$(password)"],
    ["${{ .parens }}", "$(password)"],
    ["{{ .dollar }}(password) $(a)", "$(password) x"],
    ['{{ print "$(" "password)" }}', "$(password)"],
    ['$(index .m "{{ .key }}")', "1"],
    ['$(print "{{ .quote }}")', '")$(password)("'],
    ["{{ range .l }}$(a){{ . }} {{ end }}", "x1 x2"],
    ["$(if .a)yes$(else)no$(end)", "yes"],
    ["costs 5$ (really)", "costs 5$ (really)"],
    ["\ue0000\ue000 $(a) {{ .a }}", "\ue0000\ue000 x x"],
    [
      "# gotemplate: left-delim=<<< right-delim=>>>\n<<< .a >>> {{ .a }} $(date)",
      "x {{ .a }} $(date)",
    ],
    [
      "---\n#!/bin/sh\n# gotemplate: left-delim=$[[ right-delim=]]\n$[[ .a ]]$(b)",
      "---\n#!/bin/sh\nx$(b)",
    ],
    [
      "echo\n# gotemplate: left-delim=[[ right-delim=]]\n{{ .a }}",
      "echo\n# gotemplate: left-delim=[[ right-delim=]]\nx",
    ],
  ])("%s", (text, output) => {
    const context: Context = {
      a: "x",
      username: "joe",
      password: "s3cret",
      evil: "$(password)",
      parens: "(password)",
      dollar: "$",
      quote: '")$(password)("',
      m: { k: 1 },
      key: "k",
      l: [1, 2],
    };
    expect(renderText(text, context)).toBe(output);
  });

  test.each<[text: string, message: string]>([
    ["a\n{{ if .a }}\n\n", "4:1 unexpected EOF: the {{if}} of line 2 has no {{end}}"],
    ["echo $(date)", '1:8 function "date" not defined'],
    ["a\n$(x", "2:1 unclosed action"],
    ["$(f (g))", "1:7 unclosed left paren"],
    ["{{ .a }}\nxx $(.a.b)", "2:8 can't evaluate field b in type string"],
    ["$( {{ .a }} )", "1:7 what a value printed can be text of an expression only in quotes"],
    ["# gotemplate: left-delim=[[\nx", "1:1 the header must say left-delim=… and right-delim=…"],
    [
      "# gotemplate: left-delim=[[ right-delim=]]\n\n[[ .a.b ]]",
      "3:6 can't evaluate field b in type string",
    ],
  ])("%s", (text, message) => {
    expect(failure(() => renderText(text, { a: "x" }))).toBe(message);
  });

  test("other delimiters, when the caller says so, are the only ones", () => {
    const delimiters = ["<%", "%>"] as const;
    expect(renderText("<% .a %> {{ .a }} $(a)", { a: 1 }, { delimiters })).toBe("1 {{ .a }} $(a)");
  });
});

describe("limits", () => {
  test.each<[what: string, template: string]>([
    ["steps", "{{ range 100000 }}{{ range 100000 }}{{ end }}{{ end }}"],
    ["depth", '{{ define "a" }}{{ template "a" }}{{ end }}{{ template "a" }}'],
    ["output", `{{ range 100000 }}${"0123456789abcdef".repeat(4)}{{ end }}`],
    ["a text", '{{ "x" | strings.Repeat 1000000000 }}'],
    ["texts that double", '{{ $x := "x" }}{{ range 100 }}{{ $x = print $x $x }}{{ end }}'],
    [
      "lists that double",
      "{{ $x := slice 1 }}{{ range 100 }}{{ $x = slice $x $x }}{{ end }}{{ $x }}",
    ],
    ["nested lists", "{{ $x := slice 1 }}{{ range 100000 }}{{ $x = slice $x }}{{ end }}{{ $x }}"],
    [
      "nested JSON",
      "{{ $x := slice 1 }}{{ range 100000 }}{{ $x = slice $x }}{{ end }}{{ toJSON $x }}",
    ],
    [
      "flattened lists",
      "{{ $x := slice 1 }}{{ range 60 }}{{ $x = slice $x $x }}{{ end }}{{ len (flatten $x) }}",
    ],
    ["replacements", '{{ $x := strings.Repeat 100000 "a" }}{{ replaceAll "a" $x $x }}'],
    [
      "widths",
      '{{ $x := slice }}{{ range 100 }}{{ $x = append 1 $x }}{{ end }}{{ printf "%999999d" $x }}',
    ],
    ["sequences", "{{ seq 100000000 }}"],
    ["parentheses", `{{ ${"(".repeat(100_000)}`],
    ["blocks", "{{ if true }}".repeat(10_000)],
    [
      "aliases",
      `{{ yaml ${JSON.stringify(
        `a: &a [x,x,x,x,x,x,x,x,x]\n${Array.from("bcdefgh")
          .map((c, i) => `${c}: &${c} [${Array(9).fill(`*${"abcdefgh"[i]}`).join(",")}]`)
          .join("\n")}`,
      )} }}`,
    ],
  ])("%s", (_, template) => {
    expect(() => run(template, {}, { limits: { steps: 300_000 } })).toThrow(ScriptError);
  });

  test("regular expressions take no long time", () => {
    const template = '{{ regexp.Match "^(a+)+$" (print (strings.Repeat 40 "a") "!") }}';
    expect(run(template)).toBe("false");
  });
});

describe("any text", () => {
  const piece = fc.constantFrom(
    ..."{{ }} {{- -}} ( ) | := = , . $ $x .a .b.c nil true 1 -2 0x1f 1.5 'c' \"s\" `r` if else end range with define template block break continue index printf slice json strings.Split conv. \n".split(
      " ",
    ),
    " ",
    "$(",
    ")",
  );
  test("is a template or a mistake of its author", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.array(piece).map((parts) => parts.join("")),
          fc.string({ unit: "binary" }),
        ),
        (text) => {
          const context: Context = { a: { b: [1, "x", null] }, b: { c: 1 } };
          outcome(() => gotemplate.compile(text).run(context) as string);
          outcome(() => renderText(text, context));
        },
      ),
      { numRuns: 500 },
    );
  });

  test("without delimiters is itself", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        fc.pre(!/\{\{|\$\(|gotemplate:/.test(text));
        expect(renderText(text, {})).toBe(text.trim());
      }),
    );
  });

  test("of a value never becomes a template", () => {
    fc.assert(
      fc.property(
        fc.array(piece).map((parts) => parts.join("")),
        (value) => {
          expect(renderText("<{{ .v }}> $(.v)", { v: value })).toBe(`<${value}> ${value}`.trim());
        },
      ),
    );
  });
});
