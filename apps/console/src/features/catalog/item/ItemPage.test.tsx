// @vitest-environment happy-dom
import { cleanup, screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Contributions } from "#lib/places/place.ts";
import type { Session } from "#lib/use-access.ts";
import { fakeApi } from "../../../testing/fake-api.ts";
import { renderPage } from "../../../testing/render-page.tsx";
import { ItemPage } from "./ItemPage.tsx";

const hourAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
const item = (changes: object = {}) => ({
  id: "i1",
  name: "orders",
  type: "Kubernetes::Deployment",
  config_class: "Deployment",
  status: "CrashLoopBackOff",
  health: "unhealthy",
  description: "1/2 ready",
  icon: null,
  source: null,
  path: "a1.a2",
  external_id: ["shop/orders", "orders-alias"],
  tags: { namespace: "shop" },
  labels: { app: "orders" },
  properties: [
    { name: "Replicas", value: 2, max: 10, unit: "pods" },
    { name: "Memory", value: 25_276_514_304, unit: "bytes" },
    { name: "Dashboard", links: [{ label: "Grafana", url: "https://grafana.example.org/d/1" }] },
    { name: "Trap", links: [{ label: "Press me", url: "javascript:alert(1)" }] },
  ],
  cost_per_minute: null,
  cost_total_1d: null,
  cost_total_7d: null,
  cost_total_30d: 42,
  last_scraped_time: hourAgo(0.1),
  created_at: hourAgo(48),
  updated_at: hourAgo(1),
  deleted_at: null,
  delete_reason: null,
  summary: { changes: 1200, analysis: 2, relationships: 3, playbook_runs: 0, checks: 4 },
  annotations: { "example.com/owner": "payments", runbook: "https://runbooks.example.org/orders" },
  agent: { id: "g1", name: "berlin" },
  config_scrapers: { id: "s1", name: "cluster" },
  ...changes,
});
const parents = [
  { id: "a2", name: "shop namespace", type: "Kubernetes::Namespace", deleted_at: null },
  { id: "a1", name: "prod", type: "Kubernetes::Cluster", deleted_at: null },
];

const ada = { id: "p1", name: "Ada Admin", avatar: null };
const bob = { id: "p2", name: "Bob", avatar: null };
const noteBy = (author: object, changes: object = {}) => ({
  id: "n1",
  note: "Restart it by hand.",
  created_at: hourAgo(2),
  updated_at: hourAgo(2),
  author,
  ...changes,
});

