// @vitest-environment happy-dom
import { act, cleanup, screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { fakeApi, type FakeRoute } from "../../testing/fake-api.ts";
import { renderPage } from "../../testing/render-page.tsx";
import type { Flow, FlowMessage, FlowNode } from "./flows/flow.ts";
import { ProfilePage } from "./ProfilePage.tsx";
import { RecoveryPage } from "./RecoveryPage.tsx";
import { RegistrationPage } from "./RegistrationPage.tsx";
import { VerificationPage } from "./VerificationPage.tsx";

const service = "/api/.ory/self-service";
const assign = vi.fn<(address: string | URL) => void>();

beforeEach(() => {
  vi.spyOn(window.location, "assign").mockImplementation(assign);
  assign.mockReset();
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

const input = (
  group: string,
  name: string,
  type: string,
  label = name,
  value = "",
  messages: FlowMessage[] = [],
): FlowNode => ({
  group,
  type: "input",
  attributes: { node_type: "input", name, type, value },
  messages,
  meta: { label: { text: label } },
});
const csrf = input("default", "csrf_token", "hidden", "", "t0");
const flow = (id: string, nodes: FlowNode[], messages: FlowMessage[] = []): Flow => ({
  id,
  ui: { action: `/x?flow=${id}`, method: "POST", messages, nodes: [csrf, ...nodes] },
});

function open(
  Page: Parameters<typeof renderPage>[0],
  address: string,
  routes: Record<string, FakeRoute>,
) {
  window.history.replaceState({}, "", address);
  const api = fakeApi(routes);
  return { api, ...renderPage(Page, { path: address.split("?")[0]!, address }) };
}
const press = (name: string) => screen.getByRole("button", { name });

const registration = flow("r1", [
  input("default", "traits.email", "email", "E-mail"),
  input("password", "password", "password", "Password"),
  input("password", "method", "submit", "Sign up", "password"),
]);

test("registration passes on where to go after verification, and leads to the verification it is told of", async () => {
  let sent: unknown;
  const { api, user } = open(RegistrationPage, "/registration?return_to=%2Fhealth", {
    [`GET ${service}/registration/browser`]: () => ({ body: registration }),
    [`POST ${service}/registration`]: ({ body }) => {
      sent = body;
      return {
        body: { continue_with: [{ action: "show_verification_ui", flow: { id: "v1" } }] },
      };
    },
  });
  await user.type(await screen.findByLabelText("E-mail"), "ada@example.com");
  await user.type(screen.getByLabelText("Password"), "a long password");
  await user.click(press("Sign up"));
  await waitFor(() => expect(assign).toHaveBeenCalledWith("/verification?flow=v1"));
  expect(api.calls[0]).toBe(
    `GET ${service}/registration/browser?after_verification_return_to=%2Fhealth`,
  );
  expect(sent).toEqual({
    csrf_token: "t0",
    "traits.email": "ada@example.com",
    password: "a long password",
    method: "password",
  });
});

test("a form that ran out is replaced by its successor with what was typed", async () => {
  const { user } = open(RegistrationPage, "/registration", {
    [`GET ${service}/registration/browser`]: () => ({ body: registration }),
    [`GET ${service}/registration/flows`]: ({ url }) => ({
      body: { ...registration, id: url.searchParams.get("id") },
    }),
    [`POST ${service}/registration`]: () => ({
      status: 410,
      body: { error: { id: "self_service_flow_expired" }, use_flow_id: "r2" },
    }),
  });
  await user.type(await screen.findByLabelText("E-mail"), "ada@example.com");
  await user.click(press("Sign up"));
  await screen.findByText("Your interaction expired, please fill out the form again.");
  expect(window.location.search).toContain("flow=r2");
  expect(screen.getByLabelText<HTMLInputElement>("E-mail").value).toBe("ada@example.com");
});

test("recovery goes from the address to the code, and from there where the service says", async () => {
  const steps = [
    {
      status: 200,
      body: flow("c1", [
        input("code", "code", "text", "Code"),
        input("code", "method", "submit", "Continue", "code"),
        input("code", "email", "submit", "Send again", "ada@example.com"),
      ]),
    },
    {
      status: 422,
      body: {
        error: { id: "browser_location_change_required" },
        redirect_browser_to: "/profile-settings?flow=s1",
      },
    },
  ];
  const sent: unknown[] = [];
  const { user } = open(RecoveryPage, "/recovery", {
    [`GET ${service}/recovery/browser`]: () => ({
      body: flow("c1", [
        input("code", "email", "email", "E-mail"),
        input("code", "method", "submit", "Send code", "code"),
      ]),
    }),
    [`POST ${service}/recovery`]: ({ body }) => {
      sent.push(body);
      return steps[sent.length - 1]!;
    },
  });
  await user.type(await screen.findByLabelText("E-mail"), "ada@example.com");
  await user.click(press("Send code"));
  await user.type(await screen.findByLabelText("Code"), "123456");
  await user.click(press("Continue"));
  await waitFor(() => expect(assign).toHaveBeenCalledWith("/profile-settings?flow=s1"));
  expect(sent).toEqual([
    { csrf_token: "t0", email: "ada@example.com", method: "code" },
    { csrf_token: "t0", code: "123456", method: "code" },
  ]);
});

test("the code of a link is filled in, not sent, and leaves the address", async () => {
  const { api } = open(VerificationPage, "/verification?flow=v1&code=654321", {
    [`GET ${service}/verification/flows`]: () => ({
      body: flow("v1", [
        input("code", "code", "text", "Code"),
        input("code", "method", "submit", "Continue", "code"),
      ]),
    }),
  });
  expect((await screen.findByLabelText<HTMLInputElement>("Code")).value).toBe("654321");
  expect(window.location.search).toBe("?flow=v1");
  expect(api.calls).toHaveLength(1);
});

test.each([410, 403])("a verification that answers %d begins anew", async (status) => {
  const { api } = open(VerificationPage, "/verification?flow=old", {
    [`GET ${service}/verification/flows`]: () => ({ status, body: { error: {} } }),
    [`GET ${service}/verification/browser`]: () => ({
      body: flow("v2", [input("code", "email", "email", "E-mail")]),
    }),
  });
  await screen.findByLabelText("E-mail");
  expect(api.calls).toHaveLength(2);
});

test("a verification that cannot begin leads home", async () => {
  open(VerificationPage, "/verification", {
    [`GET ${service}/verification/browser`]: () => ({ status: 400, body: { error: {} } }),
  });
  await waitFor(() => expect(assign).toHaveBeenCalledWith("/"));
});

const secrets: FlowNode = {
  group: "lookup_secret",
  type: "text",
  attributes: {
    node_type: "text",
    id: "lookup_secret_codes",
    text: {
      id: 1050015,
      text: "one, two",
      context: {
        secrets: [
          { id: 1050009, text: "abcd1234" },
          { id: 1050014, text: "Used" },
        ],
      },
    },
  },
  messages: [],
  meta: { label: { text: "Your codes" } },
};
const settings = flow("s1", [
  input("profile", "traits.name.first", "text", "First name", "Ada"),
  input("profile", "method", "submit", "Save profile", "profile"),
  input("password", "password", "password", "New password"),
  input("password", "method", "submit", "Save password", "password"),
  secrets,
  input("lookup_secret", "lookup_secret_disable", "submit", "Remove codes", "true"),
  {
    group: "webauthn",
    type: "script",
    attributes: { node_type: "script", id: "s", src: "https://elsewhere.example/x.js" },
    messages: [],
    meta: {},
  },
]);
const account: Record<string, FakeRoute> = {
  [`GET ${service}/settings/browser`]: () => ({ body: settings }),
  "GET /api/.ory/sessions/whoami": () => ({
    body: { id: "own", authenticated_at: "2026-11-20T10:00:00Z", devices: [] },
  }),
  "GET /api/.ory/sessions": () => ({
    body: [
      {
        id: "other",
        authenticated_at: "2026-11-19T10:00:00Z",
        devices: [{ id: "d", ip_address: "10.0.0.9", user_agent: "Firefox/140.0 (Windows NT)" }],
      },
    ],
  }),
};

test("each group of the profile is sent alone, and says there what came of it", async () => {
  let sent: unknown;
  const { user } = open(ProfilePage, "/profile-settings", {
    ...account,
    [`POST ${service}/settings`]: ({ body }) => {
      sent = body;
      return {
        body: {
          ...settings,
          ui: {
            ...settings.ui,
            messages: [{ id: 1050001, type: "success", text: "Your changes have been saved." }],
          },
        },
      };
    },
  });
  await user.type(await screen.findByLabelText("New password"), "another password");
  await user.click(press("Save password"));
  const section = within(screen.getByRole("region", { name: "Password" }));
  await section.findByText("Your changes have been saved.");
  expect(sent).toEqual({ csrf_token: "t0", password: "another password", method: "password" });
  expect(screen.getByLabelText<HTMLInputElement>("New password").value).toBe("");
  expect(document.querySelector("script[src*=elsewhere]")).toBeNull();
});

test("what is said is brought into view, however far above what was pressed", async () => {
  const shown = vi.spyOn(Element.prototype, "scrollIntoView");
  const refusal = "Acme is your only way to sign in. Set a password or add a passkey first.";
  const { user } = open(ProfilePage, "/profile-settings", {
    ...account,
    [`POST ${service}/settings`]: () => ({
      status: 400,
      body: {
        ...settings,
        ui: { ...settings.ui, messages: [{ id: 1, type: "error", text: refusal }] },
      },
    }),
  });
  await screen.findByLabelText("New password");
  expect(shown).not.toHaveBeenCalled();
  await user.click(press("Remove codes"));
  const section = within(screen.getByRole("region", { name: "Backup codes" }));
  const said = await section.findByRole("alert");
  expect(said.textContent).toBe(refusal);
  expect(shown.mock.contexts[0]).toBe(said.parentElement);
});

test("a change that needs a fresh sign-in goes where the service asks for one, and does it then", async () => {
  const { user } = open(ProfilePage, "/profile-settings", {
    ...account,
    [`POST ${service}/settings`]: () => ({
      status: 403,
      body: { error: { id: "session_refresh_required" }, redirect_browser_to: "/elsewhere" },
    }),
  });
  await user.type(await screen.findByLabelText("New password"), "another password");
  await user.click(press("Save password"));
  await waitFor(() => expect(assign).toHaveBeenCalledWith("/elsewhere"));
});

test("whoever goes on before the form is there finds nothing of it at the next page", async () => {
  const asked = new Set<string>();
  const answered = new Set<string>();
  const gone = Promise.withResolvers<void>();
  const held = (name: string): FakeRoute => {
    const route = account[name]!;
    return async (request) => {
      asked.add(name);
      await gone.promise;
      answered.add(name);
      return route(request);
    };
  };
  const [form, sessions] = [`GET ${service}/settings/browser`, "GET /api/.ory/sessions"];
  open(ProfilePage, "/profile-settings", {
    ...account,
    [form]: held(form),
    [sessions]: held(sessions),
  });
  await waitFor(() => expect(asked.size).toBe(2));
  window.history.replaceState({}, "", "/docs");
  gone.resolve();
  await waitFor(() => expect(answered.size).toBe(2));
  // What follows from the answers has followed.
  await act(() => new Promise((done) => setImmediate(done)));
  expect(`${window.location.pathname}${window.location.search}`).toBe("/docs");
});

test("nothing of the page stands where what comes later would push it away", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const form = `GET ${service}/settings/browser`;
  const { api } = open(ProfilePage, "/profile-settings", {
    ...account,
    [form]: async (request) => {
      await promise;
      return account[form]!(request);
    },
  });
  await waitFor(() => expect(api.calls.some((call) => /sessions(\?|$)/.test(call))).toBe(true));
  await waitFor(() => expect(screen.queryByText("Firefox on Windows")).toBeNull());
  expect(screen.queryByText("Where you are signed in")).toBeNull();
  resolve();
  expect(await screen.findByText("Where you are signed in")).toBeTruthy();
});

test("whoever is invited is welcomed, and recovers nothing", async () => {
  const words = (context?: object) =>
    flow(
      "r9",
      [input("link", "method", "submit", "Continue", "link")],
      [{ id: 1060002, text: "Go on.", type: "info", ...(context && { context }) } as FlowMessage],
    );
  open(RecoveryPage, "/recovery?flow=r9", {
    [`GET ${service}/recovery/flows`]: () => ({ body: words({ invited: true }) }),
  });
  expect(await screen.findByRole("heading", { name: "Welcome to Mainstay" })).toBeTruthy();
  cleanup();
  open(RecoveryPage, "/recovery?flow=r9", {
    [`GET ${service}/recovery/flows`]: () => ({ body: words() }),
  });
  await screen.findByText("Go on.");
  expect(screen.getByRole("heading", { name: "Recover your account" })).toBeTruthy();
});

test("codes are listed, used ones apart", async () => {
  open(ProfilePage, "/profile-settings", account);
  const list = await screen.findByRole("list", { name: "Your codes" });
  expect(
    within(list)
      .getAllByRole("listitem")
      .map((item) => item.textContent),
  ).toEqual(["abcd1234", "Used"]);
  expect(within(list).getByText("Used").className).toContain("line-through");
});

test("another session can be ended", async () => {
  let ended = "";
  const others = [
    { id: "other", devices: [{ id: "d", user_agent: "Firefox/140.0 (Windows NT)" }] },
  ];
  const { user } = open(ProfilePage, "/profile-settings", {
    ...account,
    "GET /api/.ory/sessions": () => ({ body: others }),
    "DELETE /api/.ory/sessions/other": ({ url }) => {
      ended = url.pathname;
      others.pop();
      return { status: 204 };
    },
  });
  await user.click(await screen.findByRole("button", { name: "Sign out Firefox on Windows" }));
  await waitFor(() => expect(screen.queryByText("Firefox on Windows")).toBeNull());
  expect(ended).toBe("/api/.ory/sessions/other");
  expect(screen.getByText("This device")).toBeTruthy();
});
