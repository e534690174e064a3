import { describe, expect, test } from "vitest";
import type { LogLine } from "@mainstay/contract/logs/log-answers.ts";
import {
  heldPages,
  type HeldLines,
  type LinePage,
  linesOf,
  mostHeld,
  pageLines,
  placeBefore,
  placeBehind,
  withLive,
} from "./line-pages.ts";

const line = (number: number): LogLine => ({
  id: `l${number}`,
  timestamp: new Date(number * 1000).toISOString(),
  message: `line ${number}`,
  labels: {},
});
/** From the newest down. */
const lines = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => line(from - index));
const page = (some: readonly LogLine[], next?: string): LinePage => ({
  lines: some,
  notices: [],
  sources: [],
  ...(next !== undefined && { next }),
});
const newest = { kind: "newest" } as const;

describe("what is behind a page", () => {
  test("is at its cursor, or nothing", () => {
    expect(placeBehind(page(lines(5, 2), "c"), newest)).toEqual({
      kind: "cursor",
      direction: "backward",
      cursor: "c",
    });
    expect(placeBehind(page(lines(5, 2)), newest)).toBeUndefined();
  });

  test("of one that was asked for the other way is at its oldest line", () => {
    expect(
      placeBehind(page(lines(5, 2), "c"), { kind: "cursor", direction: "forward", cursor: "b" }),
    ).toEqual({ kind: "moment", direction: "backward", timestamp: line(4).timestamp });
  });
});

describe("what is before a page", () => {
  test("is nothing where the newest line is", () => {
    expect(placeBefore(page(lines(5, 2), "c"), newest)).toBeUndefined();
    expect(placeBefore(page(lines(5, 2)), { kind: "live" })).toBeUndefined();
  });

  test("is at its newest line, or at its cursor", () => {
    const at = { kind: "moment", direction: "forward", timestamp: line(5).timestamp };
    expect(placeBefore(page(lines(5, 2)), { kind: "around", line: "l4" })).toEqual(at);
    expect(
      placeBefore(page(lines(5, 2), "c"), { kind: "cursor", direction: "backward", cursor: "b" }),
    ).toEqual(at);
    expect(
      placeBefore(page(lines(5, 2), "c"), { kind: "moment", direction: "forward", timestamp: "" }),
    ).toEqual({ kind: "cursor", direction: "forward", cursor: "c" });
  });
});

test("lines that came twice are there once", () => {
  expect(linesOf({ pages: [page(lines(9, 3)), page(lines(7, 3))] }).map(({ id }) => id)).toEqual([
    "l9",
    "l8",
    "l7",
    "l6",
    "l5",
  ]);
});

describe("lines that come by themselves", () => {
  const held: HeldLines = { pages: [page(lines(10, 3), "c")], pageParams: [newest] };

  test("stand before the others, each once", () => {
    const first = withLive(held, lines(12, 2));
    const second = withLive(first, lines(13, 2));
    expect(linesOf(second).map(({ id }) => id)).toEqual(["l13", "l12", "l11", "l10", "l9", "l8"]);
    expect(second.pageParams.map(({ kind }) => kind)).toEqual(["live", "newest"]);
    expect(withLive(second, lines(13, 2))).toBe(second);
  });

  test("take the place of the oldest where too many are held", () => {
    let full = held;
    for (let sent = 1; sent <= heldPages + 2; sent += 1)
      full = withLive(full, lines(10 + sent * pageLines, pageLines));
    expect(full.pages).toHaveLength(heldPages);
    expect(linesOf(full)).toHaveLength(mostHeld);
    expect(linesOf(full)[0]?.id).toBe(`l${10 + (heldPages + 2) * pageLines}`);
    // What was dropped is asked for again.
    expect(placeBehind(full.pages.at(-1)!, full.pageParams.at(-1)!)).toMatchObject({
      kind: "moment",
      direction: "backward",
    });
  });

  test("more at once than a page has fill several", () => {
    const many = withLive(held, lines(10 + pageLines + 20, pageLines + 20));
    expect(many.pages.map((one) => one.lines.length)).toEqual([20, pageLines, 3]);
  });
});
