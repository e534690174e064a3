import { expect, test } from "vitest";
import { timeIn } from "../aws/read-object.ts";
import { pagesFrom } from "../azure/management-api.ts";
import { timeOf } from "./scraped-api.ts";

test.each(["+100000-01-01T00:00:00Z", "-000044-03-15T00:00:00Z", "soon", "", 5, null])(
  "%j is no time of a calendar",
  (value) => {
    expect(timeOf(value)).toBeUndefined();
  },
);

test("times as APIs write them", () => {
  expect(timeOf("2026-06-15T12:00:00.1Z")).toEqual(new Date("2026-06-15T12:00:00.100Z"));
  expect(timeOf("0001-01-01T00:00:00Z")).toEqual(new Date("0001-01-01T00:00:00Z"));
  expect(timeIn({ at: 1e12 }, "at")).toBeUndefined();
  expect(timeIn({ at: 1e9 }, "at")).toEqual(new Date(1e12));
});

test("pages that lead back to one of them are without end, at once", async () => {
  const base = new URL("https://management.example.org");
  const asked: string[] = [];
  const next: Record<string, string> = { "/a": "/b", "/b": "/c", "/c": "/b" };
  const pages = pagesFrom(new URL("/a", base), {
    ask: ({ pathname }) => {
      asked.push(pathname);
      return Promise.resolve({ value: [{ id: pathname }], nextLink: next[pathname] });
    },
    base,
    nextKey: "nextLink",
    what: "API",
  });
  const read: unknown[] = [];
  await expect(
    (async () => {
      for await (const page of pages) read.push(...page);
    })(),
  ).rejects.toThrow("without end");
  expect(asked).toEqual(["/a", "/b", "/c"]);
});
