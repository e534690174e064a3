// @vitest-environment happy-dom
import { cleanup, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";
import { partHeights, slotsOf } from "./strip-slots.ts";
import { TimelineStrip } from "./TimelineStrip.tsx";

afterEach(cleanup);

const hour = 3_600_000;
const start = Date.UTC(2026, 0, 1, 10);

test("a range is cut at multiples of the step, its ends where it ends", () => {
  const slots = slotsOf([{ at: start + hour, counts: { bad: 2, good: 3 } }], {
    from: start + hour / 2,
    to: start + 2.25 * hour,
    stepMs: hour,
  });
  expect(
    slots.map(({ from, to, total }) => [(from - start) / hour, (to - start) / hour, total]),
  ).toEqual([
    [0.5, 1, 0],
    [1, 2, 5],
    [2, 2.25, 0],
  ]);
});

test.each([
  ["nothing", [0, 0], 10, [0, 0]],
  ["the highest bar", [5, 5], 10, [20, 20]],
  ["a lower one", [2, 2], 8, [10, 10]],
  ["one among many is still seen", [1, 999], 1000, [2, 38]],
  ["one alone beside a high bar is still seen", [0, 1], 1000, [0, 2]],
])("%s", (_name, counts, most, expected) => {
  expect(partHeights(counts, most, 40)).toEqual(expected);
});

function show(onZoom = vi.fn(), onZoomOut?: () => void) {
  render(
    <TimelineStrip
      label="Changes over time"
      noun="changes"
      series={[
        { id: "bad", label: "bad", className: "fill-unhealthy" },
        { id: "good", label: "good", className: "fill-healthy" },
      ]}
      spans={[
        { at: start, counts: { good: 2 } },
        { at: start + 2 * hour, counts: { bad: 1, good: 3 } },
      ]}
      from={start}
      to={start + 4 * hour}
      stepMs={hour}
      onZoom={onZoom}
      onZoomOut={onZoomOut}
    />,
  );
  return { user: userEvent.setup(), onZoom };
}

test("with the keyboard bars are gone through, said, marked and chosen", async () => {
  const { user, onZoom } = show();
  const chart = screen.getByRole("group", { name: /^Changes over time: 6 changes/ });
  await user.tab();
  expect(document.activeElement).toBe(chart);
  await user.keyboard("{ArrowRight}");
  expect(screen.getByRole("status").textContent).toMatch(/2 changes\. 2 good$/);
  await user.keyboard("{Shift>}{ArrowRight}{ArrowRight}{/Shift}");
  expect(screen.getByRole("status").textContent).toMatch(/6 changes\. 1 bad\. 5 good$/);
  await user.keyboard("{Enter}");
  expect(onZoom).toHaveBeenCalledExactlyOnceWith(start, start + 3 * hour);
  await user.keyboard("{End}");
  expect(screen.getByRole("status").textContent).toMatch(/No changes$/);
  await user.keyboard("{Escape}{Enter}");
  expect(screen.getByRole("status").textContent).toBe("");
  expect(onZoom).toHaveBeenCalledOnce();
});

test("dragging over bars chooses from the first to the last of them, either way", async () => {
  const { user, onZoom } = show();
  const chart = screen.getByRole("group");
  chart.setPointerCapture = () => {};
  chart.getBoundingClientRect = () => new DOMRect(0, 0, 400, 48);
  await user.pointer([
    { keys: "[MouseLeft>]", target: chart, coords: { clientX: 350 } },
    { target: chart, coords: { clientX: 210 } },
    { keys: "[/MouseLeft]", target: chart },
  ]);
  expect(onZoom).toHaveBeenCalledExactlyOnceWith(start + 2 * hour, start + 4 * hour);
});

test("it leads back to what is usual", async () => {
  const onZoomOut = vi.fn();
  const { user } = show(vi.fn(), onZoomOut);
  await user.click(screen.getByRole("button", { name: "Zoom out" }));
  expect(onZoomOut).toHaveBeenCalledOnce();
});
