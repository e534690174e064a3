import type { ScraperBase } from "@mainstay/contract";
import { baseShape } from "@mainstay/contract/scrape-config/base-fields.ts";
import { createEvaluator } from "@mainstay/scripting";
import { afterAll, expect, test } from "vitest";
import { z } from "zod";
import type { Json } from "../changes/json-patch.ts";
import { itemScripts } from "./item-scripts.ts";
import { type Processed, processFound } from "./process-found.ts";
import type { Found, ReadContent, ScrapedItem } from "./scraped.ts";

const evaluator = createEvaluator();
afterAll(() => evaluator.close());
const schema = z.looseObject(baseShape);

/** What content becomes under a scraper as a document writes it. */
async function processed(
  content: Json,
  base: Record<string, unknown>,
  { isFull = false, ...read }: Omit<Partial<ReadContent>, "content"> & { isFull?: boolean } = {},
): Promise<Processed> {
  const options = {
    base: schema.parse(base),
    isFull,
    scripts: itemScripts(evaluator),
  };
  return processFound({ kind: "content", read: { content, ...read } }, options);
}
const itemsOf = async (...args: Parameters<typeof processed>) => {
  const { items, failures } = await processed(...args);
  expect(failures).toEqual([]);
  return items;
};
const thing = { id: "$.id", type: "Thing" };

test.each<[string, Json, Record<string, unknown>, Partial<ScrapedItem>[]]>([
  [
    "JSON by paths",
    '{"id": 7, "meta": {"name": "seven"}, "state": "running", "zone": "a"}',
    {
      ...thing,
      name: "$.meta.name",
      status: "$.state",
      class: "Box",
      tags: [{ name: "zone", jsonpath: "$.zone" }],
    },
    [
      {
        externalId: "7",
        name: "seven",
        type: "Thing",
        configClass: "Box",
        status: "running",
        health: "healthy",
        tags: { zone: "a" },
        labels: { zone: "a" },
      },
    ],
  ],
  [
    "items in a list",
    { list: [{ id: "a" }, { id: "b" }] },
    { ...thing, items: "$.list" },
    [{ externalId: "a", name: "a", configClass: "Thing" }, { externalId: "b" }],
  ],
  [
    "YAML, several documents",
    "id: a\n---\nid: b\n",
    { ...thing, format: "yaml" },
    [{ externalId: "a", config: { id: "a" } }, { externalId: "b" }],
  ],
  [
    "properties",
    "id = p\n# nothing\nserver.port: 80\n",
    { ...thing, format: "properties" },
    [{ externalId: "p", config: { id: "p", "server.port": "80" } }],
  ],
  [
    "INI",
    "id=i\n[server]\nport=80\n",
    { ...thing, format: "ini" },
    [{ config: { id: "i", server: { port: "80" } } }],
  ],
  [
    "any other text",
    "plain",
    { id: "x", type: "File", format: "text" },
    [{ config: { format: "text", content: "plain" } }],
  ],
  [
    "literals, and health that is said",
    {},
    {
      id: "one",
      type: "Thing",
      name: "One",
      health: "Warning",
      status: "busy",
      labels: { a: "b" },
    },
    [{ externalId: "one", name: "One", health: "warning", status: "busy", labels: { a: "b" } }],
  ],
  [
    "Kubernetes by its own rules",
    {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: { name: "c" },
      status: { phase: "Lost" },
    },
    { id: "$.metadata.name", type: "Kubernetes::PersistentVolumeClaim" },
    [{ externalId: "c", health: "unhealthy" }],
  ],
  [
    "times",
    { id: "t", made: "2026-01-02 03:04:05", gone: "2026-02-03 04:05:06" },
    {
      ...thing,
      timestampFormat: "2006-01-02 15:04:05",
      createFields: ["$.none", "$.made"],
      deleteFields: ["$.gone"],
    },
    [
      {
        createdAt: new Date("2026-01-02T03:04:05Z"),
        deletedAt: new Date("2026-02-03T04:05:06Z"),
        deleteReason: "FROM_DELETE_FIELD",
      },
    ],
  ],
])("%s", async (_, content, base, expected) => {
  expect(await itemsOf(content, base)).toMatchObject(expected);
});

