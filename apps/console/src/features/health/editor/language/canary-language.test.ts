import { describe, expect, test } from "vitest";
import { canaryLanguage, placeInText } from "./canary-language.ts";

describe("Canary documents", () => {
  const language = canaryLanguage();
  const document = [
    "apiVersion: canaries.flanksource.com/v1",
    "kind: Canary",
    "metadata:",
    "  name: web",
    "spec:",
    "  http:",
    "    - name: a",
    "      ",
  ].join("\n");

  test("completion knows the fields of a check", async () => {
    const found = await language.complete(document, document.length);
    expect(found?.options.map(({ label }) => label)).toContain("url");
    expect(found?.options.map(({ label }) => label)).not.toContain("name");
  });

  test("problems have their place", async () => {
    const text = `${document.trimEnd()}\n      responseCodes: nonsense\n`;
    const problems = await language.check(text);
    expect(problems.length).toBeGreaterThan(0);
    expect(
      problems.some(
        (problem) =>
          text.slice(problem.from, problem.to).includes("nonsense") ||
          text.slice(problem.from, problem.to).includes("responseCodes"),
      ),
    ).toBe(true);
  });

  test("a key explains itself", async () => {
    const help = await language.describe(document, document.indexOf("http"));
    expect(help).not.toBeNull();
    expect(help && document.slice(help.from, help.to)).toBe("http");
  });

  test("an empty text has no problems yet", async () => {
    expect(await language.check("  \n")).toEqual([]);
  });
});

describe("for whoever may not run code on the server", () => {
  const whyNoCode = "Needs the role admin. Yours: editor.";
  const head = (name: string) =>
    `apiVersion: canaries.flanksource.com/v1\nkind: Canary\nmetadata: {name: ${name}}\n`;
  const text = `${head("a")}spec: {tcp: []}\n---\n${head("b")}spec:\n  exec:\n    - name: backup\n      script: id\n`;
  const said = `spec.exec.0: "backup" runs a program on the server. ${whyNoCode}`;

  test("what would be refused is marked where it stands", async () => {
    const [problem, ...others] = await canaryLanguage({ whyNoCode }).check(text);
    expect(others).toEqual([]);
    expect(problem).toMatchObject({ severity: "warning", message: said });
    expect(text.slice(problem!.from, problem!.to)).toBe("name");
    expect(await canaryLanguage().check(text)).toEqual([]);
  });

  test("in a spec alone as well", async () => {
    const bare = canaryLanguage({ whyNoCode, bare: true });
    expect(await bare.check("folder:\n  - name: x\n    path: /etc\n")).toMatchObject([
      { message: `folder.0: "x" reads a folder of the server. ${whyNoCode}`, from: 12 },
    ]);
  });
});

describe("what the server says about rows", () => {
  const document = "metadata:\n  name: a\nspec:\n  exec:\n    - name: x\n";
  const spec = "exec:\n  - name: x\n";
  const issue = (path: string) => ({ message: "no", path, line: 1, column: 99 });
  test.each([
    ["one row", document, issue("spec.exec.0"), {}, { path: "spec.exec.0", line: 5, column: 7 }],
    [
      "one of several rows",
      `${document}---\n${document}`,
      issue("1.spec.exec.0"),
      { several: true },
      { path: "spec.exec.0", line: 11, column: 7 },
    ],
    ["its name", document, issue("name"), {}, { path: "metadata.name", line: 2, column: 9 }],
    ["a spec alone", spec, issue("spec.exec.0"), { bare: true }, { path: "exec.0", line: 2 }],
  ])("is placed in the text: %s", (_name, text, found, options, expected) => {
    expect(placeInText(text, [found], options)).toMatchObject([{ message: "no", ...expected }]);
  });

  test("has no place in a spec when it is about something else", () => {
    expect(placeInText(spec, [issue("labels.a")], { bare: true })).toEqual([
      { message: "no", path: "labels.a" },
    ]);
  });
});
