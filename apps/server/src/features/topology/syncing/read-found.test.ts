import { expect, test } from "vitest";
import { FoundMistake, readFound } from "./read-found.ts";

test("what is null says nothing, wherever it stands, and a property without a name is called by what else it says", () => {
  const { name, labels, selectors, properties, children } = readFound(
    {
      name: "web",
      labels: { app: "web", tier: null },
      selectors: [{ name: null, labelSelector: "app=web" }],
      properties: [
        { name: "state", text: null, value: null },
        { label: "files", text: "/srv" },
        { type: "url", text: "https://shop.example", links: null },
        { type: "url", text: "https://docs.example" },
      ],
      components: [{ name: "side", namespace: null, properties: [{ name: "a", text: null }] }],
    },
    "result 1",
  );
  expect({ name, labels, selectors, properties }).toEqual({
    name: "web",
    labels: { app: "web" },
    selectors: [{ labelSelector: "app=web" }],
    properties: [
      { name: "state" },
      { name: "files", label: "files", text: "/srv" },
      { name: "url", type: "url", text: "https://shop.example" },
      { name: "url 2", type: "url", text: "https://docs.example" },
    ],
  });
  expect(children.map((child) => [child.name, child.properties])).toEqual([
    ["side", [{ name: "a" }]],
  ]);
  expect(() => readFound({ name: "a", properties: [{ text: "b" }] }, "result 1")).toThrow(
    FoundMistake,
  );
});

test("an external id is a text, a number, or the first of an item's", () => {
  const idOf = (external_id: unknown) =>
    readFound({ name: "a", external_id }, "result 1").externalId;
  expect([idOf("x"), idOf(7), idOf(["x", "y"])]).toEqual(["x", "7", "x"]);
  for (const wrong of [[], [1], { id: "x" }, true])
    expect(() => idOf(wrong)).toThrow("result 1.externalID: Expected a text.");
});