test.each<[string, Json, Record<string, unknown>, string]>([
  ["no JSON", "{", thing, "It is no JSON: Expected property name"],
  ["no YAML", "a: [", { ...thing, format: "yaml" }, "It is no YAML: "],
  ["empty YAML", " \n", { ...thing, format: "yaml" }, "It is no YAML: it is empty."],
  ["no id", { a: 1 }, thing, 'id: $.id finds nothing in {"a":1}.'],
  ["no type", { id: 1 }, { id: "$.id" }, "The item 1 has no type: the scraper says none (type)."],
  [
    "a name that is not there",
    { id: 1 },
    { ...thing, name: "$.name" },
    "name: $.name finds nothing",
  ],
  [
    "no time",
    { id: 1, at: "soon" },
    { ...thing, createFields: "$.at" },
    'createFields: "soon" is no time; timestampFormat',
  ],
  ["a long id", { id: "x".repeat(600) }, thing, "has 600 letters, at most 500 fit."],
  [
    "a script that gives an object",
    { id: 1 },
    { ...thing, transform: { expr: "config" } },
    "transform.expr: gives an object, a list of objects is wanted.",
  ],
  [
    "a script that fails",
    { id: 1 },
    { ...thing, transform: { javascript: "throw new Error('no')" } },
    "transform.javascript: javascript:1",
  ],
])("what is wrong is told: %s", async (_, content, base, expected) => {
  const { items, failures } = await processed(content, base, { source: "here" });
  expect(items).toEqual([]);
  expect(failures.map(({ message }) => message)).toEqual([
    expect.stringContaining(expected) as string,
  ]);
});

test("one bad item of several costs none of the others", async () => {
  const { items, failures } = await processed(
    { list: [{ id: 1 }, {}, { id: 3 }] },
    { ...thing, items: "$.list[*]" },
  );
  expect(items.map(({ externalId }) => externalId)).toEqual(["1", "3"]);
  expect(failures).toHaveLength(1);
});

test.each([
  [
    "expr",
    "[{'id': config.a, 'name': 'A', 'config_type': 'T', 'config': {'x': config.b}}].toJSON()",
  ],
  ["javascript", "JSON.stringify([{id: config.a, name: 'A', type: 'T', config: {x: config.b}}])"],
  [
    "gotemplate",
    '[{"id": "{{.config.a}}", "name": "A", "type": "T", "config": {"x": {{.config.b}}}}]',
  ],
])("a script makes items that say what they are: %s", async (key, script) => {
  expect(await itemsOf({ a: "one", b: 2 }, { transform: { [key]: script } })).toMatchObject([
    { externalId: "one", name: "A", type: "T", config: { x: 2 } },
  ]);
});

test("fields are left out and masked, in the order in which the document says so", async () => {
  const config = {
    id: "a",
    keep: 1,
    list: [
      { secret: "s1", at: 1 },
      { secret: "s2", at: 2 },
    ],
    password: "hunter2",
  };
  const [item] = await itemsOf(config, {
    ...thing,
    transform: {
      exclude: [{ jsonpath: "$.list[*].at" }, { jsonpath: "$.keep", types: ["Other*"] }],
      mask: [
        { jsonpath: "$..secret", value: "***" },
        { selector: "config_type == 'Thing'", jsonpath: "$.password", value: "md5sum" },
        { selector: "config_type == 'Other'", jsonpath: "$.keep", value: "no" },
      ],
    },
  });
  expect(item!.config).toEqual({
    id: "a",
    keep: 1,
    list: [{ secret: "***" }, { secret: "***" }],
    password: "2ab96390c7dbe3439de74d0c9b0b1767",
  });
});

test("a mask whose selector fails hides, and says so", async () => {
  const { items, notices } = await processed(
    { id: "a", password: "hunter2" },
    {
      ...thing,
      transform: { mask: [{ selector: "nobody.knows", jsonpath: "$.password", value: "***" }] },
    },
  );
  expect(items[0]!.config).toEqual({ id: "a", password: "***" });
  expect(notices[0]!.message).toContain("transform.mask.0.selector: cel:1");
});

