// @vitest-environment happy-dom
import { cleanup, screen, waitFor } from "@testing-library/react";
import { Sailboat } from "lucide-react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { PaletteButton } from "#features/palette/index.ts";
import { AuditPage } from "#features/audit/AuditPage.tsx";
import { JobHistoryTab } from "#features/jobs/history/JobHistoryTab.tsx";
import type { ConsoleFeature } from "#lib/page.ts";
import type { Session } from "#lib/use-access.ts";
import { features } from "./features.ts";
import { fakeApi } from "./testing/fake-api.ts";
import { renderPage } from "./testing/render-page.tsx";

/** A capability that no other file knows of. */
const harbour: ConsoleFeature = {
  name: "harbour",
  pages: [],
  resources: [
    {
      kind: "boat",
      label: { one: "Boat", many: "Boats" },
      icon: Sailboat,
      read: "connections",
      feature: "harbour",
      to: (id) => `/boats/${id}`,
      search: { as: "boats" },
    },
  ],
};

const aurora = {
  id: "b1",
  agent: "",
  icon: "",
  name: "Aurora",
  namespace: "north",
  type: "",
  tags: {},
  labels: {},
};
const change = {
  id: "a1",
  created_at: "2026-01-01T00:00:00Z",
  actor_name: "Ada",
  address: null,
  verb: "update",
  table_name: "boats",
  row_id: "b1",
  row_name: "north/Aurora",
  resource_type: "boat",
  resource_id: "b1",
  resource_name: "north/Aurora",
  before: { length: 11 },
  after: { length: 12 },
};
let asked: URLSearchParams[];

beforeEach(() => {
  localStorage.clear();
  asked = [];
  fakeApi({
    "POST /api/resources/search": () => ({ body: { boats: [aurora] } }),
    "GET /api/db/audit_entries": ({ url }) => {
      asked.push(url.searchParams);
      return { body: [change], headers: { "content-range": "0-0/1" } };
    },
    "GET /api/audit/acts": ({ url }) => {
      asked.push(url.searchParams);
      return { body: { rows: [change], total: 1 } };
    },
  });
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const show = (address = "/settings/audit", session: Partial<Session> = {}) =>
  renderPage(
    () => (
      <>
        <PaletteButton features={[harbour]} offered={{ main: [], settings: [] }} disabled={false} />
        <AuditPage />
      </>
    ),
    { path: "/settings/audit", address, session, resources: harbour.resources! },
  );

test("a kind that a new feature declares is found by the palette", async () => {
  const { user, history } = show();
  await user.click(await screen.findByRole("button", { name: "Search" }));
  await user.type(await screen.findByRole("combobox"), "auro");
  await screen.findByRole("group", { name: "Boats" });
  await user.keyboard("{Enter}");
  await waitFor(() => expect(history.location.pathname).toBe("/boats/b1"));
});

test("and linked in the audit log, from the list and from an entry", async () => {
  const { user, history } = show();
  const link = await screen.findByRole("link", { name: "north/Aurora" });
  expect(link.getAttribute("href")).toBe("/boats/b1");
  await user.click(screen.getByText("changed boats north/Aurora (length)"));
  const dialog = await screen.findByRole("dialog", { name: "changed boats north/Aurora (length)" });
  await user.click(
    [...dialog.querySelectorAll("a")].find((one) => one.textContent === "north/Aurora")!,
  );
  expect(history.location.pathname).toBe("/boats/b1");
});

test("its own changes are shown, and everybody's again", async () => {
  const { user, history } = show("/settings/audit?resource_type=boat&resource_id=b1");
  await screen.findByText("Boat");
  await waitFor(() => expect(asked).not.toEqual([]));
  expect(asked[0]!.get("resource_type")).toBe("boat");
  expect(asked[0]!.get("resource_id")).toBe("b1");
  await user.click(screen.getByRole("button", { name: "Show the changes of everything" }));
  await waitFor(() => expect(asked.some((one) => one.has("is_first"))).toBe(true));
  expect(history.location.search).toBe("");
});

test.each([
  ["who may not read the kind", { roles: ["viewer"] } satisfies Partial<Session>, change],
  [
    "where it is switched off",
    { properties: [{ name: "harbour.disable", value: "true" }] } satisfies Partial<Session>,
    change,
  ],
  ["what is gone", {}, { ...change, resource_name: null }],
  ["a kind that nobody declares", {}, { ...change, resource_type: "submarine" }],
])("it is plain text for %s", async (_whom, session, row) => {
  fakeApi({
    "GET /api/db/audit_entries": () => ({ body: [row], headers: { "content-range": "0-0/1" } }),
  });
  show("/settings/audit", session);
  expect(await screen.findByText("north/Aurora")).toBeTruthy();
  expect(screen.queryByRole("link", { name: "north/Aurora" })).toBeNull();
});

const kinds = [...features, harbour].flatMap(({ resources = [] }) =>
  resources.map(({ kind }) => kind),
);
test.each(kinds)("the job history of a %s asks for its own runs alone", async (kind) => {
  const searches: URLSearchParams[] = [];
  fakeApi({
    "GET /api/db/job_histories": ({ url }) => {
      searches.push(url.searchParams);
      return { body: [], headers: { "content-range": "*/0" } };
    },
  });
  renderPage(() => <JobHistoryTab kind={kind} id="r1" />, { path: "/x", address: "/x?tab=jobs" });
  await waitFor(() => expect(searches).not.toEqual([]));
  expect(searches.at(-1)!.get("resource_type")).toBe(`eq.${kind}`);
  expect(searches.at(-1)!.get("resource_id")).toBe("eq.r1");
});
