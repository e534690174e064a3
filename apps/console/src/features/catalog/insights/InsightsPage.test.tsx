// @vitest-environment happy-dom
import { cleanup, screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { fakeApi, type FakeRoute } from "../../../testing/fake-api.ts";
import { renderPage } from "../../../testing/render-page.tsx";
import { InsightsTab } from "./InsightList.tsx";
import { InsightsPage } from "./InsightsPage.tsx";
import { insightsCodec } from "./view.ts";

const item = { id: "i1", name: "web", type: "Kubernetes::Pod", config_class: "Pod" };
const found = (id: string, changes: object = {}) => ({
  id,
  analysis_type: "security",
  analyzer: `rule-${id}`,
  severity: "critical",
  status: "open",
  summary: "the image is old",
  first_observed: "2026-01-01T00:00:00Z",
  last_observed: "2026-01-02T00:00:00Z",
  config: item,
  ...changes,
});
const whole = {
  ...found("a1"),
  config_id: "i1",
  source: "trivy",
  message: "<p>Update <b>now</b><script>alert(1)</script></p>",
  analysis: { cve: "CVE-2026-1" },
  properties: null,
};

let asked: URLSearchParams[];
let routes: Record<string, FakeRoute>;

beforeEach(() => {
  localStorage.clear();
  asked = [];
  ({ routes } = fakeApi({
    "GET /api/db/config_analysis_items": ({ url }) => {
      asked.push(url.searchParams);
      return {
        body: [found("a1"), found("a2", { severity: "warning", status: "silenced" })],
        headers: { "content-range": "0-49/101" },
      };
    },
    "GET /api/db/config_analysis": () => ({ body: [whole] }),
    "GET /api/db/config_analysis_analyzers": () => ({ body: [{ analyzer: "rule-a1" }] }),
    "GET /api/db/config_types": () => ({ body: [{ type: "Kubernetes::Pod" }] }),
    "GET /api/db/components": () => ({ body: [{ id: "k1", name: "shop" }] }),
    "GET /api/db/config_component_relationships": () => ({
      body: [{ config_id: "i1" }, { config_id: "i2" }],
    }),
  }));
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const show = (search = "") =>
  renderPage(InsightsPage, { path: "/catalog/insights", address: `/catalog/insights${search}` });
const last = () => Object.fromEntries(asked.at(-1)!);
const usual = {
  select:
    "id,analysis_type,analyzer,severity,status,summary,first_observed,last_observed,config:configs(id,name,config_class,type)",
  order: "first_observed.desc,id.desc",
  limit: "50",
  offset: "0",
};

test("insights are listed, the newest first, with all that is known of them at a glance", async () => {
  show();
  const table = await screen.findByRole("grid", { name: "insights" });
  expect(
    within(table)
      .getAllByRole("columnheader")
      .map(({ textContent }) => textContent),
  ).toEqual([
    "Catalog",
    "Type",
    "Analyzer",
    "Severity",
    "Status",
    "First Observed",
    "Last Observed",
  ]);
  const row = await within(table).findByRole("row", {
    name: /web.*Security.*rule-a1.*critical.*open/,
  });
  expect(within(row).getByRole("link", { name: "web" }).getAttribute("href")).toBe("/catalog/i1");
  expect(last()).toEqual(usual);
  expect(screen.getByText("of 3")).toBeTruthy();
});

test.each<[string, Record<string, string>]>([
  ["?status=open&severity=HIGH", { status: "eq.open", severity: "eq.high" }],
  ["?type=technicalDebt", { analysis_type: "eq.technical_debt" }],
  ["?analyzer=a%20b&configType=AWS::S3", { analyzer: "eq.a b", config_type: "eq.AWS::S3" }],
  ["?component=k1", { config_id: "in.(i1,i2)" }],
  ["?query=severity%3E%3Dhigh%20old", { search: "severity>=high old" }],
  ["?sortBy=last_observed&sortOrder=asc", { order: "last_observed.asc,id.asc" }],
  ["?pageSize=100&pageIndex=2", { limit: "100", offset: "200" }],
  ["?status=bad&severity=bad&type=bad&sortBy=analyzer", {}],
])("%s is asked of the server", async (search, expected) => {
  show(search);
  await screen.findByText("rule-a2");
  expect(last()).toEqual({ ...usual, ...expected });
});

test("a component without items has no insights, and nothing is asked for", async () => {
  routes["GET /api/db/config_component_relationships"] = () => ({ body: [] });
  show("?component=k1");
  expect(await screen.findByText("Nothing matches what is searched for.")).toBeTruthy();
  expect(asked).toEqual([]);
});

test("filters stand in the address", async () => {
  const { user, history } = show("?pageIndex=1");
  await screen.findByText("rule-a2");
  await user.selectOptions(screen.getByLabelText("Type"), "Technical debt");
  await user.selectOptions(screen.getByLabelText("Severity"), "critical");
  await user.selectOptions(screen.getByLabelText("Status"), "open");
  await user.selectOptions(screen.getByLabelText("Analyzer"), "rule-a1");
  await user.selectOptions(screen.getByLabelText("Catalog type"), "Kubernetes::Pod");
  await user.selectOptions(await screen.findByLabelText("Component"), "shop");
  expect(Object.fromEntries(new URLSearchParams(history.location.search))).toEqual({
    type: "technical_debt",
    severity: "critical",
    status: "open",
    analyzer: "rule-a1",
    configType: "Kubernetes::Pod",
    component: "k1",
  });
});

test("a search in the address that cannot be read is said, and nothing is asked", async () => {
  show("?query=name%3D");
  expect(await screen.findByText("This search cannot be answered")).toBeTruthy();
  expect(asked).toEqual([]);
});

test("what is shown is saved under a name, and shown again", async () => {
  let views: object[] = [];
  routes["GET /api/saved-views"] = () => ({ body: { views } });
  routes["POST /api/saved-views"] = ({ body }) => {
    views = [{ id: "v1", ...(body as object) }];
    return { status: 201, body: views[0] };
  };
  const { user, history } = show("?query=severity%3E%3Dhigh&status=open&pageIndex=2");
  await user.click(await screen.findByRole("button", { name: "Views" }));
  await user.type(await screen.findByLabelText("Save what is shown as"), "Open ones{Enter}");
  expect(await screen.findByRole("list", { name: "Saved views" })).toBeTruthy();
  expect(views).toEqual([
    {
      id: "v1",
      page: "catalog-insights",
      name: "Open ones",
      search: "?query=severity%3E%3Dhigh&status=open",
      is_default: false,
    },
  ]);
  await user.keyboard("{Escape}");
  await user.selectOptions(screen.getByLabelText("Status"), "All");
  await waitFor(() => expect(last()).not.toHaveProperty("status"));
  await user.click(screen.getByRole("button", { name: "Views" }));
  await user.click(await screen.findByRole("button", { name: "Open ones" }));
  await waitFor(() =>
    expect(last()).toMatchObject({ search: "severity>=high", status: "eq.open" }),
  );
  expect(history.location.search).toBe("?query=severity%3E%3Dhigh&status=open");
});

test("one insight is opened with what its analyzer says, and with nothing that it may not say", async () => {
  const { user, history } = show();
  const table = await screen.findByRole("grid", { name: "insights" });
  await user.click(await within(table).findByText("rule-a1"));
  const dialog = await screen.findByRole("dialog", { name: "Insight rule-a1 of web" });
  expect((await within(dialog).findByText("now")).tagName).toBe("STRONG");
  expect(dialog.querySelector("script")).toBeNull();
  expect(await within(dialog).findByText(/CVE-2026-1/)).toBeTruthy();
  expect(within(dialog).getByText("trivy")).toBeTruthy();
  const before = within(dialog).getByRole("link", { name: "What changed before this" });
  expect(before.getAttribute("href")).toContain("upstream=true");
  await user.keyboard("j");
  await waitFor(() => expect(history.location.search).toBe("?insight=a2"));
  await user.keyboard("{Escape}");
  await waitFor(() => expect(history.location.search).toBe(""));
});

test("an insight that is gone says so, and what cannot be loaded too", async () => {
  routes["GET /api/db/config_analysis"] = () => ({ body: [] });
  show("?insight=gone");
  expect(await screen.findByText("There is no such insight")).toBeTruthy();
  cleanup();
  routes["GET /api/db/config_analysis_items"] = () => ({ status: 503, body: { message: "no" } });
  show();
  expect(await screen.findByText("The insights could not be loaded")).toBeTruthy();
});

test("of one item its own are asked for, without what says whose they are", async () => {
  renderPage(() => <InsightsTab item={{ id: "i1" }} />, { path: "/x", address: "/x" });
  await screen.findByText("rule-a2");
  expect(last()).toEqual({ ...usual, config_id: "eq.i1" });
  expect(screen.queryByRole("columnheader", { name: "Catalog" })).toBeNull();
  expect(screen.queryByLabelText("Component")).toBeNull();
});

test.each<Record<string, string>>([
  {},
  { status: "open", severity: "high", type: "cost", configType: "a::b", analyzer: "x" },
  { component: "k1", insight: "a1", pageSize: "100", pageIndex: "3" },
  { sortBy: "first_observed", sortOrder: "asc", query: "type=cost old" },
])("the address %j stays as it is", (raw) => {
  const written = Object.entries(insightsCodec.format(insightsCodec.parse(raw))).filter(
    ([, text]) => text !== undefined,
  );
  expect(Object.fromEntries(written)).toEqual(raw);
});
