// @vitest-environment happy-dom
import { cleanup, screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { fakeApi, type FakeRoute } from "../../../testing/fake-api.ts";
import { renderPage } from "../../../testing/render-page.tsx";
import { JobHistoryPage } from "./JobHistoryPage.tsx";
import { JobHistoryTab } from "./JobHistoryTab.tsx";

const run = (id: string, changes: object = {}) => ({
  id,
  agent_id: "0",
  name: "Canary",
  success_count: 60,
  error_count: 0,
  details: null,
  hostname: "host-1",
  duration_millis: 1500,
  resource_type: "canary",
  resource_id: "c1",
  resource_name: "shop",
  status: "SUCCESS",
  time_start: "2026-01-01T00:00:00Z",
  time_end: "2026-01-01T00:00:01Z",
  created_at: "2026-01-01T00:00:00Z",
  agent: { id: "0", name: "local" },
  ...changes,
});
const failed = run("j1", {
  status: "FAILED",
  details: { errors: ["front page: answered 500"], summary: { checks: { success: 2, error: 1 } } },
});
let rows: object[];
let asked: URLSearchParams[];
let routes: Record<string, FakeRoute>;

beforeEach(() => {
  localStorage.clear();
  asked = [];
  rows = [failed, run("j2", { name: "Sync", resource_id: null, resource_type: null })];
  ({ routes } = fakeApi({
    "GET /api/db/job_histories": ({ url }) => {
      asked.push(url.searchParams);
      const id = url.searchParams.get("id");
      const body =
        id === null ? rows : rows.filter((row) => "id" in row && id.includes(String(row.id)));
      return { body, headers: { "content-range": "0-149/301" }, status: 206 };
    },
    "GET /api/db/job_history_names": () => ({ body: [{ name: "Canary" }, { name: "Sync" }] }),
  }));
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const show = (address = "/settings/jobs") =>
  renderPage(JobHistoryPage, { path: "/settings/jobs", address });
const last = () => asked.at(-1)!;

test("what did not go well is shown, with pages of the size in use", async () => {
  show();
  const table = await screen.findByRole("grid", { name: "job history" });
  expect(await within(table).findByText("failed")).toBeTruthy();
  expect(last().getAll("status")).toEqual(["not.in.(SUCCESS)"]);
  expect(last().get("limit")).toBe("150");
  expect(last().get("order")).toBe("created_at.desc,id.desc");
  // 301 runs by 150.
  expect(screen.getByText("of 3")).toBeTruthy();
  expect(within(table).queryByText("local")).toBeNull();
});

test("all columns are seen at 1024 pixels, beside the sidebar", async () => {
  show();
  const table = await screen.findByRole("grid", { name: "job history" });
  expect(Number.parseInt(table.style.minWidth)).toBeLessThanOrEqual(1024 - 216);
});

test("filters are asked of the server and stand in the address", async () => {
  const { user, history } = show();
  await screen.findByText("failed");
  await user.click(screen.getByRole("button", { name: "Job name: All" }));
  await user.click(await screen.findByRole("button", { name: "Include Sync" }));
  await waitFor(() => expect(last().getAll("name")).toEqual(["in.(Sync)"]));
  expect(new URLSearchParams(history.location.search).get("name")).toBe("Sync:1");
  await user.keyboard("{Escape}");
  await user.selectOptions(screen.getByLabelText("Run duration"), "≥ 2m");
  await waitFor(() => expect(last().get("duration_millis")).toBe("gte.120000"));
  await user.click(screen.getByRole("button", { name: "Status: !success" }));
  expect(await screen.findByRole("button", { name: "Include stale" })).toBeTruthy();
  expect(screen.queryByRole("button", { name: "Include stopped" })).toBeNull();
});

test("the runs of an hour started with the first of them, by which they are sorted", async () => {
  const hour = { time_start: "2026-01-01T00:59:00Z", created_at: "2026-01-01T00:00:10Z" };
  rows = [run("j4", { ...hour, details: { runs: 60 } })];
  const { user } = show("/settings/jobs?status=");
  const table = await screen.findByRole("grid", { name: "job history" });
  await within(table).findByText("success");
  expect(table.querySelector("time")?.dateTime).toBe("2026-01-01T00:00:10.000Z");
  await user.click(within(table).getByRole("button", { name: /^Started/ }));
  await waitFor(() => expect(last().get("order")).toMatch(/^created_at\./));
});

test("a run is opened on what it says; the address opens it again", async () => {
  const { user, history } = show();
  await user.click(await screen.findByText("failed"));
  const dialog = await screen.findByRole("dialog", { name: "Details for job Canary" });
  expect(
    within(dialog)
      .getAllByRole("tab")
      .map(({ textContent }) => textContent),
  ).toEqual(["Errors", "Reconcile Summary"]);
  await user.click(within(dialog).getByRole("tab", { name: "Reconcile Summary" }));
  const counts = await within(dialog).findByRole("table", { name: "Reconcile Summary" });
  expect(within(counts).getByRole("row", { name: "checks 2 1" })).toBeTruthy();
  expect(history.location.search).toContain("job=j1");
  cleanup();
  rows = [run("j3"), failed];
  routes["GET /api/db/job_histories"] = ({ url }) => {
    const isOne = url.searchParams.get("id") === "eq.j1";
    return { body: isOne ? [failed] : [run("j3")], headers: { "content-range": "0-0/1" } };
  };
  show("/settings/jobs?job=j1");
  expect(await screen.findByRole("dialog", { name: "Details for job Canary" })).toBeTruthy();
});

test("a run with nothing to say opens no dialog, and says so", async () => {
  const { user, history } = show();
  await user.click(await screen.findByText("Sync"));
  expect(await screen.findByText("No details found")).toBeTruthy();
  expect(screen.queryByRole("dialog")).toBeNull();
  expect(history.location.search).toBe("");
});

test("far on, whole runs are asked for by their ids, and stand in their order", async () => {
  rows = [failed, run("j2", { name: "Sync" })];
  routes["GET /api/db/job_histories"] = ({ url }) => {
    asked.push(url.searchParams);
    const isIds = url.searchParams.get("select") === "id";
    return {
      body: isIds ? [{ id: "j2" }, { id: "j1" }, { id: "gone" }] : rows,
      headers: { "content-range": "299850-299999/300000" },
    };
  };
  show("/settings/jobs?pageIndex=1999");
  await screen.findByText("failed");
  const [, first, second] = screen.getAllByRole("row");
  expect(first?.textContent).toContain("Sync");
  expect(second?.textContent).toContain("failed");
  expect(asked.map((search) => search.get("offset"))).toEqual(["299850", null]);
  expect(asked[1]?.get("id")).toBe("in.(j2,j1,gone)");
});

test("a load that fails says so; with runs on the screen they stay", async () => {
  routes["GET /api/db/job_histories"] = () => ({ status: 503, body: { message: "too busy" } });
  show();
  expect(await screen.findByText("The job history could not be loaded")).toBeTruthy();
});

test("the tab of a resource asks for its runs alone, whatever their status", async () => {
  renderPage(() => <JobHistoryTab kind="canary" id="c1" />, { path: "/x", address: "/x?tab=jobs" });
  expect(await screen.findByText("failed")).toBeTruthy();
  expect(last().get("resource_type")).toBe("eq.canary");
  expect(last().get("resource_id")).toBe("eq.c1");
  expect(last().has("status")).toBe(false);
  expect(screen.queryByRole("button", { name: /^Resource type/ })).toBeNull();
});
