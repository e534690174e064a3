// @vitest-environment happy-dom
import { cleanup, fireEvent, screen, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { YamlEditorProps } from "@mainstay/ui/yaml-editor/YamlEditor.tsx";
import { fakeApi, type FakeRoute } from "../../testing/fake-api.ts";
import { renderPage } from "../../testing/render-page.tsx";
import type { Session } from "#lib/use-access.ts";
import { DocumentPage } from "./DocumentPage.tsx";
import { sheet, stored } from "./testing/kinds.ts";

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

beforeEach(() => localStorage.clear());
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const row = stored("Sheet", "front");
function open(
  answer: FakeRoute = () => ({ body: row }),
  more: { session?: Partial<Session>; routes?: Record<string, FakeRoute> } = {},
) {
  const api = fakeApi({ "GET /api/documents/sheet/id-front": answer, ...more.routes });
  const page = renderPage(DocumentPage, {
    path: "/settings/documents/$kind/$documentId",
    address: "/settings/documents/sheet/id-front",
    documents: [sheet],
    ...(more.session && { session: more.session }),
  });
  return { api, ...page };
}
const editor = () => screen.findByRole<HTMLTextAreaElement>("textbox", { name: "Document" });
const write = async (text: string) => fireEvent.change(await editor(), { target: { value: text } });
const button = (name: string) => screen.getByRole<HTMLButtonElement>("button", { name });
const saves = (answer: (dryRun: boolean, text: unknown) => ReturnType<FakeRoute>) => ({
  "POST /api/documents": (({ url, body, headers }) => {
    expect(headers.get("content-type")).toBe("application/yaml");
    expect(url.searchParams.get("source")).toBe("UI");
    return answer(url.searchParams.get("dryRun") === "true", body);
  }) as FakeRoute,
});

test("a change is reviewed before it is saved, and what was written since is reviewed again", async () => {
  const sent: unknown[] = [];
  const { user } = open(undefined, {
    routes: saves((dryRun, text) => {
      sent.push([dryRun, text]);
      const saved = { kind: "Sheet", id: row.id, namespace: "shop", name: "front", held: [] };
      const changes = [{ path: "spec.pin", change: "changed", secret: true }];
      const difference = { before: "size: 4\n", after: "size: 5\n", changes };
      return {
        body: {
          dryRun,
          documents: [{ ...saved, outcome: "updated", ...(dryRun ? difference : {}) }],
        },
      };
    }),
  });
  const text = (await editor()).value;
  expect(text).toContain("uid: id-front");
  expect(button("Review changes").disabled).toBe(true);
  const changed = text.replace("size: 4", "size: 5");
  await write(changed);
  await user.click(button("Review changes"));
  const review = await screen.findByRole("status", { name: "Review" });
  expect(review.textContent).toContain("Nothing is saved yet");
  expect(review.textContent).toContain("spec.pin");
  expect(await within(review).findByLabelText("Changes of shop/front")).toBeTruthy();
  expect(button("Save").disabled).toBe(false);

  await write(changed.replace("size: 5", "size: 6"));
  expect(screen.queryByRole("button", { name: "Save" })).toBeNull();
  await write(changed);
  await user.click(button("Save"));
  await screen.findByText("front saved");
  expect(sent).toEqual([
    [true, changed],
    [false, changed],
  ]);
  expect(localStorage.length).toBe(0);
});

test("what is refused has its place, and what was typed is still there when the page is opened again", async () => {
  const { user } = open(undefined, {
    routes: saves(() => ({
      status: 400,
      body: {
        error: "1 problem",
        issues: [{ path: "spec.size", message: "Expected a number.", line: 9, column: 9 }],
      },
    })),
  });
  await write("size: x\n");
  await user.click(button("Review changes"));
  const alert = await screen.findByRole("alert");
  expect(alert.textContent).toContain("9:9 spec.size: Expected a number.");
  cleanup();
  const again = open();
  expect((await editor()).value).toBe("size: x\n");
  await again.user.click(button("Discard changes"));
  expect((await editor()).value).toContain("size: 4");
});

test("deleting asks first and says what goes with it", async () => {
  const { user, api, history } = open(undefined, {
    routes: {
      "DELETE /api/documents/sheet/id-front": () => ({ body: { outcome: "deleted" } }),
    },
  });
  await editor();
  await user.click(button("Delete"));
  const question = await screen.findByRole("dialog", { name: "Delete front?" });
  expect(question.textContent).toContain("What is written on it goes with it.");
  expect(api.calls.some((call) => call.startsWith("DELETE"))).toBe(false);
  await user.click(within(question).getByRole("button", { name: "Delete" }));
  await vi.waitFor(() => expect(history.location.pathname).toBe("/settings/documents"));
});

test("a document from elsewhere is read, and says where it is changed", async () => {
  open(() => ({ body: stored("Sheet", "front", { source: "git/paper.yaml" }) }));
  expect((await editor()).readOnly).toBe(true);
  screen.getByText("This document comes from git/paper.yaml and is changed there.");
  expect(screen.queryByRole("button", { name: "Review changes" })).toBeNull();
  button("Export as YAML");
});

test("a viewer reads, is told why not, and exports", async () => {
  open(undefined, { session: { roles: ["viewer"] } });
  expect((await editor()).readOnly).toBe(true);
  screen.getByText(/^Needs the role/);
  expect(screen.queryByRole("button", { name: "Delete" })).toBeNull();
  button("Export as YAML");
});

test("one that is gone says so, and one of a kind that is off is not asked for", async () => {
  open(() => ({ status: 404, body: { error: "not found" } }));
  await screen.findByText("There is no such document");
  cleanup();
  const off = { name: "sheets.disable", value: "true" };
  const { api } = open(undefined, { session: { properties: [off] } });
  await screen.findByText("There is no such document");
  expect(api.calls).toEqual([]);
});
