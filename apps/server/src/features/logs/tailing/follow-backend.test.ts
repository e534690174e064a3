import type { LogLine } from "@mainstay/contract";
import { expect, test, vi } from "vitest";
import { unavailable } from "#platform/errors.ts";
import { asked } from "../backends/testing/ask-backend.ts";
import type { LogSource } from "../searching/log-source.ts";
import { followBackend, type Following } from "./follow-backend.ts";

/** A stand-in for a program that finds lines some time after the moment they are of; it pages by place. */

const begun = Date.parse("2026-06-15T12:00:00Z");

function start({
  isPast = false,
  lateMs = 10_000,
  pageSize = 1_000,
}: { isPast?: boolean; lateMs?: number; pageSize?: number } = {}) {
  // In their order, those of a moment as they came.
  const lines: LogLine[] = [];
  const told: string[] = [];
  const notices: Parameters<Following["tellNotice"]>[0][] = [];
  let failing: string | undefined;
  let looks = 0;
  let most = 0;
  const add = (id: string, seconds: number) => {
    const timestamp = new Date(begun + seconds * 1_000).toISOString();
    const before = lines.findLastIndex((line) => line.timestamp <= timestamp);
    lines.splice(before + 1, 0, { id, timestamp, message: id, labels: {} });
  };
  add("before", -5);
  const source: LogSource = {
    id: "late",
    name: "late",
    type: "memory",
    routes: [],
    askEveryMs: 1,
    lateMs,
    read: (_ctx, { from, cursor = "0" }) => {
      looks += 1;
      if (failing !== undefined) return Promise.reject(unavailable(failing));
      const first = from.toISOString();
      const found = lines.slice(lines.findLastIndex(({ timestamp }) => timestamp < first) + 1);
      most = Math.max(most, found.length);
      const at = Number(cursor);
      const next = at + pageSize < found.length ? { next: String(at + pageSize) } : {};
      return Promise.resolve({ lines: found.slice(at, at + pageSize), ...next });
    },
  };
  const stop = new AbortController();
  const { ctx, question } = asked({ signal: stop.signal });
  const following = followBackend(
    { ...ctx, with: (parts: object) => ({ ...ctx, ...parts }) },
    {
      source,
      question: { ...question, from: new Date(begun) },
      isPast,
      tellLines: (found) => {
        told.push(...found.map(({ id }) => id));
        return Promise.resolve();
      },
      tellNotice: (notice) => notices.push(notice),
    },
  );
  /** Until it was asked for all that is there now. */
  const looked = async () => {
    const before = looks;
    await vi.waitFor(() => expect(looks).toBeGreaterThan(before + 12));
  };
  return {
    add,
    told,
    notices,
    looked,
    most: () => most,
    fail: (why?: string) => (failing = why),
    end: async () => {
      stop.abort();
      await following;
    },
  };
}

test("a line that is found late is told, and none twice", async () => {
  const { add, told, looked, end } = start();
  await looked();
  add("b", 8);
  await looked();
  add("late", 1);
  add("before the beginning, and found behind it", -1);
  add("of the same moment", 8);
  await looked();
  add("c", 30);
  await looked();
  add("too late", 5);
  await looked();
  await end();
  expect(told).toEqual([
    "b",
    "before the beginning, and found behind it",
    "late",
    "of the same moment",
    "c",
  ]);
});

test("more lines than are read twice are all told, once, and what is remembered is bounded", async () => {
  const { add, told, looked, end } = start({ isPast: true, pageSize: 100 });
  for (let n = 0; n < 30_000; n++) add(`l${n}`, n / 10_000);
  await vi.waitFor(() => expect(told.length).toBe(30_000), 20_000);
  await looked();
  add("late", 2.5);
  add("new", 4);
  await looked();
  await vi.waitFor(() => expect(told).toContain("new"));
  await end();
  expect(new Set(told).size).toBe(told.length);
});

test("a failure is told once by the backend's name, and what came meanwhile is told behind it", async () => {
  const { add, told, notices, looked, fail, end } = start();
  fail("It is away.");
  await looked();
  add("meanwhile", 3);
  fail();
  await looked();
  await end();
  expect(notices).toEqual([
    { notices: [], sources: [{ id: "late", name: "late", type: "memory", error: "It is away." }] },
  ]);
  expect(told).toEqual(["meanwhile"]);
});
