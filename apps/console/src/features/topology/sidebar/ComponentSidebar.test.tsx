// @vitest-environment happy-dom
import { cleanup, screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { catalog } from "#features/catalog/index.ts";
import { health } from "#features/health/index.ts";
import { logs } from "#features/logs/index.ts";
import { teams } from "#features/teams/index.ts";
import { fakeApi, type FakeRoute } from "../../../testing/fake-api.ts";
import { renderPage } from "../../../testing/render-page.tsx";
import { TopologyPage } from "../cards/TopologyPage.tsx";

// Fetched with the first of each: not what is waited for below.
beforeAll(() =>
  Promise.all([
    import("@mainstay/ui/popups/DialogPopup.tsx"),
    import("@mainstay/ui/popups/MenuPopup.tsx"),
    import("@mainstay/ui/choice/ChoiceBox.tsx"),
  ]),
);
beforeEach(() => localStorage.clear());
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const at = new Date(Date.now() - 3_600_000).toISOString();
const orders = {
  id: "k1",
  agent_id: "00000000-0000-0000-0000-000000000000",
  external_id: "orders",
  name: "orders",
  status: "unhealthy",
  health: "unhealthy",
  order: 0,
};
const explanation = {
  kind: "component",
  id: "k1",
  name: "orders",
  health: "unhealthy",
  status: "unhealthy",
  since: at,
  text: "orders is unhealthy: the check front page of web fails",
  isWell: false,
  causes: [
    {
      kind: "check",
      id: "c1",
      name: "front page",
      health: "unhealthy",
      since: at,
      message: "timeout",
      isReason: true,
      path: [
        { kind: "component", id: "k1", name: "orders", health: "unhealthy" },
        { kind: "component", id: "k2", name: "web", health: "unhealthy" },
      ],
    },
  ],
  hasMoreCauses: false,
  changes: [
    {
      id: "h1",
      config_id: "i9",
      config_name: "web-config",
      config_type: "Kubernetes::ConfigMap",
      change_type: "diff",
      summary: "timeout lowered",
      created_at: at,
    },
  ],
  hasMoreChanges: false,
};
const page =
  (...rows: object[]): FakeRoute =>
  () => ({
    body: rows,
    headers: { "content-range": rows.length === 0 ? "*/0" : `0-${rows.length - 1}/${rows.length}` },
  });

function show(answers: Record<string, FakeRoute> = {}, roles: "admin" | "viewer" = "admin") {
  const sent: unknown[] = [];
  const linked = [
    {
      config_id: "i1",
      selector_id: "manual",
      configs: { id: "i1", name: "orders-app", type: "App", deleted_at: null },
    },
    {
      config_id: "i2",
      selector_id: "abc",
      configs: { id: "i2", name: "orders-svc", type: "App", deleted_at: null },
    },
  ];
  const api = fakeApi({
    "GET /api/topology": () => ({ body: { components: [orders] } }),
    "GET /api/db/agents": () => ({ body: [] }),
    "GET /api/explain/component/k1": () => ({ body: explanation }),
    "GET /api/db/config_component_relationships": page(...linked),
    "GET /api/db/config_names": () => ({ body: [{ id: "i3", name: "orders-db", type: "DB" }] }),
    "POST /api/db/config_component_relationships": ({ body }) => {
      sent.push(body);
      return { status: 201, body: [body] };
    },
    "DELETE /api/db/config_component_relationships": ({ url }) => {
      sent.push(url.search);
      return { body: [linked[0]] };
    },
    "GET /api/db/changes_by_component": page({
      id: "h1",
      config_id: "i1",
      name: "orders-app",
      type: "App",
      change_type: "diff",
      severity: "high",
      created_at: at,
    }),
    "GET /api/db/checks_by_component": () => ({
      body: [1, 2].map(() => ({ id: "c1", name: "front page", type: "http", status: "unhealthy" })),
    }),
    "GET /api/db/team_components": page({ team_id: "t1", team: { id: "t1", name: "Shop" } }),
    "GET /api/db/analysis_by_component": page({
      analysis_id: "a1",
      config_id: "i1",
      name: "orders-app",
      type: "App",
      analysis_type: "security",
      severity: "critical",
    }),
    ...answers,
  });
  const contributions = [catalog, health, logs, teams].flatMap(
    ({ contributes }) => contributes ?? [],
  );
  return {
    api,
    sent,
    ...renderPage(TopologyPage, {
      path: "/topology/$componentId",
      address: "/topology/k1",
      contributions,
      session: { roles: [roles] },
    }),
  };
}
const panel = (name: string) => screen.findByRole("region", { name });

test("why: the causes, each with the way to it, and what changed before", async () => {
  show();
  const why = await panel("Why");
  await within(why).findByText(/the check front page of web fails/);
  const link = (name: string) => within(why).getByRole("link", { name }).getAttribute("href");
  expect(link("front page")).toBe("/health?checkId=c1");
  expect(link("web")).toBe("/topology/k2");
  expect(link("web-config")).toBe("/catalog/i9");
  expect(within(why).getByText("timeout")).toBeTruthy();
  expect(within(why).getByText("diff: timeout lowered")).toBeTruthy();
  expect(why.textContent).toContain("by way of web");
});

test("one panel is open at a time, and each shows what its feature knows", async () => {
  const { user, history } = show();
  for (const [title, words] of [
    ["Catalog", "orders-svc"],
    ["Changes", "diff"],
    ["Checks", "front page"],
    ["Teams", "Shop"],
    ["Insights", "Security"],
  ] as const) {
    await user.click(await screen.findByRole("button", { name: title }));
    expect(await within(await panel(title)).findByText(words)).toBeTruthy();
    expect(screen.getAllByRole("button", { expanded: true }).map((one) => one.textContent)).toEqual(
      [title],
    );
    expect(history.location.search).toBe(`?panel=${title.toLowerCase()}`);
  }
});

test("its lines are one entry away, where something says whose they are", async () => {
  const { user, history } = show();
  await user.click(await screen.findByRole("button", { name: "Actions for orders" }));
  await user.click(await screen.findByRole("menuitem", { name: "View Logs" }));
  expect(history.location.href).toBe("/logs?topologyId=k1");
  cleanup();
  const unknown = { ...orders, external_id: "" };
  const other = show({ "GET /api/topology": () => ({ body: { components: [unknown] } }) });
  await other.user.click(await screen.findByRole("button", { name: "Actions for orders" }));
  await screen.findByRole("menuitem", { name: "Link to catalog" });
  expect(screen.queryByRole("menuitem", { name: "View Logs" })).toBeNull();
});

test("an item is linked and unlinked by who may; a refusal stays with what was chosen", async () => {
  let isRefused = true;
  const { user, sent } = show({
    "POST /api/db/config_component_relationships": ({ body }) => {
      if (isRefused) return { status: 409, body: { message: "It is linked already." } };
      sent.push(body);
      return { status: 201, body: [body] };
    },
  });
  await user.click(await screen.findByRole("button", { name: "Actions for orders" }));
  await user.click(await screen.findByRole("menuitem", { name: "Link to catalog" }));
  const dialog = await screen.findByRole("dialog", { name: "Link orders to catalog" });
  await user.click(within(dialog).getByRole("button", { name: "Link" }));
  expect(await within(dialog).findByText("This field is required")).toBeTruthy();
  await user.click(within(dialog).getByRole("combobox"));
  await user.click(await screen.findByRole("option", { name: /orders-db/ }));
  await user.click(within(dialog).getByRole("button", { name: "Link" }));
  expect(await within(dialog).findByText("It is linked already.")).toBeTruthy();
  isRefused = false;
  await user.click(within(dialog).getByRole("button", { name: "Link" }));
  expect(await screen.findByText("config link successful")).toBeTruthy();
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  await user.click(screen.getByRole("button", { name: "Catalog" }));
  await user.click(await screen.findByRole("button", { name: "Unlink orders-app" }));
  expect(await screen.findByText("Deleted config link successfully")).toBeTruthy();
  // What the topology's document says is changed there.
  expect(screen.queryByRole("button", { name: "Unlink orders-svc" })).toBeNull();
  expect(sent).toEqual([
    { component_id: "k1", config_id: "i3", selector_id: "manual" },
    "?component_id=eq.k1&config_id=eq.i1&selector_id=eq.manual",
  ]);
  cleanup();
  const viewer = show({}, "viewer");
  await viewer.user.click(await screen.findByRole("button", { name: "Catalog" }));
  await screen.findByText("orders-app");
  expect(screen.queryByRole("button", { name: "Unlink orders-app" })).toBeNull();
  await viewer.user.click(screen.getByRole("button", { name: "Actions for orders" }));
  await screen.findByRole("menuitem", { name: "View Logs" });
  expect(screen.queryByRole("menuitem", { name: "Link to catalog" })).toBeNull();
});

test("a panel that cannot be read says so, and is asked again", async () => {
  let isDown = true;
  const { user } = show({
    "GET /api/db/team_components": (request) =>
      isDown
        ? { status: 503, body: { message: "Busy." } }
        : page({ team_id: "t1", team: { id: "t1", name: "Shop" } })(request),
  });
  await user.click(await screen.findByRole("button", { name: "Teams" }));
  expect(await screen.findByText(/The teams could not be loaded: Busy/)).toBeTruthy();
  isDown = false;
  await user.click(within(await panel("Teams")).getByRole("button", { name: "Try again" }));
  expect(await screen.findByText("Shop")).toBeTruthy();
});
