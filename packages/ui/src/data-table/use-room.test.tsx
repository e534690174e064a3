// @vitest-environment happy-dom
import { act, cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { useRoom } from "./use-room.ts";

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

test("columns that leave for a scrollbar, which goes with them, do not come back for ever", () => {
  const resized = new Set<() => void>();
  vi.stubGlobal(
    "ResizeObserver",
    class {
      observe = () => {};
      disconnect = () => {};
      constructor(measure: () => void) {
        resized.add(measure);
      }
    },
  );
  // A column that makes rows higher than the table: with it there is a scrollbar, 15 pixels wide.
  const hasColumn = () => screen.queryByText("a column") !== null;
  vi.spyOn(HTMLElement.prototype, "offsetWidth", "get").mockReturnValue(500);
  vi.spyOn(HTMLElement.prototype, "clientWidth", "get").mockImplementation(() =>
    hasColumn() ? 485 : 500,
  );
  function Table() {
    const [, room, measureRoom] = useRoom();
    return <div ref={measureRoom}>{room >= 490 && <p>a column</p>}</div>;
  }
  render(<Table />);
  const shown = Array.from({ length: 6 }, () => {
    act(() => resized.forEach((measure) => measure()));
    return hasColumn();
  });
  expect(shown).toEqual([false, false, false, false, false, false]);
});
