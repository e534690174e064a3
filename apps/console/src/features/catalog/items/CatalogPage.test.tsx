// @vitest-environment happy-dom
import { cleanup, screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { fakeApi, type FakeRoute } from "../../../testing/fake-api.ts";
import { renderPage } from "../../../testing/render-page.tsx";
import { setHideDeleted } from "../shared/hide-deleted.ts";
import { CatalogPage } from "./CatalogPage.tsx";

beforeEach(() => {
  localStorage.clear();
  setHideDeleted(true);
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const at = new Date(Date.now() - 90 * 60_000).toISOString();
const pod = (n: number) => ({
  id: `p${n}`,
  name: `pod-${String(n).padStart(5, "0")}`,
  type: "Kubernetes::Pod",
  config_class: "Pod",
  status: "Running",
  health: "healthy",
  description: null,
  labels: { app: "web" },
  tags: { namespace: "shop" },
  created_at: at,
  updated_at: at,
  deleted_at: n === 1 ? at : null,
  last_scraped_time: n === 2 ? at : new Date().toISOString(),
  cost_total_1d: n === 3 ? 20 : null,
  cost_total_7d: null,
  cost_total_30d: n === 3 ? 300 : null,
  changes: n === 3 ? [{ change_type: "diff", severity: "info", total: 1234 }] : null,
  analysis: n === 3 ? { security: 2 } : null,
  agent: null,
});

interface Shown {
  address: string;
  total?: number;
  groups?: readonly object[];
  answers?: Record<string, FakeRoute>;
  properties?: readonly { name: string; value: string }[];
}

function show({ address, total = 0, groups = [], answers = {}, properties = [] }: Shown) {
  const api = fakeApi({
    "POST /api/catalog/summary": () => ({ body: groups }),
    "GET /api/db/configs": ({ url }) => {
      const query = url.searchParams;
      const ids = /^in\.\((.*)\)$/.exec(query.get("id") ?? "")?.[1]?.split(",");
      const [offset, limit] = [Number(query.get("offset") ?? 0), Number(query.get("limit") ?? 1e9)];
      const rows =
        ids?.map((id) => pod(Number(id.slice(1)))) ??
        Array.from({ length: Math.max(0, Math.min(limit, total - offset)) }, (_, n) =>
          pod(offset + n),
        );
      return { body: rows, headers: { "content-range": `0-0/${total}` } };
    },
    "GET /api/db/config_analysis": () => ({
      body: [
        { config_id: "p3", analysis_type: "security", severity: "critical" },
        { config_id: "p3", analysis_type: "security", severity: "low" },
      ],
    }),
    "GET /api/db/config_types": () => ({ body: [{ type: "Kubernetes::Pod" }] }),
    "GET /api/db/config_statuses": () => ({ body: [{ status: "Running" }] }),
    "GET /api/db/config_tags": () => ({ body: [{ key: "namespace", value: "shop" }] }),
    "GET /api/db/config_labels": () => ({ body: [{ key: "app", value: "web" }] }),
    "GET /api/db/config_scrapers_with_status": () => ({ body: [] }),
    ...answers,
  });
  return {
    api,
    ...renderPage(CatalogPage, { path: "/catalog", address, session: { properties } }),
  };
}
const asked = (calls: readonly string[], path: string) =>
  calls
    .filter((call) => call.includes(path))
    .map((call) => new URL(call.split(" ")[1]!, "http://x").searchParams);

const groups = [
  {
    type: "Kubernetes::Pod",
    count: 1200,
    health: { healthy: 1000, unhealthy: 200 },
    created_at: at,
    updated_at: at,
    changes: 501,
    analysis: { security: 3 },
    analysis_severity: { security: { high: 1, low: 2 } },
    cost_total_1d: 20,
    cost_total_30d: 300,
  },
];

test("without a type and a search, numbers of each type; a type leads to its items", async () => {
  const { user, history, api } = show({ address: "/catalog", groups, total: 1200 });
  const row = (await screen.findByText("Kubernetes::Pod", { selector: "bdi" })).closest("tr")!;
  expect(
    within(row).getByRole("img", { name: "1,000 healthy, 200 unhealthy of 1,200" }),
  ).toBeTruthy();
  expect(within(row).getByText("501").className).toContain("unhealthy");
  expect(
    within(row).getByRole("img", { name: "Insights. Security: 3 (1 high, 2 low)" }),
  ).toBeTruthy();
  expect(within(row).getByText("+100%")).toBeTruthy();
  expect(screen.getByText("1,200 items")).toBeTruthy();
  await user.click(row);
  await waitFor(() => expect(history.location.search).toBe("?configType=Kubernetes%3A%3APod"));
  expect(await screen.findByText("pod-00000")).toBeTruthy();
  const first = asked(api.calls, "/configs").find((query) => query.get("limit") === "200")!;
  expect(first.get("type")).toBe("eq.Kubernetes::Pod");
  expect(first.get("deleted_at")).toBe("is.null");
  expect(first.get("order")).toBe("type.asc,name.asc,id.asc");
});

test("a hundred thousand items are read by windows, those deep down by their ids", async () => {
  const { api } = show({ address: "/catalog?configType=Kubernetes::Pod", total: 100_000 });
  const table = await screen.findByRole("grid", { name: "catalog" });
  await screen.findByText("pod-00000");
  expect(table.getAttribute("aria-rowcount")).toBe("100001");
  // Levels are for trees.
  expect(table.querySelector("[aria-level]")).toBeNull();
  expect(screen.getByText("100,000 items")).toBeTruthy();
  const scroller = table.parentElement!;
  window.dispatchEvent(new Event("wheel"));
  await vi.waitFor(() => {
    scroller.scrollTop = 37 * 50_000;
    scroller.dispatchEvent(new Event("scroll"));
    expect(screen.getByText("pod-50000")).toBeTruthy();
  }, 10_000);
  const windows = asked(api.calls, "/configs").filter((query) => query.get("limit") === "200");
  const deep = windows.filter((query) => query.get("offset") === "50000");
  expect(deep.map((query) => query.get("select"))).toEqual(["id"]);
  // Of all of them, only what was seen was asked for.
  expect(windows.length).toBeLessThan(8);
});

test("what could not be counted is listed all the same, to its end", async () => {
  const total = 450;
  const { promise: counting, resolve: answer } = Promise.withResolvers<{
    status: number;
    body: object;
  }>();
  show({
    address: "/catalog?search=config.spec.replicas%3E2",
    answers: {
      "GET /api/db/configs": ({ url }) => {
        const limit = Number(url.searchParams.get("limit"));
        if (limit === 0) return counting;
        const offset = Number(url.searchParams.get("offset") ?? 0);
        const many = Math.max(0, Math.min(limit, total - offset));
        return { body: Array.from({ length: many }, (_, n) => pod(offset + n)) };
      },
    },
  });
  // Before it is counted.
  await screen.findByText("pod-00000");
  const table = screen.getByRole("grid", { name: "catalog" });
  expect(table.getAttribute("aria-rowcount")).toBe("202");
  expect(screen.queryByText(/items$/)).toBeNull();
  answer({ status: 504, body: { error: "The search took longer than 5 seconds." } });
  await screen.findByText(/could not be counted: The search took longer than 5 seconds\./);
  const scroller = table.parentElement!;
  window.dispatchEvent(new Event("wheel"));
  await vi.waitFor(() => {
    scroller.scrollTop = 37 * Number(table.getAttribute("aria-rowcount"));
    scroller.dispatchEvent(new Event("scroll"));
    expect(screen.getByText("pod-00449")).toBeTruthy();
  }, 10_000);
  expect(await screen.findByText("450 items")).toBeTruthy();
  expect(screen.queryByText(/could not be counted/)).toBeNull();
});

test("another search is listed before it is counted, from its first row, whatever the one before had", async () => {
  const sizes: Record<string, number> = { none: 0, many: 5_000, few: 10 };
  const { user } = show({
    address: "/catalog?search=none",
    answers: {
      "GET /api/db/configs": ({ url }) => {
        const query = url.searchParams;
        const [limit, search] = [Number(query.get("limit")), query.get("search")!];
        if (limit === 0)
          return search === "few"
            ? { status: 504, body: { error: "Too long." } }
            : search === "many"
              ? new Promise(() => {})
              : { body: [], headers: { "content-range": "*/0" } };
        const ids = /^in\.\((.*)\)$/.exec(query.get("id") ?? "")?.[1]?.split(",");
        const offset = Number(query.get("offset") ?? 0);
        const many = Math.max(0, Math.min(limit, (sizes[search] ?? 0) - offset));
        return {
          body:
            ids?.map((id) => pod(Number(id.slice(1)))) ??
            Array.from({ length: many }, (_, n) => pod(offset + n)),
        };
      },
    },
  });
  await screen.findByText(/No item of the catalog matches/);
  // At once: what is deleted first would be the catalog as a whole in between.
  const search = async (text: string) => {
    await user.tripleClick(screen.getByRole("combobox", { name: "Search the catalog" }));
    await user.paste(text);
  };
  await search("many");
  await screen.findByText("pod-00000", {}, { timeout: 10_000 });
  const table = screen.getByRole("grid", { name: "catalog" });
  const scroller = table.parentElement!;
  window.dispatchEvent(new Event("wheel"));
  await vi.waitFor(() => {
    scroller.scrollTop = 37 * 500;
    scroller.dispatchEvent(new Event("scroll"));
    expect(screen.getByText("pod-00500")).toBeTruthy();
  }, 10_000);
  await search("few");
  expect(await screen.findByText("10 items", {}, { timeout: 10_000 })).toBeTruthy();
  const rows = within(screen.getByRole("grid", { name: "catalog" })).getAllByText(/^pod-/);
  expect(rows.map(({ textContent }) => textContent)).toEqual(
    Array.from({ length: 10 }, (_, n) => pod(n).name),
  );
});

test("a row says what is stale, gone, changed, found and paid", async () => {
  setHideDeleted(false);
  const { user, history } = show({ address: "/catalog?configType=Kubernetes::Pod", total: 4 });
  const row = async (name: string) => (await screen.findByText(name)).closest("tr")!;
  expect(within(await row("pod-00001")).getByText(/^Deleted/)).toBeTruthy();
  expect(
    within(await row("pod-00002")).getByText("Last scraped more than 1 hour ago"),
  ).toBeTruthy();
  const third = within(await row("pod-00003"));
  expect(third.getByText("1k+").dataset["tooltip"]).toContain(
    "1,234 changes in 30 days\n1234 diff",
  );
  expect(
    third.getByRole("img", { name: "Insights. Security: 2 (1 critical, 1 low)" }),
  ).toBeTruthy();
  expect(third.getByText("$20")).toBeTruthy();
  await user.click(await row("pod-00003"));
  expect(history.location.pathname).toBe("/catalog/p3");
});

test("a search is asked when typing pauses, and is in the address", async () => {
  const { user, history, api } = show({ address: "/catalog", groups, total: 3 });
  const field = await box();
  await user.type(field, "web");
  await screen.findByText("pod-00000");
  expect(history.location.search).toBe("?search=web");
  const searches = asked(api.calls, "/configs").map((query) => query.get("search"));
  expect(new Set(searches)).toEqual(new Set(["web"]));
  // It stays where it was typed, though the table is another.
  expect(document.activeElement).toBe(field);
});

const box = () => screen.findByRole("combobox", { name: "Search the catalog" });

test("fields, keys and values are completed with the keyboard, with how many there are", async () => {
  const { user, history, api } = show({
    address: "/catalog",
    groups,
    total: 3,
    answers: {
      "GET /api/db/config_tags": ({ url }) => ({
        body: url.searchParams.get("key")?.startsWith("eq.")
          ? [{ key: "cluster", value: "prod 1", items: 7 }]
          : [
              { key: "cluster", value: "prod 1" },
              { key: "cluster", value: "x" },
            ],
      }),
    },
  });
  const field = await box();
  await user.type(field, "hea");
  expect(await screen.findByRole("option", { name: /^health/ })).toBeTruthy();
  await user.keyboard("{Tab}");
  expect((field as HTMLInputElement).value).toBe("health=");
  expect(await screen.findByRole("option", { name: "healthy 1,000" })).toBeTruthy();
  await user.keyboard("{ArrowDown}{ArrowDown}{ArrowDown}");
  const list = screen.getByRole("listbox", { name: "Suggestions" });
  const chosen = within(list).getByRole("option", { selected: true });
  expect(chosen.textContent).toBe("unhealthy200");
  expect(field.getAttribute("aria-activedescendant")).toBe(chosen.id);
  await user.keyboard("{Enter}");
  expect((field as HTMLInputElement).value).toBe("health=unhealthy ");
  await user.type(field, "tag:cl");
  await user.click(await screen.findByRole("option", { name: "cluster" }));
  await user.click(await screen.findByRole("option", { name: "prod 1 7" }));
  expect((field as HTMLInputElement).value).toBe('health=unhealthy tag:cluster="prod 1" ');
  await user.keyboard("{Escape}");
  expect(screen.queryByRole("listbox", { name: "Suggestions" })).toBeNull();
  await user.keyboard("{Enter}");
  await waitFor(() =>
    expect(asked(api.calls, "/configs").at(-1)?.get("search")).toBe(
      'health=unhealthy tag:cluster="prod 1"',
    ),
  );
  expect(new URLSearchParams(history.location.search).get("search")).toBe(
    'health=unhealthy tag:cluster="prod 1" ',
  );
  // It is offered again where nothing stands.
  await user.clear(field);
  await user.keyboard("{ArrowDown}");
  expect(
    await screen.findByRole("option", { name: 'health=unhealthy tag:cluster="prod 1"' }),
  ).toBeTruthy();
});

test("a name that is almost that of a field is told, and what is being written is no mistake", async () => {
  const { user } = show({ address: "/catalog", groups, total: 3 });
  await user.click(await box());
  // There before its text: only what changes in it is read out.
  const status = (await screen.findByRole("button", { name: "How to search" }))
    .closest(".relative")!
    .querySelector("[role=status]");
  expect(status?.textContent).toBe("");
  await user.keyboard("tpye=pod health=");
  expect(await screen.findByText('"tpye" is no field. Is "type" meant?')).toBe(status);
  expect(screen.getByRole("option", { name: /^unhealthy/ })).toBeTruthy();
  expect(screen.queryByText(/but the text ends/)).toBeNull();
});

test("what cannot be read is pointed at and not asked; what the server refuses is said", async () => {
  const { user, history, api } = show({ address: "/catalog?search=web", groups, total: 3 });
  const field = await box();
  await screen.findByText("pod-00000");
  const before = api.calls.length;
  await user.click(field);
  await user.keyboard("{End} name=");
  expect(
    await screen.findByText('Expected a value after "name=", but the text ends.'),
  ).toBeTruthy();
  expect(field.getAttribute("aria-invalid")).toBe("true");
  await user.keyboard("{Enter}");
  expect(history.location.search).toBe("?search=web");
  expect(asked(api.calls.slice(before), "/configs")).toEqual([]);
  cleanup();
  const written = show({ address: "/catalog?search=name%3D", groups, total: 3 });
  expect(await screen.findByText("This search cannot be answered")).toBeTruthy();
  expect(
    screen.getByText('search, character 6: expected a value after "name=", but the text ends.'),
  ).toBeTruthy();
  expect(asked(written.api.calls, "/configs")).toEqual([]);
  cleanup();
  show({
    address: "/catalog?search=cost>much",
    answers: {
      "GET /api/db/configs": () => ({
        status: 400,
        body: { error: "search, character 6: cost> needs a number.", issues: [] },
      }),
    },
  });
  expect(await screen.findByText("This search cannot be answered")).toBeTruthy();
  expect(screen.getByText("search, character 6: cost> needs a number.")).toBeTruthy();
});

test("labels are searched on the server, and have three states", async () => {
  const { user, history, api } = show({ address: "/catalog", groups });
  await user.click(await screen.findByRole("button", { name: "Labels: All" }));
  const choice = await screen.findByRole("group", { name: "app=web" });
  await user.click(within(choice).getByRole("button", { name: /exclude/i }));
  await waitFor(() => expect(history.location.search).toContain("labels=app%3Dweb%3A-1"));
  await user.type(screen.getByRole("searchbox", { name: "Search labels and tags" }), "we");
  await waitFor(() =>
    expect(asked(api.calls, "/config_labels").at(-1)?.get("or")).toBe(
      '(key.ilike."*we*",value.ilike."*we*")',
    ),
  );
});

test("what is deleted is hidden, and shown to who prefers that", async () => {
  const bodies: unknown[] = [];
  const answers: Record<string, FakeRoute> = {
    "POST /api/catalog/summary": ({ body }) => {
      bodies.push(body);
      return { body: groups };
    },
  };
  const { user } = show({ address: "/catalog?groupBy=namespace__tag", answers });
  await user.click(await screen.findByRole("button", { name: "Preferences" }));
  await user.click(await screen.findByRole("switch", { name: "Hide Deleted Catalog" }));
  await waitFor(() => expect(bodies).toHaveLength(2));
  const rest = {
    groupBy: ["namespace", "type"],
    changes: { since: "30d" },
    analysis: { since: "30d" },
    cost: "30d",
  };
  expect(bodies).toEqual([
    { ...rest, deleted: false },
    { ...rest, deleted: true },
  ]);
});

test("costs can be switched off", async () => {
  show({
    address: "/catalog",
    groups,
    properties: [{ name: "config.cost.disable", value: "true" }],
  });
  await screen.findByText("Kubernetes::Pod", { selector: "bdi" });
  expect(screen.queryByText("Cost 30d")).toBeNull();
});

test("more than can be grouped says so", async () => {
  show({ address: "/catalog?groupBy=name", total: 6_000 });
  expect(
    await screen.findByText(/^Only the first 5,000 of 6,000 items are grouped\./),
  ).toBeTruthy();
});

test("groups of items that could not be counted are there, and it is said", async () => {
  show({
    address: "/catalog?groupBy=name",
    answers: {
      "GET /api/db/configs": ({ url }) =>
        url.searchParams.get("limit") === "0"
          ? { status: 504, body: { error: "Too long." } }
          : { body: [pod(1)] },
    },
  });
  expect(
    await screen.findByText("How many there are could not be counted: Too long."),
  ).toBeTruthy();
  expect((await screen.findAllByText(/^pod-0000/)).length).toBeGreaterThan(0);
});

test("an empty catalog says how it is filled; a search that finds nothing, how to see more", async () => {
  const { user, history } = show({ address: "/catalog?search=nowhere" });
  await screen.findByText("No item of the catalog matches the search and the filters.");
  await user.click(screen.getAllByRole("button", { name: "Clear filters" })[0]!);
  expect(history.location.search).toBe("");
  await screen.findByText("The catalog is empty");
  expect(screen.getByRole("link", { name: "Add a scraper" })).toBeTruthy();
});

test("what could not be loaded is said, and asked for again", async () => {
  let isDown = true;
  const { user } = show({
    address: "/catalog",
    answers: {
      "POST /api/catalog/summary": () =>
        isDown ? { status: 500, body: { error: "no disk" } } : { body: groups },
    },
  });
  await screen.findByText("The catalog could not be loaded");
  isDown = false;
  await user.click(screen.getByRole("button", { name: /try again/i }));
  expect(await screen.findByText("Kubernetes::Pod", { selector: "bdi" })).toBeTruthy();
});

test("what is shown is saved with its search and columns, and a default view opens the catalog", async () => {
  const saved: { page: string; search: string }[] = [];
  const { user, history } = show({
    address: "/catalog",
    total: 3,
    answers: {
      "GET /api/saved-views": ({ url }) => ({
        body: {
          views:
            url.searchParams.get("page") === "catalog"
              ? [
                  {
                    id: "v",
                    name: "Sick",
                    search: "search=health!%3Dhealthy&x=1",
                    is_default: true,
                  },
                ]
              : [],
        },
      }),
      "POST /api/saved-views": ({ body }) => {
        saved.push(body as { page: string; search: string });
        return { status: 201, body };
      },
    },
  });
  await screen.findByText("pod-00000");
  expect(history.location.search).toBe("?search=health%21%3Dhealthy");
  await user.click(screen.getByRole("button", { name: "Views" }));
  await user.type(
    await screen.findByRole("textbox", { name: "Save what is shown as" }),
    "Mine{Enter}",
  );
  await waitFor(() => expect(saved).toHaveLength(1));
  const search = Object.fromEntries(new URLSearchParams(saved[0]!.search));
  expect(saved[0]!.page).toBe("catalog");
  expect(search).toEqual({
    search: "health!=healthy",
    columns: expect.stringContaining("health") as string,
  });
});