test("properties, aliases and relationships are filled in for each item", async () => {
  const [item] = await itemsOf(
    { id: "web", ip: "10.0.0.1", cpu: 0.5 },
    {
      ...thing,
      labels: { app: "shop" },
      properties: [
        { name: "ip", text: "{{.config.ip}}", links: [{ url: "https://$(.config.ip)/" }] },
        { name: "cpu", value: "{{.config.cpu}}", max: 1, unit: "cores" },
        { name: "none", filter: "config_type == 'Other'" },
      ],
      transform: {
        aliases: [{ type: "Th*", values: ["alias/{{.config.ip}}"] }],
        relationship: [
          { name: { expr: "config.ip" }, type: { value: "IP" } },
          { name: { label: "nothing" } },
          { expr: "[{'name': 'a', 'labels': {'k': 'v'}}].toJSON()", parent: true },
          { filter: "false", name: "x" },
        ],
      },
    },
  );
  expect(item).toMatchObject({
    aliases: ["alias/10.0.0.1"],
    properties: [
      { name: "ip", text: "10.0.0.1", links: [{ url: "https://10.0.0.1/" }] },
      { name: "cpu", value: 0.5, max: 1, unit: "cores" },
    ],
    relations: [
      { to: { name: "10.0.0.1", type: "IP" } },
      { to: { name: "a", labels: { k: "v" } }, isParent: true },
    ],
  });
});

test("with full, changes and insights stand beside what is configured", async () => {
  const found = await processed(
    {
      reg: "A1",
      config: { wheels: 4 },
      changes: [
        {
          change_type: "drove",
          severity: "HIGH",
          summary: "far",
          external_change_id: "9",
          created_at: "2026-01-01T00:00:00Z",
        },
        { change_type: "parked", severity: "odd" },
        { summary: "nothing" },
      ],
      analysis: [
        {
          analyzer: "brakes",
          analysis_type: "technicalDebt",
          severity: "high",
          messages: ["worn", "old"],
        },
      ],
    },
    { id: "$.reg", type: "Car" },
    { isFull: true },
  );
  expect(found.items).toMatchObject([{ externalId: "A1", config: { wheels: 4 } }]);
  expect(found.changes).toMatchObject([
    {
      item: { externalId: "A1", type: "Car" },
      changeType: "drove",
      severity: "high",
      externalChangeId: "9",
    },
  ]);
  expect(found.insights).toMatchObject([
    {
      item: { externalId: "A1" },
      analyzer: "brakes",
      analysisType: "technical_debt",
      message: "worn\nold",
      status: "open",
    },
  ]);
  expect(found.failures.map(({ message }) => message)).toEqual([
    'The change parked has the severity "odd": it is one of critical, high, medium, low, info.',
    "A change says no change_type.",
  ]);
});

test.each<[string, Record<string, unknown>, object | undefined]>([
  ["nothing said", {}, { changeType: "Deleted", action: "delete" }],
  ["left out", { exclude: ["change_type == 'Deleted' && config.kept"] }, { action: "ignore" }],
  [
    "the first that fits",
    {
      mapping: [
        { filter: "change_type == 'Other'", type: "No" },
        {
          filter: "severity == '' && change.source == 's'",
          severity: "critical",
          type: "Gone",
          summary: "{{.name}} is gone",
          action: "ignore",
        },
        { type: "Late" },
      ],
    },
    { changeType: "Gone", severity: "critical", summary: "web is gone", action: "ignore" },
  ],
  [
    "to others",
    { mapping: [{ action: "copy-up", ancestor_type: "Cluster" }] },
    { goesTo: { ancestor: "Cluster" }, isCopied: true },
  ],
])("what becomes of a change: %s", async (_, changes, expected) => {
  const change = { change_type: "Deleted", source: "s" };
  const found = await processed(
    { id: "web", config: { kept: true }, changes: [change] },
    { ...thing, transform: { changes } },
    { isFull: true },
  );
  expect(found.changes).toMatchObject([expected]);
  expect(found.notices).toEqual([]);
});

