// @vitest-environment happy-dom
import { cleanup, screen, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { fakeApi } from "../../testing/fake-api.ts";
import { renderPage } from "../../testing/render-page.tsx";
import { TeamsPage } from "./TeamsPage.tsx";

const at = "2026-01-01T00:00:00Z";
const team = {
  id: "t1",
  name: "Database",
  icon: null,
  source: "git",
  created_at: at,
  updated_at: at,
  created_by: { id: "p1", name: "Ada", avatar: null },
  members: [{ person: { name: "Zoë" } }, { person: { name: "Ben" } }],
  job_name: "TeamComponents",
  job_status: "FAILED",
  job_details: { errors: ["no such component"] },
  job_hostname: "host",
  job_duration_millis: 12,
  job_time_start: at,
  job_last_failed: at,
};
let rows: object[];
let asked: URLSearchParams[];

beforeEach(() => {
  localStorage.clear();
  asked = [];
  rows = [team];
  fakeApi({
    "GET /api/db/teams_with_status": ({ url }) => {
      asked.push(url.searchParams);
      return { body: rows, headers: { "content-range": rows.length > 0 ? "0-0/1" : "*/0" } };
    },
  });
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const show = (roles: readonly ("admin" | "viewer")[] = ["admin"], search = "") =>
  renderPage(TeamsPage, {
    path: "/settings/teams",
    address: `/settings/teams${search}`,
    session: { roles },
  });

test("teams stand with their members and the last of their jobs, in the columns of every resource", async () => {
  const { user, history } = show();
  const row = (await screen.findByText("Database")).closest("tr")!;
  expect(screen.getAllByRole("columnheader").map(({ textContent }) => textContent)).toEqual([
    "Name",
    "Members",
    "Source",
    "Job Status",
    "Last Run",
    "Last Failed",
    "Created",
    "Updated",
    "Created By",
  ]);
  expect(within(row).getByText("Ben, Zoë")).toBeTruthy();
  expect(within(row).getByText("failed")).toBeTruthy();
  expect(within(row).getByLabelText("Locked")).toBeTruthy();
  expect(asked[0]?.get("select")).toContain("members:team_members");
  await user.click(within(row).getByText("Database"));
  expect(history.location.pathname).toBe("/settings/teams/t1");
});

test("a team is found by its name and by the name of a member", async () => {
  show(["admin"], "?query=zoë");
  await screen.findByText("Database");
  const { select, or, ...query } = Object.fromEntries(asked[0]!);
  expect(select).toContain("found:team_members(people!inner(id))");
  expect(or).toBe('(name.ilike."*zoë*",found.not.is.null)');
  expect(query["found.people.name"]).toBe("ilike.*zoë*");
});

test.each([
  ["admin", 2],
  ["viewer", 0],
] as const)("where there are none %s finds %d ways to add one", async (role, ways) => {
  rows = [];
  show([role]);
  await screen.findByText("No resources found");
  expect(screen.queryAllByRole("button", { name: "Add team" })).toHaveLength(ways);
});
