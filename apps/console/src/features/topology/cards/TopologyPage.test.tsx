// @vitest-environment happy-dom
import { cleanup, screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { fakeApi, type FakeRoute } from "../../../testing/fake-api.ts";
import { renderPage } from "../../../testing/render-page.tsx";
import { ComponentViewPage } from "./ComponentViewPage.tsx";
import { forgetPreferences } from "../shared/preferences.ts";
import { TopologyPage } from "./TopologyPage.tsx";

// Fetched with the first popup: not what is waited for below.
beforeAll(() => import("@mainstay/ui/popups/PopoverPopup.tsx"));
beforeEach(() => {
  localStorage.clear();
  forgetPreferences();
  // Nothing is laid out here: three cards of the usual width stand in a row.
  vi.spyOn(HTMLElement.prototype, "clientWidth", "get").mockReturnValue(1_130);
  vi.spyOn(HTMLElement.prototype, "offsetHeight", "get").mockReturnValue(200);
});
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

const component = (name: string, more: object = {}) => ({
  id: `id-${name}`,
  agent_id: "00000000-0000-0000-0000-000000000000",
  external_id: name,
  name,
  status: "healthy",
  health: "healthy",
  order: 0,
  ...more,
});
const many = (count: number) =>
  Array.from({ length: count }, (_, index) => component(`c${String(index).padStart(4, "0")}`));

const facets = {
  healthStatuses: ["healthy", "degraded"],
  teams: ["Shop"],
  types: ["System"],
  tags: { env: ["prod", "test"] },
};
function show(
  components: readonly object[] | null,
  {
    address = "/topology",
    answers = {},
  }: { address?: string; answers?: Record<string, FakeRoute> } = {},
) {
  const api = fakeApi({
    "GET /api/topology": ({ url, headers }) => {
      const id = url.searchParams.get("id");
      if (headers.get("if-none-match") === '"1"') return { status: 304 };
      const found = id
        ? components?.filter((one) => (one as { id: string }).id.startsWith(id))
        : components;
      return { body: { components: found, ...facets }, headers: { etag: '"1"' } };
    },
    "GET /api/db/agents": () => ({ body: [] }),
    "GET /api/db/component_names_all": () => ({ body: [{ id: "id-root", name: "root" }] }),
    ...answers,
  });
  const isView = address.startsWith("/view");
  return {
    api,
    ...renderPage(isView ? ComponentViewPage : TopologyPage, {
      path: isView
        ? "/view/topology/$componentId"
        : address.startsWith("/topology/")
          ? "/topology/$componentId"
          : "/topology",
      address,
    }),
  };
}
const asked = (calls: readonly string[]) =>
  calls
    .filter((call) => call.startsWith("GET /api/topology?"))
    .map((call) => Object.fromEntries(new URL(call.split(" ")[1]!, "http://x").searchParams));

const shop = component("shop", {
  health: "unhealthy",
  status: "degraded",
  status_reason: "orders is down",
  type: "System",
  children: ["id-orders"],
  summary: { healthy: 2, unhealthy: 1, checks: { healthy: 4 }, insights: { cost: { low: 2 } } },
  properties: Array.from({ length: 6 }, (_, index) => ({ name: `p${index}`, text: `t${index}` })),
  components: [component("orders", { health: "unhealthy", status: "CrashLoopBackOff" })],
});

test("a card says how a component is, to whoever sees it and to whoever does not", async () => {
  const { user } = show([shop]);
  const link = await screen.findByRole("link", {
    name: "shop. Unhealthy, degraded. orders is down. System. 3 components: 1 unhealthy, 2 healthy. 4 checks: 4 healthy. 2 insights: 2 medium",
  });
  expect(link.getAttribute("href")).toBe("/topology/id-shop");
  const card = link.closest("article")!;
  expect(card.className).toContain("border-unhealthy");
  expect(within(card).getByRole("link", { name: "orders" })).toBeTruthy();
  // Five at first.
  expect(within(card).queryByText("t4")).toBeTruthy();
  expect(within(card).queryByText("t5")).toBeNull();
  await user.click(within(card).getByRole("button", { name: "show more ..." }));
  expect(within(card).getByText("t5")).toBeTruthy();
});

test("filters and the sort stand in the address and are asked of the server", async () => {
  const address =
    "/topology?status=degraded:1,odd____a||||b:-1&type=All&team=Shop&labels=env=prod:1,env=test:-1&agent_id=a1";
  const { user, history, api } = show([shop, component("trial", { labels: { env: "test" } })], {
    address,
  });
  await screen.findByRole("link", { name: /^shop/ });
  expect(asked(api.calls)).toEqual([
    {
      status: "degraded,!odd%3Aa%2Cb",
      team: "Shop",
      labels: "env=prod",
      agent_id: "a1",
      sortBy: "status",
      sortOrder: "desc",
      hidden: "false",
      depth: "2",
    },
  ]);
  // The wire cannot exclude labels.
  expect(screen.queryByRole("link", { name: /^trial/ })).toBeNull();
  await user.click(screen.getByRole("button", { name: "Clear filters" }));
  expect(history.location.search).toBe("");
  await user.click(screen.getByRole("button", { name: "Type: All" }));
  await user.click(await screen.findByRole("button", { name: "Include System" }));
  await user.selectOptions(screen.getByRole("combobox", { name: "Sort" }), "field:p1");
  expect(history.location.search).toBe("?type=System%3A1&sortBy=field%3Ap1&sortOrder=asc");
  await waitFor(() =>
    expect(asked(api.calls).at(-1)).toEqual({
      type: "System",
      sortBy: "field:p1",
      sortOrder: "asc",
      flatten: "true",
      hidden: "false",
    }),
  );
  // The next visit begins with the last sort, and asks for what is hidden where that is wanted.
  cleanup();
  const next = show([shop]);
  await screen.findByRole("link", { name: /^shop/ });
  await next.user.click(screen.getByRole("button", { name: "Preferences" }));
  await next.user.click(await screen.findByRole("switch", { name: "Show hidden components" }));
  await waitFor(() =>
    expect(asked(next.api.calls)).toEqual([
      { sortBy: "field:p1", sortOrder: "asc", hidden: "false", depth: "2" },
      { sortBy: "field:p1", sortOrder: "asc", depth: "2" },
    ]),
  );
});

test("as a graph: everything that there is is asked for in brief, and what the filters find of it", async () => {
  const worker = vi.fn();
  // Nothing is laid out here: that the cards are handed to it is what is looked at.
  vi.stubGlobal(
    "Worker",
    class extends EventTarget {
      postMessage = worker;
      terminate = () => {};
    },
  );
  const orders = component("orders", { parents: ["id-shop"], health: "unhealthy" });
  const { user, history, api } = show([{ ...shop, components: undefined }, orders], {
    address: "/topology?labels=env=prod:1",
  });
  await screen.findByRole("link", { name: /^shop/ });
  await user.click(screen.getByRole("radio", { name: "Graph" }));
  expect(history.location.search).toContain("view=graph");
  await waitFor(() => expect(worker).toHaveBeenCalled());
  const { boxes } = worker.mock.lastCall![0] as { boxes: { id: string }[] };
  expect(boxes.map(({ id }) => id)).toEqual(["id-shop", "id-orders"]);
  expect(
    asked(api.calls)
      .slice(1)
      .map(({ labels, brief, flatten, hidden, depth }) => [labels, brief, flatten, hidden, depth]),
  ).toEqual([
    [undefined, "true", "true", "false", undefined],
    ["env=prod", "true", "true", "false", undefined],
  ]);
  await user.click(screen.getByRole("radio", { name: "Cards" }));
  const link = await screen.findByRole("link", { name: /^orders/ });
  expect(link.getAttribute("href")).toBe("/topology/id-orders");
});

test("looks back: cards as they were, what is gone since, and on from turn to turn", async () => {
  const now = Date.now();
  const at = (minutesAgo: number) => new Date(now - minutesAgo * 60_000).toISOString();
  const states = (asOf: string | null) => {
    const isEarly = Date.parse(asOf ?? "") < now - 60 * 60_000;
    return {
      at: asOf,
      since: at(600),
      components: [
        { id: "id-shop", health: isEarly ? "healthy" : "warning", status: "x", since: at(600) },
        {
          id: "id-lost",
          health: "unhealthy",
          status: "down",
          since: at(600),
          gone: { name: "lost", type: "System" },
        },
      ],
    };
  };
  const { user, history } = show([shop, component("young")], {
    answers: {
      "GET /api/topology/states": ({ url }) => ({ body: states(url.searchParams.get("at")) }),
      "GET /api/topology/states/turns": ({ url }) => ({
        body: {
          from: url.searchParams.get("from"),
          to: url.searchParams.get("to"),
          stepMs: 60_000,
          since: at(600),
          turns: [
            { at: at(300), warning: 1 },
            { at: at(30), unhealthy: 2, healthy: 1 },
          ],
        },
      }),
    },
  });
  await screen.findByRole("link", { name: /^shop/ });
  await user.click(screen.getByRole("button", { name: "Look back" }));
  const slider = await screen.findByRole("slider", { name: /^Moment/ });
  expect(screen.getByText(/This is now/)).toBeTruthy();
  await waitFor(() =>
    expect(screen.getByRole("button", { name: "Previous turn" })).toHaveProperty("disabled", false),
  );
  await user.click(screen.getByRole("button", { name: "Previous turn" }));
  expect(new URLSearchParams(history.location.search).get("at")).toBe(at(29));
  expect(await screen.findByText(/this is the past/)).toBeTruthy();
  expect(slider.getAttribute("aria-valuetext")).toContain("2 turned unhealthy, 1 healthy");
  // Who was not there is not there, who is gone is, and the rest is as it was.
  await screen.findByRole("link", { name: "shop. Warning, x. System" });
  expect(
    screen.getByRole("link", { name: "lost. Unhealthy, down. It is there no more. System" }),
  ).toBeTruthy();
  expect(screen.queryByRole("link", { name: /^young/ })).toBeNull();
  await user.click(screen.getByRole("button", { name: "Previous turn" }));
  const link = await screen.findByRole("link", { name: "shop. Healthy, x. System" });
  // The moment goes along.
  expect(link.getAttribute("href")).toContain(`at=${encodeURIComponent(at(299))}`);
  slider.focus();
  await user.keyboard("{Home}");
  expect(Date.parse(new URLSearchParams(history.location.search).get("at")!)).toBe(
    Date.parse(at(600)),
  );
  await user.keyboard("{End}");
  await waitFor(() => expect(history.location.search).toBe("?at=now"));
  await user.keyboard(" ");
  expect(await screen.findByRole("button", { name: "Pause" })).toBeTruthy();
  const begun = new URLSearchParams(history.location.search).get("at");
  await waitFor(
    () => expect(new URLSearchParams(history.location.search).get("at")).not.toBe(begun),
    { timeout: 3_000 },
  );
  await user.keyboard(" ");
  await user.click(screen.getByRole("button", { name: "Back to now" }));
  await screen.findByRole("link", { name: /^young/ });
});

test("one component: what hangs below it, where it stands, its details; [ leads up and ] on", async () => {
  const orders = component("orders", {
    path: "id-root",
    parent_id: "id-root",
    description: "Takes orders",
    components: [component("pod")],
    children: ["id-pod"],
  });
  const { user, history } = show(
    [orders, component("root", { components: [orders, component("mail")] })],
    { address: "/topology/id-orders" },
  );
  expect(await screen.findByRole("link", { name: /^pod/ })).toBeTruthy();
  const crumbs = screen.getByRole("navigation", { name: "Breadcrumb" });
  await waitFor(() => expect(crumbs.textContent).toBe("Topology/root/orders"));
  expect(await screen.findByText("Takes orders")).toBeTruthy();
  const details = screen.getByRole("button", { name: "Details", expanded: true });
  await user.click(details);
  expect(screen.queryByText("Takes orders")).toBeNull();
  expect(history.location.search).toBe("?panel=none");
  await user.keyboard("]");
  await waitFor(() => expect(history.location.pathname).toBe("/topology/id-mail"));
  history.back();
  await screen.findByRole("link", { name: /^pod/ });
  await user.keyboard("[[");
  await waitFor(() => expect(history.location.pathname).toBe("/topology/id-root"));
});

test("of two thousand cards those in view are drawn, and arrows reach the others", async () => {
  const { user } = show(many(2_000));
  const first = await screen.findByRole("link", { name: /^c0000/ });
  const items = within(screen.getByRole("list", { name: "Components" })).getAllByRole("listitem");
  expect(items.length).toBeLessThan(60);
  expect(items[0]!.getAttribute("aria-setsize")).toBe("2000");
  first.focus();
  const at = () => document.activeElement?.getAttribute("data-card");
  await user.keyboard("{ArrowRight}{ArrowDown}");
  expect(at()).toBe("id-c0004");
  await user.keyboard("{ArrowLeft}{ArrowUp}{ArrowUp}");
  expect(at()).toBe("id-c0000");
  // One card is in the order of Tab.
  expect(document.querySelectorAll('[data-card][tabindex="0"]').length).toBe(1);
});

test.each<[string, string, readonly object[], string]>([
  ["nothing", "/topology", [], "There are no components matching this criteria"],
  ["nothing by a filter", "/topology?status=odd", [], "None matches the filters."],
  ["no such component", "/topology/id-gone", [shop], "Component not found"],
  [
    "several of one id",
    "/topology/id-s",
    [shop, component("s2")],
    "Response has multiple components for the id.",
  ],
  ["no such component, alone", "/view/topology/id-gone", [shop], "Component not found"],
])("%s is said", async (_what, address, components, words) => {
  show(components, { address });
  expect(await screen.findByText(words)).toBeTruthy();
});

test("a failure is said, and asked about again; what was known stays when nothing has changed", async () => {
  let isDown = true;
  const { user, api } = show([shop], {
    answers: {
      "GET /api/topology": ({ headers }) =>
        isDown
          ? { status: 503, body: { message: "Busy." } }
          : headers.get("if-none-match") === '"7"'
            ? { status: 304 }
            : { body: { components: [shop] }, headers: { etag: '"7"' } },
    },
  });
  expect(await screen.findByText("Unable to load components!")).toBeTruthy();
  expect(screen.getByText("Busy.")).toBeTruthy();
  isDown = false;
  await user.click(screen.getByRole("button", { name: "Try again" }));
  await screen.findByRole("link", { name: /^shop/ });
  const before = api.calls.length;
  await user.click(screen.getByRole("button", { name: "Refresh" }));
  await waitFor(() => expect(api.calls.length).toBe(before + 1));
  expect(screen.getByRole("link", { name: /^shop/ })).toBeTruthy();
});

test.each([
  ["", 258],
  ["?size=small", 198],
  ["?size=extra_large", 554],
  ["?size=odd", 258],
])("a card by itself with %j is %d wide", async (search, width) => {
  show([shop], { address: `/view/topology/id-shop${search}` });
  const link = await screen.findByRole("link", { name: /^shop/ });
  expect(link.closest("article")!.parentElement!.style.width).toBe(`${width}px`);
});