let notes: object[];
let row: object | undefined;
let config: unknown;
let api: ReturnType<typeof fakeApi>;
beforeEach(() => {
  localStorage.clear();
  row = item();
  notes = [];
  config = { spec: { replicas: 2 }, apiVersion: "apps/v1" };
  api = fakeApi({
    "GET /api/db/config_detail": () => ({ body: row ? [row] : [] }),
    "GET /api/db/config_notes": () => ({ body: notes }),
    "POST /api/catalog/items/i1/notes": ({ body }) => {
      const { note } = body as { note: string };
      if (note.includes("refused")) return { status: 409, body: { error: "It has too many." } };
      notes = [noteBy(ada, { id: "n9", note }), ...notes];
      return { status: 201, body: notes[0] };
    },
    "PATCH /api/catalog/notes/n1": ({ body }) => {
      notes = [noteBy(ada, body as object)];
      return { body: notes[0] };
    },
    "DELETE /api/catalog/notes/n1": () => {
      notes = [];
      return { body: { id: "n1" } };
    },
    "GET /api/catalog/items/i1/moments": () => ({
      body: { since: hourAgo(48), hasMore: false, moments: [] },
    }),
    "GET /api/db/config_items": ({ url }) => ({
      body: url.searchParams.get("select") === "config" ? [{ config }] : parents,
    }),
  });
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const checksTab: Contributions = {
  config: {
    tabs: [
      {
        id: "checks",
        label: "Checks",
        load: () =>
          Promise.resolve(({ item: given }: { item: { id: string } }) => (
            <p>checks of {given.id}</p>
          )),
      },
    ],
  },
};
const open = (address = "/catalog/i1", session: Partial<Session> = {}) =>
  renderPage(ItemPage, {
    path: "/catalog/$itemId/{-$tab}",
    address,
    session,
    contributions: [checksTab],
  });
const details = () => screen.getByRole("complementary", { name: "Details" });
const fact = async (label: string) =>
  (await within(await screen.findByRole("complementary", { name: "Details" })).findByText(label))
    .nextElementSibling?.textContent;

test("what an item is stands at the right", async () => {
  open();
  expect(await fact("Type")).toBe("Kubernetes::Deployment");
  expect(
    screen
      .getByRole("navigation", { name: "Breadcrumb" })
      .querySelector('[href="/catalog?configType=Kubernetes%3A%3ADeployment"]'),
  ).toBeTruthy();
  expect(await fact("Class")).toBe("Deployment");
  expect(await fact("Health")).toContain("CrashLoopBackOff");
  expect(await fact("Owner")).toBe("payments");
  expect(await fact("Agent")).toBe("berlin");
  expect(await fact("Scraper")).toBe("cluster");
  expect(await fact("Cost")).toContain("$42");
  expect(await fact("Replicas")).toBe("2 of 10 pods");
  expect(await fact("Memory")).toBe("23.5 GiB");
  expect(await fact("External id")).toContain("shop/orders");
  expect(await fact("Alias")).toContain("orders-alias");
  const above = await within(details()).findByRole("region", { name: "Stands in" });
  await waitFor(() =>
    expect(
      within(above)
        .getAllByRole("link")
        .map(({ textContent }) => textContent?.replace(/^./, "")),
    ).toEqual(["prod", "shop namespace"]),
  );
});

test("links lead to http and https alone", async () => {
  open();
  const links = async () =>
    (await within(details()).findAllByRole("link")).flatMap(
      (link) => link.getAttribute("href")?.match(/^(?!\/).*/) ?? [],
    );
  await waitFor(async () =>
    expect(await links()).toEqual([
      "https://runbooks.example.org/orders",
      "https://grafana.example.org/d/1",
    ]),
  );
  expect(screen.queryByText("Press me")).toBeNull();
});

test("that nobody owns it is said", async () => {
  row = item({ annotations: null });
  open();
  expect(await fact("Owner")).toBe("Unowned");
});

test("what was not scraped for an hour is said to be old; what is deleted has a last status", async () => {
  row = item({ last_scraped_time: hourAgo(3) });
  open();
  expect(await screen.findByText(/^Last scraped more than 1 hour ago:/)).toBeTruthy();
  cleanup();
  row = item({
    last_scraped_time: hourAgo(30),
    deleted_at: hourAgo(20),
    delete_reason: "STALE",
  });
  open();
  expect(await fact("Last status")).toContain("CrashLoopBackOff");
  expect(within(details()).queryByText("Health")).toBeNull();
  expect(screen.queryByText(/^Last scraped more than 1 hour ago/)).toBeNull();
  expect(screen.getAllByText(/^Deleted/).length).toBeGreaterThan(1);
});

test("lines are chosen in the address, and what is configured is in the order of its keys", async () => {
  const { user, history } = open("/catalog/i1?lines=L2");
  const code = await screen.findByRole("region", { name: "Config" });
  await waitFor(() => expect(code.textContent).toContain('"apiVersion": "apps/v1"'));
  expect(code.textContent.indexOf("apiVersion")).toBeLessThan(code.textContent.indexOf("spec"));
  expect(within(code).getByText("L2")).toBeTruthy();
  await user.click(within(code).getByText("3"));
  await waitFor(() => expect(history.location.search).toBe("?lines=L3"));
});

test.each([[{}], [null], [""], [[]]])("of %j the details are not found", async (empty) => {
  config = empty;
  open();
  expect(await screen.findByText("Details not found")).toBeTruthy();
});

test("texts that are kept as they were found are shown as such", async () => {
  config = { format: "text", content: "Hello\nworld" };
  open();
  const code = await screen.findByRole("region", { name: "Config" });
  expect(await within(code).findByText("world")).toBeTruthy();
});

test("tabs have addresses of their own, also those of guests", async () => {
  const { user, history } = open();
  await user.click(await screen.findByRole("tab", { name: "Checks" }));
  expect(history.location.pathname).toBe("/catalog/i1/checks");
  expect(await screen.findByText("checks of i1")).toBeTruthy();
  await user.click(screen.getByRole("tab", { name: "Config" }));
  expect(history.location.pathname).toBe("/catalog/i1");
});

test("what is not there is said, and what could not be loaded can be asked again", async () => {
  row = undefined;
  open();
  expect(await screen.findByText("There is no such item")).toBeTruthy();
  cleanup();
  api.routes["GET /api/db/config_detail"] = () => ({ status: 503, body: { message: "Busy." } });
  const { user } = open();
  expect(await screen.findByText("The item could not be loaded")).toBeTruthy();
  row = item();
  api.routes["GET /api/db/config_detail"] = () => ({ body: [row] });
  await user.click(screen.getByRole("button", { name: "Try again" }));
  expect(await fact("Name")).toBe("orders");
});

test("the panel leaves more to a page that is narrow, until it is made wider, and is as wide as it was left", async () => {
  const { user } = open();
  const width = async () =>
    (await screen.findByRole("separator", { name: "Width of Details" })).getAttribute(
      "aria-valuenow",
    );
  expect(await width()).toBe("240");
  cleanup();
  vi.stubGlobal("matchMedia", () => ({
    matches: false,
    addEventListener: () => {},
    removeEventListener: () => {},
  }));
  open();
  expect(await width()).toBe("320");
  screen.getByRole("separator", { name: "Width of Details" }).focus();
  await user.keyboard("{ArrowLeft}{ArrowLeft}");
  expect(await width()).toBe("352");
  cleanup();
  vi.unstubAllGlobals();
  open();
  expect(await width()).toBe("352");
});

test("what is noted stays; one's own can be changed and deleted", async () => {
  const { user } = open("/catalog/i1", { roles: ["responder"] });
  const box = await screen.findByRole("textbox", { name: "New note" });
  await user.type(box, "Ask Bob first.{Shift>}{Enter}{/Shift}He knows.{Enter}");
  expect(await within(details()).findByText(/^Ask Bob first\.\s+He knows\.$/)).toBeTruthy();
  await waitFor(() => expect((box as HTMLTextAreaElement).value).toBe(""));
  cleanup();
  notes = [noteBy(ada)];
  const again = open("/catalog/i1", { roles: ["responder"] });
  await again.user.click(await screen.findByRole("button", { name: "Edit note" }));
  // The keyboard is where the note is, and then where it came from.
  expect(document.activeElement).toBe(screen.getByRole("textbox", { name: "Note" }));
  await again.user.keyboard(" Twice.{Escape}");
  expect(document.activeElement).toBe(screen.getByRole("button", { name: "Edit note" }));
  await again.user.keyboard("{Enter}");
  const edited = screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Note" });
  // Escape has left it, and lost nothing.
  expect(edited.value).toContain(" Twice.");
  await again.user.clear(edited);
  await again.user.type(edited, "Restart it twice.");
  await again.user.click(screen.getByRole("button", { name: "Save" }));
  expect(await within(details()).findByText("Restart it twice.")).toBeTruthy();
  await again.user.click(screen.getByRole("button", { name: "Delete note" }));
  const question = await screen.findByRole("dialog", { name: "Delete this note?" });
  await again.user.click(within(question).getByRole("button", { name: "Delete" }));
  await waitFor(() => expect(screen.queryByText("Restart it twice.")).toBeNull());
});

test("what was refused is still there to be sent again", async () => {
  const { user } = open();
  const box = await screen.findByRole("textbox", { name: "New note" });
  await user.type(box, "refused{Enter}");
  expect(await screen.findByText("It has too many.")).toBeTruthy();
  expect((box as HTMLTextAreaElement).value).toBe("refused");
});

test("viewers read notes; of others nobody changes them, and administrators delete them", async () => {
  notes = [noteBy(bob)];
  open("/catalog/i1", { roles: ["viewer"] });
  expect(await within(await screen.findByRole("complementary")).findByText("Bob")).toBeTruthy();
  expect(screen.queryByRole("textbox", { name: "New note" })).toBeNull();
  expect(screen.queryByRole("button", { name: "Delete note" })).toBeNull();
  cleanup();
  open("/catalog/i1", { roles: ["admin"] });
  expect(await screen.findByRole("button", { name: "Delete note" })).toBeTruthy();
  expect(screen.queryByRole("button", { name: "Edit note" })).toBeNull();
});
