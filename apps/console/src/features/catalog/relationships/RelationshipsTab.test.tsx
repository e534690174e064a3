// @vitest-environment happy-dom
import { cleanup, screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { fakeApi, type FakeRoute } from "../../../testing/fake-api.ts";
import { renderPage } from "../../../testing/render-page.tsx";
import { RelationshipsTab } from "./RelationshipsTab.tsx";

const rpc = "GET /api/db/rpc/related_configs_recursive";
const row = (id: string, more: object = {}) => ({
  id,
  name: id,
  type: "Kubernetes::Pod",
  related_ids: null,
  relations: null,
  tags: { namespace: "shop" },
  labels: { app: "web" },
  status: "Running",
  health: "healthy",
  changes: null,
  analysis: null,
  deleted_at: null,
  is_partial: false,
  ...more,
});
const rows = [
  row("root", {
    type: "Kubernetes::Namespace",
    related_ids: ["web"],
    relations: { web: ["hard"] },
  }),
  row("web", { health: "unhealthy", status: "CrashLoop" }),
];

let answer: FakeRoute;
let api: ReturnType<typeof fakeApi>;
beforeEach(() => {
  localStorage.clear();
  answer = () => ({ body: rows });
  api = fakeApi({ [rpc]: (asked) => answer(asked) });
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const open = (search = "") =>
  renderPage(() => <RelationshipsTab item={{ id: "root", name: "root" }} />, {
    path: "/catalog/root/relationships",
    address: `/catalog/root/relationships${search}`,
  });
const lastAsked = () => {
  const { searchParams } = new URL(api.calls.at(-1)!.split(" ")[1]!, "http://x");
  searchParams.delete("select");
  return Object.fromEntries(searchParams);
};

test("asks for what hangs on the item by parents, and for more when the toggles say so", async () => {
  const { user } = open();
  const table = await screen.findByRole("grid", { name: "related items" });
  expect(within(table).getByRole("link", { name: "web" }).getAttribute("href")).toBe(
    "/catalog/web",
  );
  expect(within(table).queryByRole("link", { name: "root" })).toBeNull();
  expect(lastAsked()).toEqual({
    config_id: "root",
    type_filter: "outgoing",
    include_deleted_configs: "false",
    max_depth: "10",
    outgoing_relation: "hard",
    max_nodes: "2000",
  });
  await user.click(screen.getByRole("button", { name: "Incoming" }));
  await user.click(screen.getByRole("button", { name: "Soft" }));
  await waitFor(() =>
    expect(lastAsked()).toMatchObject({
      type_filter: "all",
      incoming_relation: "both",
      outgoing_relation: "both",
    }),
  );
  await user.click(screen.getByRole("button", { name: "Outgoing" }));
  await waitFor(() => expect(lastAsked()).toMatchObject({ type_filter: "incoming" }));
  expect(lastAsked()).not.toHaveProperty("outgoing_relation");
  const asked = api.calls.length;
  await user.click(screen.getByRole("button", { name: "Incoming" }));
  expect(await screen.findByText("No relationships are followed")).toBeTruthy();
  expect(api.calls).toHaveLength(asked);
});

test("says how many are shown, and which are not", async () => {
  const { user } = open();
  expect(
    await screen.findByText("1 item. Not shown: incoming, soft and deleted ones"),
  ).toBeTruthy();
  await user.click(screen.getByRole("button", { name: "Incoming" }));
  expect(await screen.findByText("1 item. Not shown: soft and deleted ones")).toBeTruthy();
  cleanup();
  answer = () => ({ body: [...rows, row("db", { health: "warning" })] });
  open("?health=unhealthy:1");
  expect(await screen.findByText(/^1 of 2 items\./)).toBeTruthy();
});

test("filters what was read, and takes that back", async () => {
  const { user } = open("?health=healthy:1");
  expect(await screen.findByText("No result")).toBeTruthy();
  await user.click(screen.getAllByRole("button", { name: "Clear filters" })[0]!);
  expect(await screen.findByRole("link", { name: "web" })).toBeTruthy();
  expect(api.calls).toHaveLength(1);
});

test("says when there is more than was read, and reads it", async () => {
  answer = ({ url }) => ({
    body: rows.map((one) => ({ ...one, is_partial: url.searchParams.get("max_nodes") === "2000" })),
  });
  const { user } = open();
  await user.click(await screen.findByRole("button", { name: "Read 20,000" }));
  await waitFor(() => expect(lastAsked()).toMatchObject({ max_nodes: "20000" }));
  await waitFor(() => expect(screen.queryByText(/items were read/)).toBeNull());
});

test("says what could be there where nothing is, and why it could not be read", async () => {
  answer = () => ({ body: [rows[0]] });
  const { user } = open();
  expect(await screen.findByText("No relationships")).toBeTruthy();
  await user.click(screen.getByRole("button", { name: "Show soft ones" }));
  await waitFor(() => expect(lastAsked()).toMatchObject({ outgoing_relation: "both" }));
  cleanup();
  answer = () => ({ status: 500, body: { error: "the database is away" } });
  open("?incoming=true");
  expect(await screen.findByText("The relationships could not be loaded")).toBeTruthy();
});
