// @vitest-environment happy-dom
// Takes long: the whole page is walked, its filters, groups and choices.
import { cleanup, screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { CheckSummary, HealthSummary } from "@mainstay/contract/health.ts";
import { phoneQuery } from "@mainstay/ui/use-media-query.ts";
import { fakeApi as fakeAll, type FakeRoute } from "../../../testing/fake-api.ts";
import { renderPage } from "../../../testing/render-page.tsx";
import { HealthPage } from "./HealthPage.tsx";
import { latencyTone } from "./LatencyCell.tsx";
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
const counted: HealthSummary["range"] = { start: "2026-03-31T11:25:00.000Z" };
const summary = (list: CheckSummary[]) => () => ({
  body: { duration: 1, runnerName: "x", range: counted, checks_summary: list },
  headers: { etag: '"1"' },
});

const views = (list: object[]) => ({
  "GET /api/saved-views": () => ({ body: { views: list } }),
});
const fakeApi = (routes: Record<string, FakeRoute>) => fakeAll({ ...views([]), ...routes });

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
  const search = new URLSearchParams(history.location.search);
  expect(Object.fromEntries(search)).toEqual({ hidePassing: "false", expanded: "shop:1" });
});

test("a group of one is its check, which keeps the group's name unless its own says it", async () => {
  const [a, b] = [
    { type: "dns", name: "lookup", canary_name: "resolver" },
    { type: "icmp", name: "loopback", canary_name: "loop" },
  ];
  fakeApi({ "GET /api/canary/api/summary": summary([buildCheck(a), buildCheck(b)]) });
  open("/health?hidePassing=false");
  expect((await screen.findByRole("row", { name: /lookup/ })).textContent).toContain("resolver /");
  expect(screen.getByRole("row", { name: /loopback/ }).textContent).not.toContain("loop /");
});

test("what fails below its threshold says how many times of how many", async () => {
  const streak = { passed: false, runs: 2, needed: 3 };
  const list = [buildCheck({ name: "basket", message: "status 503", streak })];
  fakeApi({ "GET /api/canary/api/summary": summary(list) });
  open("/health?hidePassing=false&groupBy=none");
  const row = await screen.findByRole("row", { name: /basket/ });
  expect(row.textContent).toContain("failing 2 of 3: status 503");
});

