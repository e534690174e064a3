import { expect, test } from "vitest";
import { shownProperties } from "./properties.ts";

test("what is used of what there is, moments, addresses, and what has nothing to say", () => {
  const shown = shownProperties([
    { name: "second", text: "b", order: 2 },
    { name: "first", text: "a", order: 1, color: "red" },
    { name: "cpu", value: 2800, max: 4000, unit: "millicores" },
    { name: "full", value: 900, min: 500, max: 1000 },
    { name: "load", value: 92, unit: "percent" },
    { name: "since", value: 1_700_000_000, unit: "epoch" },
    { name: "made", type: "age", text: "2026-01-01T00:00:00Z" },
    { name: "page", type: "url", text: "https://example.com/x" },
    { name: "bad", type: "url", text: "javascript:alert(1)" },
    { name: "links", links: [{ label: "Chart", url: "https://c.example" }, { url: "data:x" }] },
    { name: "secret", type: "hidden", text: "never" },
    { name: "as secret", hidden: true, text: "never" },
    { name: "empty" },
  ]);
  expect(shown.map(({ label }) => label)).toEqual([
    "cpu",
    "full",
    "load",
    "since",
    "made",
    "page",
    "bad",
    "links",
    "first",
    "second",
  ]);
  const of = (label: string) => shown.find((one) => one.label === label);
  expect(of("cpu")).toMatchObject({
    text: "2.8 of 4 cores",
    exact: "2,800 millicores",
    usage: 70,
  });
  expect(of("full")).toMatchObject({ usage: 80 });
  expect(of("load")).toMatchObject({ text: "92%", usage: 92 });
  expect(of("since")).toMatchObject({ age: 1_700_000_000_000, text: "" });
  expect(of("made")?.age).toBe(Date.parse("2026-01-01T00:00:00Z"));
  expect(of("page")?.url).toBe("https://example.com/x");
  expect(of("bad")).toMatchObject({ text: "javascript:alert(1)" });
  expect(of("bad")).not.toHaveProperty("url");
  expect(of("links")?.links).toEqual([{ url: "https://c.example/", text: "Chart" }]);
  expect(of("first")?.tone).toBe("unhealthy");
});
