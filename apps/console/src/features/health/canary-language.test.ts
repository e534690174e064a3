import { describe, expect, test } from "vitest";
import { canaryLanguage } from "./canary-language.ts";

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
