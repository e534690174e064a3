// @vitest-environment happy-dom
import { cleanup, screen, waitFor } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { fakeApi } from "../../../testing/fake-api.ts";
import { renderPage } from "../../../testing/render-page.tsx";
import { RunTopology } from "./RunTopology.tsx";

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const Page = () => <RunTopology id="t1" name="shop" />;

function show(first: object | null) {
  let last = first;
  const api = fakeApi({
    "GET /api/db/job_histories": () => ({ body: last ? [last] : [] }),
    "POST /api/topology/t1/run": () => {
      last = { id: "r2", status: "RUNNING", details: null };
      return { status: 202, body: {} };
    },
    "POST /api/topology/t1/abort": () => ({ status: 202, body: {} }),
  });
  return {
    api,
    end: (status: string, details: object) => (last = { ...last, status, details }),
    ...renderPage(Page, { path: "/x", address: "/x" }),
  };
}
const wait = { timeout: 5_000 };

test("a run is started, followed, and says what came of it", async () => {
  const { user, end } = show({ id: "r1", status: "SUCCESS", details: {} });
  await user.click(await screen.findByRole("button", { name: "Run now" }));
  await screen.findByRole("button", { name: "Abort" }, wait);
  end("SUCCESS", { summary: { components: 12, added: 3, changed: 1, removed: 0 } });
  await screen.findByText("shop has 12 components: 3 added, 1 changed, 0 removed", {}, wait);
  expect(screen.getByRole("button", { name: "Run now" })).toBeTruthy();
  expect(screen.queryByRole("button", { name: "Abort" })).toBeNull();
});

test.each([
  [
    "FAILED",
    { errors: ["Somebody has aborted the run."] },
    /was aborted: nothing of the run was saved/,
  ],
  ["SUCCESS", {}, /had ended before it could be aborted/],
])(
  "one that goes on is aborted; when it ends as %s that is said",
  async (status, details, words) => {
    const { user, api, end } = show({ id: "r1", status: "RUNNING", details: null });
    await user.click(await screen.findByRole("button", { name: "Abort" }));
    await waitFor(() => expect(api.calls).toContain("POST /api/topology/t1/abort"));
    await screen.findByRole("button", { name: "Aborting..." });
    end(status, details);
    await screen.findByText(words, {}, wait);
    expect(screen.getByRole("button", { name: "Run now" })).toBeTruthy();
  },
);