test("severity and latency stand in the row; from 75 and 90 percent on its bar is orange and red", async () => {
  const latency = { rolling1h: 80, p95: 80, p97: 80, p99: 80 };
  const list = [buildCheck({ name: "basket", severity: "high", latency, latency_limit: 100 })];
  fakeApi({ "GET /api/canary/api/summary": summary(list) });
  open("/health?hidePassing=false&groupBy=none");
  const row = await screen.findByRole("row", { name: /basket/ });
  expect(within(row).getByText("high")).toBeTruthy();
  expect(within(row).getByRole("meter").getAttribute("aria-valuenow")).toBe("80");
  expect([74, 75, 89, 90].map(latencyTone)).toEqual([
    "bg-control",
    "bg-warning",
    "bg-warning",
    "bg-unhealthy",
  ]);
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

test("it says since when runs are counted, which may be longer than was asked for", async () => {
  fakeApi({ "GET /api/canary/api/summary": summary(checks) });
  open();
  const said = await screen.findByText(/^Runs since/);
  const times = [...said.querySelectorAll("time")].map((time) => time.dateTime);
  expect(times).toEqual([counted.start]);
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

test("severities filter in the order of their rank, with counts; what is active can be taken away", async () => {
  const list = [
    buildCheck({ name: "a", severity: "low", labels: { low: "true", team: "red" } }),
    buildCheck({ name: "b", severity: "critical", labels: { critical: "true", team: "red" } }),
    buildCheck({ name: "c", severity: "critical", labels: { critical: "true", team: "blue" } }),
    buildCheck({ name: "d" }),
  ];
  fakeApi({ "GET /api/canary/api/summary": summary(list) });
  const { user, history } = open("/health?hidePassing=false&groupBy=none");
  const panel = await screen.findByRole("complementary", { name: "Filters" });
  await within(panel).findByRole("group", { name: "critical" });
  const toggles = within(panel).getAllByRole("group");
  expect(toggles.map((toggle) => toggle.textContent)).toEqual(["critical2", "low1", "none1"]);
  await user.click(screen.getByRole("button", { name: "Include critical" }));
  await user.click(screen.getByRole("button", { name: "Exclude none" }));
  await waitFor(() => expect(rowNames()).toHaveLength(2));
  const params = () => new URLSearchParams(history.location.search);
  expect(params().get("severity")).toBe("critical:1,none:-1");
  const chips = screen.getByRole("group", { name: "Active filters" });
  expect(within(chips).getByRole("button", { name: /none$/ }).textContent).toContain("!none");
  await user.click(within(chips).getByRole("button", { name: "Remove filter severity: critical" }));
  await waitFor(() => expect(rowNames()).toHaveLength(3));
  await user.click(within(chips).getByRole("button", { name: "Clear all" }));
  await waitFor(() => expect(rowNames()).toHaveLength(4));
  expect(params().get("severity")).toBeNull();
});

test("groups have one count, the latency of the slowest, and stay open for whoever comes back", async () => {
  fakeApi({ "GET /api/canary/api/summary": summary(checks) });
  const { user, history } = open("/health?groupBy=type");
  const group = await screen.findByRole("row", { name: /http/ });
  expect(group.textContent).toBe("http2 / 4No results yet–100%20ms–");
  expect(group.getAttribute("aria-expanded")).toBe("true");
  await user.click(group);
  expect(group.getAttribute("aria-expanded")).toBe("false");
  expect(new URLSearchParams(history.location.search).get("expanded")).toBe("http:-1");
});

test("a cell of the pivot opens its checks", async () => {
  fakeApi({ "GET /api/canary/api/summary": summary(checks) });
  const { user, history } = open("/health?groupBy=canary_name&pivotBy=namespace");
  await user.click(await screen.findByRole("button", { name: "Show 2 checks of shop, web" }));
  await user.click(await screen.findByRole("button", { name: /basket/ }));
  await waitFor(() => expect(history.location.search).toContain(`checkId=${checks[1]!.id}`));
});

test("on a phone the pivot keeps all of its cells, and its menu lies over no column's name", async () => {
  vi.stubGlobal("matchMedia", (query: string) => ({
    matches: query === phoneQuery,
    addEventListener: () => {},
    removeEventListener: () => {},
  }));
  fakeApi({ "GET /api/canary/api/summary": summary(checks) });
  open("/health?groupBy=canary_name&pivotBy=namespace");
  await screen.findByRole("button", { name: "Show 2 checks of shop, web" });
  const [first, ...others] = screen.getAllByRole("columnheader");
  expect(others.map(({ textContent }) => textContent)).toEqual(["db", "web"]);
  expect(within(first!).getByRole("button", { name: "Columns and export" })).toBeTruthy();
});

test("the list is exported as it is shown, closed groups included", async () => {
  const files: Blob[] = [];
  vi.stubGlobal("URL", Object.assign(URL, { createObjectURL: (file: Blob) => files.push(file) }));
  fakeApi({ "GET /api/canary/api/summary": summary(checks) });
  const { user } = open("/health?sortBy=name&columns=name,uptime,canary");
  await screen.findByRole("row", { name: /shop/ });
  await user.click(screen.getByRole("button", { name: "Columns and export" }));
  await user.click(await screen.findByRole("menuitem", { name: "Export as CSV" }));
  await waitFor(() => expect(files).toHaveLength(1));
  expect((await files[0]!.text()).split("\r\n")).toEqual([
    "Check,Namespace,Message,Uptime (%),Canary",
    "replica,db,,100,data",
    "basket,web,status 503,100,shop",
    "",
  ]);
});

test("when certificates and domains end is a column where any check knows it", async () => {
  const day = 86_400_000;
  const at = (days: number) => new Date(Date.now() + days * day + 60_000).toISOString();
  const list = [
    buildCheck({ name: "later", expires_at: at(90), expires_what: "domain" }),
    buildCheck({ name: "soon", expires_at: at(3), expires_what: "certificate" }),
    buildCheck({ name: "over", expires_at: at(-2), expires_what: "certificate" }),
    buildCheck({ name: "none" }),
  ];
  const api = fakeApi({ "GET /api/canary/api/summary": summary(list) });
  const { user } = open("/health?hidePassing=false&groupBy=none");
  await user.click(await screen.findByRole("button", { name: "Expires" }));
  await waitFor(() => expect(rowNames()[0]).toContain("over"));
  expect(rowNames().map((text) => text?.replace(/^(\w+?)web.*100%/, "$1 "))).toEqual([
    expect.stringMatching(/ended 2d ago$|ended 1d ago$/),
    expect.stringMatching(/soon.*in 3d$/),
    expect.stringMatching(/later.*in /),
    expect.stringMatching(/none.*–$/),
  ]);
  cleanup();
  api.routes["GET /api/canary/api/summary"] = summary(checks);
  open("/health?hidePassing=false&groupBy=none");
  await screen.findByRole("row", { name: /basket/ });
  expect(screen.queryByRole("button", { name: "Expires" })).toBeNull();
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

test("a check opens with the range its age asks for; opening and closing it leaves the page's range alone", async () => {
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
  const ranges = () => ["checkId", "checkRange", "timeRange"].map((name) => params().get(name));
  expect(ranges()).toEqual([old.id, "2d", "6h"]);
  await within(dialog).findByRole("button", { name: "Time range: Last 2 days" });
  // The page below keeps its own range while the dialog has another.
  expect(api.calls.filter((call) => call.includes("summary"))).toEqual([
    "GET /api/canary/api/summary?start=6h",
  ]);
  await user.keyboard("{Escape}");
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(ranges()).toEqual([null, null, "6h"]);
  expect(api.calls.filter((call) => call.includes("summary"))).toHaveLength(1);
});

test("the default view is shown where the address says nothing, and only there", async () => {
  const night = {
    id: "v1",
    name: "Night",
    search: "groupBy=none&severity=low%3A-1",
    is_default: true,
  };
  fakeApi({ "GET /api/canary/api/summary": summary(checks), ...views([night]) });
  const { history } = open("/health");
  await screen.findByRole("row", { name: /basket/ });
  expect(history.location.search).toBe("?severity=low%3A-1&groupBy=none");
  expect(history.length).toBe(1);
  cleanup();
  const second = open("/health?hidePassing=false");
  await screen.findByRole("row", { name: /shop/ });
  expect(second.history.location.search).toBe("?hidePassing=false");
});

test("what is shown is saved, renamed and deleted again, with its columns", async () => {
  const saved: { id: string; name: string; search: string; is_default: boolean }[] = [];
  fakeApi({
    "GET /api/canary/api/summary": summary(checks),
    "GET /api/saved-views": () => ({ body: { views: saved } }),
    "POST /api/saved-views": ({ body }) => {
      const view = { id: "v1", ...(body as { name: string; search: string; is_default: boolean }) };
      saved.push(view);
      return { status: 201, body: view };
    },
    "PATCH /api/saved-views/v1": () => ({ status: 409, body: { error: "You have it already." } }),
    "DELETE /api/saved-views/v1": () => {
      saved.pop();
      return { body: { id: "v1" } };
    },
  });
  const { user } = open("/health?hidePassing=false&sortBy=name&checkId=");
  await screen.findByRole("row", { name: /shop/ });
  await user.click(screen.getByRole("button", { name: "Views" }));
  await user.type(
    await screen.findByRole("textbox", { name: "Save what is shown as" }),
    "Mine{Enter}",
  );
  await screen.findByRole("button", { name: "Mine" });
  const search = new URLSearchParams(saved[0]!.search);
  expect(Object.fromEntries(search)).toEqual({
    hidePassing: "false",
    sortBy: "name",
    columns: "health,severity,uptime,latency,transition,expires",
  });
  const act = async (entry: string) => {
    await user.click(screen.getByRole("button", { name: "Actions for Mine" }));
    await user.click(await screen.findByRole("menuitem", { name: entry }));
  };
  await act("Rename");
  await user.type(screen.getByRole("textbox", { name: "New name of Mine" }), "!{Enter}");
  // A refusal is said where it was asked, and what was typed stays.
  expect((await screen.findByRole("alert")).textContent).toBe("You have it already.");
  await user.click(screen.getByRole("button", { name: "Cancel" }));
  await act("Delete");
  await waitFor(() => expect(screen.queryByRole("button", { name: "Mine" })).toBeNull());
});

test("what an action reaches is said before, and what became of each after", async () => {
  const asked: unknown[] = [];
  const canary = (id: string, source: string | null) => ({
    id,
    source,
    agent_id: "00000000-0000-0000-0000-000000000000",
    deleted_at: null,
  });
  const shop = checks.filter(({ canary_name: name }) => name === "shop");
  const list = checks.map((check) => ({
    ...check,
    canary_id: shop.includes(check) ? "c-shop" : "c-data",
  }));
  fakeApi({
    "GET /api/canary/api/summary": summary(list),
    "GET /api/db/canaries": () => ({ body: [canary("c-shop", null), canary("c-data", "a.yaml")] }),
    "POST /api/canary/changes": ({ body }) => {
      asked.push(body);
      const { changes } = body as { changes: { canary: string; paused: boolean }[] };
      const results = changes.map(({ canary: id, paused }) => ({
        canary: id,
        outcome: "changed",
        undo: { canary: id, paused: !paused },
      }));
      return { body: { results } };
    },
  });
  const { user } = open("/health?hidePassing=false&groupBy=none&sortBy=name");
  await screen.findByRole("row", { name: /basket/ });
  const boxes = screen.getAllByRole("checkbox", { name: /^Select row/ });
  // basket, front page, primary, replica
  await user.click(boxes[0]!);
  await user.click(boxes[3]!);
  await user.click(await screen.findByRole("button", { name: "Pause" }));
  const preview = await screen.findByRole("dialog", { name: "Pause 2 canaries?" });
  await within(preview).findByText(/also reaches front page/);
  within(preview).getByText("It is kept in a.yaml: change it there.");
  await user.click(within(preview).getByRole("button", { name: "Pause 1 canary" }));
  await screen.findByText("1 of 1, 1 done");
  await user.click(screen.getByRole("button", { name: "Undo 1" }));
  await waitFor(() =>
    expect(asked).toEqual([
      { changes: [{ canary: "c-shop", paused: true }] },
      { changes: [{ canary: "c-shop", paused: false }] },
    ]),
  );
});
