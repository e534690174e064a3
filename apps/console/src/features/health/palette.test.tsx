// @vitest-environment happy-dom
import { cleanup, render, screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, expect, test } from "vitest";
import { ToastRegion } from "@mainstay/ui/popups/ToastRegion.tsx";
import { fakeApi } from "../../testing/fake-api.ts";
import { palette } from "./palette.ts";

afterEach(() => {
  for (const button of screen.queryAllByRole("button", { name: "Dismiss" })) button.click();
  cleanup();
});

async function act(label: string): Promise<void> {
  const action = palette.resourceActions!.check!.find((one) => one.label === label)!;
  if (!("run" in action)) throw new Error(`${label} leads somewhere`);
  await action.run("c1");
}

test.each([
  [{ pass: true }, "status", "The check passed"],
  [{ pass: false, message: "answered 500" }, "alert", "The check failed: answered 500"],
  [
    { pass: false, untried: true, error: "no network" },
    "alert",
    "The check could not be tried: no network",
  ],
] as const)("run now: %j", async (body, role, words) => {
  fakeApi({ "POST /api/canary/run/check/c1": () => ({ body }) });
  render(<ToastRegion />);
  await act("Run now");
  expect((await screen.findByRole(role)).textContent).toContain(words);
});

test("its canary is paused, and runs again when that is taken back", async () => {
  const asked: unknown[] = [];
  fakeApi({
    "GET /api/db/checks": () => ({ body: [{ canary_id: "k1" }] }),
    "POST /api/canary/changes": ({ body }) => {
      asked.push(body);
      return { body: { results: [{ canary: "k1", outcome: "changed" }] } };
    },
  });
  render(<ToastRegion />);
  await act("Pause its canary");
  await screen.findByText("Its canary is paused");
  await userEvent.click(screen.getByRole("button", { name: "Undo" }));
  await screen.findByText("Its canary runs again");
  expect(asked).toEqual([
    { changes: [{ canary: "k1", paused: true }] },
    { changes: [{ canary: "k1", paused: false }] },
  ]);
});

test("what is refused is said with its reason", async () => {
  const reason = "It is kept in git/shop.yaml: change it there.";
  fakeApi({
    "GET /api/db/checks": () => ({ body: [{ canary_id: "k1" }] }),
    "POST /api/canary/changes": () => ({
      body: { results: [{ canary: "k1", outcome: "refused", reason }] },
    }),
  });
  render(<ToastRegion />);
  await act("Resume its canary");
  expect((await screen.findByRole("alert")).textContent).toContain(reason);
});
