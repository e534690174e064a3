// @vitest-environment happy-dom
import { cleanup, screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { fakeApi, type FakeRoute } from "../../../testing/fake-api.ts";
import { renderPage } from "../../../testing/render-page.tsx";
import { catalog } from "../index.ts";
import { ScraperPage } from "./ScraperPage.tsx";
import { ScrapersPage } from "./ScrapersPage.tsx";

vi.mock("@mainstay/ui/yaml-editor/YamlEditor.tsx", () => ({
  YamlEditor: ({ label, value }: { label: string; value: string }) => (
    <textarea aria-label={label} readOnly value={value} />
  ),
}));

beforeEach(() => localStorage.clear());
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const at = "2026-01-01T00:00:00Z";
const row = {
  id: "s1",
  name: "machines",
  namespace: "default",
  spec: { schedule: "@every 10m", host: [{}], file: [{}, {}], retention: { staleItemAge: "1h" } },
  labels: null,
  source: "UI",
  created_at: at,
  updated_at: at,
  created_by: null,
  agent: null,
  job_name: "Scraper",
  job_status: "WARNING",
  job_details: { errors: ["host-0: no such host"] },
  job_success_count: 1234,
  job_error_count: 2,
  job_time_start: at,
  job_last_failed: null,
};
const text = "apiVersion: configs.flanksource.com/v1\nkind: ScrapeConfig\n";
const stored = {
  id: "s1",
  source: null,
  created_at: at,
  updated_at: at,
  document: { kind: "ScrapeConfig", metadata: { name: "machines", uid: "s1" }, spec: {} },
  text,
};

const declared = { documents: catalog.documents!, resources: catalog.resources! };

test("scrapers are listed with what they scrape, when, and what their last run found", async () => {
  const asked: URLSearchParams[] = [];
  fakeApi({
    "GET /api/db/config_scrapers_with_status": ({ url }) => {
      asked.push(url.searchParams);
      return { body: [row], headers: { "content-range": "0-0/1" } };
    },
  });
  const { user, history } = renderPage(ScrapersPage, {
    path: "/catalog/scrapers",
    address: "/catalog/scrapers",
    ...declared,
  });
  const line = (await screen.findByText("machines")).closest("tr")!;
  const shown = within(line);
  for (const words of ["host", "+1", "@every 10m", "1,234", "2"]) shown.getByText(words);
  expect(shown.getByText("+1").closest("[data-tooltip]")).toHaveProperty(
    "dataset.tooltip",
    "host\nfile",
  );
  expect(shown.getByText("file").className).toBe("sr-only");
  expect(asked[0]!.get("select")).toBe("*,created_by(id,name,avatar)");
  expect(screen.getByRole("link", { name: "Scrapers" }).getAttribute("aria-current")).toBe("page");
  await user.click(line);
  expect(history.location.pathname).toBe("/catalog/scrapers/s1");
});

const show = (
  answers: Record<string, FakeRoute>,
  roles: readonly ("admin" | "viewer")[] = ["admin"],
) => {
  const api = fakeApi({ "GET /api/documents/scraper/s1": () => ({ body: stored }), ...answers });
  return {
    api,
    ...renderPage(ScraperPage, {
      path: "/catalog/scrapers/$scraperId",
      address: "/catalog/scrapers/s1",
      session: { roles },
      ...declared,
    }),
  };
};

const run = (id: string, more: object) => ({
  id,
  created_at: at,
  status: "SUCCESS",
  success_count: 0,
  error_count: 0,
  details: null,
  ...more,
});

test.each([
  ["what it found", run("r2", { success_count: 1200 }), "machines found 1,200 items"],
  [
    "what went wrong",
    run("r2", { status: "FAILED", error_count: 3, details: { errors: ["no such folder"] } }),
    "machines found 0 items, with 3 errors: no such folder",
  ],
  [
    "how little went wrong",
    run("r2", { status: "WARNING", success_count: 2, error_count: 1, details: { errors: ["x"] } }),
    "machines found 2 items, with 1 error: x",
  ],
])("a run on demand is followed, and says %s", async (_what, ended, words) => {
  const runs = [run("r1", { success_count: 7 })];
  const { user, api } = show({
    "GET /api/db/job_histories": () => ({ body: runs.slice(-1) }),
    "POST /api/catalog/scrapers/s1/run": () => ({ status: 202, body: { id: "s1" } }),
  });
  await user.click(await screen.findByRole("button", { name: "Run now" }));
  // The run before it is not its result.
  await screen.findByText("Waiting for a worker");
  runs.push(run("r2", { status: "RUNNING", success_count: 800 }));
  await screen.findByText("800 items so far");
  runs.push(ended);
  await screen.findByText(words);
  await waitFor(() => expect(screen.getByRole("button", { name: "Run now" })).toBeTruthy());
  expect(api.calls.filter((call) => call.startsWith("POST"))).toHaveLength(1);
});

test("beside the document stands that the last run found something wrong", async () => {
  const failed = run("r1", { status: "FAILED", error_count: 1, details: { errors: ["refused"] } });
  show({ "GET /api/db/job_histories": () => ({ body: [failed] }) });
  const said = await screen.findByText(/^Its last run, /);
  expect(said.textContent).toMatch(/ had an error: refused\. Job history$/);
  expect(screen.getByRole("link", { name: "Job history" }).getAttribute("href")).toBe(
    "/catalog/scrapers/s1?tab=jobs",
  );
});

test("who may only look sees the document, and why they cannot run it", async () => {
  const { user, api } = show({}, ["viewer"]);
  const button = await screen.findByRole("button", { name: "Run now" });
  expect(button.getAttribute("aria-disabled")).toBe("true");
  await user.click(button);
  expect(api.calls.filter((call) => call.startsWith("POST"))).toEqual([]);
  expect(screen.queryByRole("button", { name: "Delete" })).toBeNull();
});

test("a text is tried before it is saved, and what it finds stands beside it", async () => {
  const asked: unknown[] = [];
  const item = { type: "Host::Machine", health: null, status: null, tags: {} };
  const { user } = show({
    "POST /api/catalog/scrapers/run/document": ({ body }) => {
      asked.push(body);
      return {
        body: {
          results: [
            {
              scraper: "default/machines",
              complete: false,
              found: { items: 240, changes: 1, insights: 1 },
              items: [
                {
                  ...item,
                  external_id: "m1",
                  name: "web-1",
                  health: "healthy",
                  status: "Running",
                  tags: { zone: "a" },
                  config: { cores: 4 },
                },
                { ...item, external_id: "m2", name: "web-2" },
              ],
              changes: [{ item: "m1", change_type: "Deploy", severity: "high", summary: "1.2" }],
              insights: [{ item: "m2", analyzer: "limits", severity: "low", summary: null }],
              relations: [{ from: "m1", relation: "parent of", to: "m2" }],
              errors: ["host-0: no such host"],
              warnings: [],
            },
          ],
          notices: [{ line: 4, column: 3, path: "spec.hots", message: "is no field" }],
        },
      };
    },
  });
  await user.click(await screen.findByRole("button", { name: "Run once" }));
  const results = await screen.findByRole("region", { name: "Results" });
  expect(asked).toEqual([{ document: text, id: "s1" }]);
  expect(results.textContent).toContain(
    "Found 240 items, 1 change and 1 insight. Nothing was stored. Not everything could be read. The first 4 are listed.",
  );
  expect(within(results).getByRole("region", { name: "Errors" }).textContent).toContain(
    "host-0: no such host",
  );
  const rows = within(results)
    .getAllByRole("listitem")
    .map((row) => row.textContent);
  expect(rows).toEqual([
    "Line 4, spec.hots: is no field",
    "host-0: no such host",
    expect.stringMatching(/^Hweb-1Host::Machine.*Running.*"cores": 4.*m1 {2}zone=a$/s),
    "Hweb-2Host::Machinem2",
    expect.stringContaining("Deploym1: 1.2"),
    expect.stringContaining("limitsm2"),
    "m1parent ofm2",
  ]);
});
