// @vitest-environment happy-dom
import { cleanup, screen, waitFor } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { fakeApi, type FakeRoute } from "../../testing/fake-api.ts";
import { renderPage } from "../../testing/render-page.tsx";
import type { Flow } from "./flows/flow.ts";
import { LoginPage } from "./LoginPage.tsx";

const node = (name: string, type: string, label: string, value = "") => ({
  group: "password",
  type: "input",
  attributes: { node_type: "input" as const, name, type, value, required: true },
  messages: [],
  meta: { label: { text: label } },
});
const flow = (messages: Flow["ui"]["messages"] = []): Flow => ({
  id: "f1",
  ui: {
    action: "/self-service/login?flow=f1",
    method: "POST",
    messages,
    nodes: [
      node("csrf_token", "hidden", "", "t0"),
      node("identifier", "text", "E-mail"),
      node("password", "password", "Password"),
      node("method", "submit", "Sign in", "password"),
    ],
  },
});

const login = "/api/.ory/self-service/login";
const assign = vi.fn<(address: string | URL) => void>();

beforeEach(() => {
  vi.spyOn(window.location, "assign").mockImplementation(assign);
  assign.mockReset();
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
  vi.useRealTimers();
  vi.restoreAllMocks();
});

function open(search: string, routes: Record<string, FakeRoute>) {
  window.history.replaceState({}, "", `/login${search}`);
  const api = fakeApi({ [`GET ${login}/browser`]: () => ({ body: flow() }), ...routes });
  return { api, ...renderPage(LoginPage, { path: "/login", address: `/login${search}` }) };
}

test("the fields are those of the flow; signing in goes where one came from", async () => {
  let sent: unknown;
  const { user, api } = open("?return_to=%2Fhealth%3Fquery%3Dx", {
    [`POST ${login}`]: ({ body }) => {
      sent = body;
      return { body: { session: {} } };
    },
  });
  await user.type(await screen.findByLabelText("E-mail"), "ada@example.com");
  await user.type(screen.getByLabelText("Password"), "secret");
  await user.click(screen.getByRole("button", { name: "Sign in" }));
  await waitFor(() => expect(assign).toHaveBeenCalledWith("/health?query=x"));
  expect(sent).toEqual({
    csrf_token: "t0",
    identifier: "ada@example.com",
    password: "secret",
    method: "password",
  });
  expect(api.calls[0]).toBe(
    `GET ${login}/browser?refresh=false&aal=&return_to=%2Fhealth%3Fquery%3Dx`,
  );
  expect(window.location.search).toContain("flow=f1");
});

test("a refusal shows what the service says and keeps what was typed", async () => {
  const { user } = open("", {
    [`POST ${login}`]: () => ({
      status: 400,
      body: flow([{ id: 4000006, type: "error", text: "The provided credentials are invalid." }]),
    }),
  });
  await user.type(await screen.findByLabelText("E-mail"), "ada@example.com");
  await user.type(screen.getByLabelText("Password"), "wrong");
  await user.click(screen.getByRole("button", { name: "Sign in" }));
  await screen.findByText("The provided credentials are invalid.");
  expect(screen.getByLabelText<HTMLInputElement>("E-mail").value).toBe("ada@example.com");
});

test("an expired flow is made again", async () => {
  const { api } = open("?flow=old", {
    [`GET ${login}/flows`]: () => ({
      status: 410,
      body: { error: { id: "self_service_flow_expired" } },
    }),
  });
  await screen.findByLabelText("E-mail");
  await screen.findByText("Your interaction expired, please fill out the form again.");
  expect(api.calls).toHaveLength(2);
});

test("who is signed in already goes on", async () => {
  open("?return_to=%2Fhealth", {
    [`GET ${login}/browser`]: () => ({
      status: 400,
      body: { error: { id: "session_already_available" } },
    }),
  });
  await waitFor(() => expect(assign).toHaveBeenCalledWith("/health"));
});

test("a return address elsewhere is not followed", async () => {
  open("?return_to=https%3A%2F%2Fevil.example", {
    [`GET ${login}/browser`]: () => ({
      status: 400,
      body: { error: { id: "session_already_available" } },
    }),
  });
  await waitFor(() => expect(assign).toHaveBeenCalledWith("/"));
});

test("a name and password in the address sign in, and leave the address", async () => {
  let sent: unknown;
  open("?username=ada&password=secret", {
    [`POST ${login}`]: ({ body }) => {
      sent = body;
      return { body: {} };
    },
  });
  await waitFor(() => expect(assign).toHaveBeenCalledWith("/"));
  expect(sent).toEqual({
    csrf_token: "t0",
    method: "password",
    identifier: "ada",
    password: "secret",
  });
  expect(window.location.search).not.toContain("secret");
});

test("other ways in stand together behind one line; one with a field has a line of its own", async () => {
  const of = (group: string, name: string, type: string, label: string, value = "") => ({
    ...node(name, type, label, value),
    group,
  });
  const shown = flow();
  shown.ui.nodes.push(
    of("code", "method", "submit", "Send sign-in code", "code"),
    of("oidc", "provider", "submit", "Sign in with Acme", "acme"),
    of("lookup_secret", "lookup_secret", "text", "Backup code"),
    of("lookup_secret", "method", "submit", "Use backup code", "lookup_secret"),
  );
  open("", { [`GET ${login}/browser`]: () => ({ body: shown }) });
  const after = async (name: string) =>
    (await screen.findByRole("button", { name })).closest("form")!.textContent;
  expect(await after("Sign in")).not.toMatch(/^or/);
  expect(await after("Send sign-in code")).toMatch(/^or/);
  expect(await after("Use backup code")).toMatch(/^or/);
  expect(await after("Sign in with Acme")).toMatch(/^or/);
});
