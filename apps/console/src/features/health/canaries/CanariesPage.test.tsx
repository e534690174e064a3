// @vitest-environment happy-dom
import { cleanup, screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { fakeApi } from "../../../testing/fake-api.ts";
import { renderPage } from "../../../testing/render-page.tsx";
import { CanariesPage } from "./CanariesPage.tsx";

const at = "2026-01-01T00:00:00Z";
const canary = (id: string, changes: object = {}) => ({
  id,
  name: `shop ${id}`,
  namespace: "web",
  schedule: "@every 30s",
  labels: { team: "a", tier: "b", zone: "c" },
  source: null,
  created_at: at,
  updated_at: at,
  created_by: { id: "p1", name: "Ada", avatar: null },
  last_runtime: "2025-06-01T00:00:00Z",
  agent: { id: "0", name: "local" },
  job_name: "Canary",
  job_status: "FAILED",
  job_details: { errors: ["front page: answered 500"] },
  job_hostname: "host",
  job_duration_millis: 12,
  job_time_start: at,
  job_last_failed: at,
  ...changes,
});
let rows: object[];
let asked: URLSearchParams[];

beforeEach(() => {
  localStorage.clear();
  asked = [];
  rows = [
    canary("y1"),
    canary("y2", { source: "git", job_status: "SUCCESS", job_details: { runs: 60 } }),
  ];
  fakeApi({
    "GET /api/db/canaries_with_status": ({ url }) => {
      asked.push(url.searchParams);
      return {
        body: rows,
        headers: { "content-range": rows.length > 0 ? "0-49/130" : "*/0" },
        status: 206,
      };
    },
  });
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const show = (roles: readonly ("admin" | "viewer")[] = ["admin"]) =>
  renderPage(CanariesPage, {
    path: "/settings/canaries",
    address: "/settings/canaries",
    session: { roles },
  });
const line = async (name: string) => (await screen.findByText(name)).closest("tr")!;

test("canaries stand with the last of their jobs, in pages, with all columns but the namespace", async () => {
  show();
  const row = await line("shop y1");
  expect(screen.getAllByRole("columnheader").map(({ textContent }) => textContent)).toEqual([
    "Name",
    "Source",
    "Schedule",
    "Job Status",
    "Last Run",
    "Last Failed",
    "Tags",
    "Created",
    "Updated",
    "Created By",
  ]);
  expect(within(row).getByText("failed")).toBeTruthy();
  expect(within(row).getByText("team=a")).toBeTruthy();
  expect(within(row).getByText("+2 more")).toBeTruthy();
  // Its checks ran last then, whatever became of its last job.
  const headers = screen.getAllByRole("columnheader").map(({ textContent }) => textContent);
  expect(row.children[headers.indexOf("Last Run")]?.querySelector("time")?.dateTime).toMatch(
    /^2025-06-01/,
  );
  expect(within(row).queryByText("local")).toBeNull();
  expect(asked[0]?.get("order")).toBe("created_at.desc,id.desc");
  expect(asked[0]?.get("limit")).toBe("50");
  expect(screen.getByText("of 3")).toBeTruthy();
});

test("a row that is kept elsewhere is locked and says where; details are offered where there are some", async () => {
  const { user, history } = show();
  const locked = await line("shop y2");
  expect(within(locked).getByLabelText("Locked")).toBeTruthy();
  expect(within(locked).queryByRole("button", { name: /View details/ })).toBeNull();
  await user.click(screen.getByRole("button", { name: /View details of the last job of shop y1/ }));
  expect(await screen.findByRole("dialog", { name: "Details for job Canary" })).toBeTruthy();
  expect(history.location.pathname).toBe("/settings/canaries");
});

test("a row leads to its page, and the search to the server", async () => {
  const { user, history } = show();
  await line("shop y1");
  await user.type(screen.getByRole("searchbox"), "sh");
  await waitFor(() => expect(asked.at(-1)?.get("or")).toBe('(name.ilike."*sh*")'));
  await user.click(screen.getByText("shop y1"));
  expect(history.location.pathname).toBe("/settings/canaries/y1");
});

test("a check is added here, and whoever does not stays here", async () => {
  const { user, history } = show();
  await line("shop y1");
  await user.click(screen.getByRole("button", { name: "Add check" }));
  const dialog = await screen.findByRole("dialog", { name: "Add check" });
  expect(history.location.href).toBe("/settings/canaries?addCheck=true");
  await user.click(within(dialog).getByRole("button", { name: /^Close/ }));
  await waitFor(() => expect(history.location.href).toBe("/settings/canaries"));
});

test("where there are none it is said what would be here, and who may not add cannot", async () => {
  rows = [];
  show(["viewer"]);
  expect(await screen.findByText("No resources found")).toBeTruthy();
  expect(screen.queryByRole("button", { name: "Add check" })).toBeNull();
});
