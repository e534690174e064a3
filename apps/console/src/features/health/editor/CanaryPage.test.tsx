// @vitest-environment happy-dom
import { cleanup, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { YamlEditorProps } from "@mainstay/ui/yaml-editor/YamlEditor.tsx";
import { fakeApi, type FakeRoute } from "../../../testing/fake-api.ts";
import { renderPage } from "../../../testing/render-page.tsx";
import { CanaryPage } from "./CanaryPage.tsx";

vi.mock("@mainstay/ui/yaml-editor/YamlEditor.tsx", () => ({
  // The real editor needs a browser that lays out text; what the page does with the text is what counts here.
  YamlEditor: ({ label, value, onChange, readOnly }: YamlEditorProps) => (
    <textarea
      aria-label={label}
      value={value}
      readOnly={readOnly}
      onChange={(event) => onChange(event.target.value)}
    />
  ),
}));

const canary = {
  id: "y1",
  name: "shop",
  namespace: "web",
  source: "UI",
  labels: { team: "red" },
  spec: { interval: 30, http: [{ name: "front", url: "https://example.com/" }] },
};

beforeEach(() => localStorage.clear());
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

function open(
  row: object | null,
  more: { routes?: Record<string, FakeRoute>; roles?: ("viewer" | "editor")[] } = {},
) {
  const changes: unknown[] = [];
  fakeApi({
    "GET /api/db/canaries": () => ({ body: row ? [row] : [] }),
    "PATCH /api/db/canaries": ({ url, body }) => {
      changes.push({ [url.search]: body });
      return { body: [row] };
    },
    ...more.routes,
  });
  const page = renderPage(CanaryPage, {
    path: "/settings/canaries/$canaryId",
    address: "/settings/canaries/y1",
    ...(more.roles ? { session: { roles: more.roles } } : {}),
  });
  return { changes, ...page };
}
const spec = () => screen.findByRole<HTMLTextAreaElement>("textbox", { name: "Spec" });

test("name and namespace stand, labels and spec are sent when they changed", async () => {
  const { user, changes, history } = open(canary);
  expect((await spec()).value).toBe(
    "interval: 30\nhttp:\n  - name: front\n    url: https://example.com/\n",
  );
  expect(screen.getByLabelText<HTMLInputElement>("Name").readOnly).toBe(true);
  expect(screen.getByRole<HTMLButtonElement>("button", { name: "Update" }).disabled).toBe(true);
  fireEvent.change(screen.getByRole("textbox", { name: "Labels" }), {
    target: { value: "team: blue\n" },
  });
  fireEvent.change(await spec(), {
    target: { value: "interval: 60\nhttp:\n  - name: front\n    url: https://example.com/\n" },
  });
  await user.click(screen.getByRole("button", { name: "Update" }));
  await waitFor(() => expect(history.location.pathname).toBe("/health"));
  expect(changes).toEqual([
    {
      "?id=eq.y1": {
        labels: { team: "blue" },
        spec: { interval: 60, http: [{ name: "front", url: "https://example.com/" }] },
      },
    },
  ]);
});

test("what is wrong is said with its place, nothing is sent and nothing is lost", async () => {
  const { user, changes } = open(canary);
  fireEvent.change(await spec(), { target: { value: "http: 3\n" } });
  await user.click(screen.getByRole("button", { name: "Update" }));
  expect((await screen.findByRole("alert")).textContent).toContain("1:7 http");
  expect(changes).toEqual([]);
  expect((await spec()).value).toBe("http: 3\n");
});

test("a refusal of the server keeps the form as it is", async () => {
  const { user } = open(canary, {
    routes: {
      "PATCH /api/db/canaries": () => ({ status: 500, body: { message: "the disk is full" } }),
    },
  });
  fireEvent.change(await spec(), { target: { value: "interval: 60\n" } });
  await user.click(screen.getByRole("button", { name: "Update" }));
  expect((await screen.findByRole("alert")).textContent).toContain("the disk is full");
  expect(screen.getByRole<HTMLButtonElement>("button", { name: "Update" }).disabled).toBe(false);
});

test("deleting asks first", async () => {
  const { user, changes, history } = open(canary);
  await spec();
  await user.click(screen.getByRole("button", { name: "Delete" }));
  const question = await screen.findByRole("dialog", { name: "Delete shop?" });
  expect(question.textContent).toContain("with their history");
  expect(changes).toEqual([]);
  await user.click(within(question).getByRole("button", { name: "Delete" }));
  await waitFor(() => expect(history.location.pathname).toBe("/health"));
  expect(changes).toEqual([{ "?id=eq.y1": { deleted_at: "now()" } }]);
});

test("a document from elsewhere is read, not edited", async () => {
  open({ ...canary, source: "git/checks.yaml" });
  expect((await spec()).readOnly).toBe(true);
  expect(screen.getByText(/This document comes from/).textContent).toContain("git/checks.yaml");
  expect(screen.queryByRole("button", { name: "Update" })).toBeNull();
  expect(screen.getByRole("button", { name: "Delete" })).toBeTruthy();
});

test("a viewer changes nothing", async () => {
  open(canary, { roles: ["viewer"] });
  expect((await spec()).readOnly).toBe(true);
  expect(screen.queryByRole("button", { name: "Delete" })).toBeNull();
});

test("a document that is gone says so", async () => {
  open(null);
  await screen.findByText("There is no such health check");
});

test("a secret is shown as a placeholder, goes back as one, and a refusal of it has its place in the text", async () => {
  const front = {
    name: "front",
    url: "https://user:********@example.com/",
    password: "********",
  };
  const sent: unknown[] = [];
  const { user } = open(
    { ...canary, spec: { http: [front] } },
    {
      routes: {
        "PATCH /api/db/canaries": ({ body }) => {
          sent.push(body);
          const message = "The address changed: write the value itself again.";
          const issue = { path: "spec.http.0.password", message, line: 1, column: 120 };
          return { status: 400, body: { message: "Nothing was saved.", issues: [issue] } };
        },
      },
    },
  );
  const text =
    'http:\n  - name: front\n    url: https://user:********@example.com/\n    password: "********"\n';
  expect((await spec()).value).toBe(text);
  fireEvent.change(await spec(), { target: { value: text.replace("example.com", "example.org") } });
  await user.click(screen.getByRole("button", { name: "Update" }));
  expect((await screen.findByRole("alert")).textContent).toContain(
    "4:15 http.0.password: The address changed",
  );
  expect(sent).toMatchObject([
    {
      spec: {
        http: [{ url: "https://user:********@example.org/", password: "********" }],
      },
    },
  ]);
});
