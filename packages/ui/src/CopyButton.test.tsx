// @vitest-environment happy-dom
import { cleanup, render, screen, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { CopyButton } from "./CopyButton.tsx";
import { ToastRegion } from "./popups/ToastRegion.tsx";

const written = vi.fn<(text: string) => Promise<void>>();

function giveClipboard(clipboard: unknown) {
  Object.defineProperty(navigator, "clipboard", { value: clipboard, configurable: true });
}

beforeEach(() => {
  written.mockReset().mockResolvedValue();
  giveClipboard({ writeText: written });
});
afterEach(() => {
  for (const button of screen.queryAllByRole("button", { name: "Dismiss" })) button.click();
  cleanup();
});

function press(done?: string) {
  render(
    <>
      <CopyButton text={() => "abc"} {...(done === undefined ? {} : { done })} />
      <ToastRegion />
    </>,
  );
  screen.getByRole("button", { name: "Copy" }).click();
}

test.each([
  ["Copied to clipboard", undefined],
  ["Copied 12 to clipboard", "Copied 12 to clipboard"],
])("says %s", async (words, done) => {
  press(done);
  const toast = await screen.findByRole("status");
  expect(within(toast).getByText(words)).toBeTruthy();
  expect(written).toHaveBeenCalledWith("abc");
});

test("says that there is no clipboard", async () => {
  giveClipboard(undefined);
  press();
  expect((await screen.findByRole("alert")).textContent).toContain("Clipboard not available");
});

test("says that the browser refused", async () => {
  written.mockRejectedValue(new Error("denied"));
  press();
  expect((await screen.findByRole("alert")).textContent).toContain("Failed to copy to clipboard");
});
