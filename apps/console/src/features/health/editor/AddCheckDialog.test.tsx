// @vitest-environment happy-dom
import { cleanup, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { YamlEditorProps } from "@mainstay/ui/yaml-editor/YamlEditor.tsx";
import { fakeApi, type FakeRoute } from "../../../testing/fake-api.ts";
import { renderPage } from "../../../testing/render-page.tsx";
import type { Session } from "#lib/use-access.ts";
import { AddCheckDialog } from "./AddCheckDialog.tsx";

vi.mock("@mainstay/ui/yaml-editor/YamlEditor.tsx", () => ({
  // The real editor needs a browser that lays out text; what the dialog does with the text is what counts here.
  YamlEditor: ({ label, value, onChange }: YamlEditorProps) => (
    <textarea aria-label={label} value={value} onChange={(event) => onChange(event.target.value)} />
  ),
}));

const good = `apiVersion: canaries.flanksource.com/v1
kind: Canary
metadata:
  name: shop
  namespace: web
  labels: {team: red}
spec:
  schedule: "@every 1m"
  http:
    - name: front
      url: https://example.com/
`;

beforeEach(() => localStorage.clear());
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

function open(routes: Record<string, FakeRoute> = {}, session: Partial<Session> = {}) {
  const api = fakeApi(routes);
  const onClose = vi.fn();
  const page = renderPage(() => <AddCheckDialog onClose={onClose} />, {
    path: "/health",
    address: "/health?editor=text",
    session,
  });
  return { api, onClose, ...page };
}
const editor = () => screen.findByRole<HTMLTextAreaElement>("textbox", { name: "Canary document" });
const write = async (text: string) => fireEvent.change(await editor(), { target: { value: text } });

const alerted = async () => (await screen.findByRole("alert")).textContent;
const outcome = (name: string, more: object = {}) => ({
  kind: "Canary",
  namespace: "web",
  name,
  outcome: "created",
  held: [],
  ...more,
});

test("run once shows each result and stores nothing", async () => {
  const result = {
    type: "http",
    name: "front",
    namespace: "web",
    start: "",
    invalid: false,
    duration: 12,
  };
  const { user, api } = open({
    "POST /api/canary/run/document": ({ body }) => {
      expect(body).toEqual({ document: good });
      return {
        body: {
          results: [
            { ...result, pass: true },
            { ...result, name: "back", pass: false, error: "status 500" },
            { ...result, name: "far", pass: false, untried: true, error: "no network" },
          ],
        },
      };
    },
  });
  await write(good);
  await user.click(screen.getByRole("button", { name: "Run once" }));
  const results = await screen.findByRole("region", { name: "Results" });
  expect(results.textContent).toContain(
    "Ran 3 checks: 1 failed, 1 could not be tried. Nothing was stored.",
  );
  expect(results.textContent).toContain("status 500");
  // What was asked.
  expect(results.textContent).toContain("https://example.com/");
  expect(api.calls).toEqual(["POST /api/canary/run/document"]);
});

test("it begins with the types; the form and the text are one draft, and results stand beside the form", async () => {
  localStorage.clear();
  const api = fakeApi({
    "GET /api/db/connections": () => ({ body: [] }),
    "POST /api/canary/run/document": ({ body }) => {
      expect((body as { document: string }).document).toContain("endpoint: db:5432");
      return { body: { results: [] } };
    },
  });
  const { user } = renderPage(() => <AddCheckDialog onClose={() => undefined} />, {
    path: "/health",
    address: "/health",
  });
  const search = await screen.findByRole("searchbox", { name: "Search check types" });
  await user.type(search, "tcp conn");
  await user.keyboard("{Enter}");
  await user.type(await screen.findByRole("textbox", { name: "Endpoint" }), "db:5432");
  await user.click(screen.getByRole("button", { name: "Run once" }));
  await screen.findByText("The document has no checks that could be run");
  expect(screen.getByRole("textbox", { name: "Endpoint" })).toBeTruthy();
  expect(api.calls).toContain("POST /api/canary/run/document");
  await user.click(screen.getByRole("tab", { name: "YAML" }));
  expect((await editor()).value).toContain("endpoint: db:5432");
  cleanup();
  // What was typed is there again.
  open();
  expect((await editor()).value).toContain("endpoint: db:5432");
});

test("what is refused when it is run is listed with its places", async () => {
  const issue = { path: "spec.http.0.url", message: "Not reached.", line: 11, column: 12 };
  const { user } = open({
    "POST /api/canary/run/document": () => ({ status: 400, body: { issues: [issue] } }),
  });
  await write(good);
  await user.click(screen.getByRole("button", { name: "Run once" }));
  expect(await alerted()).toContain("11:12 spec.http.0.url: Not reached.");
});

test("documents are reviewed, saved together, and the dialog closes without a draft", async () => {
  const text = `${good}---\n${good.replace("name: shop", "name: other")}`;
  const sent: unknown[] = [];
  const { user, onClose } = open({
    "POST /api/documents": ({ url, body }) => {
      sent.push([url.search, body]);
      return { body: { documents: [outcome("shop"), outcome("other")] } };
    },
  });
  await write(text);
  await user.click(screen.getByRole("button", { name: "Review changes" }));
  await screen.findByText("2 documents: 2 would be created. Nothing is saved yet.");
  await user.click(screen.getByRole("button", { name: "Save" }));
  await waitFor(() => expect(onClose).toHaveBeenCalled());
  expect(sent).toEqual([
    ["?source=UI&dryRun=true", text],
    ["?source=UI&dryRun=false", text],
  ]);
  expect(localStorage.length).toBe(0);
});

test("one that was saved can be opened from where its maker is", async () => {
  const { user, history } = open({
    "POST /api/documents": () => ({ body: { documents: [outcome("shop", { id: "y1" })] } }),
  });
  await write(good);
  await user.click(screen.getByRole("button", { name: "Review changes" }));
  await screen.findByText(/Nothing is saved yet/);
  await user.click(screen.getByRole("button", { name: "Save" }));
  const toast = await screen.findByText("shop saved");
  expect(history.location.pathname).toBe("/health");
  await user.click(within(toast.parentElement!).getByRole("button", { name: "Open" }));
  expect(history.location.pathname).toBe("/settings/canaries/y1");
});

test("an editor is told before, and what is refused stands at its line with nothing lost", async () => {
  const message =
    '"backup" runs a program on the server. On this server administrators may do that.';
  const routes = {
    "POST /api/documents": () => ({
      status: 403,
      body: { error: message, issues: [{ path: "spec.exec.0", message, line: 10, column: 7 }] },
    }),
  };
  const { user, onClose } = open(routes, { roles: ["editor"] });
  await screen.findByText(
    /need a permission of their own\. Needs the role admin\. Yours: editor\./,
  );
  const text = good.replace(/http:[^]*/, "exec:\n    - name: backup\n      script: id\n");
  await write(text);
  await user.click(screen.getByRole("button", { name: "Review changes" }));
  expect(await alerted()).toContain(`10:7 spec.exec.0: ${message}`);
  expect(onClose).not.toHaveBeenCalled();

  cleanup();
  const again = open();
  expect((await editor()).value).toBe(text);
  await again.user.click(screen.getByRole("button", { name: "Discard changes" }));
  expect((await editor()).value).toBe("");
});
