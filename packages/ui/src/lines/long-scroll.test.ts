import { describe, expect, test } from "vitest";
import { highestPx, linesAt, scrollHeight, scrollTopOf } from "./long-scroll.ts";

describe.each([10, 1_000, 1_000_000, 20_000_000])("%d lines", (count) => {
  const scroll = { count, lineHeight: 16, viewHeight: 800, overscan: 5 };
  const bottom = Math.max(0, scrollHeight(scroll) - scroll.viewHeight);

  test("the scroller is never higher than browsers allow", () => {
    expect(scrollHeight(scroll)).toBe(Math.min(count * 16, highestPx));
  });

  test("the top shows the first line, the bottom the last", () => {
    expect(linesAt(scroll, 0)).toMatchObject({ start: 0, offset: 0 });
    expect(linesAt(scroll, bottom).end).toBe(count);
  });

  test("what is drawn covers what is seen, and lies inside the scroller", () => {
    for (const share of [0, 0.1, 0.33333, 0.5, 0.99, 1]) {
      const top = bottom * share;
      const { start, end, offset } = linesAt(scroll, top);
      expect(offset).toBeLessThanOrEqual(top + 0.001);
      const seen = Math.min(top + scroll.viewHeight, scrollHeight(scroll));
      expect(offset + (end - start) * 16).toBeGreaterThanOrEqual(seen - 0.01);
    }
  });

  test.each(["nearest", "middle"] as const)("every line can be brought into view (%s)", (place) => {
    for (const line of [0, Math.floor(count / 3), count - 1]) {
      for (const from of [0, bottom]) {
        const top = Math.min(bottom, scrollTopOf(scroll, line, from, place));
        const { start, offset } = linesAt(scroll, top);
        const lineTop = offset + (line - start) * 16 - top;
        expect(lineTop).toBeGreaterThanOrEqual(-0.01);
        expect(lineTop).toBeLessThanOrEqual(scroll.viewHeight - 16 + 0.01);
      }
    }
  });
});
