// @vitest-environment happy-dom
import { cleanup, screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { CheckSummary } from "@mainstay/contract/health.ts";
import { fakeApi } from "../../../testing/fake-api.ts";
import { renderPage } from "../../../testing/render-page.tsx";
import { HealthPage } from "./HealthPage.tsx";
import { buildCheck } from "../testing/build-check.ts";
import { buildGraph } from "../testing/build-graph.ts";

vi.mock("@mainstay/ui/timeline-chart/TimelineChart.tsx", () => ({
  TimelineChart: () => <p>chart</p>,
}));

const checks: CheckSummary[] = [
  buildCheck({
    name: "front page",
    canary_name: "shop",
    namespace: "web",
    labels: { critical: "true", team: "red" },
  }),
  buildCheck({
    name: "basket",
    canary_name: "shop",
    namespace: "web",
    status: "unhealthy",
    message: "status 503",
    labels: { team: "blue" },
  }),
  buildCheck({ name: "replica", canary_name: "data", namespace: "db", status: "unhealthy" }),
  buildCheck({
    name: "primary",
    canary_name: "data",
    namespace: "db",
    endpoint: "postgres://primary",
  }),
];
const summary = (list: CheckSummary[]) => () => ({
  body: { duration: 1, runnerName: "x", checks_summary: list },
  headers: { etag: '"1"' },
});

beforeEach(() => localStorage.clear());
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const open = (address = "/health", session = {}) =>
  renderPage(HealthPage, { path: "/health", address, session });
const rowNames = () =>
  screen
    .getAllByRole("row")
    .slice(1)
    .map((row) => row.textContent);

test("groups show what fails; passing checks are hidden until asked for", async () => {
  fakeApi({ "GET /api/canary/api/summary": summary(checks) });
  const { user, history } = open();
  const shop = await screen.findByRole("row", { name: /shop/ });
  expect(shop.getAttribute("aria-expanded")).toBe("false");
  await user.click(shop);
  expect(screen.getByRole("row", { name: /basket/ }).textContent).toContain("status 503");
  expect(screen.queryByRole("row", { name: /front page/ })).toBeNull();
  await user.click(screen.getByRole("switch", { name: "Hide Passing" }));
  await screen.findByRole("row", { name: /front page/ });
  expect(history.location.search).toBe("?hidePassing=false");
});

test("a search is told to the address when typing pauses and opens the groups", async () => {
  fakeApi({ "GET /api/canary/api/summary": summary(checks) });
  const { user, history } = open("/health?hidePassing=false");
  await screen.findByRole("row", { name: /shop/ });
  await user.type(
    screen.getByRole("searchbox", { name: "Search by name, description, or endpoint" }),
    "postgres://",
  );
  await screen.findByRole("row", { name: /primary/ });
  expect(rowNames()).toHaveLength(2);
  expect(history.location.search).toBe("?hidePassing=false&query=postgres%3A%2F%2F");
});

test("tabs are All and the namespaces; a tab shows only its own", async () => {
  fakeApi({ "GET /api/canary/api/summary": summary(checks) });
  const { user } = open();
  await screen.findByRole("row", { name: /shop/ });
  expect(screen.getAllByRole("tab").map((tab) => tab.textContent)).toEqual(["All", "db", "web"]);
  await user.click(screen.getByRole("tab", { name: "db" }));
  await waitFor(() => expect(screen.queryByRole("row", { name: /shop/ })).toBeNull());
  expect(screen.getByRole("row", { name: /data/ })).toBeTruthy();
});

test("counts filter by status, and say so in the address", async () => {
  fakeApi({ "GET /api/canary/api/summary": summary(checks) });
  const { user, history } = open("/health?groupBy=none");
  const passing = await screen.findByRole("button", { name: "2 passing" });
  await user.click(passing);
  await waitFor(() => expect(rowNames()).toHaveLength(2));
  expect(history.location.search).toContain("status=healthy");
});

test("a label toggle includes, excludes and lets go", async () => {
  fakeApi({ "GET /api/canary/api/summary": summary(checks) });
  const { user, history } = open("/health?hidePassing=false&groupBy=none");
  const toggle = await screen.findByRole("group", { name: "critical" });
  await user.click(within(toggle).getByRole("button", { name: "Include critical" }));
  await waitFor(() => expect(rowNames()).toHaveLength(1));
  await user.click(within(toggle).getByRole("button", { name: "Exclude critical" }));
  await waitFor(() => expect(rowNames()).toHaveLength(3));
  expect(new URLSearchParams(history.location.search).get("labels")).toBe('{"critical:true":-1}');
  await user.click(within(toggle).getByRole("button", { name: "Exclude critical" }));
  await waitFor(() => expect(rowNames()).toHaveLength(4));
});

test("when everything passes the page says so and offers to show it", async () => {
  fakeApi({ "GET /api/canary/api/summary": summary([buildCheck(), buildCheck()]) });
  const { user } = open();
  await screen.findByText("All 2 checks are passing");
  await user.click(screen.getByRole("button", { name: "Show passing checks" }));
  await screen.findByRole("row", { name: /web/ });
});

test("without checks there is no data, and a way to add some for who may", async () => {
  fakeApi({ "GET /api/canary/api/summary": summary([]) });
  open();
  await screen.findByText("No data available");
  expect(screen.getAllByRole("button", { name: "Add check" })).toHaveLength(2);
});

test("a viewer is not offered to add checks", async () => {
  fakeApi({ "GET /api/canary/api/summary": summary([]) });
  open("/health", { roles: ["viewer"] });
  await screen.findByText("No data available");
  expect(screen.queryByRole("button", { name: "Add check" })).toBeNull();
});

test("a failed refresh is said, and what was shown stays", async () => {
  const api = fakeApi({ "GET /api/canary/api/summary": summary(checks) });
  const { user } = open();
  await screen.findByRole("row", { name: /shop/ });
  api.routes["GET /api/canary/api/summary"] = () => ({
    status: 500,
    body: { error: "the database is away" },
  });
  await user.click(screen.getByRole("button", { name: "Refresh" }));
  expect((await screen.findByRole("alert")).textContent).toContain("the database is away");
  expect(screen.getByRole("row", { name: /shop/ })).toBeTruthy();
});

test("a refresh names the tag it has, and 304 changes nothing", async () => {
  const tags: (string | null)[] = [];
  const api = fakeApi({ "GET /api/canary/api/summary": summary(checks) });
  const { user } = open();
  await screen.findByRole("row", { name: /shop/ });
  api.routes["GET /api/canary/api/summary"] = ({ headers }) => {
    tags.push(headers.get("if-none-match"));
    return { status: 304 };
  };
  await user.click(screen.getByRole("button", { name: "Refresh" }));
  await waitFor(() => expect(tags).toEqual(['"1"']));
  expect(screen.getByRole("row", { name: /shop/ })).toBeTruthy();
  expect(screen.queryByRole("alert")).toBeNull();
});

test("the first load's failure takes the page and can be tried again", async () => {
  const api = fakeApi({
    "GET /api/canary/api/summary": () => ({ status: 503, body: { message: "starting" } }),
  });
  const { user } = open();
  expect((await screen.findByRole("alert")).textContent).toContain("starting");
  api.routes["GET /api/canary/api/summary"] = summary(checks);
  await user.click(screen.getByRole("button", { name: "Try again" }));
  await screen.findByRole("row", { name: /shop/ });
});

test("rows are walked and opened with the keyboard", async () => {
  fakeApi({ "GET /api/canary/api/summary": summary(checks) });
  const { user } = open("/health?hidePassing=false&sortBy=name");
  const data = await screen.findByRole("row", { name: /data/ });
  data.focus();
  await user.keyboard("j");
  expect(document.activeElement?.textContent).toContain("shop");
  await user.keyboard("k{Enter}");
  expect(data.getAttribute("aria-expanded")).toBe("true");
  await user.keyboard("{ArrowDown}");
  expect(document.activeElement?.textContent).toContain("primary");
});

test("15s and 30s cannot be chosen for an hour, 2 and 3 minutes not for three", async () => {
  fakeApi({ "GET /api/canary/api/summary": summary(checks) });
  open("/health?timeRange=3h");
  const rate = await screen.findByRole("combobox", { name: "Refresh rate" });
  const disabled = within(rate)
    .getAllByRole<HTMLOptionElement>("option")
    .filter((option) => option.disabled)
    .map((option) => option.textContent);
  expect(disabled).toEqual(["Refresh: 15s", "Refresh: 30s", "Refresh: 2 min", "Refresh: 3 min"]);
});

test("a check opens with the range its age asks for; closing resets the page to an hour", async () => {
  const old = buildCheck({
    name: "nightly",
    status: "unhealthy",
    last_runtime: new Date(Date.now() - 30 * 3_600_000).toISOString(),
  });
  const api = fakeApi({
    "GET /api/canary/api/summary": summary([old]),
    "GET /api/db/checks": () => ({ body: [{ ...old, components: [], configs: [] }] }),
    "GET /api/canary/api/graph": () => ({
      body: buildGraph(),
    }),
    "GET /api/db/check_statuses": () => ({ body: [], headers: { "content-range": "*/0" } }),
  });
  const { user, history } = open("/health?groupBy=none&timeRange=6h");
  await user.click(await screen.findByRole("row", { name: /nightly/ }));
  const dialog = await screen.findByRole("dialog", { name: "nightly" });
  const params = () => new URLSearchParams(history.location.search);
  const shown = () => ["checkId", "checkRange", "timeRange"].map((name) => params().get(name));
  expect(shown()).toEqual([old.id, "2d", "6h"]);
  await within(dialog).findByRole("button", { name: "Time range: Last 2 days" });
  // The page below keeps its own range while the dialog has another.
  expect(api.calls.filter((call) => call.includes("summary"))).toEqual([
    "GET /api/canary/api/summary?start=6h",
  ]);
  await user.keyboard("{Escape}");
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(shown()).toEqual([null, null, "6h"]);
  expect(api.calls.filter((call) => call.includes("summary"))).toHaveLength(1);
});
