import type { LogLine } from "@mainstay/contract";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { unavailable } from "#platform/errors.ts";
import { startTestApp, type TestApp } from "../../../testing/app.ts";
import type { LogSource } from "./log-source.ts";
import { chooseSources } from "./log-source.ts";
import { readCursor } from "./page-cursor.ts";
import { readPage, sortKey } from "./read-logs.ts";

/** Several backends in one answer. They hold their lines in memory and page by place, as programs do. */

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ role: "api" });
});
afterAll(() => app.stop());

const question = {
  search: { terms: [] },
  labels: {},
  from: new Date("2026-01-01T00:00:00Z"),
  to: new Date("2026-01-02T00:00:00Z"),
};

function sourceOf(id: string, moments: readonly number[], pageSize = 1_000): LogSource {
  const lines = moments
    .toSorted((one, other) => one - other)
    .map((moment, n): LogLine => {
      const at = new Date(question.from.getTime() + moment).toISOString();
      return {
        id: `${id}${n}`,
        timestamp: n % 2 ? at : at.replace("Z", "000Z"),
        message: id,
        labels: {},
      };
    });
  return {
    id,
    name: id,
    type: "memory",
    routes: [],
    read: async (_ctx, { direction, limit, cursor = "0" }) => {
      const all = direction === "backward" ? lines.toReversed() : lines;
      const [from, size] = [Number(cursor), Math.min(limit, pageSize)];
      const more = from + size < all.length;
      return { lines: all.slice(from, from + size), ...(more && { next: String(from + size) }) };
    },
  };
}

test("pages over several backends are whole and in order", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(fc.nat(30), { maxLength: 25 }), { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 1, max: 9 }),
      fc.integer({ min: 1, max: 9 }),
      fc.constantFrom("backward" as const, "forward" as const),
      async (all, limit, pageSize, direction) => {
        const sources = all.map((moments, n) => sourceOf(`s${n}-`, moments, pageSize));
        const seen: LogLine[] = [];
        let cursor: string | undefined;
        do {
          const positions =
            cursor === undefined ? undefined : readCursor(cursor, question, direction).sources;
          const page = await readPage(app.app.ctx, {
            sources,
            question,
            limit,
            direction,
            positions,
          });
          expect(page.results.length).toBeLessThanOrEqual(limit);
          seen.push(...page.results);
          cursor = page.next;
        } while (cursor !== undefined);
        const keys = seen.map(({ timestamp }) => sortKey(timestamp));
        expect(keys).toEqual(
          direction === "forward" ? keys.toSorted() : keys.toSorted().toReversed(),
        );
        expect(new Set(seen.map(({ id }) => id)).size).toBe(seen.length);
        expect(seen).toHaveLength(all.flat().length);
      },
    ),
    { numRuns: 500 },
  );
});

test("a backend that fails is named, and the others' lines are there; all that fail are an error", async () => {
  const broken: LogSource = {
    ...sourceOf("broken", []),
    read: () => Promise.reject(unavailable("It is away.")),
  };
  const ask = (sources: LogSource[]) =>
    readPage(app.app.ctx, {
      sources,
      question,
      limit: 5,
      direction: "backward",
      positions: undefined,
    });
  const page = await ask([sourceOf("good", [1, 2]), broken]);
  expect(page.results).toHaveLength(2);
  expect(page.sources).toEqual([
    { id: "good", name: "good", type: "memory" },
    { id: "broken", name: "broken", type: "memory", error: "It is away." },
  ]);
  await expect(ask([broken])).rejects.toMatchObject({
    message: "broken: It is away.",
    beside: { sources: [{ name: "broken", error: "It is away." }] },
  });
  await expect(ask([broken, { ...broken, id: "b2" }])).rejects.toMatchObject({
    code: "unavailable",
  });
});

test("routes choose, in order, and one that is not additive ends the list", () => {
  const of = (id: string, ...routes: Partial<LogSource["routes"][number]>[]) => ({
    ...sourceOf(id, []),
    routes,
  });
  const all = [
    of("any"),
    of("pods", { type: "Pod", is_additive: true }),
    of("east", { id_prefix: "east/", is_additive: false }),
    of("labelled", { labels: { env: "prod" } }),
    of("last"),
  ] as LogSource[];
  const ids = (asked: Parameters<typeof chooseSources>[1]) =>
    chooseSources(all, asked).map(({ id }) => id);
  expect(ids({ labels: {} })).toEqual(["any", "last"]);
  expect(ids({ labels: {}, type: "Pod" })).toEqual(["any", "pods", "last"]);
  expect(ids({ labels: {}, type: "Pod", externalId: "east/1" })).toEqual(["any", "pods", "east"]);
  expect(ids({ labels: { env: "prod" } })).toEqual(["any", "labelled"]);
});
