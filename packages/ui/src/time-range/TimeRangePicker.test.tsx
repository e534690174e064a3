// @vitest-environment happy-dom
import { cleanup, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { relativeRange, type TimeRange } from "./time-range.ts";
import { TimeRangePicker } from "./TimeRangePicker.tsx";

beforeEach(() => localStorage.clear());
afterEach(cleanup);

async function open() {
  const onChange = vi.fn<(range: TimeRange) => void>();
  const user = userEvent.setup();
  render(<TimeRangePicker value={relativeRange("1h")} onChange={onChange} />);
  await user.click(screen.getByRole("button", { name: "Time range: Last hour" }));
  return { user, onChange, box: await screen.findByRole("textbox", { name: "Range" }) };
}

test("a written range is understood", async () => {
  const { user, onChange, box } = await open();
  await user.type(box, "now-2d{Enter}");
  expect(onChange).toHaveBeenCalledWith(relativeRange("2d"));
});

test("what is not a range is refused with examples", async () => {
  const { user, onChange, box } = await open();
  await user.type(box, "soon{Enter}");
  expect(box.getAttribute("aria-invalid")).toBe("true");
  expect(screen.getByText(/Not a range/)).toBeTruthy();
  expect(onChange).not.toHaveBeenCalled();
});

test("writing searches the list", async () => {
  const { user, onChange, box } = await open();
  await user.type(box, "yester");
  await user.click(screen.getByRole("button", { name: "Yesterday" }));
  expect(onChange).toHaveBeenCalledWith({ kind: "mapped", name: "yesterday" });
});

test("both ends are needed, in order", async () => {
  const { user, onChange } = await open();
  const submit = screen.getByRole<HTMLButtonElement>("button", { name: "Submit" });
  expect(submit.disabled).toBe(true);
  await user.type(screen.getByLabelText("From"), "2026-01-02T00:00");
  expect(submit.disabled).toBe(true);
  await user.type(screen.getByLabelText("To"), "2026-01-01T00:00");
  expect(submit.disabled).toBe(true);
  expect(screen.getByRole("alert").textContent).toContain("start before it ends");
  await user.clear(screen.getByLabelText("To"));
  await user.type(screen.getByLabelText("To"), "2026-01-03T00:00");
  await user.click(submit);
  expect(onChange).toHaveBeenCalledWith({
    kind: "absolute",
    from: new Date("2026-01-02T00:00").toISOString(),
    to: new Date("2026-01-03T00:00").toISOString(),
  });
});

test("chosen ranges are offered again", async () => {
  const first = await open();
  await first.user.type(first.box, "90m{Enter}");
  cleanup();
  await open();
  const recent = screen.getByRole("region", { name: "Recently used" });
  expect(recent.textContent).toContain("Last 90 minutes");
});
