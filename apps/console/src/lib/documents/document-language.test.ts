import { describe, expect, test } from "vitest";
import { z } from "zod";
import { canaryFormat } from "@mainstay/contract/canary/canary-format.ts";
import type { DocumentFormat } from "@mainstay/contract/documents/document-format.ts";
import { documentEnvelope } from "@mainstay/contract/documents/metadata.ts";
import { documentLanguage, kindAt } from "./document-language.ts";

function format(kind: string, field: string): DocumentFormat {
  const spec = z.looseObject({ [field]: z.number(), other: z.number().optional() });
  const apiVersions = ["paper/v1"] as const;
  return {
    kind,
    name: kind.toLowerCase(),
    plural: `${kind.toLowerCase()}s`,
    apiVersions,
    resource: "canaries",
    spec,
    envelope: documentEnvelope({ kind, apiVersions, spec }),
  };
}
const language = documentLanguage([format("Sheet", "size"), format("Roll", "length")]);
const text = `apiVersion: paper/v1
kind: Sheet
metadata: { name: a }
spec:
  size: 4
---
apiVersion: paper/v1
kind: Roll
metadata: { name: b }
spec:
  `;

test("completion is that of the kind in whose document it is asked for", async () => {
  const labels = async (offset: number) =>
    (await language.complete(text, offset))?.options.map(({ label }) => label) ?? [];
  expect(await labels(text.length)).toContain("length");
  expect(await labels(text.length)).not.toContain("size");
  expect(await labels(text.indexOf("size"))).not.toContain("length");
});

test("problems of every kind stand at their places, and a kind nobody knows is one", async () => {
  const wrong = `${text}length: long\n---\nkind: Teapot\n`;
  const problems = await language.check(wrong);
  expect(problems.map(({ from, to }) => wrong.slice(from, to))).toEqual(["long", "Teapot"]);
  expect(problems[1]?.message).toContain("Sheet, Roll");
});

describe("of canaries", () => {
  const head = (name: string) =>
    `apiVersion: canaries.flanksource.com/v1\nkind: Canary\nmetadata: {name: ${name}}\n`;

  test("a key of a check explains itself, and completion leaves out what is there", async () => {
    const document = `${head("web")}spec:\n  http:\n    - name: a\n      `;
    const canaries = documentLanguage([canaryFormat]);
    const labels = (await canaries.complete(document, document.length))?.options.map(
      ({ label }) => label,
    );
    expect(labels).toContain("url");
    expect(labels).not.toContain("name");
    const help = await canaries.describe(document, document.indexOf("http"));
    expect(help && document.slice(help.from, help.to)).toBe("http");
    expect(await canaries.check("  \n")).toEqual([]);
  });

  test("what whoever writes may not save is marked where it stands", async () => {
    const whyNoCode = "Needs the role admin. Yours: editor.";
    const script = "spec:\n  exec:\n    - name: backup\n      script: id\n";
    const both = `${head("a")}spec: {tcp: []}\n---\n${head("b")}${script}`;
    const [problem, ...others] = await documentLanguage([canaryFormat], { whyNoCode }).check(both);
    expect(others).toEqual([]);
    expect(problem).toMatchObject({
      severity: "warning",
      message: `spec.exec.0: "backup" runs a program on the server. ${whyNoCode}`,
    });
    expect(both.slice(problem!.from, problem!.to)).toBe("name");
    expect(await documentLanguage([canaryFormat]).check(both)).toEqual([]);
  });
});

test.each([
  ["a: 1\n", 0, undefined],
  ["kind: A\n---\nkind: B\n", 3, "A"],
  ["kind: A\n---\nkind: B\n", 14, "B"],
  ["---\nkind: 'A'\n", 6, "A"],
])("in %j at %i stands %j", (source, offset, kind) => {
  expect(kindAt(source, offset)).toBe(kind);
});
