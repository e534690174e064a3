// @vitest-environment happy-dom
import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ToastRegion } from "./ToastRegion.tsx";
import { toastDone, toastFailed, undoMs } from "../toasts.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => {
  act(() => {
    vi.runAllTimers();
  });
  cleanup();
  vi.useRealTimers();
});

test("toasts stand beside the root, where dialogs stand, and not behind those", () => {
  const { container } = render(<ToastRegion />);
  act(() => toastDone("Saved"));
  const region = screen.getByRole("region", { name: "Notifications" });
  expect(container.contains(region)).toBe(false);
  expect(region.parentElement).toBe(document.body);
});

test("what is done leaves after 5 seconds, what failed stays until it is dismissed", () => {
  render(<ToastRegion />);
  act(() => {
    toastDone("Saved");
    toastFailed("Not saved");
  });
  expect(screen.getByRole("status").textContent).toContain("Saved");
  act(() => {
    vi.advanceTimersByTime(4_999);
  });
  expect(screen.queryByRole("status")).not.toBeNull();
  act(() => {
    vi.advanceTimersByTime(1);
  });
  expect(screen.queryByRole("status")).toBeNull();
  expect(screen.getByRole("alert").textContent).toContain("Not saved");
  act(() => screen.getByRole("button", { name: "Dismiss" }).click());
  expect(screen.queryByRole("alert")).toBeNull();
});

test("what can be taken back is offered for longer", () => {
  render(<ToastRegion />);
  act(() => toastDone("Deleted", { label: "Undo", isUndo: true, onSelect: () => {} }));
  act(() => {
    vi.advanceTimersByTime(undoMs - 1);
  });
  expect(screen.queryByRole("button", { name: "Undo" })).not.toBeNull();
  act(() => {
    vi.advanceTimersByTime(1);
  });
  expect(screen.queryByRole("status")).toBeNull();
});

test("the same failure again is one toast", () => {
  render(<ToastRegion />);
  act(() => {
    toastFailed("No network");
    toastFailed("No network");
  });
  expect(screen.getAllByRole("alert")).toHaveLength(1);
  act(() => screen.getByRole("button", { name: "Dismiss" }).click());
});

test.each([
  ["the pointer", "pointerEnter", "pointerLeave"],
  ["the keyboard", "focusIn", "focusOut"],
] as const)("while %s is on it, it stays", (_what, enter, leave) => {
  render(<ToastRegion />);
  act(() => toastDone("Linked", { label: "Open", onSelect: () => {} }));
  fireEvent[enter](screen.getByRole("status"));
  act(() => {
    vi.advanceTimersByTime(60_000);
  });
  expect(screen.queryByRole("status")).not.toBeNull();
  fireEvent[leave](screen.getByRole("status"));
  act(() => {
    vi.advanceTimersByTime(5_000);
  });
  expect(screen.queryByRole("status")).toBeNull();
});
