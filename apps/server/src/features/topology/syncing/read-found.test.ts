import { expect, test } from "vitest";
import { FoundMistake, readFound } from "./read-found.ts";

test("what is null says nothing, wherever it stands, and a property without a name is called by what else it says", async () => {
  const { name, labels, selectors, properties, children } = await readFound(
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
    { at: "result 1" },
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
  await expect(
    readFound({ name: "a", properties: [{ text: "b" }] }, { at: "result 1" }),
  ).rejects.toThrow(FoundMistake);
});

test("an external id is a text, a number, or the first of an item's", async () => {
  const idOf = async (external_id: unknown) =>
    (await readFound({ name: "a", external_id }, { at: "result 1" })).externalId;
  expect(await Promise.all(["x", 7, ["x", "y"]].map(idOf))).toEqual(["x", "7", "x"]);
  for (const wrong of [[], [1], { id: "x" }, true])
    await expect(idOf(wrong)).rejects.toThrow("result 1.externalID: Expected a text.");
});

test("thousands are read in many turns, also where they lie in one another", async () => {
  let turns = 0;
  let isDone = false;
  setImmediate(function next() {
    turns += 1;
    if (!isDone) setImmediate(next);
  });
  const pods = Array.from({ length: 5_000 }, (_, n) => ({
    name: `pod-${n}`,
    labels: { app: "shop" },
    properties: [
      { name: "cpu", value: n },
      { name: "memory", text: `${n}` },
    ],
  }));
  const { children } = await readFound({ name: "pods", components: pods }, { at: "result 1" });
  isDone = true;
  expect(children).toHaveLength(5_000);
  expect(turns).toBeGreaterThan(1);
});
