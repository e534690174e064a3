// @vitest-environment happy-dom
import { cleanup, screen, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { fakeApi, type FakeRoute } from "../../testing/fake-api.ts";
import { renderPage } from "../../testing/render-page.tsx";
import { TokensPage } from "./TokensPage.tsx";

const token = {
  id: "k1",
  name: "ci",
  kind: "personal",
  person: { id: "p1", name: "Ada Admin" },
  roles: null,
  effective_roles: ["editor"],
  created_at: "2026-01-01T00:00:00Z",
  created_by: null,
  expires_at: "2026-01-02T00:00:00Z",
  last_used_at: null,
};
let sent: unknown[];
let asked: string[];
let routes: Record<string, FakeRoute>;

beforeEach(() => {
  sent = [];
  asked = [];
  ({ routes } = fakeApi({
    "GET /api/auth/tokens": ({ url }) => {
      asked.push(url.search);
      return { body: { tokens: [token] } };
    },
    "POST /api/auth/tokens": ({ body }) => {
      sent.push(body);
      return { status: 201, body: { ...token, ...(body as object), access_token: "secret.text" } };
    },
    "DELETE /api/auth/tokens/k1": () => {
      sent.push("revoked");
      return { status: 204 };
    },
  }));
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const show = (roles: ("admin" | "editor" | "viewer")[]) =>
  renderPage(TokensPage, { path: "/tokens", address: "/tokens", session: { roles } });

test("a token is shown once, after it was made", async () => {
  const { user } = show(["editor"]);
  await user.click(await screen.findByRole("button", { name: "Create access token" }));
  const dialog = await screen.findByRole("dialog");
  await user.click(within(dialog).getByRole("button", { name: "Create" }));
  expect(within(dialog).getByText("This field is required")).toBeTruthy();
  expect(within(dialog).queryByLabelText("For")).toBeNull();
  await user.type(within(dialog).getByLabelText(/Name/), "deploy");
  await user.selectOptions(within(dialog).getByLabelText("Expires"), "never");
  await user.click(within(dialog).getByRole("button", { name: "Create" }));
  expect((await screen.findByLabelText<HTMLInputElement>("Token")).value).toBe("secret.text");
  expect(sent).toEqual([{ name: "deploy", kind: "personal", roles: null, expires_at: null }]);
  await user.click(screen.getAllByRole("button", { name: "Close" }).at(-1)!);
  expect(document.body.textContent).not.toContain("secret.text");
});

test("a token of a service needs roles, of those that may be handed on", async () => {
  const { user } = show(["admin"]);
  await user.click(await screen.findByRole("button", { name: "Create access token" }));
  const dialog = await screen.findByRole("dialog");
  await user.type(within(dialog).getByLabelText(/Name/), "robot");
  await user.selectOptions(within(dialog).getByLabelText("For"), "service");
  await user.click(within(dialog).getByRole("button", { name: "Create" }));
  expect(within(dialog).getByText("Please select any role")).toBeTruthy();
  await user.click(within(dialog).getByLabelText("responder"));
  await user.click(within(dialog).getByRole("button", { name: "Create" }));
  await screen.findByLabelText("Token");
  expect(sent[0]).toMatchObject({ name: "robot", kind: "service", roles: ["responder"] });
});

test("revoking asks first", async () => {
  const { user } = show(["editor"]);
  await user.click(await screen.findByRole("button", { name: "Revoke ci" }));
  const question = await screen.findByRole("dialog", { name: "Revoke ci?" });
  expect(sent).toEqual([]);
  await user.click(within(question).getByRole("button", { name: "Revoke" }));
  expect(await screen.findByText("ci revoked")).toBeTruthy();
  expect(sent).toEqual(["revoked"]);
});

test("an expired one is marked, and administrators see everybody's on demand", async () => {
  const { user } = show(["admin"]);
  expect(await screen.findByText("expired")).toBeTruthy();
  await user.click(screen.getByLabelText("Everybody's"));
  await vi.waitFor(() => expect(asked).toEqual(["", "?all=true"]));
  cleanup();
  show(["viewer"]);
  await screen.findByText("expired");
  expect(screen.queryByLabelText("Everybody's")).toBeNull();
});

test("what is looked at is in the address, and nobody else's is revoked by who may not", async () => {
  const answer = routes["GET /api/auth/tokens"]!;
  routes["GET /api/auth/tokens"] = async (request) => {
    const { body } = await answer(request);
    const { tokens } = body as { tokens: object[] };
    const robot = { ...token, id: "k2", name: "robot", person: { id: "s1", name: "robot" } };
    return { body: { tokens: [...tokens, robot] } };
  };
  const { user } = renderPage(TokensPage, {
    path: "/tokens",
    address: "/tokens?all=true",
    session: { roles: ["editor"] },
  });
  const revoke = await screen.findByRole("button", { name: /Revoke robot/ });
  expect(asked).toEqual(["?all=true"]);
  expect(revoke.dataset["tooltip"]).toContain("Needs the role admin. Yours: editor.");
  await user.click(revoke);
  expect(screen.queryByRole("dialog")).toBeNull();
  await user.click(screen.getByRole("button", { name: "Revoke ci" }));
  expect(await screen.findByRole("dialog", { name: "Revoke ci?" })).toBeTruthy();
  cleanup();
  // Who may not see everybody's sees their own, whatever the address says.
  asked.length = 0;
  renderPage(TokensPage, {
    path: "/tokens",
    address: "/tokens?all=true",
    session: { roles: ["viewer"] },
  });
  await screen.findByText("ci");
  expect(asked).toEqual([""]);
});

test("what the server refuses is said and nothing is lost", async () => {
  routes["POST /api/auth/tokens"] = () => ({
    status: 409,
    body: { error: "A token of that name is there." },
  });
  const { user } = show(["editor"]);
  await user.click(await screen.findByRole("button", { name: "Create access token" }));
  const dialog = await screen.findByRole("dialog");
  await user.type(within(dialog).getByLabelText(/Name/), "ci");
  await user.click(within(dialog).getByRole("button", { name: "Create" }));
  expect((await within(dialog).findByRole("alert")).textContent).toBe(
    "A token of that name is there.",
  );
  expect(within(dialog).getByLabelText<HTMLInputElement>(/Name/).value).toBe("ci");
});
