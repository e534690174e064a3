// @vitest-environment happy-dom
import { cleanup, screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { fakeApi } from "../../../testing/fake-api.ts";
import { renderPage } from "../../../testing/render-page.tsx";
import { buildGraph } from "../testing/build-graph.ts";
import { ItemChecksTab } from "./ItemChecksTab.tsx";

const at = "2026-01-01T00:00:00Z";
const check = {
  id: "c1",
  name: "front page",
  type: "http",
  status: "unhealthy",
  description: null,
  namespace: "web",
  canary_name: "shop",
  severity: "high",
  last_runtime: at,
  last_transition_time: at,
  uptime: { passed: 3, failed: 1 },
  latency: { rolling1h: 120 },
};
let checks: object[];
let api: ReturnType<typeof fakeApi>;
beforeEach(() => {
  localStorage.clear();
  checks = [check];
  api = fakeApi({
    "GET /api/db/check_summary_for_config": () => ({ body: checks }),
    "GET /api/db/checks": () => ({
      body: [{ ...check, canary_id: "y1", labels: {}, created_at: at, updated_at: at }],
    }),
    "GET /api/canary/api/graph": () => ({ body: buildGraph() }),
    "GET /api/db/check_statuses": () => ({ body: [], headers: { "content-range": "*/0" } }),
  });
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});
vi.mock("@mainstay/ui/timeline-chart/TimelineChart.tsx", () => ({ TimelineChart: () => null }));

const Page = () => <ItemChecksTab item={{ id: "i1" }} />;
const open = (address = "/catalog/i1/checks") =>
  renderPage(Page, { path: "/catalog/$itemId/$tab", address });

test("the checks of an item are listed, and one opens where it stands", async () => {
  const { user, history } = open();
  const table = await screen.findByRole("grid", { name: "checks" });
  expect(await within(table).findByText("front page")).toBeTruthy();
  expect(within(table).getByText("75%")).toBeTruthy();
  expect(within(table).getByText("120ms")).toBeTruthy();
  expect(api.calls[0]).toContain("config_id=eq.i1");
  await user.click(within(table).getByText("front page"));
  expect(history.location.search).toBe("?checkId=c1");
  const dialog = await screen.findByRole("dialog", { name: "front page" });
  await user.click(await within(dialog).findByRole("tab", { name: "Spec" }));
  expect(history.location.search).toBe("?checkId=c1&checkTab=spec");
  await user.click(within(dialog).getByRole("button", { name: "Close" }));
  await waitFor(() => expect(history.location.search).toBe(""));
  expect(history.location.pathname).toBe("/catalog/i1/checks");
});

test("that it has none is said, and a failure too", async () => {
  checks = [];
  open();
  expect(await screen.findByText("No data available")).toBeTruthy();
  cleanup();
  api.routes["GET /api/db/check_summary_for_config"] = () => ({
    status: 503,
    body: { message: "Busy." },
  });
  open();
  expect(await screen.findByText("The checks could not be loaded")).toBeTruthy();
});
