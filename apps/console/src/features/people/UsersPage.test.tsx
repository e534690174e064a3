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
let users: (ReturnType<typeof identity> & { first_sign_in_at?: string | null })[];
let sent: { name: string; body: unknown }[];
let routes: Record<string, FakeRoute>;

beforeEach(() => {
  sent = [];
  users = [
    identity("p1", "Ada", "Admin", "ada@example.com"),
    identity("p2", "Vera", "Viewer", "vera@example.com", "inactive"),
  ];
  const take =
    (name: string, answer: { status?: number; body?: unknown }): FakeRoute =>
    ({ url, body }) => {
      sent.push({ name: `${name} ${url.pathname}`, body });
      return answer;
    };
  ({ routes } = fakeApi({
    "GET /api/db/identities": () => ({
      body: users,
    }),
    "GET /api/db/people_roles": () => ({ body: [{ id: "p1", roles: ["admin", "editor"] }] }),
    "POST /api/auth/invite_user": take("POST", { body: { link: "https://m/recover?code=1" } }),
    "POST /api/people/update": take("POST", { body: { email: "x" } }),
    "POST /api/rbac/p2/update_role": take("POST", { body: { message: "ok" } }),
    "POST /api/people/p1/sign-in-link": take("POST", {
      body: { link: "https://m/again?token=2", expires_at: "2026-01-05T00:00:00Z" },
    }),
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
    // However narrow the window: what can be done with somebody stays in view.
    const actions = within(row)
      .getByRole("button", { name: /^Actions for/ })
      .closest("td")!;
    expect([...actions.classList]).toContain("sticky");
  });

  test("all columns are seen at 1024 pixels, beside the sidebar", async () => {
    show();
    await screen.findByText("vera@example.com");
    const table = screen.getByRole("grid");
    expect(Number.parseInt(table.style.minWidth)).toBeLessThanOrEqual(1024 - 216);
  });

  test("who has never signed in is invited, and can be handed another link", async () => {
    users = [{ ...identity("p1", "Ada", "Admin", "ada@example.com"), first_sign_in_at: null }];
    const { user } = show();
    const row = (await screen.findByText("ada@example.com")).closest("tr") as HTMLElement;
    expect(row.textContent).toContain("invited");
    await user.click(screen.getByRole("button", { name: "Actions for Ada Admin" }));
    const link = await screen.findByRole("menuitem", { name: "New sign-in link" });
    expect(link.getAttribute("aria-disabled")).not.toBe("true");
  });

  test("finds by name, address and role", async () => {
    const { user } = show();
    await screen.findByText("vera@example.com");
    await user.type(screen.getByRole("searchbox", { name: "Search users" }), "viewer");
    await waitFor(() => expect(screen.queryByText("ada@example.com")).toBeNull());
    expect(screen.getByText("vera@example.com")).toBeTruthy();
    await user.type(screen.getByRole("searchbox", { name: "Search users" }), " of nothing");
    expect(await screen.findByText("No result")).toBeTruthy();
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
    // A name that is too long is said to be, not cut.
    const first = within(dialog).getByLabelText<HTMLInputElement>(/First name/);
    await user.click(first);
    await user.paste("x".repeat(10_000));
    await user.click(within(dialog).getByRole("button", { name: "Invite" }));
    expect(within(dialog).getByText("At most 100 characters")).toBeTruthy();
    expect(first.value).toHaveLength(10_000);
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
    await user.type(within(dialog).getByLabelText(/Email/), "elsewhere@example.com");
    await user.selectOptions(within(dialog).getByLabelText(/Role/), "viewer");
    await user.click(within(dialog).getByRole("button", { name: "Invite" }));
    expect((await within(dialog).findByRole("alert")).textContent).toBe("User already exists");
    expect(within(dialog).getByLabelText<HTMLInputElement>(/First name/).value).toBe("A");
    expect(within(dialog).getByRole<HTMLButtonElement>("button", { name: "Invite" }).disabled).toBe(
      false,
    );
  });

  test("sets the role of somebody who is invited and is there already", async () => {
    const { user } = show();
    await user.click(await screen.findByRole("button", { name: "Invite User" }));
    const dialog = await screen.findByRole("dialog");
    await user.type(within(dialog).getByLabelText(/Email/), " VERA@example.com");
    expect(await within(dialog).findByText(/Vera Viewer is a user with this address/)).toBeTruthy();
    await user.click(within(dialog).getByRole("button", { name: "Set role" }));
    expect(within(dialog).getByText("Please select any role")).toBeTruthy();
    await user.selectOptions(within(dialog).getByLabelText(/Role/), "editor");
    await user.click(within(dialog).getByRole("button", { name: "Set role" }));
    expect(await screen.findByText("Vera Viewer updated successfully")).toBeTruthy();
    expect(sent).toEqual([{ name: "POST /api/rbac/p2/update_role", body: { roles: ["editor"] } }]);
  });

  test("makes a new sign-in link, which is shown once", async () => {
    const { user } = show();
    const ofAda = await screen.findByRole("button", { name: "Actions for Ada Admin" });
    await user.click(ofAda);
    await user.click(await screen.findByRole("menuitem", { name: "New sign-in link" }));
    expect((await screen.findByLabelText<HTMLInputElement>("Sign-in link")).value).toBe(
      "https://m/again?token=2",
    );
    expect(sent.map(({ name }) => name)).toEqual(["POST /api/people/p1/sign-in-link"]);
    for (const close of screen.getAllByRole("button", { name: "Close" }).slice(-1))
      await user.click(close);
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    // Who may not sign in gets none, and nobody deletes themselves.
    await user.click(ofAda);
    const own = await screen.findByRole("menuitem", { name: "Delete" });
    expect(own.getAttribute("aria-disabled")).toBe("true");
    await user.keyboard("{Escape}");
    await user.click(screen.getByRole("button", { name: "Actions for Vera Viewer" }));
    const none = await screen.findByRole("menuitem", { name: "New sign-in link" });
    expect(none.getAttribute("aria-disabled")).toBe("true");
  });

  test.each([
    [[], "Vera Viewer has no second factor"],
    [["totp"], "Second factor of Vera Viewer reset"],
  ])("resets second factors (%j), after asking", async (removed, said) => {
    routes["POST /api/people/p2/reset-second-factor"] = () => ({ body: { id: "p2", removed } });
    const { user } = show();
    await user.click(await screen.findByRole("button", { name: "Actions for Vera Viewer" }));
    await user.click(await screen.findByRole("menuitem", { name: "Reset second factor" }));
    const question = await screen.findByRole("dialog", {
      name: "Reset the second factor of Vera Viewer?",
    });
    await user.click(within(question).getByRole("button", { name: "Reset" }));
    expect(await screen.findByText(said)).toBeTruthy();
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  });

  test("does not overwrite unseen what somebody else has changed meanwhile", async () => {
    const refusal = "Somebody else has changed this user since you began to edit.";
    routes["POST /api/people/update"] = ({ body }) => {
      sent.push({ name: "update", body });
      users[1] = identity("p2", "Vera", "Married", "vera@example.com");
      return sent.length === 1 ? { status: 409, body: { error: refusal } } : { body: {} };
    };
    const { user } = show();
    await user.click(await screen.findByText("vera@example.com"));
    const dialog = await screen.findByRole("dialog");
    const first = within(dialog).getByLabelText<HTMLInputElement>(/First name/);
    await user.clear(first);
    await user.type(first, "Veronica");
    await user.click(within(dialog).getByRole("button", { name: "Update" }));
    expect((await within(dialog).findByRole("alert")).textContent).toBe(refusal);
    const notice = await within(dialog).findByRole("status");
    expect(notice.textContent).toContain("(last name, state)");
    // What was typed stays, what was not touched follows.
    expect(first.value).toBe("Veronica");
    expect(within(dialog).getByLabelText<HTMLInputElement>(/Last name/).value).toBe("Married");
    await user.click(within(dialog).getByRole("button", { name: "Update" }));
    expect(await screen.findByText("Veronica Married updated successfully")).toBeTruthy();
    expect(sent.map(({ body }) => (body as { seen: object }).seen)).toMatchObject([
      { lastName: "Viewer", active: false, roles: ["viewer"] },
      { lastName: "Married", active: true, roles: ["viewer"] },
    ]);
  });

  test("who has not signed in yet is edited as the active user that they are", async () => {
    routes["POST /api/people/update"] = ({ body }) => {
      sent.push({ name: "update", body });
      return { body: {} };
    };
    users[1] = { ...identity("p2", "Vera", "Viewer", "vera@example.com"), first_sign_in_at: null };
    const { user } = show();
    await user.click(await screen.findByText("vera@example.com"));
    const dialog = await screen.findByRole("dialog");
    expect(within(dialog).getByLabelText<HTMLInputElement>(/Active/).checked).toBe(true);
    await user.click(within(dialog).getByRole("button", { name: "Update" }));
    await screen.findByText("Vera Viewer updated successfully");
    expect(sent).toMatchObject([{ body: { active: true, seen: { active: true } } }]);
  });

  test("somebody who is here already may go without a last name", async () => {
    routes["POST /api/people/update"] = ({ body }) => {
      sent.push({ name: "update", body });
      return { body: {} };
    };
    const { user } = show();
    await user.click(await screen.findByText("vera@example.com"));
    const dialog = await screen.findByRole("dialog");
    await user.clear(within(dialog).getByLabelText(/Last name/));
    await user.click(within(dialog).getByRole("button", { name: "Update" }));
    expect(await screen.findByText("Vera updated successfully")).toBeTruthy();
    expect(sent).toMatchObject([{ body: { firstName: "Vera", lastName: "" } }]);
  });

  test("says so when the user was deleted meanwhile, and keeps what was typed", async () => {
    routes["POST /api/people/update"] = () => {
      users.pop();
      return { status: 404, body: { error: "There is no such user; it may have been deleted." } };
    };
    const { user } = show();
    await user.click(await screen.findByText("vera@example.com"));
    const dialog = await screen.findByRole("dialog");
    const first = within(dialog).getByLabelText<HTMLInputElement>(/First name/);
    await user.type(first, " Maria");
    await user.click(within(dialog).getByRole("button", { name: "Update" }));
    expect((await within(dialog).findByRole("status")).textContent).toContain("no such user");
    expect(first.value).toBe("Vera Maria");
    const update = within(dialog).getByRole("button", { name: "Update" });
    expect(update.getAttribute("aria-disabled")).toBe("true");
    expect(within(dialog).queryByRole("button", { name: "Delete" })).toBeNull();
  });

  test("says what went wrong when it cannot be loaded, and tries again", async () => {
    const answer = routes["GET /api/db/people_roles"]!;
    routes["GET /api/db/people_roles"] = () => ({ status: 500, body: { message: "no roles" } });
    const { user } = show();
    expect(await screen.findByText("The users could not be loaded")).toBeTruthy();
    expect(screen.getByText("no roles")).toBeTruthy();
    routes["GET /api/db/people_roles"] = answer;
    await user.click(screen.getByRole("button", { name: /try again|retry/i }));
    expect(await screen.findByText("vera@example.com")).toBeTruthy();
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
    const remove = within(own).getByRole("button", { name: "Delete" });
    expect(remove.dataset["tooltip"]).toBe("You cannot delete yourself.");
    await user.click(remove);
    expect(screen.queryByRole("dialog", { name: "Delete Ada Admin?" })).toBeNull();
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
