import { expect, test } from "vitest";
import { z } from "zod";
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

test.each([
  ["a: 1\n", 0, undefined],
  ["kind: A\n---\nkind: B\n", 3, "A"],
  ["kind: A\n---\nkind: B\n", 14, "B"],
  ["---\nkind: 'A'\n", 6, "A"],
])("in %j at %i stands %j", (source, offset, kind) => {
  expect(kindAt(source, offset)).toBe(kind);
});
