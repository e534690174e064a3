// @vitest-environment happy-dom
import { cleanup, screen, waitFor, within } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { fakeApi } from "../../testing/fake-api.ts";
import { renderPage } from "../../testing/render-page.tsx";
import type { ListedKind } from "./queries.ts";
import { ResourceListPage } from "./ResourceListPage.tsx";

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const at = "2026-01-01T00:00:00Z";
const rule = {
  id: "r1",
  name: "Paging",
  source: "git/rules.yaml",
  created_at: at,
  updated_at: at,
  deleted_at: null,
  created_by: { id: "p1", name: "Ada", avatar: null },
};
/** A kind that has no jobs, as rules and log backends have none. */
const rules: ListedKind = {
  kind: "rule",
  table: "teams",
  without: ["namespace", "schedule", "labels"],
  iconOf: ({ source }) => (source?.startsWith("git") ? "zz-type" : undefined),
};

test("a kind without jobs is a declaration: its table is read, and nothing of jobs is shown or sorted by", async () => {
  localStorage.clear();
  const asked: URLSearchParams[] = [];
  fakeApi({
    "GET /api/db/teams": ({ url }) => {
      asked.push(url.searchParams);
      return { body: [rule], headers: { "content-range": "0-0/1" } };
    },
  });
  const { user, history } = renderPage(
    () => (
      <ResourceListPage
        of={rules}
        title="Rules"
        to={(id) => `/settings/rules/${id}`}
        about="What opens incidents."
      />
    ),
    { path: "/settings/rules", address: "/settings/rules?sortBy=job_status" },
  );
  const row = (await screen.findByText("Paging")).closest("tr")!;
  expect(screen.getAllByRole("columnheader").map(({ textContent }) => textContent)).toEqual([
    "Name",
    "Source",
    "Created",
    "Updated",
    "Created By",
  ]);
  expect(within(row).getByText(/^z$/i)).toBeTruthy();
  expect(within(row).getByLabelText("Locked")).toBeTruthy();
  expect(Object.fromEntries(asked[0]!)).toMatchObject({
    select: "*,created_by(id,name,avatar)",
    deleted_at: "is.null",
    order: "created_at.desc,id.desc",
  });
  await user.type(screen.getByRole("searchbox"), "pa");
  await waitFor(() => expect(asked.at(-1)?.get("or")).toBe('(name.ilike."*pa*")'));
  await user.click(screen.getByText("Paging"));
  expect(history.location.pathname).toBe("/settings/rules/r1");
});
