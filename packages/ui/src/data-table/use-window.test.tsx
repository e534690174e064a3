// @vitest-environment happy-dom
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import type { Column } from "./column.ts";
import { DataTable } from "./DataTable.tsx";
import { drawnWhole, loadWindow } from "./use-window.ts";

interface Line {
  id: string;
}

const columns: readonly Column<Line>[] = [
  { id: "id", header: "Id", value: ({ id }) => id, renderCell: ({ id }) => id },
];
const lines = (count: number): Line[] =>
  Array.from({ length: count }, (_, index) => ({ id: `line ${index + 1}` }));
const shown = (count: number, onEndReached?: (loaded: number) => void) => (
  <DataTable
    label="Lines"
    columns={columns}
    rows={lines(count)}
    rowId={({ id }) => id}
    renderPhoneRow={({ id }) => id}
    {...(onEndReached && { onEndReached })}
  />
);
/** Without the header. */
const drawn = () => screen.getAllByRole("row").length - 1;

afterEach(cleanup);

test("rows of about a screen are all drawn", () => {
  render(shown(drawnWhole));
  expect(drawn()).toBe(drawnWhole);
});

test("a list that grows long is drawn in part, and whole again when it is short", async () => {
  const { rerender } = render(shown(drawnWhole));
  rerender(shown(5_000));
  // At once: nothing is waited for with all of them drawn, nor with none.
  expect(drawn()).toBeGreaterThan(20);
  expect(drawn()).toBeLessThan(drawnWhole);
  expect(screen.getByRole("grid").getAttribute("aria-rowcount")).toBe("5001");
  rerender(shown(3));
  expect(drawn()).toBe(3);
});

test("what is seen of a long list is drawn wherever it is scrolled to, also before that can be worked out", async () => {
  const { unmount } = render(shown(5_000));
  const scroller = screen.getByRole("grid").parentElement!;
  scroller.scrollTop = 35_000;
  fireEvent.scroll(scroller);
  expect(screen.queryByText("line 1001")).toBeNull();
  await screen.findByText("line 1001");
  expect(screen.queryByText("line 1")).toBeNull();
  scroller.scrollTop = 70_000;
  fireEvent.scroll(scroller);
  await screen.findByText("line 2001");
  unmount();
});

test("a list that has gone draws nothing more, though it was being scrolled", async () => {
  await loadWindow();
  vi.useFakeTimers();
  try {
    const { unmount } = render(shown(5_000));
    const scroller = screen.getByRole("grid").parentElement!;
    scroller.scrollTop = 35_000;
    fireEvent.scroll(scroller);
    unmount();
    // The page has gone, too; the scrolling is taken for ended only now.
    expect(vi.getTimerCount()).toBeGreaterThan(0);
    vi.stubGlobal("window", undefined);
    vi.runOnlyPendingTimers();
  } finally {
    vi.unstubAllGlobals();
    vi.useRealTimers();
  }
});

test("the end of a list that grows is reached when it is seen, however short the list", async () => {
  const reached = vi.fn();
  render(shown(50, reached));
  const scroller = screen.getByRole("grid").parentElement!;
  await loadWindow();
  expect(reached).not.toHaveBeenCalled();
  scroller.scrollTop = 50 * 35;
  fireEvent.scroll(scroller);
  await vi.waitFor(() => expect(reached.mock.calls).toEqual([[50]]));
});
