import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parseScrapeConfigs } from "./parse-scrape-config.ts";
import { readTransformScript, scraperScripts, scriptsOfScraper } from "./scripts.ts";

const brief = (type: string, scraper: Record<string, unknown>) =>
  scriptsOfScraper(type, scraper).map(
    ({ language, name, text, isSpec }) => `${language} ${name}: ${text}${isSpec ? " (spec)" : ""}`,
  );

test.each<[string, Record<string, unknown>, string[]]>([
  ["http", { id: "literal", name: "$.name", class: "" }, ["jsonpath name: $.name"]],
  [
    "http",
    { items: "a.b", createFields: ["a", "$.b"], deleteFields: "c" },
    [
      "jsonpath items: a.b",
      "jsonpath createFields.0: a",
      "jsonpath createFields.1: $.b",
      "jsonpath deleteFields: c",
    ],
  ],
  [
    "http",
    { url: "http://{{.a}}", pagination: { nextPageExpr: "x", reduceExpr: " " } },
    ["gotemplate url: http://{{.a}} (spec)", "cel pagination.nextPageExpr: x"],
  ],
  ["file", { url: "http://{{.a}}" }, []],
  ["githubActions", { status: "$.a", health: "$.b" }, ["jsonpath health: $.b"]],
  [
    "kubernetes",
    { relationships: [{ kind: { expr: "a" }, name: { value: "b" }, namespace: "c" }] },
    ["cel relationships.0.kind.expr: a"],
  ],
  [
    "file",
    {
      tags: [
        { name: "a", jsonpath: "$.a" },
        { name: "b", value: "$.b" },
      ],
    },
    ["jsonpath tags.0.jsonpath: $.a"],
  ],
  ["file", { tags: { a: "b" } }, []],
  [
    "file",
    {
      properties: [{ filter: "f", text: "{{.a}}", value: 1, links: [{ url: "$(.b)", text: "c" }] }],
    },
    [
      "cel properties.0.filter: f",
      "gotemplate properties.0.text: {{.a}} (spec)",
      "gotemplate properties.0.links.0.url: $(.b) (spec)",
    ],
  ],
  ["file", { transform: { expr: "a", javascript: "b" } }, ["cel transform.expr: a"]],
  [
    "file",
    {
      transform: {
        exclude: [{ jsonpath: "$.a" }],
        mask: [{ selector: "s", jsonpath: "$.b" }],
        relationship: [{ filter: "f", expr: "e", name: { expr: "n" } }],
      },
    },
    [
      "jsonpath transform.exclude.0.jsonpath: $.a",
      "cel transform.mask.0.selector: s",
      "jsonpath transform.mask.0.jsonpath: $.b",
      "cel transform.relationship.0.filter: f",
      "cel transform.relationship.0.expr: e",
      "cel transform.relationship.0.name.expr: n",
    ],
  ],
  [
    "file",
    {
      transform: {
        changes: {
          mapping: [
            { filter: "f", summary: "{{.s}}", config_id: "c", target: { type: { expr: "t" } } },
          ],
          exclude: ["x"],
        },
        aliases: [{ filter: "f", values: ["a", "{{.b}}"] }],
      },
    },
    [
      "cel transform.changes.mapping.0.filter: f",
      "gotemplate transform.changes.mapping.0.summary: {{.s}}",
      "cel transform.changes.mapping.0.config_id: c",
      "cel transform.changes.mapping.0.target.type.expr: t",
      "cel transform.changes.exclude.0: x",
      "cel transform.aliases.0.filter: f",
      "gotemplate transform.aliases.0.values.1: {{.b}} (spec)",
    ],
  ],
])("%s %j", (type, scraper, wanted) => {
  expect(brief(type, scraper)).toEqual(wanted);
});

test("of several scripts the first in the order of the format counts", () => {
  const all = { javascript: "d", expr: "c", jsonpath: "b", gotemplate: "a" };
  expect(readTransformScript(all)).toEqual({
    language: "gotemplate",
    text: "a",
    key: "gotemplate",
  });
  expect(readTransformScript({ ...all, gotemplate: " ", jsonpath: "" })?.language).toBe("cel");
  expect(readTransformScript({ javascript: "d" })?.language).toBe("javascript");
  expect(readTransformScript({ exclude: [] })).toBeUndefined();
});

test("those of a document are found where they stand, and none of what is only kept", () => {
  const text = readFileSync(new URL("./compat/files.yaml", import.meta.url), "utf8");
  const { source } = parseScrapeConfigs(text).documents[0]!;
  const scripts = scraperScripts(source);
  expect(scripts.length).toBeGreaterThan(40);
  for (const { path, text: script } of scripts) {
    const there = path.reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], source);
    expect(there).toBe(script);
  }
  expect(scraperScripts({ gcp: [{ id: "$.a" }], spell: [{ id: "$.a" }] })).toEqual([]);
});
