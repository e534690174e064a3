import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { mainstay, makeHome } from "./testing/mainstay.ts";
import { startCommandHost } from "./testing/start-command-host.ts";

const home = makeHome();
const host = startCommandHost();
afterAll(async () => {
  await host.end();
  home.remove();
});

function write(name: string, value: unknown): string {
  const file = join(home.directory, name);
  writeFileSync(file, typeof value === "string" ? value : JSON.stringify(value));
  return file;
}

const evaluate = (args: string[]) => host.run(["eval", ...args], home.env);
/** What a process is: its standard input, and arguments as they are refused. */
const evaluateAlone = (args: string[], input?: string) =>
  mainstay(["eval", ...args], home.env, input);

describe("eval", () => {
  const context = write("context.json", { code: 200, list: [1, 2], nothing: null });

  test("prints the result as JSON", async () => {
    const args = ["--language", "javascript", "--context", context];
    expect(await evaluate([...args, "if (code == 200) { ({ok: list}) }"])).toEqual({
      code: 0,
      stdout: '{"result":{"ok":[1,2]}}',
      stderr: "",
    });
    expect((await evaluate([...args, "--text", "list"])).stdout).toBe('{"result":"1,2"}');
  });

  test("reads the script or the context from standard input", async () => {
    const { stdout } = await evaluateAlone(
      ["--language", "jsonpath", "--context", context, "-"],
      "$.list[1]",
    );
    expect(stdout).toBe('{"result":2}');
    const other = await evaluateAlone(["--language", "jsonpath", "--context", "-", "a"], '{"a":1}');
    expect(other.stdout).toBe('{"result":1}');
  });

  test("says a mistake with its line and column", async () => {
    const found = await evaluate(["--language", "javascript", "1 +\n  nobody"]);
    expect(found).toEqual({
      code: 1,
      stdout: "",
      stderr: "javascript:2:3: ReferenceError: 'nobody' is not defined",
    });
    const asking = await evaluate(["--language", "gotemplate", '{{ catalog_query "name=x" }}']);
    expect(asking.code).toBe(1);
    expect(asking.stderr).toContain("there is no catalog here");
  });

  test("ends a script that does not", async () => {
    const { code, stderr } = await evaluate(["--language", "javascript", "for (;;);"]);
    expect([code, stderr]).toEqual([1, "javascript:1:1: takes longer than 1000 ms"]);
  });

  test.each([
    [
      ["--language", "perl", "1"],
      "Allowed choices are cel, gotemplate, javascript, jsonpath, expr",
    ],
    [["1"], "eval needs --language"],
    [["--language", "jsonpath"], "either a script or --batch"],
    [["--language", "jsonpath", "--context", "/nowhere.json", "a"], "/nowhere.json cannot be read"],
    [["--language", "jsonpath", "--context", write("list.json", [1]), "a"], "holds no JSON object"],
    [["--language", "jsonpath", "--context", write("bad.json", "{"), "a"], "is no JSON"],
  ])("%j is refused", async (args, message) => {
    const { code, stderr } = await evaluateAlone(args);
    expect(code).toBe(1);
    expect(stderr).toContain(message);
  });
});

describe("eval --batch", () => {
  const cases = [
    { language: "jsonpath", script: "a", context: { a: 1 } },
    { language: "javascript", script: "x.y", context: {} },
    { language: "jsonpath", script: "a[", context: {} },
    { language: "javascript", script: "1 + 1" },
    { language: "jsonpath", script: "b", context: { b: null } },
  ];
  const answers = [
    '{"result":1}',
    `{"error":"ReferenceError: 'x' is not defined","line":1,"column":1}`,
    '{"error":"a selector is expected, not the end","line":1,"column":3}',
    '{"result":2}',
    '{"result":null}',
  ];

  test("answers a line for a line, mistakes too", async () => {
    const file = write(
      "cases.jsonl",
      `${cases.map((given) => JSON.stringify(given)).join("\n")}\n`,
    );
    expect(await evaluate(["--batch", file])).toEqual({
      code: 0,
      stdout: answers.join("\n"),
      stderr: "",
    });
  });

  test("a line that is no case is answered, and the exit code is 1", async () => {
    const input = '{"language":"perl","script":"1"}\n\n{"script":"a","context":{"a":2}}\nx\n[]\n';
    const { code, stdout } = await evaluateAlone(["--language", "jsonpath", "--batch", "-"], input);
    expect(code).toBe(1);
    const [first, second, third, fourth] = stdout.split("\n");
    expect(first).toContain("line 1 is no case");
    expect(second).toBe('{"result":2}');
    expect(third).toContain("line 4 is no case");
    expect(fourth).toContain("line 5 is no case");
  });
});
