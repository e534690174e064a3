// @vitest-environment happy-dom
import { cleanup, screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { fakeApi, type FakeRoute } from "../../testing/fake-api.ts";
import { renderPage } from "../../testing/render-page.tsx";
import { UsersPage } from "./UsersPage.tsx";

const identity = (id: string, first: string, last: string, email: string, state = "active") => ({
  id,
  state,
  traits: { email, name: { first, last } },
  created_at: "2026-01-02T03:04:05Z",
});
let sent: { name: string; body: unknown }[];
let routes: Record<string, FakeRoute>;

beforeEach(() => {
  sent = [];
  const take =
    (name: string, answer: { status?: number; body?: unknown }): FakeRoute =>
    ({ url, body }) => {
      sent.push({ name: `${name} ${url.pathname}`, body });
      return answer;
    };
  ({ routes } = fakeApi({
    "GET /api/db/identities": () => ({
      body: [
        identity("p1", "Ada", "Admin", "ada@example.com"),
        identity("p2", "Vera", "Viewer", "vera@example.com", "inactive"),
      ],
    }),
    "GET /api/db/people_roles": () => ({ body: [{ id: "p1", roles: ["admin", "editor"] }] }),
    "POST /api/auth/invite_user": take("POST", { body: { link: "https://m/recover?code=1" } }),
    "POST /api/people/update": take("POST", { body: { email: "x" } }),
    "DELETE /api/people/p2": take("DELETE", { status: 204 }),
  }));
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const show = (roles: ("admin" | "editor")[] = ["admin"]) =>
  renderPage(UsersPage, {
    path: "/settings/users",
    address: "/settings/users",
    session: { roles },
  });

describe("the users page", () => {
  test("lists who can sign in, with their roles; somebody without any is a viewer", async () => {
    show();
    const row = (await screen.findByText("vera@example.com")).closest("tr") as HTMLElement;
    expect(row.textContent).toContain("viewer");
    expect(row.textContent).toContain("inactive");
  });

  test("finds by name, address and role", async () => {
    const { user } = show();
    await screen.findByText("vera@example.com");
    await user.type(screen.getByRole("searchbox", { name: "Search users" }), "viewer");
    await waitFor(() => expect(screen.queryByText("ada@example.com")).toBeNull());
    expect(screen.getByText("vera@example.com")).toBeTruthy();
  });

  test("says what is missing in an invitation, and sends nothing", async () => {
    const { user } = show();
    await user.click(await screen.findByRole("button", { name: "Invite User" }));
    const dialog = await screen.findByRole("dialog");
    await user.click(within(dialog).getByRole("button", { name: "Invite" }));
    for (const text of [
      "Please provide valid first name",
      "Please provide valid last name",
      "Please provide valid email",
      "Please select any role",
    ])
      expect(within(dialog).getByText(text)).toBeTruthy();
    await user.type(within(dialog).getByLabelText(/Email/), "nonsense");
    await user.click(within(dialog).getByRole("button", { name: "Invite" }));
    expect(within(dialog).getByText("Entered value does not match email format")).toBeTruthy();
    expect(sent).toEqual([]);
  });

  test("invites with a role and shows the link to hand over", async () => {
    const { user } = show();
    await user.click(await screen.findByRole("button", { name: "Invite User" }));
    const dialog = await screen.findByRole("dialog");
    await user.type(within(dialog).getByLabelText(/First name/), " Zoë ");
    await user.type(within(dialog).getByLabelText(/Last name/), "O'Neil-Łuć");
    await user.type(within(dialog).getByLabelText(/Email/), "z@example.com");
    await user.selectOptions(within(dialog).getByLabelText(/Role/), "responder");
    await user.click(within(dialog).getByRole("button", { name: "Invite" }));
    expect(await screen.findByText("Zoë O'Neil-Łuć invited successfully")).toBeTruthy();
    expect(screen.getByLabelText<HTMLInputElement>("Link of the invitation").value).toBe(
      "https://m/recover?code=1",
    );
    expect(sent[0]?.body).toEqual({
      firstName: "Zoë",
      lastName: "O'Neil-Łuć",
      email: "z@example.com",
      role: "responder",
    });
  });

  test("keeps what was typed when the server refuses", async () => {
    routes["POST /api/auth/invite_user"] = () => ({
      status: 409,
      body: { error: "User already exists", message: "Error creating user" },
    });
    const { user } = show();
    await user.click(await screen.findByRole("button", { name: "Invite User" }));
    const dialog = await screen.findByRole("dialog");
    await user.type(within(dialog).getByLabelText(/First name/), "A");
    await user.type(within(dialog).getByLabelText(/Last name/), "B");
    await user.type(within(dialog).getByLabelText(/Email/), "ada@example.com");
    await user.selectOptions(within(dialog).getByLabelText(/Role/), "viewer");
    await user.click(within(dialog).getByRole("button", { name: "Invite" }));
    expect((await within(dialog).findByRole("alert")).textContent).toBe("User already exists");
    expect(within(dialog).getByLabelText<HTMLInputElement>(/First name/).value).toBe("A");
    expect(within(dialog).getByRole<HTMLButtonElement>("button", { name: "Invite" }).disabled).toBe(
      false,
    );
  });

  test("changes roles and state; nobody locks himself out here", async () => {
    const { user } = show();
    await user.click(await screen.findByText("vera@example.com"));
    const dialog = await screen.findByRole("dialog");
    expect(within(dialog).getByLabelText<HTMLSelectElement>(/Role/).value).toBe("viewer");
    await user.selectOptions(within(dialog).getByLabelText(/Role/), "editor");
    await user.click(within(dialog).getByLabelText("Active"));
    await user.click(within(dialog).getByRole("button", { name: "Update" }));
    expect(await screen.findByText("Vera Viewer updated successfully")).toBeTruthy();
    expect(sent[0]?.body).toMatchObject({ id: "p2", role: "editor", active: true });
    await user.click(screen.getByText("ada@example.com"));
    const own = await screen.findByRole("dialog");
    expect(within(own).getByLabelText<HTMLInputElement>("Active").disabled).toBe(true);
    expect(within(own).getByRole<HTMLButtonElement>("button", { name: "Delete" }).disabled).toBe(
      true,
    );
  });

  test("asks before it deletes", async () => {
    const { user } = show();
    await user.click(await screen.findByText("vera@example.com"));
    await user.click(
      within(await screen.findByRole("dialog")).getByRole("button", { name: "Delete" }),
    );
    const question = await screen.findByRole("dialog", { name: "Delete Vera Viewer?" });
    expect(sent).toEqual([]);
    await user.click(within(question).getByRole("button", { name: "Delete" }));
    expect(await screen.findByText("user deleted successfully")).toBeTruthy();
    expect(sent.map(({ name }) => name)).toEqual(["DELETE /api/people/p2"]);
  });

  test("offers nothing to who may only read", async () => {
    const { user } = show(["editor"]);
    await user.click(await screen.findByText("vera@example.com"));
    expect(screen.queryByRole("dialog")).toBeNull();
    expect(screen.queryByRole("button", { name: "Invite User" })).toBeNull();
  });
});
