// @vitest-environment happy-dom
import { cleanup, screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { fakeApi, type FakeRoute } from "../../testing/fake-api.ts";
import { renderPage } from "../../testing/render-page.tsx";
import { FeatureFlagsPage } from "./FeatureFlagsPage.tsx";

let sent: { url: string; body: unknown }[];
let routes: Record<string, FakeRoute>;

beforeEach(() => {
  sent = [];
  const echo: FakeRoute = ({ url, body }) => {
    sent.push({ url: url.search, body });
    return { body: [body ?? { name: "gone" }] };
  };
  ({ routes } = fakeApi({
    "GET /api/properties": () => ({
      body: [
        {
          name: "logs.disable",
          value: "true",
          source: "db",
          description: "Logs",
          created_by: { id: "p1", name: "Ada", avatar: null },
          updated_at: "2026-01-01T00:00:00Z",
        },
        { name: "color", value: "blue", source: "local", description: "" },
      ],
    }),
    "POST /api/db/properties": echo,
    "PATCH /api/db/properties": echo,
    "DELETE /api/db/properties": echo,
  }));
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const show = (roles: ("admin" | "viewer")[] = ["admin"]) =>
  renderPage(FeatureFlagsPage, { path: "/flags", address: "/flags", session: { roles } });

test("shows what is in force, and who made what is stored", async () => {
  show();
  const local = (await screen.findByText("color")).closest("tr")!;
  expect(local.textContent).toContain("blue");
  expect(local.textContent).toContain("local");
  expect(screen.getByText("logs.disable").closest("tr")!.textContent).toContain("Ada");
});

test("a local flag cannot be changed", async () => {
  const { user } = show();
  await user.click(await screen.findByText("color"));
  const dialog = await screen.findByRole("dialog");
  expect(within(dialog).getByText("Cannot edit local feature flags")).toBeTruthy();
  const update = within(dialog).getByRole("button", { name: "Update" });
  expect(update.dataset["tooltip"]).toBe("Cannot edit local feature flags");
  expect(within(dialog).queryByRole("button", { name: "Delete" })).toBeNull();
});

test("needs a name and a value", async () => {
  const { user } = show();
  await user.click(await screen.findByRole("button", { name: "Add feature flag" }));
  const dialog = await screen.findByRole("dialog");
  await user.type(within(dialog).getByLabelText(/Name/), "incidents.disable");
  await user.click(within(dialog).getByRole("button", { name: "Save" }));
  expect(within(dialog).getByRole("alert").textContent).toBe("please provide all details");
  expect(sent).toEqual([]);
  await user.type(within(dialog).getByLabelText(/Value/), "true");
  await user.click(within(dialog).getByRole("button", { name: "Save" }));
  expect(await screen.findByText("Feature flag added successfully")).toBeTruthy();
  expect(sent).toEqual([
    { url: "", body: { name: "incidents.disable", value: "true", created_by: "p1" } },
  ]);
});

test("a name is taken without blanks around it, not cut, and offered while there is no such flag", async () => {
  const { user } = show();
  await user.click(await screen.findByRole("button", { name: "Add feature flag" }));
  const dialog = await screen.findByRole("dialog");
  const offered = [...dialog.querySelectorAll("option")].map(({ value }) => value);
  expect(offered).toContain("playbooks.disable");
  expect(offered).not.toContain("logs.disable");
  const name = within(dialog).getByLabelText(/Name/);
  await user.click(name);
  await user.paste("n".repeat(257));
  await user.type(within(dialog).getByLabelText(/Value/), "true");
  await user.click(within(dialog).getByRole("button", { name: "Save" }));
  expect(within(dialog).getByText("A name has at most 256 characters.")).toBeTruthy();
  expect(sent).toEqual([]);
  await user.clear(name);
  await user.paste("  playbooks.disable ");
  await user.click(within(dialog).getByRole("button", { name: "Save" }));
  await waitFor(() => expect(sent).toMatchObject([{ body: { name: "playbooks.disable" } }]));
});

test("changes and removes, after asking", async () => {
  const { user } = show();
  await user.click(await screen.findByText("logs.disable"));
  let dialog = await screen.findByRole("dialog");
  const value = within(dialog).getByLabelText(/Value/);
  await user.clear(value);
  await user.type(value, "false");
  await user.click(within(dialog).getByRole("button", { name: "Update" }));
  expect(await screen.findByText("Feature flag updated successfully")).toBeTruthy();
  expect(sent[0]).toEqual({
    url: "?name=eq.logs.disable&updated_at=eq.2026-01-01T00%3A00%3A00Z",
    body: { name: "logs.disable", value: "false", created_by: "p1" },
  });
  await user.click(screen.getByText("logs.disable"));
  dialog = await screen.findByRole("dialog");
  await user.click(within(dialog).getByRole("button", { name: "Delete" }));
  const question = await screen.findByRole("dialog", {
    name: "Delete the feature flag logs.disable?",
  });
  await user.click(within(question).getByRole("button", { name: "Delete" }));
  expect(await screen.findByText("Feature flag removed successfully")).toBeTruthy();
  expect(sent[1]?.url).toBe("?name=eq.logs.disable");
});

test.each([
  [
    { status: 409, body: { code: "23505", message: "duplicate key value", details: "Key" } },
    "There is a feature flag twice already. Close this and open it in the list to change it.",
  ],
  [
    { status: 403, body: { message: "Cannot edit local feature flags" } },
    "Cannot edit local feature flags",
  ],
])("says what the server refused and keeps what was typed: %j", async (answer, said) => {
  routes["POST /api/db/properties"] = () => answer;
  const { user } = show();
  await user.click(await screen.findByRole("button", { name: "Add feature flag" }));
  const dialog = await screen.findByRole("dialog");
  await user.type(within(dialog).getByLabelText(/Name/), "twice");
  await user.type(within(dialog).getByLabelText(/Value/), "1");
  await user.click(within(dialog).getByRole("button", { name: "Save" }));
  await waitFor(() => expect(within(dialog).getByRole("alert").textContent).toBe(said));
  expect(within(dialog).getByLabelText<HTMLInputElement>(/Name/).value).toBe("twice");
});

test("who may only read is told so", async () => {
  const { user } = show(["viewer"]);
  const flag = await screen.findByText("logs.disable");
  // Before a dialog hides all that is beside it.
  expect(screen.queryByRole("button", { name: "Add feature flag" })).toBeNull();
  await user.click(flag);
  const dialog = await screen.findByRole("dialog");
  expect(within(dialog).getByText("Needs the role admin or editor. Yours: viewer.")).toBeTruthy();
});

test("does not write over what somebody else has changed meanwhile", async () => {
  const inForce = [{ name: "logs.disable", value: "true", source: "db", description: "Logs" }];
  routes["GET /api/properties"] = () => ({
    body: inForce.map((flag) => ({ ...flag, updated_at: flag.value })),
  });
  routes["PATCH /api/db/properties"] = ({ url, body }) => {
    sent.push({ url: url.search, body });
    if (sent.length > 1) return { body: [body] };
    inForce[0]!.value = "false";
    return { body: [] };
  };
  const { user } = show();
  await user.click(await screen.findByText("logs.disable"));
  const dialog = await screen.findByRole("dialog");
  const value = within(dialog).getByLabelText<HTMLTextAreaElement>(/Value/);
  await user.type(value, "!");
  await user.click(within(dialog).getByRole("button", { name: "Update" }));
  expect((await within(dialog).findByRole("alert")).textContent).toContain("Nothing was saved");
  expect((await within(dialog).findByRole("status")).textContent).toContain("meanwhile (value)");
  expect(within(dialog).getByRole("status").textContent).toContain("It is false now");
  expect(value.value).toBe("true!");
  await user.click(within(dialog).getByRole("button", { name: "Update" }));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(sent.map(({ url }) => url)).toEqual([
    "?name=eq.logs.disable&updated_at=eq.true",
    "?name=eq.logs.disable&updated_at=eq.false",
  ]);
});

test("keeps what was typed when the flag was deleted meanwhile", async () => {
  let isGone = false;
  const answer = routes["GET /api/properties"]!;
  routes["GET /api/properties"] = (request) => (isGone ? { body: [] } : answer(request));
  routes["PATCH /api/db/properties"] = () => {
    isGone = true;
    return { body: [] };
  };
  const { user } = show();
  await user.click(await screen.findByText("logs.disable"));
  const dialog = await screen.findByRole("dialog");
  const value = within(dialog).getByLabelText<HTMLTextAreaElement>(/Value/);
  await user.type(value, "!");
  await user.click(within(dialog).getByRole("button", { name: "Update" }));
  expect(await within(dialog).findByText("This feature flag was deleted meanwhile.")).toBeTruthy();
  expect(value.value).toBe("true!");
  expect(within(dialog).queryByRole("button", { name: "Delete" })).toBeNull();
});

test("says what a known flag does, and warns of the one that hides this page", async () => {
  const { user } = show();
  await user.click(await screen.findByRole("button", { name: "Add feature flag" }));
  const dialog = await screen.findByRole("dialog");
  await user.type(within(dialog).getByLabelText(/Name/), "settings.feature_flags.disable");
  expect(
    within(dialog).getByText("Feature flags, in the settings", { ignore: "option" }),
  ).toBeTruthy();
  await user.type(within(dialog).getByLabelText(/Value/), "true");
  expect(within(dialog).getByText(/This page goes, too/)).toBeTruthy();
});