test("what is said of people beside items is no item, and it is told that nothing was made of it", async () => {
  const found = await processed(
    [{ access_logs: [{ config_id: "a", external_user_id: "u" }] }],
    { id: "none", type: "None", items: "$[*]" },
    { isFull: true },
  );
  expect([found.items, found.failures]).toEqual([[], []]);
  expect(found.notices.map(({ message }) => message)).toEqual([
    "access_logs is not kept by this version: nothing was made of it.",
  ]);
});

test.each([
  ["$.boxes", { other: 1 }, ["items: $.boxes finds nothing."]],
  ["$.boxes", { boxes: [] }, []],
  ["$.boxes[*]", { boxes: [] }, []],
])("items: %s in %j", async (items, content, told) => {
  const { notices, failures } = await processed(content, { ...thing, items });
  expect(failures).toEqual([]);
  expect(notices.map(({ message }) => message)).toEqual(told);
  // Whatever else there is was not told: nothing is ended for want of it.
  for (const { untold } of notices) expect(untold).toEqual({});
});

test("what YAML 1.1 would have read otherwise is told", async () => {
  const { items, notices } = await processed("id: a\nn: yes\n", { ...thing, format: "yaml" });
  expect(items[0]!.config).toEqual({ id: "a", n: "yes" });
  expect(notices).toHaveLength(1);
});

test("an item that its scraper made whole is given what the document says of every item", async () => {
  const options = {
    base: schema.parse({
      labels: { team: "shop", a: "document" },
      tags: [{ name: "zone", jsonpath: "$.zone" }],
      transform: { exclude: [{ jsonpath: "$.zone" }] },
    }),
    isFull: false,
    scripts: itemScripts(evaluator),
  };
  const [plain] = await itemsOf({ id: "x" }, thing);
  const item = { ...plain!, config: { zone: "a" }, labels: { a: "item" }, tags: { host: "h" } };
  const { items } = await processFound({ kind: "item", item }, options);
  expect(items).toMatchObject([
    {
      config: {},
      tags: { zone: "a", host: "h" },
      labels: { team: "shop", a: "item", zone: "a", host: "h" },
    },
  ]);
});

test("what was found is passed on", async () => {
  const options = { base: {} as ScraperBase, isFull: false, scripts: itemScripts(evaluator) };
  const failure: Found = { kind: "failure", message: "cannot be read" };
  expect(await processFound(failure, options)).toMatchObject({
    failures: [{ message: "cannot be read" }],
  });
});

test("labels are texts, as a document writes them and as a system tells them", async () => {
  const [read] = await itemsOf({ id: "a" }, { ...thing, labels: { port: 8080, live: true } });
  expect(read!.labels).toEqual({ port: "8080", live: "true" });
  const told = {
    port: 8080,
    live: true,
    of: ["a"],
    none: null,
  } as unknown as ScrapedItem["labels"];
  const item: ScrapedItem = { ...read!, labels: told, tags: { zone: 1 } as never };
  const options = { base: schema.parse(thing), isFull: false, scripts: itemScripts(evaluator) };
  const { items } = await processFound({ kind: "item", item }, options);
  const tags = { zone: "1" };
  expect(items[0]).toMatchObject({ tags });
  expect(items[0]!.labels).toEqual({ port: "8080", live: "true", of: '["a"]', none: "", ...tags });
});

test("YAML of a comment alone says that there is nothing", async () => {
  expect(await itemsOf("# None.\n", { ...thing, format: "yaml" })).toEqual([]);
});

test("long YAML is read in a thread of its own, however many keys a mapping has", async () => {
  const keys = Array.from({ length: 60_000 }, (_none, index) => `key-${index}: value of ${index}`);
  const read = { ...thing, format: "yaml" };
  const [item] = await itemsOf(`id: a\nn: yes\n${keys.join("\n")}\n`, read);
  expect(Object.keys(item!.config as object)).toHaveLength(60_002);
  const failuresOf = async (text: string) =>
    (await processed(text, read)).failures.map(({ message }) => message);
  const double = "It is no YAML: the key key-7 stands twice in one mapping.";
  expect(await failuresOf(`${keys.join("\n")}\nkey-7: again\n`)).toEqual([double]);
  expect(await failuresOf("key-7: once\nkey-7: again\n")).toEqual([double]);
});
