// @vitest-environment happy-dom
import { cleanup, screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { fakeApi, type FakeRoute } from "../../../testing/fake-api.ts";
import { renderPage } from "../../../testing/render-page.tsx";
import { BrokeLink } from "./BrokeLink.tsx";
import { ChangesPage } from "./ChangesPage.tsx";
import { ChangesTab } from "./ChangesTab.tsx";

const found = (id: string, changes: object = {}) => ({
  id,
  config_id: "i1",
  agent_id: "0",
  name: "web",
  type: "Kubernetes::Pod",
  tags: { cluster: "a" },
  change_type: "diff",
  severity: "info",
  source: "kubernetes",
  summary: "spec.replicas",
  created_at: "2026-01-01T00:00:00Z",
  count: 1,
  first_observed: "2026-01-01T00:00:00Z",
  created_by: null,
  external_created_by: null,
  external_change_id: null,
  ...changes,
});
const bursting = ["b1", "b2", "b3"].map((id) =>
  found(id, { change_type: "BackOff", summary: `restarted ${id}`, severity: "high" }),
);
const whole = (id: string, changes: object = {}) => ({
  ...found(id),
  patches: { spec: { replicas: 3 } },
  diff: "--- before\n+++ after\n@@ -4,1 +4,1 @@\n-  replicas: 2\n+  replicas: 3\n",
  details: { by: "hpa" },
  config: { id: "i1", name: "web", type: "Kubernetes::Pod", config_class: "Pod" },
  ...changes,
});

let shown: object[];
let spans: object[];
let asked: Record<string, unknown>[];
let counted: Record<string, unknown>[];
let routes: Record<string, FakeRoute>;

beforeEach(() => {
  localStorage.clear();
  asked = [];
  counted = [];
  shown = [found("c1", { created_by: "p1" }), found("c2", { change_type: "Scaled", count: 7 })];
  spans = [{ at: "2026-01-01T01:00:00.000Z", critical: 2, info: 5 }];
  ({ routes } = fakeApi({
    "POST /api/catalog/changes": ({ body }) => {
      asked.push(body as Record<string, unknown>);
      return { body: shown.length === 0 ? {} : { changes: shown, summary: {} } };
    },
    "POST /api/catalog/changes/timeline": ({ body }) => {
      counted.push(body as Record<string, unknown>);
      return {
        body: {
          from: "2026-01-01T00:00:00.000Z",
          to: "2026-01-01T04:00:00.000Z",
          step_ms: 3_600_000,
          spans,
        },
      };
    },
    "GET /api/db/people": () => ({ body: [{ id: "p1", name: "Vera Viewer", avatar: null }] }),
    "GET /api/db/config_types": () => ({ body: [{ type: "Kubernetes::Pod" }] }),
    "GET /api/db/change_types": () => ({ body: [{ change_type: "diff" }] }),
    "GET /api/db/config_tags": () => ({
      body: [
        { key: "cluster", value: "a" },
        { key: "owner", value: "not, to be said" },
      ],
    }),
    "GET /api/db/config_changes": ({ url }) => ({
      body: [whole(url.searchParams.get("id")!.slice(3))],
    }),
  }));
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const show = (search = "") =>
  renderPage(ChangesPage, { path: "/catalog/changes", address: `/catalog/changes${search}` });
const showTab = (search = "") =>
  renderPage(() => <ChangesTab item={{ id: "i1" }} />, { path: "/x", address: `/x${search}` });
const addressOf = (history: { location: { search: string } }) =>
  new URLSearchParams(history.location.search);

test("the changes of the last seven days are listed, newest first, with who made them", async () => {
  show();
  const table = await screen.findByRole("grid", { name: "changes" });
  expect(asked).toEqual([
    {
      from: "now-7d",
      to: "now",
      recursive: "none",
      include_deleted_configs: false,
      page: 1,
      page_size: 200,
      sort_by: "-created_at",
      total: false,
    },
  ]);
  expect(await within(table).findByText("Vera Viewer")).toBeTruthy();
  // What was seen again and again says how often.
  expect(within(table).getByText("×7")).toBeTruthy();
  expect(within(table).getAllByRole("link", { name: "web" })[0]!.getAttribute("href")).toBe(
    "/catalog/i1",
  );
  // A page that is not full is the last.
  expect(screen.getByText("1–2 of 2")).toBeTruthy();
});

test("a page is there while its changes are still counted, and leads on", async () => {
  shown = Array.from({ length: 5 }, (_, n) => found(`c${n}`, { summary: `the ${n}th` }));
  const timeline = routes["POST /api/catalog/changes/timeline"]!;
  let count = () => {};
  const isCounted = new Promise<void>((resolve) => (count = resolve));
  routes["POST /api/catalog/changes/timeline"] = async (call) => {
    await isCounted;
    return timeline(call);
  };
  const { user, history } = show("?pageSize=5");
  expect(await screen.findByText("1–5 of many")).toBeTruthy();
  expect(screen.getByRole<HTMLButtonElement>("button", { name: "Last" }).disabled).toBe(true);
  await user.click(screen.getByRole("button", { name: "Next" }));
  await waitFor(() => expect(addressOf(history).get("pageIndex")).toBe("1"));
  expect(await screen.findByText("6–10 of many")).toBeTruthy();
  spans = [{ at: "2026-01-01T01:00:00.000Z", critical: 2, low: 1_000, info: 5 }];
  count();
  expect(await screen.findByText("6–10 of 1,007")).toBeTruthy();
  expect(screen.getByText("of 202")).toBeTruthy();
});

test("while another page is on its way the one before says nothing of how many there are", async () => {
  spans = [{ at: "2026-01-01T01:00:00.000Z", info: 7 }];
  shown = Array.from({ length: 5 }, (_, n) => found(`c${n}`));
  const list = routes["POST /api/catalog/changes"]!;
  const { user } = show("?pageSize=5");
  expect(await screen.findByText("1–5 of 7")).toBeTruthy();
  const { promise: isThere, resolve: answer } = Promise.withResolvers<void>();
  routes["POST /api/catalog/changes"] = async (call) => {
    await isThere;
    return list(call);
  };
  await user.click(screen.getByRole("button", { name: "Next" }));
  expect(await screen.findByText("6–7 of 7")).toBeTruthy();
  shown = [found("c6"), found("c7")];
  answer();
  await waitFor(() =>
    expect(screen.getByRole("grid", { name: "changes" }).getAttribute("aria-rowcount")).toBe("3"),
  );
  routes["POST /api/catalog/changes"] = () => new Promise(() => {});
  await user.click(screen.getByRole("button", { name: "First" }));
  expect(await screen.findByText("1–5 of 7")).toBeTruthy();
  expect(screen.getByRole<HTMLButtonElement>("button", { name: "Next" }).disabled).toBe(false);
});

test("a page behind the end that nobody has counted is none, and leads back", async () => {
  shown = [];
  routes["POST /api/catalog/changes/timeline"] = () => ({ status: 503, body: { message: "no" } });
  const { user, history } = show("?pageSize=5&pageIndex=4");
  expect(await screen.findByText("There is no such page.")).toBeTruthy();
  await user.click(screen.getByRole("button", { name: "Previous" }));
  await waitFor(() => expect(addressOf(history).get("pageIndex")).toBe("3"));
});

test("filters are asked of the server, of the list and of what is counted alike", async () => {
  const { user, history } = show();
  await screen.findByText("Scaled");
  await user.click(screen.getByRole("button", { name: "Tags: All" }));
  // What a selector cannot say is not offered.
  expect(screen.queryByText(/not, to be said/)).toBeNull();
  await user.click(await screen.findByRole("button", { name: "Exclude cluster=a" }));
  await waitFor(() => expect(asked.at(-1)!["tags"]).toBe("cluster!=a"));
  await user.keyboard("{Escape}");
  await user.selectOptions(screen.getByLabelText("Severity"), "high and above");
  await user.click(screen.getByRole("button", { name: "Created by: All" }));
  await user.click(await screen.findByRole("button", { name: "Include Vera Viewer" }));
  const same = { tags: "cluster!=a", severity: "high", created_by: "p1" };
  await waitFor(() => expect(asked.at(-1)).toMatchObject(same));
  await waitFor(() => expect(counted.at(-1)).toMatchObject(same));
  expect(Object.fromEntries(addressOf(history))).toEqual({
    tags: "cluster=a:-1",
    severity: "high",
    createdBy: "p1:1",
  });
  const box = screen.getByRole("combobox", { name: "Search changes" });
  await user.type(box, "sev");
  await user.click(await screen.findByRole("option", { name: /^severity/ }));
  await user.click(await screen.findByRole("option", { name: "high" }));
  await user.type(box, "config:type=pod replicas");
  const search = "severity>=high config:type=pod replicas";
  await waitFor(() => expect(asked.at(-1)).toMatchObject({ ...same, search, page: 1 }));
  await waitFor(() => expect(counted.at(-1)).toMatchObject({ ...same, search }));
  expect(addressOf(history).get("query")).toBe(search);
});

test("a search in the address that cannot be read is said, and nothing is asked", async () => {
  show("?query=severity%3E%3D");
  expect(await screen.findByText("This search cannot be answered")).toBeTruthy();
  expect(
    screen.getByText(
      'search, character 11: expected a value after "severity>=", but the text ends.',
    ),
  ).toBeTruthy();
  expect([asked, counted]).toEqual([[], []]);
});

test("a stretch of the timeline is a range of time, and there is a way back", async () => {
  const { user, history } = show("?pageIndex=1");
  const chart = await screen.findByRole("group", { name: /^Changes over time: 7 changes/ });
  chart.focus();
  await user.keyboard("{ArrowRight}{ArrowRight}{Enter}");
  await waitFor(() =>
    expect(asked.at(-1)).toMatchObject({
      from: "2026-01-01T01:00:00.000Z",
      to: "2026-01-01T02:00:00.001Z",
      page: 1,
    }),
  );
  await user.click(screen.getByRole("button", { name: "Zoom out" }));
  await waitFor(() => expect(history.location.search).toBe(""));
});

test("many changes of one kind close together are one row, which opens", async () => {
  shown = [...bursting, found("c1")];
  const { user, history } = show();
  const table = await screen.findByRole("treegrid", { name: "changes" });
  const burst = within(table).getByRole("row", { name: /BackOff.*3 changes at once/ });
  expect(burst.getAttribute("aria-expanded")).toBe("false");
  expect(within(table).queryByText("restarted b2")).toBeNull();
  await user.click(within(burst).getByText("3 changes at once"));
  expect(await within(table).findByText("restarted b2")).toBeTruthy();
  expect(addressOf(history).get("open")).toBe("b3");
  await user.click(within(table).getByText("3 changes at once"));
  await waitFor(() => expect(within(table).queryByText("restarted b2")).toBeNull());
  cleanup();
  // In another order they did not happen one after the other.
  show("?sortBy=name&sortOrder=asc");
  expect(await screen.findByText("restarted b2")).toBeTruthy();
  expect(screen.getByRole("grid", { name: "changes" })).toBeTruthy();
  expect(asked.at(-1)!["sort_by"]).toBe("name");
});

test("how long a burst went on is told as people count", async () => {
  shown = ["00:01:40", "00:01:00", "00:00:00"].map((time, index) =>
    found(`b${index}`, { change_type: "BackOff", created_at: `2026-01-01T${time}.400Z` }),
  );
  show();
  const table = await screen.findByRole("treegrid", { name: "changes" });
  expect(within(table).getByText("3 changes within 100 s")).toBeTruthy();
});

test("one change is opened with what is different since, and keys lead to its neighbours", async () => {
  const { user, history } = show();
  await user.click(await screen.findByText("Scaled"));
  const dialog = await screen.findByRole("dialog", { name: "Change diff of web" });
  expect(await within(dialog).findByRole("region", { name: "Diff" })).toBeTruthy();
  expect(within(dialog).getAllByText("4").length).toBeGreaterThan(0);
  expect(within(dialog).getByText("2 of 2")).toBeTruthy();
  const before = within(dialog).getByRole("link", { name: "What changed before this" });
  const { pathname, searchParams } = new URL(before.getAttribute("href")!, "http://x");
  expect([pathname, Object.fromEntries(searchParams)]).toEqual([
    "/catalog/i1/changes",
    {
      downstream: "false",
      upstream: "true",
      timeRange: "2025-12-31T23:00:00.000Z..2026-01-01T00:00:00.001Z",
    },
  ]);
  await user.click(within(dialog).getByRole("tab", { name: "Details" }));
  expect(await within(dialog).findByText(/hpa/)).toBeTruthy();
  expect(Object.fromEntries(addressOf(history))).toEqual({ change: "c2", part: "details" });
  await user.keyboard("k");
  await waitFor(() => expect(addressOf(history).get("change")).toBe("c1"));
  await user.keyboard("k");
  expect(addressOf(history).get("change")).toBe("c1");
  await user.keyboard("j");
  await waitFor(() => expect(addressOf(history).get("change")).toBe("c2"));
  await user.keyboard("{Escape}");
  await waitFor(() => expect(history.location.search).toBe(""));
});

test("a change that is not kept any more says so, and one without anything to show too", async () => {
  routes["GET /api/db/config_changes"] = () => ({ body: [] });
  show("?change=gone");
  expect(await screen.findByText("There is no such change")).toBeTruthy();
  cleanup();
  routes["GET /api/db/config_changes"] = () => ({
    body: [whole("c1", { diff: null, patches: null, details: {}, created_by: "p1" })],
  });
  show("?change=c1");
  const dialog = await screen.findByRole("dialog", { name: "Change diff of web" });
  expect(within(dialog).getByText(/says nothing more/)).toBeTruthy();
  expect(await within(dialog).findByText("Vera Viewer")).toBeTruthy();
});

test("a difference that is too long to be kept leads to both moments", async () => {
  routes["GET /api/db/config_changes"] = () => ({
    body: [whole("c1", { change_type: "diff", source: "diff", diff: null })],
  });
  show("?change=c1");
  const dialog = await screen.findByRole("dialog", { name: "Change diff of web" });
  const link = within(dialog).getByRole("link", { name: "Compare before and after" });
  const { pathname, searchParams } = new URL(link.getAttribute("href")!, "http://x");
  expect([pathname, Object.fromEntries(searchParams)]).toEqual([
    "/catalog/i1",
    { at: "2025-12-31T23:59:59.999Z", with: "2026-01-01T00:00:00.001Z" },
  ]);
});

const broken = {
  id: "i1",
  health: "unhealthy",
  created_at: "2026-01-01T00:00:00Z",
  updated_at: "2026-01-02T00:00:00Z",
  deleted_at: null,
};

test.each<[string, object[], object, string | undefined]>([
  ["an item that broke", [{ created_at: "2026-01-05T10:00:00Z" }], {}, "2026-01-05T09:00"],
  ["one that was never well", [], {}, "2026-01-01T23:00"],
  ["one that is well", [], { health: "healthy" }, undefined],
  ["one that is gone", [], { deleted_at: "2026-01-03T00:00:00Z" }, undefined],
])("%s leads to what changed before", async (_name, changes, item, from) => {
  const seen: string[] = [];
  routes["GET /api/db/config_changes"] = ({ url }) => {
    seen.push(url.searchParams.get("change_type")!);
    return { body: changes };
  };
  const Shown = () => (
    <>
      <BrokeLink item={{ ...broken, ...item }} />
      <p>drawn</p>
    </>
  );
  renderPage(Shown, { path: "/x", address: "/x" });
  await screen.findByText("drawn");
  if (from === undefined) {
    expect(screen.queryByRole("link")).toBeNull();
    expect(seen).toEqual([]);
    return;
  }
  const link = await screen.findByRole("link", { name: "What changed before this broke" });
  expect(decodeURIComponent(link.getAttribute("href")!)).toContain(`timeRange=${from}`);
  expect(seen).toEqual(["in.(Unhealthy,Warning)"]);
});

test("what cannot be loaded says so; nothing at all says what would be here", async () => {
  routes["POST /api/catalog/changes"] = () => ({ status: 503, body: { message: "too busy" } });
  routes["POST /api/catalog/changes/timeline"] = () => ({ status: 503, body: { message: "no" } });
  show();
  expect(await screen.findByText("The changes could not be loaded")).toBeTruthy();
  expect(await screen.findByText(/could not be counted: no/)).toBeTruthy();
  cleanup();
  routes["POST /api/catalog/changes"] = () => ({ body: {} });
  show();
  expect(await screen.findByText("No changes")).toBeTruthy();
});

test("of one item those of what lies below it are listed, and upstream with a switch", async () => {
  const { user, history } = showTab();
  await screen.findByText("Scaled");
  expect(asked.at(-1)).toMatchObject({ id: "i1", recursive: "downstream", depth: 5 });
  await user.click(screen.getByRole("switch", { name: "Upstream" }));
  await waitFor(() => expect(asked.at(-1)).toMatchObject({ recursive: "all", depth: 5 }));
  await user.click(screen.getByRole("switch", { name: "Downstream" }));
  await waitFor(() => expect(asked.at(-1)).toMatchObject({ recursive: "upstream" }));
  await waitFor(() => expect(counted.at(-1)).toMatchObject({ id: "i1", recursive: "upstream" }));
  expect(Object.fromEntries(addressOf(history))).toEqual({ downstream: "false", upstream: "true" });
  await user.click(screen.getByRole("switch", { name: "Upstream" }));
  await waitFor(() => expect(asked.at(-1)!["recursive"]).toBe("none"));
  expect(asked.at(-1)).not.toHaveProperty("depth");
});
