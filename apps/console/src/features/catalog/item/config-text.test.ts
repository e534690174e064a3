import fc from "fast-check";
import { expect, test } from "vitest";
import { configText, sorted } from "./config-text.ts";

test("whatever is configured is written as JSON, with its keys in order", async () => {
  await fc.assert(
    fc.asyncProperty(fc.jsonValue({ maxDepth: 6 }), async (value) => {
      const text = (await configText({ value }))?.text;
      expect(text).toBe(JSON.stringify(sorted({ value }), undefined, 2));
    }),
  );
});

test("megabytes are written in turns, so that somebody is heard in between", async () => {
  const large = Object.fromEntries(
    Array.from({ length: 20_000 }, (_, at) => [`key${at}`, { value: "x".repeat(60), at }]),
  );
  let heard = 0;
  const timer = setInterval(() => (heard += 1));
  const made = await configText({ data: large });
  clearInterval(timer);
  expect(heard).toBeGreaterThan(0);
  expect(made?.text).toBe(JSON.stringify(sorted({ data: large }), undefined, 2));
});

test.each([
  ["text", { text: "text", language: "text", isStructured: false }],
  [
    { format: "yaml", content: "a: 1" },
    { text: "a: 1", language: "yaml", isStructured: false },
  ],
  [
    { format: "text", content: "a" },
    { text: "a", language: "text", isStructured: false },
  ],
  [[1], { text: "[\n  1\n]", language: "json", isStructured: true }],
  [{}, undefined],
  [null, undefined],
  ["", undefined],
])("%j", async (config, expected) => {
  expect(await configText(config)).toEqual(expected);
});
