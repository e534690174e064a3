// @vitest-environment happy-dom
import { cleanup, fireEvent, screen, waitFor } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { YamlEditorProps } from "@mainstay/ui/yaml-editor/YamlEditor.tsx";
import { fakeApi, type FakeRoute } from "../../../testing/fake-api.ts";
import { renderPage } from "../../../testing/render-page.tsx";
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

function open(routes: Record<string, FakeRoute> = {}) {
  const api = fakeApi(routes);
  const onClose = vi.fn();
  const page = renderPage(() => <AddCheckDialog onClose={onClose} />, {
    path: "/health",
    address: "/health",
  });
  return { api, onClose, ...page };
}
const editor = () => screen.findByRole<HTMLTextAreaElement>("textbox", { name: "Canary document" });
const write = async (text: string) => fireEvent.change(await editor(), { target: { value: text } });

test("the template is a document without errors", async () => {
  const { user } = open({
    "POST /api/canary/run/document": () => ({ body: { results: [] } }),
  });
  await editor();
  await user.click(screen.getByRole("button", { name: "Run once" }));
  await screen.findByText("The document has no checks that could be run");
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
          ],
        },
      };
    },
  });
  await write(good);
  await user.click(screen.getByRole("button", { name: "Run once" }));
  const results = await screen.findByRole("region", { name: "Results" });
  expect(results.textContent).toContain("Ran 2 checks: 1 failed. Nothing was stored.");
  expect(results.textContent).toContain("status 500");
  expect(api.calls).toEqual(["POST /api/canary/run/document"]);
});

test("a document with errors is not sent; each error has its place", async () => {
  const { user, api } = open();
  await write(good.replace("https://example.com/", "[]"));
  await user.click(screen.getByRole("button", { name: "Save" }));
  expect((await screen.findByRole("alert")).textContent).toMatch(
    /11:\d+ .*spec\.http\.0\.(url|endpoint)/,
  );
  expect(api.calls).toEqual([]);
});

test("saving sends a row, forgets the draft and closes", async () => {
  const rows: unknown[] = [];
  const { user, onClose } = open({
    "POST /api/db/canaries": ({ body }) => {
      rows.push(body);
      return { status: 201, body: [{ id: "y1", name: "shop" }] };
    },
  });
  await write(good);
  await user.click(screen.getByRole("button", { name: "Save" }));
  await waitFor(() => expect(onClose).toHaveBeenCalled());
  expect(rows).toEqual([
    {
      name: "shop",
      namespace: "web",
      labels: { team: "red" },
      spec: { schedule: "@every 1m", http: [{ name: "front", url: "https://example.com/" }] },
    },
  ]);
  expect(localStorage.length).toBe(0);
});

test("a refused save says why and keeps what was typed, also when the page is opened again", async () => {
  const { user, onClose } = open({
    "POST /api/db/canaries": () => ({
      status: 409,
      body: { error: "There is a canary web/shop already." },
    }),
  });
  await write(good);
  await user.click(screen.getByRole("button", { name: "Save" }));
  expect((await screen.findByRole("alert")).textContent).toContain(
    "There is a canary web/shop already.",
  );
  expect(onClose).not.toHaveBeenCalled();
  expect((await editor()).value).toBe(good);

  cleanup();
  const again = open();
  expect((await editor()).value).toBe(good);
  await again.user.click(screen.getByRole("button", { name: "Discard draft" }));
  expect((await editor()).value).toContain("name: my-check");
});

test("what the server refuses in the document is listed with its places", async () => {
  const { user } = open({
    "POST /api/canary/run/document": () => ({
      status: 400,
      body: {
        error: "1 problem",
        issues: [
          {
            path: "spec.http.0.url",
            message: "This address may not be reached.",
            line: 11,
            column: 12,
          },
        ],
      },
    }),
  });
  await write(good);
  await user.click(screen.getByRole("button", { name: "Run once" }));
  expect((await screen.findByRole("alert")).textContent).toContain(
    "11:12 spec.http.0.url: This address may not be reached.",
  );
});

test("an editor is told before, and what the server refuses stands at its line with nothing lost", async () => {
  const message =
    '"backup" runs a program on the server. On this server administrators may do that.';
  fakeApi({
    "POST /api/db/canaries": () => ({
      status: 403,
      body: { error: message, issues: [{ path: "spec.exec.0", message, line: 1, column: 120 }] },
    }),
  });
  const onClose = vi.fn();
  const { user } = renderPage(() => <AddCheckDialog onClose={onClose} />, {
    path: "/health",
    address: "/health",
    session: { roles: ["editor"] },
  });
  await screen.findByText(
    /need a permission of their own\. Needs the role admin\. Yours: editor\./,
  );
  const text = good.replace(/http:[^]*/, "exec:\n    - name: backup\n      script: id\n");
  await write(text);
  await user.click(screen.getByRole("button", { name: "Save" }));
  const alert = await screen.findByRole("alert");
  expect(alert.textContent).toContain(`10:7 spec.exec.0: ${message}`);
  expect(onClose).not.toHaveBeenCalled();
  expect((await editor()).value).toBe(text);
});

test("several documents are saved together or not at all", async () => {
  const sent: unknown[] = [];
  const { user } = open({
    "POST /api/db/canaries": ({ body }) => {
      sent.push(body);
      return { status: 403, body: { issues: [{ path: "1.spec.http.0", message: "no" }] } };
    },
  });
  await write(`${good}---\n${good.replace("name: shop", "name: other")}`);
  await user.click(screen.getByRole("button", { name: "Save" }));
  expect((await screen.findByRole("alert")).textContent).toContain("22:7 spec.http.0: no");
  expect(sent).toMatchObject([[{ name: "shop" }, { name: "other" }]]);
});
